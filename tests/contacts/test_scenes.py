"""Scenes with rigid contacts that are known for their traps: what is known of them holds, and every step ends."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.imports import import_file

import symdyn
from symdyn.description.checks.rotation import quaternion_matrix
from symdyn.errors import RequestError
from symdyn.interface.contact_solving import ContactCode, ContactStep
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
SLOW = pytest.mark.slow
G = 9.81
ROD = """
name: rod
gravity: [0, 0, -9.81]
links:
  slide: {}
  lift: {}
  rod: {mass: 1, inertia: {xx: 0.3333333333333333, yy: 0.3333333333333333, zz: 0.001},
    collision: {tip: {sphere: 1.0e-9, at: [0, 0, -1]}}}
joints:
  x: {type: prismatic, parent: world, child: slide, axis: [1, 0, 0]}
  z: {type: prismatic, parent: slide, child: lift, axis: [0, 0, 1]}
  turn: {type: continuous, parent: lift, child: rod, axis: [0, 1, 0]}
obstacles: {floor: {plane: {point: [0, 0, 0]}}}
contacts: {tip: {of: rod.tip, with: floor, friction: MU}}
""".replace("  slide: {}\n", "  world: {}\n  slide: {}\n", 1)
"""A uniform rod of length 2 m and mass 1 kg in a plane, one end on the floor."""
BLOCK = """
name: block
gravity: [0, 0, -9.81]
links:
  world: {}
  block: {mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, collision: SHAPES}
joints: {free: {type: floating, parent: world, child: block}}
obstacles: {floor: {plane: {point: [0, 0, 0]}}}
contacts: {feet: {of: [OF], with: floor, friction: MU}}
contact_options: {max_contacts: MOST}
"""


def block(shapes: dict[str, Any], friction: float = 0.5, most: int = 16) -> Robot:
    parts = ", ".join(f"{{link: block, shape: {name}}}" for name in shapes)
    text = BLOCK.replace("SHAPES", yaml.safe_dump(shapes, default_flow_style=True, width=10**6).strip())
    text = text.replace("OF", parts).replace("MU", repr(friction)).replace("MOST", str(most))
    return symdyn.loads(text, format="yaml")


def ended(step: ContactStep, friction: float, cones: int) -> ContactStep:
    """The step, which is finite, with impulses in their sets and a code."""
    assert isinstance(step.report.code, ContactCode)
    assert all(np.isfinite(array).all() for array in (step.q_next, step.v_next, step.impulses))
    pushes = step.impulses[: 3 * cones].reshape(-1, 3)
    assert (pushes[:, 2] >= 0.0).all()
    slack = 1e-12 * (1.0 + pushes[:, 2])
    assert (np.linalg.norm(pushes[:, :2], axis=1) <= friction * pushes[:, 2] + slack).all()
    assert step.report.newton <= 1000 and step.report.sweeps <= 10000
    return step


def rod_step(friction: float, angle: float, slip: float, h: float) -> tuple[Robot, ContactStep]:
    """The rod leans by an angle from upright; its end slides along the floor."""
    robot = symdyn.loads(ROD.replace("MU", repr(friction)), format="yaml")
    q = np.array([0.0, math.cos(angle) + 1e-9, angle])
    return robot, ended(symdyn.contact_step(robot, q, [slip, 0.0, 0.0], h=h), friction, 1)


@pytest.mark.parametrize("angle", [0.3, 0.6, 1.0])
def test_a_sliding_rod_outside_the_paradox(angle: float) -> None:
    """Below Painleve's bound the normal force is g / (1 + 3 s (s + mu c)), with s and c of the lean, + as it slides."""
    for friction, slip in ((0.3, 1.0), (0.3, -1.0), (1.2, 1.0)):
        s, c = math.sin(angle), math.cos(angle)
        inverse_inertia = 1.0 + 3.0 * s * (s + math.copysign(friction, slip) * c)
        assert inverse_inertia > 0.0
        _, step = rod_step(friction, angle, slip, 1e-7)
        assert step.report.code is ContactCode.SOLVED and step.state[0] == 2
        assert step.impulses[2] / 1e-7 == pytest.approx(G / inverse_inertia, rel=1e-6)


