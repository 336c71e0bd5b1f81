"""Rests on rigid contacts: against motions that come to rest, closed forms, and what balances forces."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.robots.touching import linkage

import symdyn
from symdyn.analysis.statics.given import given_load
from symdyn.analysis.statics.problem import problem_of
from symdyn.analysis.statics.touching import _Touching as TouchingRobot
from symdyn.errors import RequestError
from symdyn.robot.robot import Robot
from symdyn.statics import NoEquilibriumError

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
G = 9.81
ROD = """
name: rod
links:
  base: {}
  arm:
    soft:
      length: 0.4
      section: {shape: circle, radius: 0.01}
      material: {density: 1100, youngs_modulus: 1e6, poisson_ratio: 0.5, viscosity: 1e5}
      strain: {curvature_y: 3, curvature_z: 2}
      stations: 5
joints: {root: {type: fixed, parent: base, child: arm, rpy: [0, 0.5, 0]}}
obstacles: {wall: {plane: {normal: [0, 0, 1], point: [0, 0, -0.25]}}}
contacts: {arm: {of: arm, radius: section, with: wall, friction: 0.3}}
"""
SPRING = """
name: spring
gravity: [0, 0, 0]
links: {base: {}, cart: {mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}}
joints:
  rail: {type: prismatic, parent: base, child: cart, axis: [1, 0, 0], losses: {friction: 3}, spring: {stiffness: 50}}
