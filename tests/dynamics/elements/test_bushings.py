"""Bushings and struts against closed forms: forces are slopes of energies, and small turns have the stiffness said."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.soft_calls import call

from symdyn import api
from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.description.yaml.read import parse_yaml
from symdyn.robot.robot import Robot

HELD = """
name: held
floating_base: true
gravity: [0, 0, 0]
links:
  body: {mass: 1.5, com: [0.1, 0, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
  limb: {mass: 0.5, inertia: {xx: 0.01, yy: 0.02, zz: 0.015}}
joints:
  ball: {type: floating, parent: body, child: limb}
"""
BUSHING = """
bushings:
  mount: {between: [body, limb], stiffness: [10, 20, 30, 1, 2, 3], translation: [0.1, 0, 0]}
"""
STRUT = """
struts:
  rope: {between: [{link: body, point: [0, 0.1, 0]}, {link: limb, point: [0.2, 0, 0]}], stiffness: 7, length: 0.3}
"""


def held(*parts: str) -> Robot:
    return api.from_description(parse_yaml((HELD + "".join(parts)).encode(), "held.yaml"))


def relative(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The robot with the limb turned and shifted against the body."""
    half = np.linalg.norm(turn) / 2
    quaternion = [*(np.sin(half) / (2 * half) * turn if half else np.zeros(3)), np.cos(half)]
    return np.array([0.3, 0.1, 0.2, 0.5, -0.5, 0.5, 0.5, *shift, *quaternion])


def test_small_moves_meet_the_stiffness_that_is_said() -> None:
    robot = held(BUSHING)
    for way in range(3):
        shift, turn = np.array([0.1, 0.0, 0.0]), np.zeros(3)
        shift[way] += 1e-3
        (tau,) = call(robot, "inverse_dynamics", q=relative(turn, shift), v=np.zeros(12), a=np.zeros(12))
        assert tau[6:9] == pytest.approx(1e-3 * np.diag([10.0, 20.0, 30.0])[way], abs=1e-12)
        turn[way] = 1e-4
        (tau,) = call(robot, "inverse_dynamics", q=relative(turn, [0.1, 0, 0]), v=np.zeros(12), a=np.zeros(12))
        assert tau[9:] == pytest.approx(1e-4 * np.diag([1.0, 2.0, 3.0])[way], abs=1e-11)


def bushing_energy(turned: np.ndarray, shift: np.ndarray) -> float:
    """What the springs of BUSHING store: the weights of the turn are half the trace less each stiffness."""
    apart = shift - np.array([0.1, 0.0, 0.0])
    weights = 3.0 - np.array([1.0, 2.0, 3.0])
    return float(apart @ np.diag([10.0, 20.0, 30.0]) @ apart / 2 + weights @ (1.0 - np.diag(turned)))


def strut_energy(turned: np.ndarray, shift: np.ndarray) -> float:
    """What the spring of STRUT stores."""
    apart = shift + turned @ np.array([0.2, 0.0, 0.0]) - np.array([0.0, 0.1, 0.0])
    return 3.5 * (float(np.linalg.norm(apart)) - 0.3) ** 2


@pytest.mark.parametrize(("part", "energy"), [(BUSHING, bushing_energy), (STRUT, strut_energy)])
def test_forces_are_slopes_of_the_energy(part: str, energy: Callable[[np.ndarray, np.ndarray], float]) -> None:
    robot, h = held(part), 1e-5
    q = relative(np.array([0.9, -0.7, 0.5]), np.array([0.3, 0.2, 0.4]))
    (tau,) = call(robot, "inverse_dynamics", q=q, v=np.zeros(12), a=np.zeros(12))
    assert tau[:6] == pytest.approx(np.zeros(6), abs=1e-12)  # nothing pushes the robot as a whole
    for row, unit in enumerate(h * np.eye(12)[6:], 6):
        ends = []
        for sign in (1, -1):
            moved = robot.integrate(q, sign * unit)
            x, y, z, w = moved[10:]
            turned = np.array(from_quaternion(x, y, z, w).entries, dtype=float)
            ends.append(energy(turned, moved[7:10]))
        assert tau[row] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-7, abs=1e-7)


def test_a_strut_pulls_along_its_line() -> None:
    robot = held(STRUT.replace("stiffness: 7", "stiffness: 7, damping: 2"))
    q, v = relative(np.zeros(3), np.array([0.0, 0.1, 0.0])), np.zeros(12)
    v[6] = 0.5
    (tau,) = call(robot, "inverse_dynamics", q=q, v=v, a=np.zeros(12))
    bare = call(held(), "inverse_dynamics", q=q, v=v, a=np.zeros(12))[0]
    assert (tau - bare)[6:9] == pytest.approx([7 * (0.2 - 0.3) + 2 * 0.5, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("length", [0.0, 0.3])
def test_a_strut_without_length_has_no_direction(length: float) -> None:
    """Its pull is zero there, and its slope that of a spring of rest length zero: k in all directions."""
    text = STRUT.replace("length: 0.3", f"length: {length}, damping: 2").replace("0, 0.1, 0", "0, 0, 0")
    robot, bare = held(text.replace("0.2, 0, 0", "0, 0, 0")), held()
    rng = np.random.default_rng(4)
    q, (v, a) = relative(np.zeros(3), np.zeros(3)), rng.standard_normal((2, 12))
    state = {"q": q, "v": v, "a": a}
    (tau,), (free,) = (call(own, "inverse_dynamics", **state) for own in (robot, bare))
    assert tau == pytest.approx(free, abs=1e-13)
    (by_q, *_), (without, *_) = (call(own, "inverse_dynamics_partials", **state) for own in (robot, bare))
    assert (by_q - without)[6:9, 6:9] == pytest.approx(7.0 * np.eye(3), abs=1e-12)
    hessian = call(robot, "inverse_dynamics_weighted_hessian", **state, **{"lambda": a})
    assert all(np.all(np.isfinite(own)) for own in hessian)
