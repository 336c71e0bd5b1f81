"""Base parameters: known numbers of them, and that nothing else of the inertia decides the forces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import X, Y, Z, described, joint, loaded, massive, single

from symdyn import api
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import JointKind, Link, Parameter, RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.regressor import standard_parameter_names
from symdyn.functions.regressor_sizes import regressor_sizes
from symdyn.model.base_parameters import BaseParameters, base_parameters, independent_parameters, stacked
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def found_for(robot: Robot) -> BaseParameters:
    recursion = api.float_recursion(robot, "inverse_dynamics_regressor")
    names = standard_parameter_names(robot.model)
    return base_parameters(
        robot.model, names, lambda inputs: recursion(inputs)["Y"], sizes=regressor_sizes(robot.model)
    )


def test_a_pendulum() -> None:
    found = found_for(loaded(single(JointKind.REVOLUTE, axis=Y)))
    assert [str(item) for item in found.base] == ["body.hx", "body.hz", "body.Iyy"]
    assert found.alone == ("body.hx", "body.hz", "body.Iyy")
    assert found.unidentifiable == tuple(f"body.{name}" for name in ("m", "hy", "Ixx", "Ixy", "Ixz", "Iyz", "Izz"))


def test_a_double_pendulum_counts_the_second_mass_with_the_first_link() -> None:
    joints = [
        joint("one", JointKind.REVOLUTE, "base", "a", axis=Y),
        joint("two", JointKind.REVOLUTE, "a", "b", (0.0, 0.0, -0.5), axis=Y),
    ]
    found = found_for(loaded(described([Link("base"), massive("a"), massive("b")], joints)))
    shown = [str(item) for item in found.base]
    assert shown == ["a.hx", "a.hz - 0.5*b.m", "a.Iyy + 0.25*b.m", "b.hx", "b.hz", "b.Iyy"]
    assert found.alone == ("a.hx", "b.hx", "b.hz", "b.Iyy")


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (JointKind.FLOATING, 10),
        (JointKind.SPHERICAL, 9),  # all but the mass
        (JointKind.PRISMATIC, 1),
        (JointKind.PLANAR, 4),  # a horizontal plane: m, hx, hy, Izz
        (JointKind.REVOLUTE, 1),  # about the vertical: Izz
    ],
)
def test_one_body(kind: JointKind, count: int) -> None:
    assert len(found_for(loaded(single(kind, axis=Z))).base) == count


def test_a_seven_joint_arm_on_a_vertical_axis_has_43() -> None:
    """Seven per revolute joint, less six: the first link has one where the first axis stands along gravity."""
    robot = api.load_example("seven_dof_arm")
    found = found_for(robot)
    assert len(found.base) == 43
    assert len(found_for(api.with_options(robot, gravity=(1.0, 2.0, -9.0))).base) == 45
    assert len(found_for(api.with_options(robot, floating_base=True)).base) == 10 + 7 * 7


def test_what_hangs_on_a_flexible_link_counts_with_its_tip() -> None:
    found = found_for(api.load_example("mixed_arm"))
    shown = [str(item) for item in found.base if len(item.terms) > 1]
    # The rules for revolute joints: about y at the tip, and about y 0.05 m off the vertical axis.
    assert shown == [
        "column.Izz + 0.0025*boom.m + boom.Izz",
        "boom.Ixx - boom.Izz",
        "boom.tip.m + forearm.m",
        "boom.tip.hy + forearm.hy",
        "boom.tip.Ixx + forearm.Izz",
        "boom.tip.Izz + forearm.Izz",
        "forearm.Ixx - forearm.Izz",
    ]
    assert len(found.base) == 25


def test_a_six_joint_arm_of_the_puma_family_has_36() -> None:
    axes, places = (Z, Y, Y, Z, Y, Z), ((0.0, 0.0, 0.6), (0.0, 0.2, 0.0), (0.4, -0.1, 0.0), (0.02, 0.0, 0.4))
    joints = [
        joint(f"j{k}", JointKind.REVOLUTE, f"link{k}", f"link{k + 1}", (*places, (0.0,) * 3, (0.0,) * 3)[k], axis=axis)
        for k, axis in enumerate(axes)
    ]
    robot = loaded(described([Link("link0"), *(massive(f"link{k + 1}") for k in range(6))], joints))
    assert len(found_for(robot).base) == 36


def test_a_flexible_link_hides_no_body_below_it() -> None:
    """Amplitudes are drawn where beams bend: an amplitude of 3 m would turn the boom's tip by some fifteen radians."""
    found = found_for(api.load_example("mixed_arm"))
    assert [str(item) for item in found.base[:3]] == ["column.Izz + 0.0025*boom.m + boom.Izz", "boom.hx", "boom.hz"]
    assert len(found.base) == 25
    axial = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz")
    assert found.unidentifiable == (*(f"column.{name}" for name in axial), "boom.hy")


