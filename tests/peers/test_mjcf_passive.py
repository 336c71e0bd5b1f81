"""What acts in MJCF files beside joints and actuators: tendons, gravcomp, a medium and mocap bodies, beside MuJoCo."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest
from support.mjcf_random import random_model
from support.mjcf_texts import ATTACHED, ATTACHING
from support.mjcf_twins import Twin

import symdyn
from symdyn.api import float_recursion
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, SymdynWarning

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


FEATURES = ("tendons", "gravcomp", "mocap", "medium", "wind", "actuators")


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


@pytest.mark.parametrize("quantity", ["mass", "com.x"])
def test_gravcomp_is_refused_where_the_weight_is_known_at_run_time(quantity: str) -> None:
    shape = '<geom size="0.1" contype="0" conaffinity="0"/>'
    text = f'<mujoco><worldbody><body name="b" gravcomp="0.5"><joint/>{shape}</body></worldbody></mujoco>'
    with pytest.raises(DescriptionError, match=f"body 'b': gravcomp takes off the weight .* and b.{quantity} is known"):
        symdyn.loads(text, "mjcf", runtime=[f"b.{quantity}"])
    assert symdyn.loads(text, "mjcf", runtime=["b.inertia.xx"]).runtime_parameters == ("b.inertia.xx",)
    free = symdyn.loads(text.replace("0.5", "0"), "mjcf", runtime=[f"b.{quantity}"])
    assert free.runtime_parameters == (f"b.{quantity}",)


def test_mocap_bodies_are_freed_to_be_prescribed() -> None:
    text = random_model(2, "mocap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        held, free = symdyn.loads(text, "mjcf"), symdyn.loads(text, "mjcf", locked_joints={})
    assert any("m: moved from outside (mocap), and held at rest" in warning for warning in held.warnings)
    freed = {f"m.{kind}{axis}" for kind in "vw" for axis in "xyz"}
    assert set(free.velocity_names) - set(held.velocity_names) == freed


SWIMMER = """<mujoco><option density="{}" viscosity="{}" wind="{}"/><default><geom fluidshape="ellipsoid"/>
<default class="box"><geom fluidshape="none"/></default></default><worldbody><body name="a" pos="0 0 1"><freejoint/>
<geom type="ellipsoid" size=".1 .05 .03" pos=".02 .01 0" euler="10 20 30" fluidcoef=".6 .3 1.4 1.1 .8"/>
<geom type="box" class="box" size=".1 .05 .03" pos="0 .1 0"/><geom type="capsule" size=".02 .1" pos="0 0 .1"/>
<body pos=".2 0 0"><joint name="f" axis="0 1 0"/>
<geom type="cylinder" size=".05 .03" fluidcoef="0 .3 1.4 0 .8"/>
<body pos=".2 0 0"><joint name="g" axis="0 1 1"/><geom class="box" type="box" size=".05 .03 .02"/>
<body pos=".2 0 0"><joint name="h" type="ball"/><geom size=".05"/></body>
</body></body></body></worldbody></mujoco>"""
"""Ellipsoids, boxes beside them, which the medium then does not meet, and a body of a box alone."""


@pytest.mark.parametrize("convention", ["pinocchio", "mujoco"])
@pytest.mark.parametrize(
    ("density", "viscosity", "wind"),
    [(1.2, 2e-5, "0 0 0"), (1000, 0, "0 0 0"), (0, 0.3, "0 0 0"), (900, 0.1, "1 -2 1")],
)
def test_ellipsoids_are_mujocos(density: float, viscosity: float, wind: str, convention: str, tmp_path: Path) -> None:
    """Drag, Magnus and Kutta lift and added masses; the worst found is 3e-15 of the largest force."""
    (tmp_path / "model.xml").write_text(SWIMMER.format(density, viscosity, wind))
    twin = Twin(tmp_path / "model.xml", convention=convention)
    assert max(twin.compare(seed).force for seed in range(3)) < 1e-13


def test_ellipsoids_have_slopes_at_rest() -> None:
    """Roots of zero have none, and MuJoCo's formulas divide by the speed."""
    robot = read(SWIMMER.format(900, 0.1, "0 0 0"))
    state = {"q": robot.neutral().tolist(), "v": [0.0] * robot.nv, "a": [0.0] * robot.nv}
    for found in float_recursion(robot, "inverse_dynamics_partials")(state).values():
        assert all(map(math.isfinite, found))
    again = read(write_yaml(robot.resolved()), "yaml")
    assert again.model == robot.model


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
