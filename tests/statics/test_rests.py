"""Positions at rest, paths past limit points and inputs that hold a shape, against closed forms."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import symdyn
from symdyn import statics
from symdyn.analysis.statics import newton
from symdyn.analysis.statics.given import given_load
from symdyn.analysis.statics.problem import problem_of, solver
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError, RequestError
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

Array = NDArray[np.float64]

ARM = """
format: 1
name: arm
links:
  base:
  upper: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  lower: {mass: 1, com: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  shoulder: {type: revolute, parent: base, child: upper, axis: [0, 1, 0]}
  elbow: {type: revolute, parent: upper, child: lower, translation: [0.6, 0, 0], axis: [0, 1, 0]}
"""

BENT = """
name: bent
gravity: [0, 0, 0]
links:
  base:
  arm:
    soft:
      length: 0.4
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 0}
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1]}
tendons: {cable: {link: arm, y: 0.005}}
actuators: [cable]
"""


def made(text: str) -> Robot:
    return symdyn.from_description(parse_yaml(text.encode(), "made.yaml"))


@pytest.fixture(scope="module")
def arm() -> Robot:
    return made(ARM)


def holding(q: Array) -> Array:
    """Torques of the arm's joints against weight: angles about y take x to -z."""
    first, second = math.cos(q[0]), math.cos(q[0] + q[1])
    lower = -9.81 * 0.2 * second
    return np.array([-9.81 * (2 * 0.3 + 0.6) * first + lower, lower])


def test_an_arm_rests_where_its_torques_balance_weight(arm: Robot) -> None:
    wanted = np.array([0.4, 0.5])
    found = symdyn.equilibrium(arm, holding(wanted), q0=[0.3, 0.6])
    assert found.q == pytest.approx(wanted, abs=1e-12)
    # Angles fall below the horizontal, so that more of them gives less torque: what is held swings back.
    assert found.stable and found.load_factors == (1.0,)
    assert repr(replace(found, time=0.25)).endswith("iterations, 250.00 ms>") and found.iterations in range(1, 20)
    upright = symdyn.equilibrium(arm, q0=[-1.5, 0.1])
    assert upright.q == pytest.approx([-math.pi / 2, 0.0], abs=1e-12) and not upright.stable
    assert np.all(upright.eigenvalues < 0.0) and upright.kind == "unstable" and not upright.loose


def test_what_nothing_holds_is_neutral_and_named() -> None:
    robot = made(ARM.replace("child: upper, axis: [0, 1, 0]", "child: upper, axis: [0, 0, 1]"))
    found = symdyn.equilibrium(robot, q0=[0.3, 1.2])
    assert found.kind == "neutral" and found.loose == ("shoulder",) and not found.stable
    assert "neutral" in repr(found)
    above = symdyn.equilibrium(robot, q0=[0.3, -1.5])
    assert above.kind == "unstable" and above.loose == ("shoulder",)
    held = symdyn.equilibrium(robot, q0=[0.3, 1.2], prescribed=["shoulder"])
    assert held.kind == "stable" and not held.loose


def test_forces_of_prescribed_rows_are_found(arm: Robot) -> None:
    found = symdyn.equilibrium(arm, q0=[0.4, 1.0], prescribed=["shoulder"])
    assert found.q == pytest.approx([0.4, math.pi / 2 - 0.4], abs=1e-12)
    assert found.forces == pytest.approx([holding(found.q)[0], 0.0], abs=1e-12)


def test_load_steps_arrive_where_newton_does(arm: Robot) -> None:
    wanted = np.array([0.4, 0.5])
    found = symdyn.equilibrium(arm, holding(wanted), q0=[0.3, 0.6], steps=4)
    assert found.q == pytest.approx(wanted, abs=1e-12) and found.load_factors == (0.25, 0.5, 0.75, 1.0)
    assert symdyn.equilibrium(arm, holding(wanted), q0=[0.3, 0.6], steps=1).load_factors == (1.0,)
    tenths = symdyn.equilibrium(arm, holding(wanted), q0=[0.3, 0.6], steps=10).load_factors
    assert tenths == pytest.approx(np.arange(1, 11) / 10.0, rel=1e-14) and tenths[-1] == 1.0  # ten tenths may miss 1