def test_a_sliding_rod_within_the_paradox() -> None:
    """Above Painleve's bound there is no sliding force: the end stops at once, by an impulse that no h makes small."""
    angle, friction = math.atan(0.5), 2.0
    s, c = math.sin(angle), math.cos(angle)
    assert 1.0 + 3.0 * s * (s - friction * c) < 0.0
    for h in (1e-3, 1e-5, 1e-7):
        robot, step = rod_step(friction, angle, -1.0, h)
        assert step.report.code is ContactCode.SOLVED and step.report.residual < 1e-9
        assert 0.1 < step.impulses[2] < 2.0
        v = step.v_next
        energy = 0.5 * (v[0] ** 2 + v[1] ** 2) + v[2] ** 2 / 6.0
        assert energy <= 0.5 + 10.0 * h
        # the end of the rod at rest: x - cos(turn) turn', z + sin(turn) turn'
        assert abs(v[0] - c * v[2]) < 1e-7 and step.state[0] == 1
        assert robot.nv == 3


def test_coincident_contacts_share_and_stand() -> None:
    for count in (2, 5):
        robot = block({f"s{number}": {"sphere": 0.1} for number in range(count)})
        q, v = robot.neutral(), np.zeros(6)
        q[2] = 0.1
        guess = None
        for _ in range(20):
            step = ended(symdyn.contact_step(robot, q, v, h=1e-3, guess=guess), 0.5, count)
            assert step.report.code is ContactCode.SOLVED
            q, v, guess = step.q_next, step.v_next, step.impulses
        normals = step.impulses[2::3]
        assert normals.sum() == pytest.approx(2.0 * G * 1e-3, rel=1e-8)
        assert np.ptp(normals) < 1e-6 * normals.max()


@pytest.mark.parametrize("most", [16, 32])
def test_thirty_two_points_flat_on_a_plane(most: int) -> None:
    """Ninety-six rows of rank six: solved if there is room for all, else the code says that there was none."""
    turns = np.linspace(0.0, 2.0 * math.pi, 32, endpoint=False)
    points = [[0.1 * math.cos(turn), 0.1 * math.sin(turn), -0.05] for turn in turns]
    robot = block({"ring": {"hull": [[float(x) for x in point] for point in points]}}, most=most)
    q = robot.neutral()
    q[2] = 0.05
    for v in (np.zeros(6), np.array([0.3, 0.0, -0.1, 0.0, 0.0, 1.0])):
        step = ended(symdyn.contact_step(robot, q, v, h=1e-3), 0.5, 32)
        assert step.report.code in ((ContactCode.SOLVED,) if most == 32 else (ContactCode.SOLVED, ContactCode.TOO_MANY))
        assert abs(step.v_next[2]) < 1e-6 and (step.impulses[2::3] > 0.0).sum() <= most


@pytest.mark.parametrize("heavy", [1e6, 1e-6])
def test_a_million_times_as_heavy_on_top(heavy: float) -> None:
    """A ball of that share of the lower one's mass upon it: both stand, and the floor bears both."""
    text = """
name: stack
gravity: [0, 0, -9.81]
links:
  world: {}
  low: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, collision: {s: {sphere: 0.1}}}
  high: {mass: HEAVY, inertia: {xx: HEAVY, yy: HEAVY, zz: HEAVY}, collision: {s: {sphere: 0.1}}}
joints:
  first: {type: prismatic, parent: world, child: low, axis: [0, 0, 1]}
  second: {type: prismatic, parent: world, child: high, axis: [0, 0, 1]}
obstacles: {floor: {plane: {point: [0, 0, -0.1]}}}
contacts:
  ground: {of: low.s, with: floor, friction: 0.5}
  pile: {of: high.s, with: [{link: low, shape: s}], friction: 0.5}
""".replace("HEAVY", repr(heavy))
    robot = symdyn.loads(text, format="yaml")
    q, v, guess, borne = np.array([0.0, 0.2]), np.zeros(2), None, 0.0
    for _ in range(50):
        step = ended(symdyn.contact_step(robot, q, v, h=1e-3, guess=guess), 0.5, 2)
        assert step.report.code is ContactCode.SOLVED
        q, v, guess = step.q_next, step.v_next, step.impulses
        borne += step.impulses[2]
    # the proximal term gives way by 1e-9 of the impulse times the mobility 1 / kg, in one step
    assert np.abs(q - [0.0, 0.2]).max() < 1e-9 + 2.1e-9 * (1.0 + heavy) * G * 1e-6
    moved = v @ [1.0, heavy]
    assert borne == pytest.approx((1.0 + heavy) * G * 50e-3 + moved, rel=1e-9)


