"""Centre of mass and its velocity: against sums over links, by hand, and in every layout."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracles.plain_kinematics import Array, along, center_of_mass, moving_masses, rate
from support.robots.random_trees import robots
from support.robots.small import X, Y, described, joint, loaded, massive, point_mass, single
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Link, Mimic, RobotDescription
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.robot.robot import Robot

FUNCTIONS = {"center_of_mass": "com", "center_of_mass_velocity": "com_velocity"}
CONVENTIONS = st.sampled_from(("pinocchio", "spatial", "mujoco"))


def center(robot: Robot, q: Array, *p: float) -> Array:
    inputs = {"q": [float(value) for value in q]} | ({"p": list(p)} if p else {})
    return np.array(api.float_recursion(robot, "center_of_mass")(inputs)["com"])


def velocity(robot: Robot, q: Array, v: Array, *p: float) -> Array:
    inputs = {"q": [float(x) for x in q], "v": [float(x) for x in v]} | ({"p": list(p)} if p else {})
    return np.array(api.float_recursion(robot, "center_of_mass_velocity")(inputs)["com_velocity"])


def with_mass(description: RobotDescription) -> RobotDescription:
    """The robot with inertia on every link, so that there is a centre of mass."""
    links = tuple(
        link if link.inertial is not None else massive(link.name, 0.7, (0.2, 0.0, -0.1)) for link in description.links
    )
    return replace(description, links=links)


@settings(max_examples=60)
@given(robots(max_joints=8), CONVENTIONS, st.integers(0, 2**32 - 1))
def test_the_centre_is_the_mean_over_the_links(description: RobotDescription, convention: str, seed: int) -> None:
    robot = loaded(with_mass(description), convention=convention)
    q, v = robot.random_state(np.random.default_rng(seed))
    expected = center_of_mass(robot, q)
    assert center(robot, q) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    v = v / max(1.0, float(np.linalg.norm(v)))
    motion = along(robot, q, v)
    changes = rate(lambda time: center_of_mass(robot, motion(time)))
    assert velocity(robot, q, v) == pytest.approx(changes, rel=1e-8, abs=1e-9)


@settings(max_examples=15)
@given(robots(max_joints=6), st.integers(0, 2**32 - 1))
def test_runtime_parameters_equal_baked_ones(description: RobotDescription, seed: int) -> None:
    description = with_mass(description)
    baked = loaded(description)
    links = [name for name, _, _, _ in moving_masses(baked)]
    names = [f"{links[-1]}.mass", f"{links[0]}.com.y", f"{description.joints[-1].name}.translation.x"]
    robot = loaded(description, runtime=names)
    q, v = robot.random_state(np.random.default_rng(seed))
    assert center(robot, q, *robot.runtime_defaults) == pytest.approx(center(baked, q), rel=1e-13, abs=1e-14)
    expected = velocity(baked, q, v)
    assert velocity(robot, q, v, *robot.runtime_defaults) == pytest.approx(expected, rel=1e-13, abs=1e-13)


@settings(max_examples=8)
@given(robots(max_joints=6), CONVENTIONS, st.booleans(), st.integers(0, 2**32 - 1))
def test_every_layout_gives_the_recursion(
    description: RobotDescription, convention: str, runtime: bool, seed: int
) -> None:
    description = with_mass(description)
    moving = moving_masses(loaded(description))[-1][0]
    robot = loaded(description, convention=convention, runtime=[f"{moving}.mass"] if runtime else [])
    for function, output in FUNCTIONS.items():
        signature = CATALOGUE[function].signature(robot.model, Request())
        inputs = random_inputs(robot, signature, np.random.default_rng(seed))
        expected = api.float_recursion(robot, function)(inputs)[output]
        for layout in ("unrolled", "split", "rolled"):
            (program,) = api.programs(robot, [function], layout=layout)
            value = evaluate_program(program, FloatAlgebra(), inputs)[output]
            assert relative_error(value, expected) <= 1e-13, (function, layout)


def test_a_lever_by_hand() -> None:
    """A lever of 2 kg about y, half a metre long, and 6 kg sliding along it at twice its angle."""
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "lever", at=(0.0, 0.0, 1.0), axis=Y),
        joint("slide", JointKind.PRISMATIC, "lever", "load", axis=X, mimic=Mimic("turn", 2.0)),
    ]
    links = [massive("base", 50.0), point_mass("lever", 2.0, (0.5, 0.0, 0.0)), point_mass("load", 6.0, (0.0, 0.0, 0.0))]
    robot = loaded(described(links, joints))
    angle, speed = 0.6, -1.3
    s, c = math.sin(angle), math.cos(angle)
    reach, slide = (2.0 * 0.5 + 6.0 * 2.0 * angle) / 8.0, 6.0 * 2.0 / 8.0
    assert center(robot, np.array([angle])) == pytest.approx([reach * c, 0.0, 1.0 - reach * s], abs=1e-15)
    expected = [speed * (slide * c - reach * s), 0.0, -speed * (slide * s + reach * c)]
    assert velocity(robot, np.array([angle]), np.array([speed])) == pytest.approx(expected, abs=1e-15)


def test_links_on_the_ground_do_not_count() -> None:
    light, heavy = (
        loaded(replace(single(JointKind.REVOLUTE), links=(massive("base", mass), massive("body")))) for mass in (1, 900)
    )
    q = np.array([0.4])
    assert center(light, q).tolist() == center(heavy, q).tolist()


@pytest.mark.parametrize("function", ["center_of_mass", "center_of_mass_velocity", "centroidal_momentum"])
def test_a_robot_without_mass_is_refused(function: str) -> None:
    robot = loaded(described([massive("base"), Link("body")], [joint("j", JointKind.PRISMATIC, "base", "body")]))
    with pytest.raises(ModelError, match=r"robot 'bench' has no mass on a moving link.*give one of body an inertial"):
        api.cost(robot, [function])


def test_signatures() -> None:
    model = loaded(single(JointKind.REVOLUTE)).model
    for function, output, units in (("center_of_mass", "com", "m"), ("center_of_mass_velocity", "com_velocity", "m/s")):
        (found,) = CATALOGUE[function].signature(model, Request()).outputs
        assert (found.name, found.shape, found.element_units) == (output, (3,), (units,) * 3)
    assert found.element_names == ("vx", "vy", "vz")


def test_what_a_turn_cannot_move_costs_nothing() -> None:
    """Mass along the axis, and at the next joint, is counted with the parent: the same operations with or without."""
    joints = [
        joint("a", JointKind.REVOLUTE, "base", "upper"),
        joint("b", JointKind.REVOLUTE, "upper", "lower", at=(0.5, 0.0, 0.0), axis=X),
    ]
    lower = point_mass("lower", 1.0, (0.0, 0.2, 0.1))
    totals = [
        api.cost(loaded(described([Link("base"), upper, lower], joints)), ["center_of_mass"], layout="unrolled")
        for upper in (point_mass("upper", 1.0, (0.25, 0.0, 0.0)), point_mass("upper", 7.0, (0.25, 0.0, 0.9)))
    ]
    assert totals[0]["center_of_mass"]["total"] <= totals[1]["center_of_mass"]["total"] <= 21
