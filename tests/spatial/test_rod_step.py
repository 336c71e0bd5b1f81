"""One step along a rod, against matrix exponentials at fifty digits, series, dual numbers and duality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.magnus_maps import gauss_places, magnus_rate, magnus_rates, magnus_transpose
from support.rod_reference import pose_by_series

from symdyn.algebra.scalars.counted import CountingAlgebra
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.taylor import Series, rate, truncated
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.spatial.exponent import exponent, exponent_rates, exponent_transpose
from symdyn.algebra.spatial.magnus import magnus, moment_weights, strain_moments
from symdyn.algebra.spatial.step_pose import (
    Tangent,
    far_transpose,
    far_twist,
    far_twist_rate,
    step_pose,
    stumpff_terms,
)

DIGITS, TERMS, LENGTH = 50, 32, 0.25
FLOATS = FloatAlgebra()
PLANES = {"any": (0, 1, 2, 3, 4, 5), "in a plane": (0, 1, 5), "inextensible": (3, 4, 5), "straight": (0,)}
each_order = pytest.mark.parametrize("order", [2, 4, 6])


def strains(order: int, moved: Sequence[int], seed: int = 3) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    found = np.tile(np.array((1.0, 0.0, 0.0, 0.0, 0.0, 0.0)), (order // 2, 1))
    found[:, list(moved)] += rng.normal(size=(order // 2, len(moved))) * np.where(np.array(moved) < 3, 0.2, 2.0)
    return [[float(entry) for entry in row] for row in found]


def rates_of(order: int, seed: int) -> list[list[float]]:
    return [[float(entry) for entry in row] for row in np.random.default_rng(seed).normal(size=(order // 2, 6))]


def hat(twist: Sequence[Any]) -> Any:
    v, w = twist[:3], twist[3:]
    return mp.matrix([[0, -w[2], w[1], v[0]], [w[2], 0, -w[0], v[1]], [-w[1], w[0], 0, v[2]], [0, 0, 0, 0]])


def vee(matrix: Any) -> list[Any]:
    return [matrix[0, 3], matrix[1, 3], matrix[2, 3], matrix[2, 1], matrix[0, 2], matrix[1, 0]]


def printed_exponent(own: list[list[Any]], h: Any) -> Any:
    """Blanes & Moan's formulas on 4 x 4 matrices; theirs are for X' = A X, so that brackets change sign."""

    def bracket(a: Any, b: Any) -> Any:
        return b * a - a * b

    matrices = [hat([mp.mpf(entry) for entry in row]) for row in own]
    if len(matrices) == 1:
        return h * matrices[0]
    if len(matrices) == 2:
        return h / 2 * (matrices[0] + matrices[1]) - mp.sqrt(3) * h**2 / 12 * bracket(matrices[0], matrices[1])
    a1 = h * matrices[1]
    a2 = mp.sqrt(15) * h / 3 * (matrices[2] - matrices[0])
    a3 = 10 * h / 3 * (matrices[2] - 2 * matrices[1] + matrices[0])
    c1 = bracket(a1, a2)
    c2 = -bracket(a1, 2 * a3 + c1) / 60
    return a1 + a3 / 12 + bracket(-20 * a1 - a3 + c1, a2 + c2) / 240


def precise_moments(own: list[list[Any]], h: Any) -> list[list[Any]]:
    """As `strain_moments`, with weights of fifty digits."""
    x = [[mp.mpf(entry) for entry in row] for row in own]
    match x:
        case [one]:
            return [[h * a for a in one]]
        case [one, two]:
            pairs = list(zip(one, two, strict=True))
            return [[h / 2 * (a + b) for a, b in pairs], [mp.sqrt(3) / 12 * h * (b - a) for a, b in pairs]]
        case [one, two, three]:
            rows = list(zip(one, two, three, strict=True))
            return [
                [h * b for _, b, _ in rows],
                [mp.sqrt(15) / 60 * h * (c - a) for a, _, c in rows],
                [h / 3 * (a - 2 * b + c) for a, b, c in rows],
            ]
    raise AssertionError(len(x))


@each_order
@pytest.mark.parametrize("moved", PLANES.values(), ids=PLANES)
def test_a_chain_of_steps_at_fifty_digits(order: int, moved: tuple[int, ...]) -> None:
    """The product of `expm` of the printed exponents; doubles are as near as their rounding lets them."""
    with mp.workdps(DIGITS):
        over, h = MpmathAlgebra(DIGITS), mp.mpf(LENGTH)
        true = mp.eye(4)
        precise, plain = mp.eye(4), np.eye(4)
        for seed in range(4):
            own = strains(order, moved, seed)
            printed = printed_exponent(own, h)
            omega = exponent(over, precise_moments(own, h))
            assert max(abs(a - b) for a, b in zip(omega, vee(printed), strict=True)) < mp.mpf(10) ** -47
            nearly = magnus(own, LENGTH)
            assert max(abs(a - b) for a, b in zip(nearly, omega, strict=True)) < 5e-16
            true = true * mp.expm(printed, method="taylor")
            pose, double = step_pose(over, omega, TERMS), step_pose(FLOATS, nearly, stumpff_terms(math.pi))
            step = mp.eye(4)
            for i in range(3):
                step[i, 3] = pose.translation[i]
                for j in range(3):
                    step[i, j] = pose.rotation.entries[i][j]
            precise = precise * step
            plain = plain @ np.block(
                [[np.array(double.rotation.entries), np.array(double.translation)[:, None]], [np.eye(4)[3:]]]
            )
        assert max(abs(entry) for entry in precise - true) < mp.mpf(10) ** -45
        assert np.max(np.abs(plain - np.array(true.tolist(), dtype=float))) < 4e-15


@each_order
def test_the_twist_and_its_rate_are_those_of_the_pose(order: int) -> None:
    """X' = X [nu], and nu' is the rate of nu, by series at fifty digits."""
    top = 3
    rng = np.random.default_rng(5)
    with mp.workdps(DIGITS):
        over = TaylorAlgebra(MpmathAlgebra(DIGITS), top)
        coefficients = (0.5 * rng.normal(size=(order // 2, 6, top + 1))).tolist()
        moments = [[Series([mp.mpf(c) for c in entry]) for entry in row] for row in coefficients]
        omega = exponent(over, moments)
        first = [rate(entry) for entry in omega]
        second = [rate(entry) for entry in first]
        pose = step_pose(over, omega, TERMS)
        nu = far_twist(pose.tangent, omega, first)
        turned = [[truncated(entry, top - 1) for entry in row] for row in pose.rotation.entries]
        residuals = []
        for row in range(3):
            residuals.append(rate(pose.translation[row]) - sum(turned[row][k] * nu[k] for k in range(3)))
            for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                expected = turned[row][j] * nu[3 + k] - turned[row][k] * nu[3 + j]
                residuals.append(rate(pose.rotation.entries[row][i]) - expected)
        found = far_twist_rate(pose.tangent, pose.slopes, omega, first, second)
        residuals += [own - rate(entry) for own, entry in zip(found, nu, strict=True)]
        assert max(abs(entry) for residual in residuals for entry in residual.coefficients) < mp.mpf(10) ** -43
        own_rates = [[truncated(entry, top) for entry in row] for row in moments]
        jets = [[row, [rate(entry) for entry in row], [rate(rate(entry)) for entry in row]] for row in own_rates]
        for mine, theirs in zip(exponent_rates(over, jets)[1:], (first, second), strict=True):
            for a, b in zip(mine, theirs, strict=True):
                assert max(map(abs, (a - b).coefficients)) < mp.mpf(10) ** -45


@each_order
@pytest.mark.parametrize("moved", PLANES.values(), ids=PLANES)
def test_rates_and_transposes_of_the_exponent(order: int, moved: tuple[int, ...]) -> None:
    own, first, second = strains(order, moved), rates_of(order, 4), rates_of(order, 5)
    rate_, second_rate = magnus_rates(own, first, second, LENGTH)
    assert rate_ == magnus_rate(own, first, LENGTH)
    series = [
        [Series([a, b, c / 2]) for a, b, c in zip(*rows, strict=True)] for rows in zip(own, first, second, strict=True)
    ]
    true = [entry.coefficients for entry in magnus(series, LENGTH)]
    np.testing.assert_allclose(rate_, [entry[1] for entry in true], atol=3e-16, rtol=0)
    np.testing.assert_allclose(second_rate, [2 * entry[2] for entry in true], atol=3e-15, rtol=0)

    g = [float(entry) for entry in np.random.default_rng(6).normal(size=6)]
    shares = magnus_transpose(own, g, LENGTH)
    power = sum(float(np.dot(share, row)) for share, row in zip(shares, first, strict=True))
    assert abs(power - float(np.dot(g, rate_))) < 1e-15
    moments, moved_by = strain_moments(own, LENGTH), strain_moments(first, LENGTH)
    on_moments = exponent_transpose(FLOATS, moments, g)
    power = sum(float(np.dot(share, row)) for share, row in zip(on_moments, moved_by, strict=True))
    assert abs(power - float(np.dot(g, rate_))) < 1e-15


@each_order
def test_dual_numbers_give_the_same_derivatives(order: int) -> None:
    """The slope of Omega and nu along Omega's motion are their rates; differences agree where they can."""
    own, first, second = strains(order, PLANES["any"]), rates_of(order, 4), rates_of(order, 5)
    over = DualAlgebra(FLOATS)
    duals = [[over.dual(a, {0: b}) for a, b in zip(*rows, strict=True)] for rows in zip(own, first, strict=True)]
    omega, (omega_rate, omega_second) = magnus(own, LENGTH), magnus_rates(own, first, second, LENGTH)
    np.testing.assert_allclose([entry.slope(0) for entry in magnus(duals, LENGTH)], omega_rate, atol=3e-16, rtol=0)

    moving = [over.dual(a, {0: b}) for a, b in zip(omega, omega_rate, strict=True)]
    along = [over.dual(a, {0: b}) for a, b in zip(omega_rate, omega_second, strict=True)]
    nu = far_twist(step_pose(over, moving, 13).tangent, moving, along)
    pose = step_pose(FLOATS, omega, 13)
    nu_rate = far_twist_rate(pose.tangent, pose.slopes, omega, omega_rate, omega_second)
    np.testing.assert_allclose([entry.slope(0) for entry in nu], nu_rate, atol=3e-15, rtol=0)

    def twist_after(t: float) -> np.ndarray[Any, Any]:
        at = [
            [a + t * b + t * t / 2 * c for a, b, c in zip(*rows, strict=True)]
            for rows in zip(own, first, second, strict=True)
        ]
        moved = [[b + t * c for b, c in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)]
        there = magnus(at, LENGTH)
        return np.array(far_twist(step_pose(FLOATS, there, 13).tangent, there, magnus_rate(at, moved, LENGTH)))

    step = 1e-3
    near = (twist_after(step) - twist_after(-step)) / (2 * step)
    far = (twist_after(2 * step) - twist_after(-2 * step)) / (4 * step)
    np.testing.assert_allclose((4 * near - far) / 3, nu_rate, atol=1e-9, rtol=0)


