"""Planar linkages against Lagrange's equations and virtual work by hand, eliminated to as many coordinates as move.

Places of bars are written down, and SymPy differentiates them. No matrix of the robot is used. Of linkages that move in
one way, energies are written in the coordinate that is left; the five-bar's equations are projected on its two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from mpmath import mp
from support.robots.shipped_loops import found, shipped

GRAVITY = sp.Rational("9.81")


@dataclass(frozen=True, slots=True)
class Body:
    """Mass [kg] and moment of inertia about the centre of mass; where that is in the plane (x, z), and its angle."""

    mass: Any
    inertia: Any
    place: sp.Matrix
    angle: Any


def along(angle: Any, length: Any) -> sp.Matrix:
    """Angles are about y, and take x to -z."""
    return length * sp.Matrix([sp.cos(angle), -sp.sin(angle)])


def bar(start: sp.Matrix, angle: Any, length: Any, mass: Any) -> Body:
    """A uniform slender bar."""
    return Body(mass, mass * length**2 / 12, start + along(angle, length / 2), angle)


def ratio(*numbers: str) -> list[sp.Rational]:
    return [sp.Rational(number) for number in numbers]


def slider_crank(q: Sequence[Any]) -> tuple[list[Body], sp.Matrix]:
    """Bodies of the open tree, and the gap of its pin."""
    crank, rod, crank_mass, rod_mass, piston_mass = ratio("0.2", "0.5", "1", "0.7", "2")
    turn, swing, slide = q
    knee, piston = along(turn, crank), sp.Matrix([crank + rod + slide, 0])
    bodies = [bar(sp.zeros(2, 1), turn, crank, crank_mass), bar(knee, turn + swing, rod, rod_mass)]
    return [*bodies, Body(piston_mass, 0, piston, sp.Integer(0))], knee + along(turn + swing, rod) - piston


def slider_crank_closed(s: Sequence[Any]) -> list[Any]:
    crank, rod = ratio("0.2", "0.5")
    lean = -sp.asin(crank * sp.sin(s[0]) / rod)
    return [s[0], lean - s[0], crank * sp.cos(s[0]) + rod * sp.cos(lean) - crank - rod]


def four_bar(q: Sequence[Any]) -> tuple[list[Body], sp.Matrix]:
    crank, coupler, rocker, ground = ratio("0.2", "0.5", "0.4", "0.45")
    knee, pivot = along(q[0], crank), sp.Matrix([ground, 0])
    bodies = [
        bar(sp.zeros(2, 1), q[0], crank, sp.Integer(1)),
        bar(knee, q[0] + q[1], coupler, sp.Rational("1.5")),
        bar(pivot, q[2], rocker, sp.Rational("0.8")),
    ]
    return bodies, knee + along(q[0] + q[1], coupler) - pivot - along(q[2], rocker)


def _meeting(first: sp.Matrix, second: sp.Matrix, near: Any, far: Any) -> tuple[Any, Any]:
    """Angles of two bars from two points that meet above the line between them."""
    line = second - first
    reach = sp.sqrt(line.dot(line))
    direction = sp.atan2(line[1], line[0])
    lift = sp.acos((near**2 + reach**2 - far**2) / (2 * near * reach))
    tip = first + near * sp.Matrix([sp.cos(direction + lift), sp.sin(direction + lift)]) - second
    return -(direction + lift), -sp.atan2(tip[1], tip[0])


def four_bar_closed(s: Sequence[Any]) -> list[Any]:
    crank, coupler, rocker, ground = ratio("0.2", "0.5", "0.4", "0.45")
    angle, output = _meeting(along(s[0], crank), sp.Matrix([ground, 0]), coupler, rocker)
    return [s[0], angle - s[0], output]


def five_bar(q: Sequence[Any]) -> tuple[list[Body], sp.Matrix]:
    span, upper, fore, upper_mass, fore_mass = ratio("0.4", "0.3", "0.5", "1", "0.8")
    bodies, hands = [], []
    for shoulder, (first, bend) in ((sp.zeros(2, 1), q[:2]), (sp.Matrix([span, 0]), q[2:])):
        elbow = shoulder + along(first, upper)
        bodies += [bar(shoulder, first, upper, upper_mass), bar(elbow, first + bend, fore, fore_mass)]
        hands.append(elbow + along(first + bend, fore))
    return bodies, hands[0] - hands[1]


def five_bar_closed(s: Sequence[Any]) -> list[Any]:
    span, upper, fore = ratio("0.4", "0.3", "0.5")
    left, right = _meeting(along(s[0], upper), sp.Matrix([span, 0]) + along(s[1], upper), fore, fore)
    return [s[0], left - s[0], s[1], right - s[1]]


LINKAGES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[str, ...]]] = {
    "slider_crank": (slider_crank, slider_crank_closed, ("turn", "swing", "slide")),
    "four_bar": (four_bar, four_bar_closed, ("input", "elbow", "output")),
    "five_bar": (five_bar, five_bar_closed, ("left_shoulder", "left_elbow", "right_shoulder", "right_elbow")),
}
"""Bodies and gap by the coordinates of the tree, these by those that are left, and the names of the former."""


def lagrange(bodies: Sequence[Body], q: sp.Matrix, v: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """M and b of M a + b = tau: b_k = sum over j, l of (dM_kj/dq_l - dM_jl/dq_k / 2) v_j v_l + dV/dq_k."""
    M = sp.zeros(len(q), len(q))
    V = sp.Integer(0)
    for body in bodies:
        slope, turn = body.place.jacobian(q), sp.Matrix([body.angle]).jacobian(q)
        M += body.mass * slope.T * slope + body.inertia * turn.T * turn
        V += body.mass * GRAVITY * body.place[1]
    moved = M * v
    power = (v.T * moved)[0] / 2
    return M, moved.jacobian(q) * v - sp.Matrix([power - V]).jacobian(q).T


@cache
def truth(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Functions of coordinates that are left and their rates: closed q and v, and how these accelerate; of the tree."""
    make, close, names = LINKAGES[name]
    count = 2 if name == "five_bar" else 1
    s, r = (sp.Matrix(sp.symbols(f"{letter}:{count}", real=True)) for letter in "sr")
    q, v = (sp.Matrix(sp.symbols(f"{letter}:{len(names)}", real=True)) for letter in "qv")
    closed = sp.Matrix(close(list(s)))
    slopes = closed.jacobian(s)
    rates = slopes * r
    own = lagrange(make(list(closed))[0], s, r) if count == 1 else ()
    left = sp.lambdify([*s, *r], (closed, slopes, rates, rates.jacobian(s) * r, *own), "mpmath", cse=True)
    bodies, gap = make(list(q))
    tree = sp.lambdify([*q, *v], (*lagrange(bodies, q, v), gap, gap.jacobian(q)), "mpmath", cse=True)
    return left, tree