@pytest.mark.parametrize("friction", [0.0, 10.0])
def test_no_friction_and_much(friction: float) -> None:
    robot = block({"box": {"box": [0.2, 0.2, 0.1]}}, friction)
    q, v = robot.neutral(), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    q[2] = 0.05
    step = ended(symdyn.contact_step(robot, q, v, h=1e-3), friction, 8)
    assert step.report.code is ContactCode.SOLVED and step.report.work <= 0.0
    if friction == 0.0:
        assert step.v_next[0] == 1.0 and step.report.work == 0.0
    else:  # it stops, or tips over its edge
        assert step.v_next[0] < 1.0


@pytest.mark.parametrize("h", [1e-9, 10.0, 1e6])
def test_tiny_and_huge_steps(h: float) -> None:
    robot = block({"box": {"box": [0.2, 0.2, 0.1]}})
    q, v = robot.neutral(), np.array([1.0, 0.2, -0.5, 0.1, 0.2, 0.3])
    q[2] = 0.06
    ended(symdyn.contact_step(robot, q, v, h=h), 0.5, 8)
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(RequestError, match="a positive number"):
            symdyn.contact_step(robot, q, v, h=bad)
    for place in (q, v):
        with pytest.raises(RequestError, match="finite"):
            symdyn.contact_step(robot, *(array * np.nan if array is place else array for array in (q, v)), h=1e-3)


def test_a_start_one_metre_inside_the_ground() -> None:
    """It rises at the velocity that is allowed, 0.2 m/s, and does not explode."""
    robot = block({"box": {"box": [0.2, 0.2, 0.1]}})
    q, v, guess = robot.neutral(), np.zeros(6), None
    q[2] = -1.0
    for _ in range(10):
        step = ended(symdyn.contact_step(robot, q, v, h=1e-3, guess=guess), 0.5, 8)
        assert step.report.code is ContactCode.SOLVED and step.v_next[2] == pytest.approx(0.2, abs=1e-6)
        q, v, guess = step.q_next, step.v_next, step.impulses


def walker() -> Any:
    """The example of a walking robot."""
    place = Path(__file__).parents[2] / "examples" / "ground" / "walker.py"
    return import_file(place, "ground_walker")


class Walk:
    """Ten seconds of a trot, or three of a stance, in steps of a length."""

    def __init__(self, module: Any, example: Any, mass: float, scene: str, h: float, last: float) -> None:
        robot = example.robot(scene)
        q = robot.neutral()
        q[2] = 0.44 * math.cos(0.7) + 0.022
        q = symdyn.simulate(robot, t=np.array([0.0, 1e-3])).q[0]  # on the ground
        v, guess = np.zeros(robot.nv), None
        self.worst_work, self.worst_normal, carried = -math.inf, -math.inf, 0.0
        before = module.centroidal_momentum(q, v)
        count = round(last / h)
        for number in range(count):
            tau = np.zeros(robot.nv)
            wanted = example.wanted(scene, number * h)
            tau[6:] = example.STIFFNESS * (wanted - q[7:]) - example.DAMPING * v[6:]
            step = module.contact_step(q, v, tau, h=h, guess=guess)
            assert step.report.code is ContactCode.SOLVED
            pushes = step.impulses.reshape(-1, 3)[:, 2]
            carried += pushes.sum()
            self.worst_work = max(self.worst_work, step.report.work)
            if number % 10 == 0:
                gap = module.contact_gaps(q)[0]
                # velocities of the base have the axes at the start of a step there, and at its end in v_next
                first, last = (np.array(quaternion_matrix(tuple(pose[3:7]))) for pose in (q, step.q_next))
                met = step.v_next.copy()
                met[:6] = (first.T @ last @ met[:6].reshape(2, 3).T).T.ravel()
                rising = (module.contact_jacobian(q) @ met)[2::3]
                # of a sum over all contacts, each of which rises at most by its depth
                slack = pushes @ (rising - np.maximum(-gap, 0.0) / h)
                self.worst_normal = max(self.worst_normal, float(slack))
            q, v, guess = step.q_next, step.v_next, step.impulses
        change = module.centroidal_momentum(q, v) - before
        up = change[2]
        self.weight = mass * G
        self.missing = abs((carried - up) / (count * h) - self.weight) / self.weight
        self.last = pushes.sum() / h


