"""Robots that forces cannot accelerate are refused by name, and robots that only look so are not."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from support.invariance.scaled_units import Units, scaled_units
from support.invariance.twins import State, compare
from support.robots.flexible import beam
from support.robots.small import X, Y, Z, described, joint, loaded, massive, point_mass, single

import symdyn
from symdyn import api
from symdyn.description.flexible import Basis, Direction, Modes, Profile
from symdyn.description.robot import Actuator, Elastic, Joint, JointKind, Link, Mimic, RobotDescription
from symdyn.dynamics.forward_dynamics.singular import _bounds as pivot_bounds
from symdyn.errors import ModelError, SymdynWarning

FUNCTIONS = ["forward_dynamics", "mass_matrix_inverse"]


def arm(tip: Link, last: Joint) -> RobotDescription:
    joints = [joint("shoulder", JointKind.REVOLUTE, "base", "upper", axis=Y), last]
    return described([Link("base"), massive("upper"), tip], joints)


def massless_tip() -> RobotDescription:
    return arm(Link("tip"), joint("wrist", JointKind.REVOLUTE, "upper", "tip", (0.3, 0.0, 0.0), X))


SINGULAR = {
    "massless leaf": (massless_tip(), "wrist", "tip"),
    "mass on the axis": (
        arm(point_mass("tip", 1.0, (0.7, 0.0, 0.0)), joint("wrist", JointKind.REVOLUTE, "upper", "tip", axis=X)),
        "wrist",
        "tip",
    ),
    "massless slider": (arm(Link("tip"), joint("wrist", JointKind.PRISMATIC, "upper", "tip", axis=X)), "wrist", "tip"),
    "point on a ball joint": (single(JointKind.SPHERICAL, point_mass("body", 1.0, (0.0, 0.0, 0.3))), "j", "body"),
    "two joints about one axis": (
        described(
            [Link("base"), Link("between"), massive("end")],
            [
                joint("first", JointKind.REVOLUTE, "base", "between"),
                joint("second", JointKind.REVOLUTE, "between", "end", (0.0, 0.0, 0.2)),
            ],
        ),
        "first",
        "between",
    ),
    "massless followers": (
        described(
            [Link("base"), Link("left"), Link("right")],
            [
                joint("lead", JointKind.REVOLUTE, "base", "left"),
                joint("follow", JointKind.REVOLUTE, "base", "right", mimic=Mimic("lead", -1.0)),
            ],
        ),
        "lead",
        "left",
    ),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", SINGULAR)
def test_singular_robots_are_refused(name: str, function: str) -> None:
    description, culprit, link = SINGULAR[name]
    with pytest.raises(ModelError, match=f"joint '{culprit}' of robot 'bench': nothing resists") as refused:
        api.programs(loaded(description), [function], layout="unrolled")
    assert f"give link '{link}' mass" in str(refused.value)
    assert ("armature" in str(refused.value)) == (name != "point on a ball joint")


def test_a_motor_is_mended_by_a_rotor() -> None:
    robot = loaded(single(JointKind.REVOLUTE, elastic=Elastic(10.0)))
    with pytest.raises(
        ModelError, match=r"acceleration of 'j\.motor'.*; give the elastic joint's motor a rotor_inertia"
    ):
        api.programs(robot, ["forward_dynamics"])


@pytest.mark.parametrize("function", FUNCTIONS)
def test_massless_links_in_between_are_no_fault(function: str) -> None:
    joints = [
        joint("yaw", JointKind.REVOLUTE, "base", "gimbal", axis=Z),
        joint("pitch", JointKind.UNIVERSAL, "gimbal", "head", axis=Y, second_axis=X),
    ]
    robot = loaded(described([Link("base"), Link("gimbal"), massive("head")], joints))
    assert api.cost(robot, [function])[function]["total"] > 0


def test_prescribing_the_joint_mends_it() -> None:
    robot = loaded(massless_tip())
    assert api.cost(robot, ["hybrid_dynamics"], prescribed=["wrist"])["hybrid_dynamics"]["total"] > 0
    with pytest.raises(ModelError, match="joint 'wrist'"):
        api.cost(robot, ["hybrid_dynamics"], prescribed=["shoulder"])


def test_a_rotor_mends_it() -> None:
    description = massless_tip()
    geared = replace(description.joints[1], actuator=Actuator(armature=1e-6))
    robot = loaded(replace(description, joints=(description.joints[0], geared)))
    assert api.cost(robot, ["forward_dynamics"])["forward_dynamics"]["total"] > 0


def test_a_needle_about_its_own_axis_is_not_singular() -> None:
    needle = massive("body", 1e-3, (0.5, 0.0, 0.0), (1e-13, 0.0, 0.0, 1e-4, 0.0, 1e-4))
    assert api.cost(loaded(single(JointKind.REVOLUTE, needle, axis=X)), FUNCTIONS)["forward_dynamics"]["total"] > 0


def test_defaults_of_runtime_parameters_decide() -> None:
    description = single(JointKind.PRISMATIC, massive("body"))
    massless = replace(description, links=(description.links[0], massive("body", 0.0, moments=(0.0,) * 6)))
    assert api.cost(loaded(description, runtime=["body.mass"]), FUNCTIONS)["forward_dynamics"]["total"] > 0
    with pytest.raises(ModelError, match=r"joint 'j' .*: at the default values of the run-time parameters nothing"):
        api.cost(loaded(massless, runtime=["body.mass"]), FUNCTIONS)


@pytest.mark.parametrize("length", [1.0, 0.2, 0.01])
def test_short_beams_are_no_singular_robots(length: float) -> None:
    """An amplitude of one metre, tried on a short beam, would turn its tip around a hundred times and more."""
    bends = beam(length, 1.0, 60.0, ((Direction.BEND_Y, 3), (Direction.BEND_Z, 3)))
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "arm", axis=Z),
        joint("wrist", JointKind.REVOLUTE, "arm", "hand", (length, 0.0, 0.0), axis=Y),
    ]
    robot = loaded(described([Link("base"), Link("arm", flexible=bends), massive("hand")], joints))
    found = api.float_recursion(robot, "forward_dynamics")(
        {"q": list(robot.neutral()), "v": [0.0] * robot.nv, "tau": [1.0] * robot.nv}
    )
    assert all(isfinite(value) and value != 0.0 for value in found["a"])


def spun_beam(**more: object) -> RobotDescription:
    """A beam along x that turns about itself."""
    link = Link("rod", flexible=replace(beam(1.0, 1.0, 20.0, ((Direction.BEND_Y, 2),)), **more))
    return described([Link("base"), link], [joint("spin", JointKind.REVOLUTE, "base", "rod", axis=X)])


def test_a_straight_beam_that_turns_about_itself_is_told_of() -> None:
    with pytest.warns(SymdynWarning, match=r"straight nothing resists an acceleration of 'spin'.*section_inertia"):
        api.float_recursion(loaded(spun_beam()), "forward_dynamics")
    thick = Profile((1.0,), ("0.001",))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SymdynWarning)
        api.float_recursion(loaded(spun_beam(section_inertia=(thick, thick))), "forward_dynamics")


def test_shapes_may_be_small() -> None:
    tiny = Modes(Direction.BEND_Y, Basis.EXPRESSIONS, 1, Profile((1.0,), ("20",)), functions=("1e-9*x**2",))
    robot = loaded(
        described(
            [Link("base"), massive("hub"), Link("rod", flexible=replace(spun_beam().links[1].flexible, modes=(tiny,)))],
            [joint("spin", JointKind.REVOLUTE, "base", "hub"), joint("weld", JointKind.FIXED, "hub", "rod")],
        )
    )
    assert api.float_recursion(robot, "forward_dynamics")


def test_all_massless_joints_are_told_at_once() -> None:
    joints = [joint("shoulder", JointKind.REVOLUTE, "base", "upper", axis=Y)]
    joints += [joint(f"finger{k}", JointKind.REVOLUTE, "upper", f"tip{k}", (0.3, 0.0, 0.1 * k), X) for k in range(3)]
    joints.append(joint("knob", JointKind.PRISMATIC, "tip1", "button", axis=Z))
    links = [Link("base"), massive("upper"), *(Link(f"tip{k}") for k in range(3)), Link("button")]
    robot = loaded(described(links, joints))
    with pytest.raises(ModelError) as refused:
        api.programs(robot, ["forward_dynamics"], layout="unrolled")
    said = str(refused.value)
    for link in ("tip0", "tip1", "tip2", "button"):
        assert f"give link '{link}' mass off the axis" in said
    assert "the same holds for" in said and "shoulder" not in said and "\n" not in said
    mended = ["knob", "finger0", "finger1", "finger2"]
    assert api.cost(robot, ["hybrid_dynamics"], prescribed=mended)["hybrid_dynamics"]["total"] > 0


def test_a_slid_body_counts_where_it_is() -> None:
    """What pivots are measured by holds for every state: here the second moment of a point 5 m away, 50 kg m^2."""
    robot = loaded(
        described(
            [Link("base"), massive("rail"), point_mass("car", 2.0, (0.0, 0.0, 0.0))],
            [
                joint("turn", JointKind.REVOLUTE, "base", "rail"),
                joint("slide", JointKind.PRISMATIC, "rail", "car", axis=X),
            ],
        )
    )
    (carried, near), car = pivot_bounds(robot.model, [0.4, 0.0], ())
    assert car == (2.0, 0.0)
    assert pivot_bounds(robot.model, [0.4, -5.0], ())[0][0] == carried
    assert pivot_bounds(robot.model, [0.4, -5.0], ())[0][1] >= near + 2.0 * 5.0**2


@pytest.mark.parametrize("length", [1e-8, 1e8])
def test_what_resists_does_not_depend_on_the_unit_of_length(length: float) -> None:
    """Angles of a radian count as no length: an arm of ten nanometres is as regular as one of a metre."""
    robot, q = symdyn.load_example("double_pendulum"), np.array([0.3, -0.8])
    twin = scaled_units(robot, Units(length=length), q)
    assert twin is not None
    assert all(own.holds for own in compare(twin, State(q, np.array([1.1, 0.4]), 0), ["forward_dynamics"]))


def three_slides_in_a_plane() -> RobotDescription:
    axes = {"x": X, "y": (0.6, 0.8, 0.0), "z": (0.28, 0.96, 0.0)}
    names = ("base", "a", "b", "c")
    joints = [
        joint(name, JointKind.PRISMATIC, names[place], names[place + 1], axis=axis)
        for place, (name, axis) in enumerate(axes.items())
    ]
    return described([Link("base"), Link("a"), Link("b"), massive("c", 1.3)], joints)


@pytest.mark.parametrize(
    ("description", "culprit"),
    [
        (single(JointKind.SPHERICAL, point_mass("body", 1.3, (0.3, 0.2, 0.1))), "j"),
        (single(JointKind.SPHERICAL, point_mass("body", 1.3, (0.1, 0.7, -0.3))), "j"),
        (three_slides_in_a_plane(), "x"),
    ],
)
def test_pivots_that_rounding_keeps_from_zero_are_refused(description: RobotDescription, culprit: str) -> None:
    """Elimination leaves some 1e-17 where nothing is, of either sign."""
    with pytest.raises(ModelError, match=f"joint '{culprit}' of robot 'bench': nothing resists"):
        api.cost(loaded(description), ["forward_dynamics"])
