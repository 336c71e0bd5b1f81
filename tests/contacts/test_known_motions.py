"""Motions with rigid contacts whose end is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symdyn
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
G = 9.81
BALL = """
name: ball
links:
  world: {{}}
  ball: {{mass: 1.5, inertia: {{xx: 0.006, yy: 0.006, zz: 0.006}}, collision: {{skin: {{sphere: 0.1}}}}}}
joints: {{free: {{type: floating, parent: world, child: ball}}}}
obstacles: {{floor: {{plane: {{normal: [{sine}, 0, {cosine}], point: [0, 0, 0]}}}}}}
contacts: {{skin: {{of: ball.skin, with: floor, friction: {friction}, restitution: {restitution}}}}}
"""
BLOCK = """
name: block
links:
  world: {{}}
  block:
    mass: 2
    inertia: {{xx: 0.0059333, yy: 0.0083333, zz: 0.0109333}}
    collision: {{body: {{box: [0.2, 0.16, 0.1]}}}}
joints: {{free: {{type: floating, parent: world, child: block}}}}
obstacles: {{slope: {{plane: {{normal: [{sine}, 0, {cosine}], point: [0, 0, 0]}}}}}}
contacts: {{feet: {{of: block.body, with: slope, friction: 0.5}}}}
"""
PENDULUM = """
name: pendulum
gravity: [0, 0, -9.81]
links: {base: {}, arm: {mass: 2, com: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.2, zz: 0.2}}}
joints:
  hinge: {type: revolute, parent: base, child: arm, axis: [0, 1, 0], limits: {lower: -1, upper: 0.3}}
limits: {rigid: true}
"""
SLIDER = """
name: slider
gravity: [0, 0, 0]
links: {base: {}, cart: {mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}}
joints:
  rail: {type: prismatic, parent: base, child: cart, axis: [1, 0, 0], losses: {friction: 3}}
