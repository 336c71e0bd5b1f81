"""What a caller asks to go on without, in files of each format and by the command line."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import symdyn
from symdyn.errors import DescriptionError, RequestError
from symdyn.robot.loading import LoadWords

ARM = """<robot name="arm"><link name="base"/>
  <link name="rod"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="swing" type="continuous"><parent link="base"/><child link="rod"/><rotor mass="1"/></joint>
</robot>"""
YAML = """name: arm
links:
  base:
  rod: {mass: 2, inertia: {xx: 1, yy: 1, zz: 1, tt: 3}}
joints:
  swing: {type: continuous, parent: base, child: rod, axis: [1, 0, 0], friction: 3}
colour: red
"""
TAKEN = "line 4: element <rotor> is left out, as asked"


def test_words_of_urdf_go_where_the_caller_says_so() -> None:
    with pytest.raises(DescriptionError, match=r"<rotor> in <joint> is unknown.* ignore=\['rotor'\].* --ignore rotor"):
        symdyn.loads(ARM, "urdf")
    with pytest.warns(symdyn.SymdynWarning, match="element <rotor> is left out, as asked"):
        robot = symdyn.loads(ARM, "urdf", ignore=["rotor"])
    assert robot.warnings == (TAKEN,)
    assert robot.description.joints[0].actuator is None


def test_unknown_keys_of_yaml_go_and_known_ones_stay() -> None:
    with pytest.raises(DescriptionError, match="unknown key"):
        symdyn.loads(YAML, "yaml", ignore=["tt", "friction"])
    with pytest.warns(symdyn.SymdynWarning):
        robot = symdyn.loads(YAML, "yaml", ignore=["tt", "friction", "colour", "mass", "links"])
    assert set(robot.warnings) == {
        "line 4: link 'rod': inertia.tt is left out, as asked",
        "line 6: joint 'swing': friction is left out, as asked",
        "line 7: colour is left out, as asked",
    }
    assert robot.description.links[1].inertial is not None
    assert robot.description.links[1].inertial.mass == 2.0


@pytest.mark.parametrize("given", ["rotor", [3], 5])
def test_other_than_names_are_refused(given: object) -> None:
    with pytest.raises(RequestError, match="ignore is a list of names, got"):
        symdyn.loads(ARM, "urdf", ignore=given)  # type: ignore[arg-type]


def test_load_and_loads_take_the_same_words() -> None:
    taken = list(inspect.signature(symdyn.load).parameters)
    assert [*LoadWords.__annotations__] == taken[1:]


@pytest.mark.parametrize("word", ["folders", "package_paths", "ignore"])
def test_a_robot_that_no_file_has_takes_no_words_of_files(word: str) -> None:
    given: dict[str, Any] = {word: ["x"]}
    with pytest.raises(RequestError, match=f"{word} is for files, and aerial_tree is made without one"):
        symdyn.load_example("aerial_tree", **given)
    assert symdyn.load_example("aerial_tree", **{word: []}).nv == symdyn.load_example("aerial_tree").nv