@pytest.mark.parametrize(("most", "rests"), [(1, False), (2, True)])
def test_a_spring_takes_two_iterations(monkeypatch: pytest.MonkeyPatch, most: int, rests: bool) -> None:
    """The first goes to the rest, because all is linear; the second sees that it is there."""
    robot = made(
        "name: spring\ngravity: [0, 0, 0]\nlinks: {ground: {}, cart: {mass: 1}}\n"
        "joints: {x: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0], spring: {stiffness: 100}}}\n"
    )
    problem, load = problem_of(robot, "forces", (), "", "python"), given_load(robot, "forces", [20.0], None, None)
    monkeypatch.setattr(newton, "ITERATIONS", most)
    found = newton.rest(problem, load, problem.start(np.zeros(1)))
    assert (found.iterations, found.rests) == (most, rests)
    assert found.state.q == pytest.approx([0.2], abs=1e-15)


def test_a_load_that_nothing_balances_is_told(arm: Robot) -> None:
    with pytest.raises(statics.NoEquilibriumError, match=r"no rest beyond .* of the load; row") as failure:
        symdyn.equilibrium(arm, [0.0, 5.0], q0=[0.3, 0.6])
    assert 0.0 <= failure.value.load_factor < 1.0 and failure.value.row in arm.velocity_names
    partial = failure.value.partial
    assert partial is not None and partial.load_factors[-1] == failure.value.load_factor


def test_a_path_turns_where_the_torque_is_largest(arm: Robot) -> None:
    """With the elbow held straight the torque is (2 0.3 + 0.6 + 0.2) 9.81 cos q, the largest where q = 0."""
    most = 9.81 * 1.4
    # From hanging down, twice the largest torque is asked for: half of it is the limit, at the horizontal.
    found = statics.path(arm, [-2.0 * most, 0.0], q0=[math.pi / 2, 0.0], prescribed=["elbow"], points=60, step=0.2)
    assert f"rests to {found.load_factors[-1]:.4g} of the load, " in repr(replace(found, complete=False))
    (limit,) = found.marked("limit")[:1]
    assert found.load_factors[limit] == pytest.approx(0.5, abs=1e-10)
    assert found.q[limit] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert found.stable[:limit].all() and not found.stable[limit + 1]


POLE = """
name: pole
links:
  base:
  pole: {mass: 2, com: [0, 0, 0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  foot: {type: revolute, parent: base, child: pole, axis: [0, 1, 0], spring: {stiffness: 1}}
"""


def test_a_path_along_which_gravity_grows() -> None:
    """A pole on a spring, q = g sin q + u: upright it falls at g = 1, where the path is just about to end."""
    robot = symdyn.loads(POLE, "yaml", runtime=["gravity.z"])
    upright = statics.path(robot, q0=[0.0], p=[-1.0 / 0.99], p_start=[0.0])
    (crossing,) = upright.marked("bifurcation")
    assert upright.load_factors[crossing] == pytest.approx(0.99, abs=1e-10) and crossing == len(upright.marks) - 2
    # Pulled to one side, less and less gravity rests at larger angles, until tan q = q - u.
    first, turn = 1.5 / math.sin(0.5), float(brentq(lambda q: math.tan(q) - q - 1.0, 1.0, 1.3, xtol=1e-14))
    pulled = statics.path(robot, [-1.0], q0=[0.5], start=[-1.0], p=[-1.0], p_start=[-first])
    (limit,) = pulled.marked("limit")
    assert pulled.load_factors[limit] == pytest.approx((first - 1.0 / math.cos(turn)) / (first - 1.0), abs=1e-10)
    gravity = first + (1.0 - first) * pulled.load_factors
    assert pulled.q[:, 0] + 1.0 == pytest.approx(gravity * np.sin(pulled.q[:, 0]), abs=1e-12)
    assert not pulled.stable[:limit].any() and pulled.stable[limit + 1 :].all()