@pytest.mark.needs_cc
@SLOW
def test_a_walker_carries_its_weight() -> None:
    """Standing to 1e-9; trotting for ten seconds, mean force less momentum per time errs in proportion to h.

    Friction never gives work, and normal forces no more than depth over time allows.
    """
    example = walker()
    robot = example.robot("trot")
    functions = ["contact_gaps", "contact_jacobian", "centroidal_momentum"]
    module = symdyn.compile(robot, functions, steppers=["contacts"], lanes=False)
    mass = sum(float(link.inertial.mass) for link in robot.description.links if link.inertial is not None)
    stands = Walk(module, example, mass, "stand", 1e-3, 4.0)
    assert stands.last == pytest.approx(stands.weight, rel=1e-9)
    walks = [Walk(module, example, mass, "trot", h, 10.0) for h in (1e-3, 5e-4, 2.5e-4)]
    print([(walk.missing, walk.worst_work, walk.worst_normal) for walk in (stands, *walks)])
    for walk in (stands, *walks):
        assert walk.worst_normal <= 1e-9
        assert walk.worst_work <= (1e-10 if walk is stands else 0.0)  # where all stick, residual times speed is left
    for coarse, fine in itertools.pairwise(walks):
        assert 1.5 < coarse.missing / fine.missing < 2.7


def test_a_four_bar_falls_on_a_floor() -> None:
    """Its knee lands, the loop stays closed to 1e-12, and at rest contact and pin bear the weight."""
    text = symdyn.load_example("four_bar").to_yaml()
    ball = "  coupler:\n    collision: {ball: {sphere: 0.02, at: [0.25, 0.0, 0.0]}}\n"
    text = text.replace("  coupler:\n", ball, 1) + (
        "obstacles: {floor: {plane: {point: [0, 0, 0.1]}}}\n"
        "contacts: {knee: {of: coupler.ball, with: floor, friction: 0.5}}\n"
        "contact_options: {tolerance: 1.0e-11}\n"  # of the weight: what a step leaves is a force at rest
    )
    robot = symdyn.loads(text, format="yaml")
    functions = ["constraint_error", "contact_jacobian", "contact_gaps", "inverse_dynamics"]
    module = symdyn.compile(robot, functions, target="python")
    q, v, guess = robot.close([-1.2, 0.6, -1.0]), np.zeros(3), None
    first = module.contact_gaps(q).gap[0]
    assert first > 0.01
    for _ in range(400):
        step = symdyn.contact_step(robot, q, v, h=1e-3, guess=guess)
        assert step.report.code is ContactCode.SOLVED and step.report.residual < 1e-10
        assert step.report.work <= 1e-12  # residual times speed where it sticks
        q, v, guess = step.q_next, step.v_next, step.impulses
        assert np.abs(module.constraint_error(q)).max() < 1e-12
    assert step.state[0] in (1, 2) and np.abs(v).max() < 1e-9
    assert abs(module.contact_gaps(q).gap[0]) < 1e-9
    weight = module.inverse_dynamics(q, np.zeros(3), np.zeros(3))
    assert np.abs(module.contact_jacobian(q).T @ step.impulses / 1e-3 - weight).max() < 1e-9 * np.abs(weight).max()
