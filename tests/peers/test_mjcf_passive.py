"""What acts in MJCF files beside joints and actuators: tendons, gravcomp, a medium and mocap bodies, beside MuJoCo."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from support.mjcf_random import random_model
from support.mjcf_texts import ATTACHED, ATTACHING
from support.mjcf_twins import Twin

import symdyn
from symdyn.api import float_recursion
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import SymdynWarning

pytestmark = pytest.mark.peers

TOLERANCE = 1e-10
"""Of the largest force or acceleration; the worst found is 1e-14."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log where it runs."""
    monkeypatch.chdir(tmp_path)


def read(text: str, format: str = "mjcf") -> symdyn.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, format)


FEATURES = ("tendons", "gravcomp", "mocap", "medium", "actuators")


@pytest.mark.parametrize("convention", ["pinocchio", "mujoco"])
@pytest.mark.parametrize("seed", range(5))
def test_motions_are_mujocos(seed: int, convention: str, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(random_model(seed, *FEATURES))
    twin = Twin(tmp_path / "model.xml", convention=convention)
    found = twin.compare(seed)
    assert found.mass < 1e-12
    assert found.force < TOLERANCE
    assert found.frames < 1e-12
    assert twin.driven(seed) < TOLERANCE


@pytest.mark.parametrize("flag", ['spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"'])
def test_flags_turn_the_same_off(flag: str, tmp_path: Path) -> None:
    """MuJoCo has no gravcomp and no medium where springs and dampers are both off."""
    text = random_model(1, *FEATURES).replace("<worldbody>", f"<option><flag {flag}/></option><worldbody>")
    (tmp_path / "model.xml").write_text(text)
    assert Twin(tmp_path / "model.xml").compare(1).force < TOLERANCE


def test_the_text_of_yaml_is_the_same_robot() -> None:
    """Lines of files, which differ, are no part of what acts."""
    robot = read(random_model(2, *FEATURES))
    assert {type(own).__name__ for own in robot.description.acting} == {"Strut", "Buoyancy", "Wrench"}
    assert read(write_yaml(robot.resolved()), "yaml").model == robot.model


def test_mocap_bodies_are_freed_to_be_prescribed() -> None:
    text = random_model(2, "mocap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        held, free = symdyn.loads(text, "mjcf"), symdyn.loads(text, "mjcf", locked_joints={})
    assert any("m: moved from outside (mocap), and held at rest" in warning for warning in held.warnings)
    freed = {f"m.{kind}{axis}" for kind in "vw" for axis in "xyz"}
    assert set(free.velocity_names) - set(held.velocity_names) == freed


ACROSS = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1" pos="1 0 0"/></body>
<body name="b"><joint name="k"/><geom size="0.1" pos="1 0 0"/></body></worldbody>
<tendon><fixed name="t" armature="0.3"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed></tendon>
</mujoco>"""


def test_armature_couples_branches_and_says_that_mujoco_leaves_that_out() -> None:
    robot, plain = read(ACROSS), read(ACROSS.replace('armature="0.3"', ""))
    assert any("'t': its armature couples joints of several branches" in warning for warning in robot.warnings)
    both = [float_recursion(own, "mass_matrix")({"q": [0.0, 0.0]})["M"] for own in (robot, plain)]
    added = [x - y for x, y in zip(*both, strict=True)]
    assert added == pytest.approx([1.2, -0.6, -0.6, 0.3], abs=1e-12)  # a c c^T


def test_attached_models_are_part_of_the_robot(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "model.xml").write_text(ATTACHING)
    (tmp_path / "parts" / "arm.xml").write_text(ATTACHED)
    twin = Twin(tmp_path / "model.xml")
    assert twin.robot.velocity_names == ("yaw", "l_lift", "r_lift")
    assert [own.name for own in twin.robot.model.actuator_inputs] == ["servo", "l_motor", "r_motor"]
    assert twin.compare(1).force < TOLERANCE
    assert twin.driven(1) < TOLERANCE