def test_a_linkage_by_virtual_work() -> None:
    robot = symdyn.load_example("four_bar")
    q = robot.close([0.5, -1.0, -1.0], hold=["input"])
    found = symdyn.equilibrium(robot, q0=q, prescribed=["input"])
    # Work of weight along the one way in which the linkage moves, by closed positions beside.
    h = 1e-5
    heights = []
    for move in (h, -h):
        angles = robot.close(q + np.array([move, 0.0, 0.0]), hold=["input"])
        crank, coupler, rocker = angles[0], angles[0] + angles[1], angles[2]
        elbow = -0.2 * math.sin(crank)
        heights.append(-0.1 * math.sin(crank) + 1.5 * (elbow - 0.25 * math.sin(coupler)) - 0.8 * 0.2 * math.sin(rocker))
    # Quotients at 1e-5 err by 1e-10 of third derivatives and 1e-11 of rounding.
    assert found.forces[0] == pytest.approx(9.81 * (heights[0] - heights[1]) / (2 * h), rel=1e-8)
    held = statics.inverse_statics(robot, found.q)
    assert held.holds and held.u[0] == pytest.approx(found.forces[0], rel=1e-12)
    assert held.multipliers == pytest.approx(found.multipliers, abs=1e-11)


def test_what_holds_is_told_by_the_size_of_forces() -> None:
    weight = 1e6
    robot = symdyn.load_example("four_bar", gravity=(0.0, 0.0, -9.81 * weight))
    q = robot.close([0.5, -1.0, -1.0], hold=["input"])
    held = statics.inverse_statics(robot, q)
    assert held.holds and abs(held.u[0]) > weight
    assert not statics.inverse_statics(robot, q, bounds={held.names[0]: (0.0, 0.1 * weight)}).holds


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.05), (0.0, 0.9), (0.95, 2.0), (1.1, 2.0)])
def test_bounds_of_a_tension_are_in_its_unit(low: float, high: float) -> None:
    """A cable at distance c turns a rod of length L by an angle: T c = E I angle / L."""
    c, length, angle = 0.005, 0.4, 0.8
    tension = 1e6 * math.pi * 0.01**4 / 4 * angle / length / c
    held = statics.inverse_statics(made(BENT), [0.0, angle], bounds={"cable": (low * tension, high * tension)})
    assert held.u == pytest.approx([min(max(tension, low * tension), high * tension)], rel=1e-9)
    assert held.holds is (low <= 1.0 <= high)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"u": [1.0]}, r"u of robot 'arm': expected shape .*; its rows are shoulder, elbow"),
        ({"u": [math.nan, 0.0]}, "not finite"),
        ({"u": {"wrist": 1.0}}, "input 'wrist' of robot 'arm' does not exist"),
        ({"q0": [0.0]}, "q0 of robot 'arm': expected shape"),
        ({"steps": 0}, "steps is 'auto' or a whole number from 1, got 0"),
        ({"prescribed": ["wrist"]}, "coordinate 'wrist' of robot 'arm' does not exist"),
        ({"prescribed": "elbow"}, "prescribed is a list of names"),
        ({"inputs": "actuators"}, "needs actuators"),
        ({"inputs": "tendons"}, "inputs is 'actuators' or 'forces'"),
        ({"f_ext": [[0.0] * 6]}, "f_ext of robot 'arm': expected shape"),
        ({"external_wrenches": "tool"}, "external_wrenches is 'world' or 'body'"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(arm: Robot, given: dict[str, Any], message: str) -> None:
    with pytest.raises((RequestError, ModelError), match=message) as failure:
        symdyn.equilibrium(arm, **given)
    assert "\n" not in str(failure.value)


def test_tensions_below_zero_are_refused() -> None:
    robot = symdyn.load_example("cable_manipulator")
    with pytest.raises(RequestError, match=r"tension 'cable_2' .* cannot be below 0"):
        symdyn.equilibrium(robot, {"cable_2": -1.0})
    with pytest.raises(ModelError, match="inverse statics needs actuators"):
        statics.inverse_statics(made(ARM), [0.0, 0.0])


def test_constraints_on_velocities_leave_no_single_rest() -> None:
    rolling = "loops:\n  roll: {kind: pfaffian, rows: [{shoulder: 1, elbow: cos(elbow)}], coordinates: [elbow]}\n"
    with pytest.raises(RequestError, match="constraint 'roll' holds velocities and no position"):
        symdyn.equilibrium(made(ARM + rolling), [0.0, 0.0])


@pytest.mark.slow
def test_random_tensions_have_their_rest_and_are_found_again() -> None:
    robot, rng = symdyn.load_example("cable_manipulator"), np.random.default_rng(5)
    direct = 0
    for u in rng.uniform(0.0, 5.0, (200, 5)):
        found = symdyn.equilibrium(robot, u)
        direct += found.load_factors == (1.0,)
        assert found.stable and np.abs(found.residual).max() < 1e-11
    assert direct >= 199
    held = statics.inverse_statics(robot, found.q)
    assert held.holds and held.u == pytest.approx(u, abs=1e-8)


def test_units_of_rows_and_columns_do_not_matter() -> None:
    """They are powers of two here that differ by up to 2^40."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        plain, (rows, columns) = rng.standard_normal((5, 5)), 2.0 ** rng.integers(-20, 21, (2, 5))
        found = columns[:, None] * solver(rows[:, None] * plain * columns) * rows
        np.testing.assert_allclose(found @ plain, np.eye(5), rtol=0.0, atol=1e-14 * np.linalg.cond(plain))


def test_a_row_that_nothing_holds_moves_nothing() -> None:
    """Of a hinge that nothing holds the Jacobian has a column of zeros and a row of rounding."""
    held = np.array([[2.0, 0.3], [0.3, 1.0]])
    matrix = np.zeros((3, 3))
    matrix[1:, 1:], matrix[0, 1:] = held, [1e-16, -5e-17]
    left = np.array([3e-17, 0.2, -0.1])
    move = solver(matrix) @ left
    assert move[0] == 0.0
    np.testing.assert_allclose(move[1:], np.linalg.solve(held, left[1:]), rtol=1e-12)


HUNG = """
format: 1
name: hung
floating_base: true
links:
  trunk: {mass: 2.0, com: [0.1, 0.2, -0.3], inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.01}}
  arm: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