@pytest.mark.parametrize(
    ("name", "at", "rate"),
    [
        ("slider_crank", (1.25,), (1.5,)),
        pytest.param("slider_crank", (-2.5,), (4.0,), marks=pytest.mark.slow),
        pytest.param("four_bar", (0.75,), (-1.25,), marks=pytest.mark.slow),
        pytest.param("four_bar", (-2.0,), (3.0,), marks=pytest.mark.slow),
        pytest.param("five_bar", (-2.25, -0.75), (1.0, -0.5), marks=pytest.mark.slow),
        pytest.param("five_bar", (-1.5, -1.0), (-2.0, 1.5), marks=pytest.mark.slow),
    ],
)
def test_linkages_move_as_by_hand(name: str, at: tuple[float, ...], rate: tuple[float, ...]) -> None:
    robot, names = shipped(name), LINKAGES[name][2]
    order = [names.index(own) for own in robot.velocity_names]
    left, tree = truth(name)
    tau = [0.75 - 0.5 * row for row in range(len(names))]
    with mp.workdps(40):
        q, J, v, rest, *own = left(*map(mp.mpf, at), *map(mp.mpf, rate))
        M, b, gap, A = tree(*q, *v)
        reduced, pull = own or (J.T * M * J, J.T * (b + M * rest))
        a = J * mp.lu_solve(reduced, J.T * mp.matrix(tau) - pull) + rest
        required = M * a + b
        force = mp.lu_solve(A * A.T, A * (required - mp.matrix(tau)))  # of the pin; what it does to the coordinates
        assert mp.norm(gap) < mp.mpf("1e-35"), "the closed form closes the loop"
        assert mp.norm(required - mp.matrix(tau) - A.T * force) < mp.mpf("1e-35") * mp.norm(required), "virtual work"
        held = np.array([float(own) for own in A.T * force])[order]
        size = float(mp.norm(force))
        motion = {key: np.array([float(own) for own in rows])[order] for key, rows in (("q", q), ("v", v), ("a", a))}
    state = {"q": motion["q"], "v": motion["v"]}
    forces = np.array(tau)[order]
    found_a, multipliers = found(robot, "constrained_forward_dynamics", tau=forces, **state)
    (slopes,) = found(robot, "constraint_jacobian", **state)
    assert np.max(np.abs(found_a - motion["a"])) < 1e-12 * np.max(np.abs(motion["a"]))
    assert np.max(np.abs(slopes.T @ multipliers - held)) < 1e-12 * np.max(np.abs(held))
    assert np.linalg.norm(multipliers) == pytest.approx(size, rel=1e-12), "the force of the pin"
    driven = [names[0]] if len(at) == 1 else [names[0], names[2]]
    shared, _ = found(robot, "constrained_inverse_dynamics", **motion, actuated=driven)
    ways = np.array(J.tolist(), dtype=float)[order].T
    assert np.max(np.abs(ways @ (shared - forces))) < 1e-12 * np.max(np.abs(held)), "the same work in all ways to move"
    assert {own for own, force in zip(robot.velocity_names, shared, strict=True) if force} == set(driven)