joint_friction: dry
load: {joint_losses: true}
"""


def _on_slope(text: str, angle: float, height: float, **numbers: float) -> tuple[Robot, np.ndarray]:
    """A free body whose origin is at a height above a slope, its z axis along the normal."""
    values = {"sine": math.sin(angle), "cosine": math.cos(angle), **numbers}
    robot = symdyn.loads(text.format(**{name: repr(value) for name, value in values.items()}), format="yaml")
    q = robot.neutral()
    q[:3] = height * math.sin(angle), 0.0, height * math.cos(angle)
    q[3:] = 0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle)
    return robot, q


@pytest.mark.parametrize(
    "beyond", [-1e-6, 1e-6, *(pytest.param(far, marks=pytest.mark.slow) for far in (-0.1, 1e-3, 0.1))]
)
def test_a_block_at_the_angle_of_friction(beyond: float) -> None:
    """Twelve rows of rank six, 1e-6 rad at either side: it stays, or has g (sin - mu cos) t after 1 s."""
    angle = math.atan(0.5) + beyond
    robot, q = _on_slope(BLOCK, angle, 0.05)
    motion = symdyn.simulate(robot, q, t=1.0, method="contacts", h=1e-3)
    expected = max(0.0, G * (math.sin(angle) - 0.5 * math.cos(angle)))
    assert motion.messages == ()
    assert motion.v[-1][0] == pytest.approx(expected, rel=1e-9, abs=1e-10)
    slid = np.linalg.norm(motion.q[-1][:3] - q[:3])
    assert slid == pytest.approx(0.5 * expected, rel=2e-3, abs=2e-11)  # of order 1: expected h / 2 more
    assert motion.contacts is not None
    if beyond < -0.01:  # nearer to the angle corners share the force, and some of them are at their bounds
        assert set(motion.contacts.states[-1]) == {0, 1}
    if beyond > 0.01:
        assert set(motion.contacts.states[-1]) == {0, 2}


def test_a_sliding_ball_ends_rolling() -> None:
    """5/7 of its speed; it rolls from 2 v / (7 mu g) on."""
    robot, q = _on_slope(BALL, 0.0, 0.1, friction=0.2, restitution=0.0)
    motion = symdyn.simulate(robot, q, [1.0, 0, 0, 0, 0, 0], t=1.0, method="contacts", h=1e-3)
    assert np.linalg.norm(motion.v[-1][:3]) == pytest.approx(5.0 / 7.0, abs=1e-14)
    assert motion.contacts is not None
    rolls = motion.t[np.argmax(motion.contacts.states[:, 0] == 1)]
    assert rolls == pytest.approx(2.0 / (7.0 * 0.2 * G), abs=0.001)
    assert abs(motion.contacts.gaps[-1][0]) < 1e-12


@pytest.mark.parametrize(("friction", "sticks"), [(0.5, True), (0.05, False)])
def test_a_ball_rolls_or_slides_down(friction: float, sticks: bool) -> None:
    """5/7 g sin where friction is above 2/7 tan, else g (sin - mu cos)."""
    robot, q = _on_slope(BALL, 0.3, 0.1, friction=friction, restitution=0.0)
    motion = symdyn.simulate(robot, q, t=1.0, method="contacts", h=1e-3)
    rate = 5.0 / 7.0 * G * math.sin(0.3) if sticks else G * (math.sin(0.3) - friction * math.cos(0.3))
    assert np.linalg.norm(motion.v[-1][:3]) == pytest.approx(rate, rel=1e-8)


@pytest.mark.parametrize(("h", "within"), [(1e-3, 1e-2), (1e-4, 1e-3)])
def test_bounces_reach_a_quarter(h: float, within: float) -> None:
    """With restitution 0.5 from 1 m: peaks of 1/4, 1/16 and 1/64 m, to the order of the step."""
    robot, q = _on_slope(BALL, 0.0, 1.1, friction=0.2, restitution=0.5)
    z = symdyn.simulate(robot, q, t=2.0, method="contacts", h=h).q[:, 2] - 0.1
    rises = np.flatnonzero((z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])) + 1
    assert z[rises[:3]] == pytest.approx([0.25, 0.0625, 0.015625], abs=within)
    assert abs(z[-1]) < 1e-9 or h > 1e-4


def test_a_drop_ends_at_the_surface() -> None:
    """Without restitution a ball lands with its gap closed, and nothing is left of its speed."""
    robot, q = _on_slope(BALL, 0.0, 0.6, friction=0.2, restitution=0.0)
    motion = symdyn.simulate(robot, q, t=0.5, method="contacts", h=1e-3)
    assert motion.contacts is not None
    assert motion.contacts.gaps.min() > -1e-10 and abs(motion.contacts.gaps[-1, 0]) < 1e-12
    # the impulse bears the weight
    assert motion.contacts.impulses[-1, 2] == pytest.approx(1.5 * G * 1e-3, rel=1e-9)


def test_a_pendulum_rests_on_its_limit() -> None:
    """It falls to its upper bound, which bears m g l cos(0.3)."""
    robot = symdyn.loads(PENDULUM, format="yaml")
    motion = symdyn.simulate(robot, [0.0], t=1.0, h=1e-3)
    assert motion.method == "contacts" and "rigid" in motion.reason
    assert motion.contacts is not None
    assert motion.contacts.row_names == ("hinge.lower", "hinge.upper")
    assert motion.q[-1][0] == pytest.approx(0.3, abs=1e-9)
    assert motion.contacts.impulses[-1] / 1e-3 == pytest.approx([0.0, 2.0 * G * 0.5 * math.cos(0.3)], abs=1e-8)
    assert list(motion.contacts.states[-1]) == [0, 1]


def test_a_pendulum_rests_on_the_limit_of_a_follower() -> None:
    """A pointer that turns twice as far stops at 0.7 - 0.1: the pendulum at 0.3, by half the moment at the pointer."""
    pointer = """  pointer: {type: revolute, axis: [1, 0, 0], parent: base, child: hand,
    limits: {lower: -9, upper: 0.7},
    mimic: {joint: hinge, multiplier: 2, offset: 0.1}}
"""
    text = PENDULUM.replace("limits: {lower: -1, upper: 0.3}", "limits: {lower: -1}").replace(
        "limits: {rigid", f"{pointer}limits: {{rigid"
    )
    robot = symdyn.loads(text.replace("links: {base: {}", "links: {base: {}, hand: {}"), format="yaml")
    motion = symdyn.simulate(robot, [0.0], t=1.0, h=1e-3)
    assert motion.contacts is not None
    assert motion.contacts.row_names == ("hinge.lower", "pointer.lower", "pointer.upper")
    assert motion.q[-1][0] == pytest.approx(0.3, abs=1e-9)
    moment = 2.0 * G * 0.5 * math.cos(0.3)
    assert motion.contacts.impulses[-1] / 1e-3 == pytest.approx([0.0, 0.0, moment / 2.0], abs=1e-8)


@pytest.mark.parametrize(("force", "moves"), [(2.999, False), (3.001, True)])
def test_dry_friction_of_a_follower_holds(force: float, moves: bool) -> None:
    """A massless follower at -1.5 of the rail's speed, with 2 N, resists it with 3 N."""
    follower = "  after: {type: prismatic, parent: base, child: rider, axis: [0, 1, 0], losses: {friction: 2},\n"
    follower += "    mimic: {joint: rail, multiplier: -1.5}}\njoint_friction"
    text = SLIDER.replace(", losses: {friction: 3}", "").replace("joint_friction", follower)
    robot = symdyn.loads(text.replace("links: {base: {}", "links: {base: {}, rider: {}"), format="yaml")
    motion = symdyn.simulate(robot, t=1.0, inputs=[force], method="contacts", h=1e-3)
    assert motion.v[-1][0] == pytest.approx((force - 3.0) / 2.0 if moves else 0.0, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("force", "moves"), [(2.999, False), (3.001, True), (-2.999, False), (-4.0, True)])