joints:
  hip:
    {type: continuous, parent: trunk, child: arm, translation: [0.1, 0, -0.1], axis: [0.6, 0.8, 0],
     spring: {stiffness: 3}}
loops:
  pin:
    {kind: revolute, axis: [1, 0, 0], close: true,
     between: [{link: trunk, point: [0, 0, 0.1]}, {world: [0.2, 0.1, 0.4]}]}
"""


def test_a_floating_base_rests_alike_in_every_convention() -> None:
    found = []
    for convention in ("pinocchio", "spatial", "mujoco"):
        robot = symdyn.loads(HUNG, "yaml", convention=convention)
        start = robot.neutral()
        start[:3] = [0.18, 0.07, 0.3]
        q = np.array(symdyn.equilibrium(robot, target="python", q0=start).q)
        found.append(np.concatenate([q[:3], q[[4, 5, 6, 3]], q[7:]]) if convention == "mujoco" else q)
    np.testing.assert_allclose(found[1:], [found[0]] * 2, atol=1e-10)
    turn = 2.0 * np.arctan2(found[0][3], found[0][6])
    assert abs(turn) > 0.1  # the trunk hangs aslant


@pytest.mark.parametrize("step", [0.05, 0.1, 0.3])
def test_a_path_does_not_pass_a_thin_post(step: float) -> None:
    """A spring of 100 N/m is pulled by 100 N: at 0.5 m a post of 2 cm in all holds the rest of the force."""
    robot = made(
        "name: post\ngravity: [0, 0, 0]\nlinks: {ground: {}, ball: {mass: 0.5}}\n"
        "joints: {x: {type: prismatic, parent: ground, child: ball, axis: [1, 0, 0], spring: {stiffness: 100}}}\n"
        "contacts: {post: {of: ball, radius: 0.005, with: {sphere: {center: [0.5, 0, 0], radius: 0.005}}, "
        "stiffness: 1e7}}\n"
    )
    found = statics.path(robot, [100.0], step=step)
    assert found.complete
    (x,) = found.q[-1]
    assert x < 0.5
    assert 100.0 - 100.0 * x == pytest.approx(1e7 * (x - 0.49) ** 1.5, rel=1e-8)  # what Newton's method leaves