@settings(max_examples=8)
@given(robots(max_joints=5, drives=False), st.integers(0, 2**32 - 1))
def test_nothing_else_decides_the_forces(description: RobotDescription, seed: int) -> None:
    """Random changes of the other parameters, made up for in the base ones, change no force at states not seen before,
    and no base parameter can be spared."""
    robot = loaded(description)
    names = standard_parameter_names(robot.model)
    recursion = api.float_recursion(robot, "inverse_dynamics_regressor")
    found = found_for(robot)
    others = stacked(robot.model, len(names), lambda inputs: recursion(inputs)["Y"], np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    change = rng.standard_normal(len(names))
    place = {name: row for row, name in enumerate(names)}
    for item in found.base:
        change[place[item.name]] = -sum(factor * change[place[name]] for name, factor in item.terms[1:])
    scale = max(1.0, float(np.abs(others).max()))
    assert np.abs(others @ change).max() <= 1e-8 * scale * np.abs(change).max()
    kept = others[:, [place[item.name] for item in found.base]]
    values = np.linalg.svd(kept / np.linalg.norm(kept, axis=0), compute_uv=False) if found.base else np.ones(1)
    assert values.min() > 1e-6
    listed = {name for item in found.base for name, _ in item.terms} | set(found.unidentifiable)
    assert listed == set(names)


def test_independent_columns_of_a_plain_matrix() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 30))
    found = independent_parameters(("a", "none", "b", "both"), np.stack([a, 0 * a, b, 2.0 * a - 0.5 * b], axis=1))
    assert [str(item) for item in found.base] == ["a + 2*both", "b - 0.5*both"]
    assert found.unidentifiable == ("none",) and found.alone == ()


def test_run_time_parameters_need_a_value() -> None:
    links = [Link("base"), massive("body")]
    at = joint("j", JointKind.REVOLUTE, "base", "body", axis=X)
    valued = loaded(described(links, [at]), runtime=["j.translation.z"])
    assert len(found_for(valued).base) == 3
    open_mass = described(
        [Link("base"), massive("body", Expression("m_body"))],
        [at],
        parameters=(Parameter("m_body", None, "kg", runtime=True),),
    )
    with pytest.raises(ModelError, match="run-time parameter 'm_body' has no default value; give it one"):
        found_for(loaded(open_mass))


@pytest.mark.parametrize("gravity", [9.81e-6, 9.81, 9.81e12])
def test_units_of_time_do_not_decide_what_is_felt(gravity: float) -> None:
    """Gravity in metres per square microsecond, or per square megasecond, beside velocities of one."""
    turned = described([Link("base"), massive("body")], [joint("turn", JointKind.REVOLUTE, "base", "body", axis=Y)])
    found = found_for(loaded(turned, gravity=[0.0, 0.0, -gravity]))
    assert [str(item) for item in found.base] == ["body.hx", "body.hz", "body.Iyy"]


def test_rounding_is_not_felt_where_it_is_all_there_is() -> None:
    """A hinge along a turned axis feels no mass, and rounding leaves some 1e-17 of it beside nothing else."""
    axis = (0.48, 0.6, 0.64)
    turned = described([Link("base"), massive("body")], [joint("turn", JointKind.REVOLUTE, "base", "body", axis=axis)])
    found = found_for(loaded(turned, gravity=[0.0, 0.0, 0.0]))
    assert len(found.base) == 1 and "body.m" in found.unidentifiable
