"""Inertia in exact arithmetic: against the 3 x 3 rotational form, and against sums over point masses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from symdyn.algebra.spatial.inertia import ZERO, Inertia, from_center_of_mass
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import (
    add,
    cross,
    dot,
    entries_of,
    matrix_from,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.dynamics.tree.kinematics import second_rate

Point = tuple[Fraction, list[Fraction]]

# Rotations with rational entries, from the quaternions (1, 2, 3, 4) and (2, -1, 0, 3), both unscaled.
TURNS = [
    [[Fraction(n, 30) for n in row] for row in ((4, -20, 22), (28, 10, 4), (-10, 20, 20))],
    [[Fraction(n, 14) for n in row] for row in ((12, -4, -6), (-4, 6, -12), (6, 12, 4))],
]


def fractions(rng: random.Random, count: int) -> list[Fraction]:
    return [Fraction(rng.randrange(-50, 51), rng.randrange(1, 20)) for _ in range(count)]


def points(seed: int, count: int = 5) -> list[Point]:
    rng = random.Random(seed)
    return [(Fraction(rng.randrange(1, 40), 7), fractions(rng, 3)) for _ in range(count)]


def about_origin(cloud: Sequence[Point]) -> Inertia:
    """Sums over point masses."""
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return Inertia(
        sum((mass for mass, _ in cloud), Fraction()),
        [sum((mass * place[axis] for mass, place in cloud), Fraction()) for axis in range(3)],
        [sum((mass * place[i] * place[j] for mass, place in cloud), Fraction()) for i, j in pairs],
    )


def rotational(inertia: Inertia) -> list[list[Fraction]]:
    """J = tr(Sigma) 1 - Sigma."""
    sigma = inertia.second_matrix()
    trace = sigma[0][0] + sigma[1][1] + sigma[2][2]
    return [[(trace if i == j else Fraction()) - sigma[i][j] for j in range(3)] for i in range(3)]


def same(a: Inertia, b: Inertia) -> bool:
    return (a.mass, list(a.first), list(a.second)) == (b.mass, list(b.first), list(b.second))


@pytest.mark.parametrize("turned", TURNS)
def test_the_rotations_of_these_tests_are_rotations(turned: list[list[Fraction]]) -> None:
    assert product(turned, transpose(turned)) == [[int(i == j) for j in range(3)] for i in range(3)]
    assert dot(turned[0], cross(turned[1], turned[2])) == 1


@pytest.mark.parametrize("seed", range(5))
def test_wrench_is_newton_and_euler(seed: int) -> None:
    inertia, rng = about_origin(points(seed)), random.Random(seed + 100)
    omega, alpha, acceleration = fractions(rng, 3), fractions(rng, 3), fractions(rng, 3)
    wrench = inertia.wrench(*second_rate(omega, alpha), acceleration)
    force, moment = wrench[:3], wrench[3:]
    h, J = inertia.first, rotational(inertia)
    about = add(cross(alpha, h), cross(omega, cross(omega, h)))
    assert force == add(scale(inertia.mass, acceleration), about)
    euler = add(times(J, alpha), cross(omega, times(J, omega)))
    assert moment == add(cross(h, acceleration), euler)


@pytest.mark.parametrize("seed", range(3))
def test_wrench_is_the_sum_over_points(seed: int) -> None:
    cloud, rng = points(seed), random.Random(seed + 200)
    omega, alpha, acceleration = fractions(rng, 3), fractions(rng, 3), fractions(rng, 3)
    force, moment = [Fraction()] * 3, [Fraction()] * 3
    for mass, place in cloud:
        of_point = add(acceleration, add(cross(alpha, place), cross(omega, cross(omega, place))))
        force, moment = add(force, scale(mass, of_point)), add(moment, cross(place, scale(mass, of_point)))
    assert about_origin(cloud).wrench(*second_rate(omega, alpha), acceleration) == force + moment


def test_second_rate_is_the_matrix_of_the_acceleration() -> None:
    rng = random.Random(5)
    omega, alpha, r = fractions(rng, 3), fractions(rng, 3), fractions(rng, 3)
    u, differences = second_rate(omega, alpha)
    assert times(u, r) == add(cross(alpha, r), cross(omega, cross(omega, r)))
    assert differences == [u[2][2] - u[1][1], u[0][0] - u[2][2], u[1][1] - u[0][0]]


@pytest.mark.parametrize("turned", TURNS)
@pytest.mark.parametrize("seed", range(3))
def test_seen_from_a_parent_it_is_the_inertia_of_the_moved_points(turned: list[list[Fraction]], seed: int) -> None:
    cloud, translation = points(seed), fractions(random.Random(seed + 300), 3)
    moved = [(mass, add(times(turned, place), translation)) for mass, place in cloud]
    assert same(about_origin(cloud).seen_from_parent(Transform(turned, Identity(), translation)), about_origin(moved))


def test_plus_is_the_inertia_of_all_points() -> None:
    first, second = points(1), points(2)
    assert same(about_origin(first).plus(about_origin(second)), about_origin(first + second))
    none = ZERO.seen_from_parent(Transform(TURNS[0], Identity(), [1, 2, 3]))
    assert (none.mass, list(none.first), list(none.second)) == (0.0, [0.0] * 3, [0.0] * 6)


@pytest.mark.parametrize("seed", range(3))
def test_moments_about_the_center_of_mass(seed: int) -> None:
    cloud = points(seed)
    whole = about_origin(cloud)
    center = [component / whole.mass for component in whole.first]
    about_center = rotational(about_origin([(mass, subtract(place, center)) for mass, place in cloud]))
    moments = [float(about_center[i][j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    made = from_center_of_mass(float(whole.mass), [float(x) for x in center], moments)
    assert made.mass == pytest.approx(float(whole.mass))
    assert list(made.first) == pytest.approx([float(x) for x in whole.first])
    assert list(made.second) == pytest.approx([float(x) for x in whole.second], rel=1e-13)


def test_vectors() -> None:
    a, b = [1, 2, 3], [4, -5, 6]
    assert (add(a, b), subtract(a, b), scale(3, a)) == ([5, -3, 9], [-3, 7, -3], [3, 6, 9])
    assert (dot(a, b), cross(a, b)) == (12, [27, 6, -13])
    matrix = matrix_from([1, 2, 3, 4, 5, 6, 7, 8, 10])
    assert matrix == [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
    assert (transpose(matrix)[0], times(matrix, a)) == ([1, 4, 7], [14, 32, 53])
    assert product(matrix, [[0, 1, 0], [1, 0, 0], [0, 0, 2]]) == [[2, 1, 6], [5, 4, 12], [8, 7, 20]]
    assert entries_of(matrix) == [1, 2, 3, 4, 5, 6, 7, 8, 10]
