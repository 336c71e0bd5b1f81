"""A robot that was loaded before is recalled without its model, which is the same once somebody asks for it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

LOADING = """
import pickle, sys, warnings
import symdyn
warnings.simplefilter("always")
locked = {{"elbow": 0.25}}
with warnings.catch_warnings(record=True) as told:
    robot = symdyn.load({path!r}, locked_joints=locked, gravity={gravity}, floating_base=True)
told = [str(own.message) for own in told]
locked["elbow"] = 0.5
built = [name for name in ("symdyn.model.model", "symdyn.description.robot") if name in sys.modules]
first = (robot.name, robot.to_yaml(), dict(robot.load_options()), robot.warnings, robot.warning_summary)
assert built == [name for name in built if name in sys.modules]
again = pickle.loads(pickle.dumps(robot))
from symdyn.robot.robot import Robot
eager = Robot(robot.description, robot.options, robot.model, robot.mesh_folders)
assert first == (eager.name, eager.to_yaml(), eager.load_options(), eager.warnings, eager.warning_summary)
assert (again.model, again.description, again.options) == (robot.model, robot.description, robot.options)
assert robot.options.locked_joints == {{"elbow": 0.25}} and robot.contact_note == eager.contact_note
print((bool(built), told, first))
"""
ARM = """<robot name="arm"><link name="base"/>
<link name="upper"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="fore"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<safety_controller k_velocity="1"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/></joint></robot>"""


def _said(folder: Path, gravity: str) -> tuple[bool, list[str], tuple[object, ...]]:
    code = LOADING.format(path=str(folder / "arm.urdf"), gravity=gravity)
    environment = {**os.environ, "SYMDYN_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    built, told, first = ast.literal_eval(done.stdout)
    return built, told, first


def test_a_second_process_builds_no_model_until_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    made, told, first = _said(tmp_path, "[0.0, 0.0, -1.62]")
    assert made and told  # a link without mass, and a word that is not modelled
    assert _said(tmp_path, "[0.0, 0.0, -1.62]") == (False, told, first)
    made, _, other = _said(tmp_path, "[0.0, 0.0, -9.81]")
    assert made and other != first  # another option is another robot


@pytest.mark.slow
def test_options_without_an_exact_text_are_not_kept(tmp_path: Path) -> None:
    gravity = "__import__('numpy').array([0.0, 0.0, -1.62])"
    (tmp_path / "arm.urdf").write_text(ARM)
    assert [_said(tmp_path, gravity)[0] for _ in range(2)] == [True, True]


@pytest.mark.slow
def test_another_text_of_the_file_is_another_robot(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    _, _, first = _said(tmp_path, "None")
    (tmp_path / "arm.urdf").write_text(ARM.replace('mass value="1"', 'mass value="3"'))
    made, _, other = _said(tmp_path, "None")
    assert made and other[1] != first[1]
