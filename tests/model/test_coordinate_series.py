"""Series of coordinates against high-precision integration of q' = f(q, v(t)) for every joint kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np
import pytest
from mpmath import mp
from support.coordinate_series import trajectory_series
from support.robots.random_trees import make_robot
from support.robots.small import loaded

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series, rate
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.description.robot import JointKind
from symdyn.model.joints import (
    FREE,
    FREE_SPATIAL,
    HELICAL,
    JOINTS,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    ROTOR,
    SPHERICAL,
    JointModel,
)
from symdyn.model.joints.cylindrical import CYLINDRICAL
from symdyn.model.joints.quaternions import quaternion_series
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO

ORDER, DIGITS = 30, 40
FAR = 0.125
"""Time [s] at which a series of order 31 has converged to 24 digits for the velocities below."""
Values = Sequence[Any]


def rotated(q: Values, x: Values) -> list[Any]:
    """R(q) x by q x q^-1, at any length of q."""
    turned = product(product(q, [*x, 0]), [-q[0], -q[1], -q[2], q[3]])
    length = sum(value * value for value in q)
    return [value / length for value in turned[:3]]


def product(a: Values, b: Values) -> list[Any]:
    x, y, z, w = a
    i, j, k, r = b
    return [
        w * i + x * r + y * k - z * j,
        w * j - x * k + y * r + z * i,
        w * k + x * j - y * i + z * r,
        w * r - x * i - y * j - z * k,
    ]


def half(values: Values) -> list[Any]:
    return [value / 2 for value in values]


def planar(q: Values, v: Values) -> list[Any]:
    sine, cosine = mp.sin(q[2]), mp.cos(q[2])
    return [cosine * v[0] - sine * v[1], sine * v[0] + cosine * v[1], v[2]]


def spatial(q: Values, v: Values) -> list[Any]:
    x, y, z = q[:3]
    moved = [v[3] + v[1] * z - v[2] * y, v[4] + v[2] * x - v[0] * z, v[5] + v[0] * y - v[1] * x]
    return [*moved, *half(product([*v[:3], 0], q[3:]))]


def scalar_first(q: Values, v: Values) -> list[Any]:
    """The rate of a quaternion (w, x, y, z)."""
    x, y, z, w = half(product([*q[1:], q[0]], [*v, 0]))
    return [w, x, y, z]


RATES: dict[JointModel, Callable[[Values, Values], list[Any]]] = {
    REVOLUTE: lambda q, v: [v[0]],
    PRISMATIC: lambda q, v: [v[0]],
    HELICAL: lambda q, v: [v[0]],
    ROTOR: lambda q, v: [v[0]],
    CYLINDRICAL: lambda q, v: list(v),
    PLANAR: planar,
    SPHERICAL: lambda q, v: half(product(q, [*v, 0])),
    FREE: lambda q, v: [*rotated(q[3:], v[:3]), *half(product(q[3:], [*v[3:], 0]))],
    FREE_SPATIAL: spatial,
    SPHERICAL_MUJOCO: scalar_first,
    FREE_MUJOCO: lambda q, v: [*v[:3], *scalar_first(q[3:], v[3:])],
}


def unit(rng: random.Random) -> list[Any]:
    values = [mp.mpf(rng.gauss(0.0, 1.0)) for _ in range(4)]
    return [value / mp.norm(values) for value in values]


def start(kind: JointModel, rng: random.Random) -> list[Any]:
    rows = len(kind.coordinates.q)
    free = [mp.mpf(rng.uniform(-1.0, 1.0)) for _ in range(rows if rows < 4 else rows - 4)]
    return [*free, *unit(rng)] if rows >= 4 else free


def integrated(kind: JointModel, q: Values, v: Sequence[Values]) -> list[Any]:
    """q at FAR by Gragg-Bulirsch-Stoer: midpoint rule with 2, 4, .. steps, extrapolated in the squared step."""

    def slope(t: Any, at: Values) -> list[Any]:
        return RATES[kind](at, [mp.polyval(list(reversed(row)), t) for row in v])

    table: list[list[list[Any]]] = []
    counts = [2 * (level + 1) for level in range(13)]
    for level, count in enumerate(counts):
        step = mp.mpf(FAR) / count
        before, now = list(q), [x + step * d for x, d in zip(q, slope(mp.mpf(0), q), strict=True)]
        for index in range(1, count):
            moved = [x + 2 * step * d for x, d in zip(before, slope(index * step, now), strict=True)]
            before, now = now, moved
        row = [now]
        for back in range(level):
            weight = (mp.mpf(count) / counts[level - back - 1]) ** 2 - 1
            row.append([x + (x - y) / weight for x, y in zip(row[-1], table[-1][back], strict=True)])
        table.append(row)
    return table[-1][-1]


@pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: kind.value)
def test_coordinates_follow_their_differential_equation(kind: JointModel) -> None:
    rng = random.Random(kind.value)
    with mp.workdps(DIGITS):
        algebra = TaylorAlgebra(MpmathAlgebra(DIGITS), ORDER)
        q = start(kind, rng)
        v = [[mp.mpf(rng.uniform(-2.0, 2.0)) for _ in range(4)] for _ in kind.coordinates.v]
        padded = [Series([*row, *[0.0] * (ORDER - 3)]) for row in v]
        found = kind.series(algebra, q, padded)
        assert [series.order for series in found] == [ORDER + 1] * len(q)
        assert [series.leading for series in found] == q
        reached = [mp.polyval(list(reversed(series.coefficients)), mp.mpf(FAR)) for series in found]
        expected = integrated(kind, q, v)
        assert max(abs(a - b) for a, b in zip(reached, expected, strict=True)) < mp.mpf(10) ** -18


@pytest.mark.parametrize("kind", [SPHERICAL, FREE, FREE_SPATIAL])
def test_quaternions_keep_their_length(kind: JointModel) -> None:
    rng = random.Random(7)
    with mp.workdps(DIGITS):
        algebra = TaylorAlgebra(MpmathAlgebra(DIGITS), 6)
        v = [Series([mp.mpf(rng.uniform(-2.0, 2.0)) for _ in range(7)]) for _ in kind.coordinates.v]
        quaternion = kind.series(algebra, start(kind, rng), v)[-4:]
        length = sum((x * x for x in quaternion[1:]), quaternion[0] * quaternion[0]).coefficients
        assert abs(length[0] - 1) < mp.mpf(10) ** -38
        assert max(map(abs, length[1:])) < mp.mpf(10) ** -37


def test_rates_of_positions_are_remembered() -> None:
    algebra, rng = TaylorAlgebra(FloatAlgebra(), 2), random.Random(3)
    for kind in (FREE, FREE_SPATIAL, PLANAR):
        v = [Series([rng.uniform(-1.0, 1.0) for _ in range(3)]) for _ in kind.coordinates.v]
        for series in kind.series(algebra, [float(x) for x in start(kind, rng)], v):
            by_shift = [k * c for k, c in enumerate(series.coefficients) if k]
            assert rate(series).coefficients == pytest.approx(by_shift, rel=1e-14)


def test_a_turn_since_now_saves_products() -> None:
    inner = CasadiAlgebra()
    algebra = TaylorAlgebra(inner, 1)
    omega = [Series(inner.symbols(f"w{axis}", 2)) for axis in "xyz"]

    def operations(begin: Sequence[Any]) -> int:
        found = quaternion_series(algebra, begin, omega)
        expression = casadi.cse(casadi.vertcat(*(casadi.SX(c) for series in found for c in series.coefficients)))
        function = casadi.Function("counted", casadi.symvar(expression), [expression])
        free = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST)
        return sum(function.instruction_id(index) not in free for index in range(function.n_instructions()))

    relative = operations((0.0, 0.0, 0.0, 1.0))
    assert relative < 0.5 * operations(inner.symbols("q", 4))
    assert relative <= 33  # Q_1 = omega / 2; Q_2 = (omega_1 + Q_1 x omega_0 + w_1 omega_0) / 4


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_trajectories_of_a_robot(convention: str) -> None:
    """Rows stand where the model has them, mimic joints have none, and orders are those that dynamics needs."""
    kinds = [
        JointKind.REVOLUTE,
        JointKind.SPHERICAL,
        JointKind.PRISMATIC,
        JointKind.UNIVERSAL,
        JointKind.PLANAR,
        JointKind.HELICAL,
    ]
    robot = loaded(make_robot([0, 1, 2, 3, 4, 5], kinds, 11, floating=True), convention=convention)
    model = robot.model
    rng = np.random.default_rng(5)
    q, _ = robot.random_state(rng)
    derivatives = rng.standard_normal((4, model.nv))
    algebra = TaylorAlgebra(FloatAlgebra(), 2)
    found_q, found_v, found_a = trajectory_series(
        model, algebra, [float(x) for x in q], [[float(x) for x in row] for row in derivatives]
    )
    assert [len(found_q), len(found_v), len(found_a)] == [model.nq, model.nv, model.nv]
    assert {x.order for x in found_q} == {4} and {x.order for x in found_v} == {3} and {x.order for x in found_a} == {2}
    assert [x.leading for x in found_q] == list(q)
    velocities, accelerations = (np.array([algebra.derivatives(x) for x in found]).T for found in (found_v, found_a))
    np.testing.assert_allclose(velocities, derivatives, rtol=1e-14)
    np.testing.assert_allclose(accelerations, derivatives[1:], rtol=1e-14)
    step = 2e-3
    moved = np.array([np.polyval(x.coefficients[::-1], step) for x in found_q])
    # the first two terms of Magnus' expansion, which differs from the solution by the third order of the step
    near = robot.integrate(q, derivatives[0] * step + 0.5 * derivatives[1] * step**2)
    assert np.max(np.abs(moved - near)) < 50.0 * step**3
    assert np.max(np.abs(moved - q)) > 0.1 * step