def test_dry_friction_holds(force: float, moves: bool) -> None:
    """3 N hold 2.999 N, and 3.001 N move 2 kg with 0.001 N."""
    robot = symdyn.loads(SLIDER, format="yaml")
    motion = symdyn.simulate(robot, t=1.0, inputs=[force], method="contacts", h=1e-3)
    expected = (abs(force) - 3.0) / 2.0 * math.copysign(1.0, force) if moves else 0.0
    assert motion.v[-1][0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert motion.contacts is not None
    assert list(motion.contacts.states[-1]) == [2 if moves else 1]


def test_dry_friction_stops_what_moves() -> None:
    """1 m/s at 1.5 m/s^2: after 2/3 s it stands, and stays."""
    robot = symdyn.loads(SLIDER, format="yaml")
    motion = symdyn.simulate(robot, v=[1.0], t=1.0, method="contacts", h=1e-3)
    assert abs(motion.v[-1][0]) < 1e-12
    assert motion.q[-1][0] == pytest.approx(1.0 / 3.0, abs=6e-4)


STACK = """
name: stack
links:
  world: {}
  low: {mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: {top: {box: [0.2, 0.2, 0.2]}, skin: {sphere: 0.1}}}
  mid: {mass: 100, inertia: {xx: 1, yy: 1, zz: 1}, collision: {top: {box: [0.2, 0.2, 0.2]}, skin: {sphere: 0.1}}}
  high: {mass: 10000, inertia: {xx: 100, yy: 100, zz: 100}, collision: {skin: {sphere: 0.1}}}
joints:
  a: {type: prismatic, parent: world, child: low, axis: [0, 0, 1]}
  b: {type: prismatic, parent: world, child: mid, axis: [0, 0, 1]}
  c: {type: prismatic, parent: world, child: high, axis: [0, 0, 1]}
obstacles: {floor: {plane: {}}}
contacts:
  ground: {of: low.skin, with: floor, friction: 0.5}
  middle: {of: mid.skin, with: [{link: low, shape: top}], friction: 0.5}
  top: {of: high.skin, with: [{link: mid, shape: top}], friction: 0.5}
"""
PINCH = """
name: pinch
links:
  world: {}
  left: {mass: 0.1, inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}, collision: {tip: {sphere: 0.01}}}
  right: {mass: 0.1, inertia: {xx: 1e-4, yy: 1e-4, zz: 1e-4}, collision: {tip: {sphere: 0.01}}}
  block: {mass: 0.045, inertia: {xx: 2e-5, yy: 2e-5, zz: 2e-5}, collision: {body: {box: [0.05, 0.05, 0.05]}}}
joints:
  l: {type: prismatic, parent: world, child: left, axis: [1, 0, 0], translation: [-0.035, 0, 0]}
  r: {type: prismatic, parent: world, child: right, axis: [-1, 0, 0], translation: [0.035, 0, 0]}
  free: {type: floating, parent: world, child: block}
contacts: {grasp: {of: [left.tip, right.tip], with: [{link: block, shape: body}], friction: 0.7}}
"""


def test_a_stack_of_growing_masses_stands() -> None:
    """1, 100 and 10,000 kg upward for 1 s: nothing sinks by more than 1e-9 m, and each contact bears what is above."""
    robot = symdyn.loads(STACK, format="yaml")
    start = np.array([0.1, 0.3, 0.5])
    motion = symdyn.simulate(robot, start, t=1.0)
    assert motion.messages == () and motion.contacts is not None
    assert np.abs(motion.q - start).max() < 1e-9
    # in single steps gaps of 1e-10 m that close change impulses, so the mean of half a second is compared
    mean = motion.contacts.impulses[-500:, 2::3].mean(axis=0) / 1e-3
    assert mean == pytest.approx(G * np.array([10101, 10100, 10000]), rel=1e-6)


def test_a_pinched_block_does_not_creep() -> None:
    """45 g between two fingers of 20 N at friction 0.7: below 1e-10 m/s; at 0.01 it slides with g - 2 mu F / m."""
    for friction, sticks in ((0.7, True), (0.01, False)):
        robot = symdyn.loads(PINCH.replace("friction: 0.7", f"friction: {friction}"), format="yaml")
        q, z = robot.neutral(), list(robot.coordinate_names).index("free.z")
        motion = symdyn.simulate(
            robot, q, t=[0.0, 0.5, 1.0] if sticks else [0.0, 0.01, 0.02], inputs={"l": 20, "r": 20}
        )
        slip = (motion.q[2, z] - motion.q[1, z]) / (motion.t[2] - motion.t[1])
        if sticks:
            assert abs(slip) < 1e-10
        else:
            assert motion.v[-1][list(robot.velocity_names).index("free.vz")] == pytest.approx(
                -(G - 2 * 0.01 * 20.0 / 0.045) * 0.02, rel=1e-6
            )
