"""One warning per load, whatever the file holds."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import pytest

import symdyn
from symdyn.description.text.notice import Notice, doubt, mended, summary

BUSY = """\
<robot name="busy">
  <gazebo/><gazebo/><transmission/>
  <link name="base"/>
  <link name="arm" kind="a" colour="b">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><dynamics damping="1"/>
  </joint>
</robot>
"""


def test_several_warnings_are_told_in_one_line_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "busy.urdf"
    path.write_text(BUSY)
    with pytest.warns(symdyn.SymdynWarning) as told:
        robot = symdyn.load(path)
    (warning,) = told
    assert str(warning.message) == (
        "busy.urdf: read but not modelled: 2 unknown attributes, 2 <gazebo>, 1 <transmission>, losses of 1 joint; "
        "doubtful: limits of 1 joint, inertia of 1 link; robot.warnings and 'symdyn info' tell each"
    )
    assert len(robot.warnings) == 6 and all(type(text) is str for text in robot.warnings)
    assert warning.filename == __file__


def test_one_warning_is_told_in_full_unless_it_is_long() -> None:
    assert summary([Notice("line 3: <gazebo> is ignored", "{<gazebo>}")]) == "line 3: <gazebo> is ignored"
    long = Notice(f"losses of {'x' * 300} are left out", "losses of {joint}", 40)
    assert summary([long]).startswith("read but not modelled: losses of 40 joints; ")
    for wordless in (doubt(f"odd {'x' * 300}"), f"odd {'x' * 300}"):
        assert summary([wordless]) == f"odd {'x' * 196}..; robot.warnings tells all"


def test_kinds_are_counted_apart_and_what_has_no_words_is_counted_too() -> None:
    told = summary([mended("a"), mended("b"), "odd", doubt("c", "inertia of {link}"), doubt("d", "inertia of {link}")])
    assert told.startswith("doubtful: 1 other matter, inertia of 2 links; mended: 2 elements; ")
    assert summary(["odd", "odd"]) == "odd"
    assert summary(["odd", doubt("c")]).startswith("odd (and 1 more); robot.warnings")
    assert summary([f"odd {'x' * 300}", doubt("c")]).startswith(f"odd {'x' * 196}.. (and 1 more); ")


def test_a_description_with_notices_can_be_sent_to_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "busy.urdf"
    path.write_text(BUSY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        description = symdyn.load(path).description
    again = pickle.loads(pickle.dumps(description))
    assert again == description and summary(again.warnings) == summary(description.warnings)