joint_friction: dry
load: {joint_losses: true}
"""
BLOCK = """
name: block
links:
  world: {{}}
  block: {{mass: 2, inertia: {{xx: 0.006, yy: 0.008, zz: 0.011}}, collision: {{body: {{box: [0.2, 0.16, 0.1]}}}}}}
  arm: {{mass: 1, com: [0.2, 0, 0], inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}
joints:
  free: {{type: floating, parent: world, child: block}}
  hinge: {{type: revolute, parent: world, child: arm, axis: [0, 1, 0], limits: {{lower: -2, upper: 0.4}}}}
obstacles: {{floor: {{plane: {{normal: [{slope}, 0, 1], point: [0, 0, 0]}}}}}}
contacts: {{skin: {{of: block.body, with: floor, friction: 0.5}}}}
limits: {{rigid: true}}
"""

PENDULUM = """
name: pendulum
links: {{base: {{}}, bob: {{mass: {mass}, com: [0.05, 0, 0], inertia: {{xx: 1e-6, yy: 1e-6, zz: 1e-6}}}}}}
joints:
  hinge: {{type: revolute, parent: base, child: bob, axis: [0, 1, 0], limits: {{lower: -0.5, upper: 3}}}}
limits: {{rigid: true}}
"""
DUMBBELL = """
name: dumbbell
links:
  world: {}
  bar:
    mass: 2
    com: [0, 0, -0.02]
    inertia: {xx: 0.006, yy: 0.02, zz: 0.02}
    collision: {left: {sphere: 0.1, at: [0.2, 0, 0]}, right: {sphere: 0.1, at: [-0.2, 0, 0]}}
joints: {free: {type: floating, parent: world, child: bar}}
obstacles: {floor: {plane: {point: [0, 0, 0]}}}
contacts: {skin: {of: [bar.left, bar.right], with: floor, friction: 0.5}}
"""
GANTRY = """
name: gantry
links:
  base: {}
  cart: {mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  head: {mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  rail: {type: prismatic, parent: base, child: cart, axis: [1, 0, 0], spring: {stiffness: 40}}
  lift: {type: prismatic, parent: cart, child: head, axis: [0, 0, 1], limits: {lower: -0.1, upper: 1}}
limits: {rigid: true}
actuators: [{name: cable, joints: {rail: 0.5, lift: -2}}]
"""


def _unbalanced(robot: Robot, q: np.ndarray, forces: np.ndarray) -> float:
    """Of forces with those of contacts, what is left."""
    module = symdyn.compile(robot, ["statics_residual", "contact_jacobian"], lanes=False)
    left = module.statics_residual(q, np.zeros(robot.nv)) - forces @ module.contact_jacobian(q)
    return float(np.abs(left).max())


@pytest.mark.slow
@pytest.mark.every_case
def test_a_rod_that_stops_on_a_wall_is_at_rest() -> None:
    """At 1 and 5 ms a damped rod stops where statics finds it, with the same force, and nothing is left of forces."""
    robot = symdyn.loads(ROD, format="yaml")
    rest = symdyn.equilibrium(robot, contacts=True)
    assert rest.contacts is not None and rest.kind == "stable"
    assert _unbalanced(robot, rest.q, rest.contacts.forces) < 1e-10
    assert rest.contacts.states[-1] in (1, 2) and abs(rest.contacts.gaps[-1]) < 1e-9
    for h in (1e-3, 5e-3):
        motion = symdyn.simulate(robot, t=np.linspace(0.0, 8.0, 3), h=h)
        assert motion.contacts is not None and np.abs(motion.v[-1]).max() < 1e-7
        forces = motion.contacts.impulses[-1] / h
        assert _unbalanced(robot, motion.q[-1], forces) < 1e-9
        assert abs(motion.contacts.gaps[-1, -1]) < 1e-9 and forces[-1] > 0.05
        again = symdyn.equilibrium(robot, q0=motion.q[-1], contacts=True)
        assert again.contacts is not None
        np.testing.assert_allclose(again.q, motion.q[-1], rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(again.contacts.forces, forces, rtol=0.0, atol=1e-6)


def test_dry_friction_rests_anywhere_within_its_band() -> None:
    """From 0.2 m the spring moves the cart to F / k, from within the band it stays."""
    robot = symdyn.loads(SPRING, format="yaml")
    for start, end in ((0.2, 0.06), (-0.2, -0.06), (0.05, 0.05)):
        rest = symdyn.equilibrium(robot, q0=[start], contacts=True)
        assert rest.q[0] == pytest.approx(end, abs=1e-8)
        assert rest.contacts is not None
        assert rest.contacts.forces == pytest.approx([50.0 * end], abs=1e-6)
        assert rest.iterations == 1 if start == end else 1 < rest.iterations < 60
        places = (rest.contacts.gaps, rest.contacts.points, rest.contacts.normals)
        assert [own.shape for own in places] == [(0,), (0, 3), (0, 3)]


@pytest.mark.parametrize("mass", ["1", "1e6"])
def test_a_short_pendulum_hangs_where_no_force_is_left(mass: str) -> None:
    """It swings in long steps, whose lengths change so that it ends within 150; at rest one step is enough."""
    robot = symdyn.loads(PENDULUM.format(mass=mass), format="yaml")
    for start, most in ((0.2, 150), (math.pi / 2, 1)):
        rest = symdyn.equilibrium(robot, q0=[start], contacts=True)
        assert rest.q[0] == pytest.approx(math.pi / 2, abs=1e-13) and rest.iterations <= most
        assert rest.contacts is not None and not rest.contacts.states.any()


def test_an_actuator_presses_on_a_limit() -> None:
    """A cable with tension u gives 0.5 u to the rail and -2 u to the lift, whose limit bears that and the weight."""
    robot, u = symdyn.loads(GANTRY, format="yaml"), 3.0
    rest = symdyn.equilibrium(robot, [u], [0.2, 0.3], inputs="actuators", contacts=True)
    assert rest.contacts is not None
    assert rest.q == pytest.approx([0.5 * u / 40.0, -0.1], abs=1e-8)  # a move of 2e-9 in a step is none
    assert rest.contacts.forces == pytest.approx([2.0 * G + 2.0 * u, 0.0], rel=1e-9)


def test_a_dumbbell_may_roll() -> None:
    """Of six rows one depends on the others; about the line of contact weight has a lever of 0.08 m, upside down."""
    robot = symdyn.loads(DUMBBELL, format="yaml")
    q = robot.neutral()
    q[2:7] = [0.1, math.sin(0.1), 0.0, 0.0, math.cos(0.1)]
    rest = symdyn.equilibrium(robot, q0=q, contacts=True)
    assert rest.q[:3] == pytest.approx([0.0, 0.2 * 0.1, 0.1], abs=1e-7)
    assert rest.contacts is not None and list(rest.contacts.states) == [1, 1]
    assert rest.contacts.forces[2::3] == pytest.approx([G, G], rel=1e-8)
    # the move turns by 1 rad and shifts the origin by 0.1 m
    assert rest.eigenvalues == pytest.approx([-2.0 * G * 0.08 / (1.0 + 0.1**2)], rel=1e-6)


def test_a_block_sticks_and_a_lever_rests_on_its_limit() -> None:
    """Weight and moment as closed forms have them; beyond the angle of friction there is no rest."""
    for weight in (1.0, 1e6):  # of gravity
        robot = symdyn.loads(BLOCK.format(slope=0.1), format="yaml", gravity=(0.0, 0.0, -weight * G))
        q = robot.neutral()
        q[2] = 0.2
        rest = symdyn.equilibrium(robot, q0=q, contacts=True)
        assert rest.contacts is not None
        forces, lower = rest.contacts.forces / weight, list(rest.contacts.states[:8]).count(1)
        assert lower == 4 and forces[2:24:3].sum() == pytest.approx(2.0 * G * math.cos(math.atan(0.1)), rel=1e-9)
        assert np.hypot(*forces[:24].reshape(8, 3)[:, :2].sum(axis=0)) == pytest.approx(
            2.0 * G * math.sin(math.atan(0.1)), rel=1e-9
        )
        allowed = 1e-9 if weight == 1.0 else 1e-6  # the proximal term of a step leaves more of what falls faster
        assert forces[-1] == pytest.approx(G * 0.2 * math.cos(0.4), rel=10.0 * allowed)
        assert rest.q[-1] == pytest.approx(0.4, abs=allowed) and rest.contacts.states[-1] == 1
    steep = symdyn.loads(BLOCK.format(slope=0.6), format="yaml")
    with pytest.raises(NoEquilibriumError, match="does not come to rest on its contacts in 2000 steps") as failure:
        symdyn.equilibrium(steep, q0=q, contacts=True)
    assert failure.value.partial is not None


def test_forces_change_within_their_sets() -> None:
    """Those that bear change by least squares, those that slide in their direction, and the others stay."""
    dry = BLOCK.format(slope=0.1).replace("upper: 0.4}", "upper: 0.4}, losses: {friction: 3}")
    robot = symdyn.loads(dry + "joint_friction: dry\nload: {joint_losses: true}\n", format="yaml")
    rng = np.random.default_rng(6)
    problem = problem_of(robot, "forces", [robot.velocity_names[5]], "", "c")
    load = given_load(robot, "forces", rng.normal(size=robot.nv) * (np.arange(robot.nv) != 5), None, None)
    states = np.array([1, 2, 0, 2, 1, 0, 2, 0, 0, 1, 2], np.intc)  # eight corners, two ends of a range, dry friction
    q, forces, rows = robot.random_state(rng)[0], rng.uniform(0.5, 2.0, 27), np.eye(27)
    ways = [*rows[0:3], *rows[12:15], rows[25]]
    ways += [forces[at : at + 3] / forces[at + 2] @ rows[at : at + 3] for at in (3, 9, 18)]
    module = symdyn.compile(robot, ["statics_residual", "contact_jacobian"], lanes=False)
    jacobian = module.contact_jacobian(q)
    left = module.statics_residual(q, load.u) - forces @ jacobian
    moved = (np.array(ways) @ jacobian)[:, problem.free]
    expected = forces + np.linalg.pinv(moved.T, rcond=1e-9) @ left[problem.free] @ np.array(ways)
    balance = TouchingRobot(problem, load, "").balance(q, forces, states)
    np.testing.assert_allclose(balance.forces, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(balance.left, left - (expected - forces) @ jacobian, rtol=0.0, atol=1e-12)


def test_loops_and_prescribed_rows_beside_contacts() -> None:
    """A four-bar whose crank is fixed, above a floor that it does not reach: the forces of statics without contacts."""
    robot = symdyn.loads(linkage().replace("[0, 0, -0.1]", "[0, 0, -5]").replace("[0.3, 0, -0.3]", "[9, 0, 0]"), "yaml")
    q, name = robot.close(robot.neutral()), robot.velocity_names[0]
    asked = {"q0": q, "inputs": "forces", "prescribed": [name]}
    touching, plain = symdyn.equilibrium(robot, **asked, contacts=True), symdyn.equilibrium(robot, **asked)
    assert touching.contacts is not None and not touching.contacts.states[:2].any()
    assert touching.q == pytest.approx(q, abs=1e-9) and abs(touching.forces[0]) > 0.1
    assert touching.forces == pytest.approx(plain.forces, abs=1e-9) and np.abs(touching.residual).max() < 1e-9
    assert touching.multipliers == pytest.approx(plain.multipliers, abs=1e-9)


def test_what_statics_with_contacts_refuses() -> None:
    with pytest.raises(RequestError, match="robot 'pendulum' has none, steps is 'auto'"):
        symdyn.equilibrium(symdyn.load_example("pendulum"), contacts=True)
    with pytest.raises(RequestError, match="takes no steps"):
        symdyn.equilibrium(symdyn.loads(SPRING, format="yaml"), steps=3, contacts=True)