def test_the_tangent_and_its_transpose_do_the_same_work() -> None:
    rng = np.random.default_rng(8)
    for turn in (0.0, 0.1, 1.0, 3.0):
        omega, motion, wrench = rng.normal(size=(3, 6))
        omega[3:] *= turn / np.linalg.norm(omega[3:])
        tangent = step_pose(FLOATS, omega.tolist(), 13).tangent
        done = np.dot(far_twist(tangent, omega.tolist(), motion.tolist()), wrench)
        assert abs(done - np.dot(far_transpose(tangent, omega.tolist(), wrench.tolist()), motion)) < 4e-15


def test_how_many_terms_are_as_good_as_rounding() -> None:
    assert [stumpff_terms(turn) for turn in (0.0, 1.0, 2.0, math.pi)] == [2, 8, 10, 13]
    with mp.workdps(DIGITS):
        for turn in (0.0, 0.5, 1.0, math.pi):
            for derivatives in (0, 3, 6):
                terms = stumpff_terms(turn, derivatives)
                path = [mp.mpf(0), mp.mpf(0), Series([mp.mpf(turn), mp.mpf(1)] + [0.0] * 5)]
                over = TaylorAlgebra(MpmathAlgebra(DIGITS), 6)
                few = step_pose(over, [0.0, 0.0, 0.0, *path], terms).rotation.entries
                many = step_pose(over, [0.0, 0.0, 0.0, *path], 40).rotation.entries
                for k in range(derivatives + 1):
                    error = abs(few[0][1].coefficients[k] - many[0][1].coefficients[k])
                    assert error * math.factorial(k) < 2e-17  # of derivatives of a sine
    enough, short = (step_pose(FLOATS, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0], terms) for terms in (8, 6))
    assert abs(enough.rotation.entries[0][0] - math.cos(1.0)) < 2e-16
    assert abs(short.rotation.entries[0][0] - math.cos(1.0)) > 1e-15


