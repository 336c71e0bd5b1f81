"""Loading: files, descriptions, shipped robots, options, warnings and strictness."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.robots.small import loaded, massive, single, torque

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Limits, Losses
from symdyn.errors import DescriptionError, ModelError, SymdynWarning
from symdyn.model.joints import FREE_SPATIAL

URDF = """<robot name="lamp">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/>{dynamics}</joint>
</robot>
"""


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A URDF without anything odd."""
    path = tmp_path / "lamp.urdf"
    path.write_text(URDF.format(dynamics=""))
    return path


@pytest.fixture
def rubbing_lamp(tmp_path: Path) -> Path:
    """The same with damping."""
    path = tmp_path / "rubbing.urdf"
    path.write_text(URDF.format(dynamics='<dynamics damping="0.5" friction="0.1"/>'))
    return path


def test_a_file_becomes_a_robot(lamp: Path) -> None:
    for path in (lamp, str(lamp)):
        robot = symdyn.load(path)
        assert (robot.name, robot.nq, robot.nv, robot.warnings) == ("lamp", 1, 1, ())
        assert robot.coordinate_names == robot.velocity_names == ("hinge",)
        assert (robot.coordinate_units, robot.velocity_units) == (("rad",), ("rad/s",))
        assert (robot.body_names, robot.frame_names) == (("arm",), ("base", "arm"))
        assert repr(robot) == "<symdyn.Robot 'lamp': 1 bodies, nq 1, nv 1>"
        assert (robot.limits.lower[0], robot.limits.upper[0]) == (-1.0, 1.0)
        assert (robot.limits.velocity[0], robot.limits.effort[0]) == (2.0, 5.0)


def test_the_base_may_float(lamp: Path) -> None:
    fixed, floating = symdyn.load(lamp), symdyn.load(lamp, floating_base=True)
    assert (floating.nq, floating.nv) == (8, 7)
    assert floating.body_names == ("base", "arm")
    still, moving = [0.0] * 7, [0.3, 1.0, 2.0]
    held = torque(floating, [*floating.neutral()[:7], moving[0]], [*still[:6], moving[1]], [*still[:6], moving[2]])
    q, v, a = moving
    assert held[-1] == pytest.approx(torque(fixed, [q], [v], [a])[0])


def test_the_file_decides_about_the_base_unless_told() -> None:
    assert symdyn.load_example("aerial_manipulator").nq == 13
    assert symdyn.load_example("aerial_manipulator", floating_base=False).nq == 6


def test_losses_that_are_left_out_are_warned_of(rubbing_lamp: Path) -> None:
    with pytest.warns(
        SymdynWarning,
        match=r"rubbing.urdf: damping and friction of joint 'hinge' are left out of tau; "
        r"load with joint_losses=True",
    ):
        robot = symdyn.load(rubbing_lamp)
    assert len(robot.warnings) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        including = symdyn.load(rubbing_lamp, joint_losses=True, strict=True)
        assert api.with_options(robot, gravity=(0.0, 0.0, 0.0)).warnings == robot.warnings
    assert including.warnings == ()
    extra = torque(including, [0.2], [3.0], [0.0])[0] - torque(robot, [0.2], [3.0], [0.0])[0]
    assert extra == pytest.approx(0.5 * 3.0 + 0.1)


def test_the_warning_points_at_the_caller(rubbing_lamp: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        symdyn.load(rubbing_lamp)
    assert [Path(item.filename).name for item in caught] == [Path(__file__).name]


def test_strict_refuses_what_would_be_a_warning(rubbing_lamp: Path) -> None:
    with pytest.raises(DescriptionError, match=r"rubbing.urdf: damping and friction of joint 'hinge'.*\(strict\)"):
        symdyn.load(rubbing_lamp, strict=True)
    odd = single(JointKind.REVOLUTE, limits=Limits(1.0, -1.0))
    with pytest.raises(DescriptionError, match=r"bench.*lower limit 1 lies above upper limit -1 \(strict\)"):
        api.from_description(odd, strict=True)
    lossy = single(JointKind.REVOLUTE, losses=Losses(0.1))
    with pytest.raises(DescriptionError, match=r"left out of tau.*\(strict\)"):
        api.from_description(lossy, strict=True)


def test_descriptions_are_checked() -> None:
    broken = single(JointKind.REVOLUTE, massive("body", mass=-1.0))
    with pytest.raises(DescriptionError, match="mass"):
        symdyn.from_description(broken)
    nameless = replace(single(JointKind.REVOLUTE, losses=Losses(0.1)), source="")
    with pytest.warns(SymdynWarning, match=r"^bench: damping and friction"):
        symdyn.from_description(nameless)


def test_files_that_are_not_there_or_no_robots(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"nowhere\.urdf"):
        symdyn.load(tmp_path / "nowhere.urdf")
    (tmp_path / "text.urdf").write_text("hello")
    with pytest.raises(DescriptionError, match=r"text\.urdf"):
        symdyn.load(tmp_path / "text.urdf")


def test_options_that_do_not_fit_name_the_option(lamp: Path) -> None:
    with pytest.raises(ModelError, match="convention 'drake' is unknown"):
        symdyn.load(lamp, convention="drake")
    with pytest.raises(ModelError, match=r"run-time parameter 'arm\.weight'"):
        symdyn.load(lamp, runtime=["arm.weight"])
    with pytest.raises(ModelError, match="locked joint 'door'"):
        symdyn.load(lamp, locked_joints={"door": 0.0})
    with pytest.raises(ModelError, match=r"^lamp\.urdf: runtime is a list of names .*, got 3"):
        symdyn.load(lamp, runtime=3)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:.*follow from others:symdyn.SymdynWarning")
@pytest.mark.parametrize("name", sorted(set(symdyn.examples()) - {"andrews_squeezer"}))  # which a spring pulls
def test_examples_load_with_options(name: str) -> None:
    more = {"bodies_per_branch": 2, "branches": 2} if name == "aerial_tree" else {}
    robot = symdyn.load_example(name, gravity=(0.0, 0.0, 0.0), **more)
    zero = np.zeros(robot.nv)
    assert torque(robot, robot.neutral(), zero, zero) == [0.0] * robot.nv


def test_the_table_of_examples_is_a_copy() -> None:
    symdyn.examples().clear()
    assert "pendulum" in symdyn.examples()


def test_load_options_are_plain_and_load_the_same_robot() -> None:
    description = single(JointKind.PLANAR, massive("body"))
    robot = loaded(
        description,
        floating_base=True,
        locked_joints={"j": np.array([0.1, 0.2, 0.3])},
        runtime=["body.mass"],
        convention="spatial",
        gravity=(0.0, 1.0, 2.0),
    )
    options = dict(robot.load_options())
    assert options == {
        "floating_base": True,
        "locked_joints": {"j": [0.1, 0.2, 0.3]},
        "runtime": ["body.mass"],
        "joint_losses": False,
        "convention": "spatial",
        "gravity": [0.0, 1.0, 2.0],
    }
    assert loaded(description, **options).model == robot.model
    assert robot.model.bodies[0].joint.kind == FREE_SPATIAL
    one = loaded(single(JointKind.REVOLUTE), floating_base=True, locked_joints={"j": 1})
    assert one.load_options()["locked_joints"] == {"j": 1.0}
