"""The shipped robots load without a warning but for rows of planar loops; their numbers are those of their sources."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable

import numpy as np
import pytest
from support.robots.shipped_loops import LOOPED, shipped
from support.robots.shipped_soft import SOFT_LOOPED

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import RequestError, SymdynWarning
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot
from symdyn.shapes.rod import rod_tables


def cone(length: float, root: float, tip: float, density: float = 1000.0) -> float:
    """The mass of a cone by its radii."""
    return density * math.pi * length * (root**2 + root * tip + tip**2) / 3


SIZES = {  # bodies, nq, nv, total mass [kg]
    "pendulum": (1, 1, 1, 1.0),
    "double_pendulum": (2, 2, 2, 1.6),
    "seven_dof_arm": (7, 7, 7, 21.4),
    "aerial_manipulator": (7, 13, 12, 4.0),
    "aerial_tree": (101, 107, 106, 27.5),
    "elastic_arm": (2, 3, 3, 6.5),
    "canadarm_rigid": (3, 3, 3, 320.0),
    "canadarm": (6, 15, 15, 320.0),
    "flexible_single_link": (2, 4, 4, 1.024),
    "mixed_arm": (4, 9, 9, 14.7 + 2700 * math.pi * (0.04**2 - 0.036**2) / 4 * 1.15),
    "cable_manipulator": (1, 24, 24, cone(0.5, 0.03, 0.015)),
    "soft_serial_robot": (8, 27, 27, 7 * 2700 * math.pi * 0.02**2 * 0.2 + cone(0.5, 0.015, 0.01)),
    "flagellate_vehicle": (
        *(9, 81, 80),
        1000 * math.pi * (0.06**2 * 0.3 + 2 * 0.02**2 * 0.06 + 6 * 0.0125**2 * 0.05)
        + 3 * (cone(0.35, 0.0125, 0.001) + cone(0.5, 0.0125, 0.001)),
    ),
    "parallel_robot": (6, 66, 63, 1000 * (math.sqrt(3) / 4 * 0.2**2 * 0.01 + 3 * 0.015 * 0.03 * 0.15)),
    "fin_ray_finger": (
        *(23, 74, 74),
        1050 * 0.001 * (12 * 0.03 * 0.025 + 12 * 0.03 * math.sin(math.pi / 18) * 0.01 * sum(range(1, 6)) / 6),
    ),
    "cylinder_contact": (1, 24, 24, cone(0.5, 0.03, 0.015)),
    "bulging_arm": (3, 12, 12, 3 * cone(0.2, 0.02, 0.02, 1062.0)),
    "four_bar": (3, 3, 3, 3.3),
    "slider_crank": (3, 3, 3, 3.7),
    "five_bar": (4, 4, 4, 3.6),
    "stewart_platform": (13, 25, 24, 8.0 + 6 * 2.1),
    "quadruped": (13, 19, 18, 7.0 + 4 * 1.85),
    "andrews_squeezer": (7, 7, 7, 0.04325 + 0.00365 + 0.02373 + 2 * 0.00706 + 0.0705 + 0.05498),
    "bricard": (5, 5, 5, 5.0),
    "gaussian_tentacle": (2, 10, 10, cone(0.2, 0.01, 0.005, 1070.0) + cone(0.2, 0.005, 0.002, 1070.0)),
}


def torque(robot: Robot, q: Iterable[float], v: Iterable[float], a: Iterable[float], **options: str) -> list[float]:
    """Inverse dynamics by the float recursion."""
    recursion = api.float_recursion(robot, "inverse_dynamics", **options)
    return list(recursion({"q": list(q), "v": list(v), "a": list(a)})["tau"])


def test_the_table_names_every_shipped_robot() -> None:
    assert set(symdyn.examples()) == set(SIZES)
    assert all(0 < len(line) < 90 for line in symdyn.examples().values())


@pytest.mark.parametrize("name", SIZES)
def test_size_and_mass(name: str) -> None:
    robot = shipped(name) if name in (*LOOPED, *SOFT_LOOPED) else symdyn.load_example(name, strict=True)
    masses = [float(link.inertial.mass) for link in robot.description.links if link.inertial]  # type: ignore[arg-type]
    beams = [link.flexible for link in robot.description.links if link.flexible]
    masses += [float(beam.mass_per_length.values[0]) * beam.length for beam in beams]
    rods = [rod_tables(link.soft, link.soft.stations or 0) for link in robot.description.links if link.soft]
    masses += [step.mass for rod in rods for step in rod.steps]
    assert (len(robot.body_names), robot.nq, robot.nv) == SIZES[name][:3]
    assert sum(masses) == pytest.approx(SIZES[name][3])
    assert robot.name == name


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RequestError, match=r"'pendulm'.*pendulum, double_pendulum"):
        symdyn.load_example("pendulm")


@pytest.mark.parametrize(("q", "v", "a"), [(0.0, 0.0, 0.0), (0.7, 2.0, -3.0), (-math.pi / 2, 0.0, 1.0)])
def test_pendulum_is_a_uniform_rod(q: float, v: float, a: float) -> None:
    expected = 1.0 / 3.0 * a + 9.81 * 0.5 * math.sin(q)
    assert torque(symdyn.load_example("pendulum"), [q], [v], [a]) == pytest.approx([expected], rel=1e-14, abs=1e-15)


def test_double_pendulum_equals_its_textbook_equations() -> None:
    m1, l1, m2, l2, g = 1.0, 0.8, 0.6, 0.5, 9.81
    (q1, q2), (v1, v2), (a1, a2) = (0.4, -1.1), (1.3, 0.6), (-2.0, 3.5)
    c1, c2 = l1 / 2, l2 / 2
    j1, j2 = m1 * l1**2 / 12, m2 * l2**2 / 12
    coupling = m2 * l1 * c2 * math.cos(q2)
    m11 = j1 + j2 + m1 * c1**2 + m2 * (l1**2 + c2**2) + 2 * coupling
    m12 = j2 + m2 * c2**2 + coupling
    h = m2 * l1 * c2 * math.sin(q2)
    gravity2 = m2 * g * c2 * math.sin(q1 + q2)
    gravity1 = (m1 * c1 + m2 * l1) * g * math.sin(q1) + gravity2
    expected = [
        m11 * a1 + m12 * a2 - h * (2 * v1 * v2 + v2**2) + gravity1,
        m12 * a1 + (j2 + m2 * c2**2) * a2 + h * v1**2 + gravity2,
    ]
    assert torque(symdyn.load_example("double_pendulum"), [q1, q2], [v1, v2], [a1, a2]) == pytest.approx(
        expected, rel=1e-13
    )


def test_canadarm_has_the_inertia_of_three_rods_in_line() -> None:
    robot = symdyn.load_example("canadarm_rigid")
    rods = [(140.0, 6.0, 0.0), (85.0, 7.0, 6.0), (95.0, 2.0, 13.0)]  # mass, length, distance of the near end
    about_shoulder = sum(m * (length**2 / 12 + (near + length / 2) ** 2) for m, length, near in rods)
    assert torque(robot, [0.0] * 3, [0.0] * 3, [1.0, 0.0, 0.0])[0] == pytest.approx(about_shoulder, rel=1e-14)
    # The axes are vertical, so weight asks nothing of the joints.
    assert torque(robot, [0.3, -1.0, 0.5], [0.0] * 3, [0.0] * 3) == pytest.approx([0.0] * 3, abs=1e-9)


def test_aerial_manipulator_is_the_tree_of_two_branches_of_three() -> None:
    drone = symdyn.load_example("aerial_manipulator")
    tree = symdyn.load_example("aerial_tree", bodies_per_branch=3, branches=2)
    rng = np.random.default_rng(3)
    q, v = drone.random_state(rng)
    a = rng.standard_normal(drone.nv)
    assert torque(drone, q, v, a) == pytest.approx(torque(tree, q, v, a), rel=1e-13, abs=1e-13)


def test_aerial_manipulator_at_rest_carries_its_weight() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    # Upright, arms hanging and symmetric: a pure lift at the base, no moment, no joint torque.
    expected = [0.0, 0.0, 4.0 * 9.81] + [0.0] * 9
    assert torque(robot, robot.neutral(), [0.0] * 12, [0.0] * 12) == pytest.approx(expected, abs=1e-14)


def test_seven_dof_arm_stands_upright_at_zero() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    assert robot.frame_names[-1] == "tool"
    limits = robot.limits
    assert np.all(limits.lower <= 0.0) and np.all(limits.upper >= 0.0)
    assert np.all(np.isfinite(limits.velocity)) and np.all(np.isfinite(limits.effort))
    # Vertical axes carry no weight; the largest static torque of any pose stays within the motors' limits.
    holding = torque(robot, [0.0] * 7, [0.0] * 7, [0.0] * 7)
    assert holding[0] == pytest.approx(0.0, abs=1e-13)
    rng = np.random.default_rng(5)
    poses = [robot.random_state(rng)[0] for _ in range(200)]
    worst = np.max([np.abs(torque(robot, q, [0.0] * 7, [0.0] * 7)) for q in poses], axis=0)
    assert np.all(worst < limits.effort)
    assert worst[1] > 40.0


@pytest.mark.parametrize("name", LOOPED)
def test_closed_robots_come_back_from_their_resolved_files(name: str) -> None:
    """As the same models, whatever the lines on which the files have their loops."""
    robot = shipped(name)
    text = write_yaml(robot.resolved())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        again = robot_of(parse_yaml(text.encode(), "robot.yaml"))
    assert again.model == robot.model
    assert write_yaml(again.resolved()) == text