@pytest.mark.parametrize("order", [2, 4, 6])
def test_orders_of_convergence(order: int) -> None:
    """The tip of a rod that bends, twists, shears and stretches strongly, from 16 steps on."""
    shape = np.random.default_rng(9).normal(size=(5, 6)) * np.array((0.1, 0.1, 0.1, 1.5, 1.5, 1.5))
    shape[0, 0] += 1.0

    def tip(count: int) -> np.ndarray[Any, Any]:
        place, h = np.eye(4), 1.0 / count
        for step in range(count):
            at = [(step + share) * h for share in gauss_places(order)]
            own = [np.polynomial.polynomial.polyval(x, shape) for x in at]
            pose = step_pose(FLOATS, magnus([row.tolist() for row in own], h), 10)
            rows = [[*row, p] for row, p in zip(pose.rotation.entries, pose.translation, strict=True)]
            place = place @ np.array([*rows, (0.0, 0.0, 0.0, 1.0)])
        return place

    true = pose_by_series(shape, 1.0)
    errors = [float(np.max(np.abs(tip(count) - true))) for count in (16, 32)]
    assert errors[1] > 1e-12  # of the expansion, not of rounding
    assert abs(math.log2(errors[0] / errors[1]) - order) < 0.1


@each_order
def test_moments_of_powers_of_the_place(order: int) -> None:
    """What the weights make of 1, t and t^2 about the middle of a step: a mean, a slope and a bend."""
    places, weights = np.array(gauss_places(order)) - 0.5, np.array(moment_weights(order))
    powers = places[:, None] ** np.arange(order // 2)
    expected = {2: [[1.0]], 4: [[1.0, 0.0], [0.0, 1 / 12]], 6: [[1.0, 0.0, 0.0], [0.0, 0.05, 0.0], [0.0, 0.0, 0.1]]}
    np.testing.assert_allclose(weights @ powers, expected[order], atol=3e-17, rtol=0)
    assert not weights.sum(axis=1)[1:].any()  # strains that are the same everywhere leave structural zeros


def operations(order: int, moved: Sequence[int]) -> tuple[int, int]:
    """Pose, twist and its rate; then what the wrench does to strains, from the stored exponent and tangent."""
    over = CountingAlgebra()
    count = order // 2

    def rows(*rest: float) -> list[list[Any]]:
        return [[over.variables(1)[0] if i in moved else rest[i] for i in range(6)] for _ in range(count)]

    length = over.variables(1)[0]
    own, first, second = rows(1.0, 0, 0, 0, 0, 0), rows(*[0.0] * 6), rows(*[0.0] * 6)
    omega = magnus(own, length)
    omega_rate, omega_second = magnus_rates(own, first, second, length)
    pose = step_pose(over, omega, 10)
    nu = far_twist(pose.tangent, omega, omega_rate)
    nu_rate = far_twist_rate(pose.tangent, pose.slopes, omega, omega_rate, omega_second)
    entries = [entry for row in pose.rotation.entries for entry in row]
    out = over.total([*omega, *entries, *pose.translation, *pose.tangent, *nu, *nu_rate])
    stored = [over.variables(1)[0] if i in moved else 0.0 for i in range(6)]
    g = far_transpose(Tangent(*over.variables(4)), stored, over.variables(6))
    return out, over.total([entry for share in magnus_transpose(own, g, length) for entry in share])


@pytest.mark.parametrize(
    ("order", "moved", "out", "back"),
    [(4, "any", 706, 212), (6, "any", 1325, 525), (4, "in a plane", 200, 108), (6, "in a plane", 381, 239)],
)
def test_operations_of_a_step(order: int, moved: str, out: int, back: int) -> None:
    found = operations(order, PLANES[moved])
    assert found[0] <= out and found[1] <= back
