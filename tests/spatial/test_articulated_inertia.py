"""Articulated inertia as a matrix: turned, shifted, diminished, and equal to a rigid body's own inertia."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from symdyn.algebra.spatial.articulated import ENTRIES, ArticulatedInertia, rigid
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.inertia import Inertia
from symdyn.algebra.spatial.motion import motion_at_offset
from symdyn.algebra.spatial.rotations import AboutZ, General, Identity, turn

Array = NDArray[np.float64]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def random_inertia(rng: np.random.Generator) -> ArticulatedInertia:
    return ArticulatedInertia([float(x) for x in rng.standard_normal(len(ENTRIES))])


def matrix(inertia: ArticulatedInertia) -> Array:
    return np.array([inertia.column(place) for place in range(6)], dtype=float).T


def cross_matrix(l: Array) -> Array:  # noqa: E741 - the offset's usual name
    x, y, z = l
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def motion_matrix(rotation: Array, offset: Array) -> Array:
    """Takes the parent's (a; alpha) to the child's, for a child that stands at (rotation, offset)."""
    into = np.zeros((6, 6))
    into[:3, :3] = into[3:, 3:] = rotation.T
    into[:3, 3:] = -rotation.T @ cross_matrix(offset)
    return into


def test_entries_are_the_upper_triangle_of_a_symmetric_matrix(rng: np.random.Generator) -> None:
    inertia = random_inertia(rng)
    full = matrix(inertia)
    assert np.array_equal(full, full.T)
    assert [full[row, column] for row, column in ENTRIES] == list(inertia.entries)
    motion = rng.standard_normal(6)
    assert inertia.times(list(motion)) == pytest.approx(full @ motion, rel=1e-14)


def test_a_rigid_body_resists_as_its_inertia_says(rng: np.random.Generator) -> None:
    """At rest, U = [alpha]: the wrench of Inertia.wrench."""
    first, second = rng.standard_normal(3), rng.standard_normal(6)
    inertia = Inertia(1.7, [float(x) for x in first], [float(x) for x in second])
    a, alpha = rng.standard_normal((2, 3))
    wrench = inertia.wrench(cross_matrix(alpha).tolist(), [0.0] * 3, list(a))
    assert rigid(inertia).times([*a, *alpha]) == pytest.approx(wrench, rel=1e-13)


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.9])
def test_turning_about_z_is_the_congruence(rng: np.random.Generator, angle: float) -> None:
    inertia = random_inertia(rng)
    rotation = turn((0.0, 0.0, 1.0), angle)
    blocks = np.kron(np.eye(2), np.array(rotation))
    expected = blocks @ matrix(inertia) @ blocks.T
    about_z = AboutZ(float(np.sin(angle)), float(np.cos(angle)))
    assert matrix(inertia.turned(about_z)) == pytest.approx(expected, abs=1e-14)
    assert matrix(inertia.turned(General(rotation))) == pytest.approx(expected, abs=1e-14)


def test_no_turn_leaves_the_inertia(rng: np.random.Generator) -> None:
    inertia = random_inertia(rng)
    assert inertia.turned(Identity()) is inertia


@pytest.mark.parametrize("zeros", [(), (0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
def test_placement_keeps_the_work_of_every_motion(rng: np.random.Generator, zeros: tuple[int, ...]) -> None:
    """I_P = X^T I X, with motions and wrenches carried by X and X^T."""
    inertia = random_inertia(rng)
    offset = rng.standard_normal(3)
    offset[list(zeros)] = 0.0
    rotation = turn((0.6, 0.0, 0.8), 1.1)
    into = motion_matrix(np.array(rotation), offset)
    seen = inertia.turned(General(rotation)).shifted([float(x) for x in offset])
    assert matrix(seen) == pytest.approx(into.T @ matrix(inertia) @ into, abs=1e-13)
    parallel = motion_matrix(np.eye(3), offset)
    vector = rng.standard_normal(6)
    assert motion_at_offset(vector, offset) == pytest.approx(parallel @ vector, abs=1e-14)
    assert wrench_at_offset(vector, offset) == pytest.approx(parallel.T @ vector, abs=1e-14)


def test_products_of_rank_one_and_sums(rng: np.random.Generator) -> None:
    inertia, other = random_inertia(rng), random_inertia(rng)
    left = [float(x) for x in rng.standard_normal(6)]
    assert matrix(inertia.plus_product(left, [3.0 * x for x in left])) == pytest.approx(
        matrix(inertia) + 3.0 * np.outer(left, left), abs=1e-14
    )
    assert matrix(inertia.plus(other)) == pytest.approx(matrix(inertia) + matrix(other), abs=0.0)


@pytest.mark.parametrize("axis", range(6))
def test_an_eliminated_axis_leaves_nothing_behind(rng: np.random.Generator, axis: int) -> None:
    full = rng.standard_normal((6, 6))
    full = full @ full.T
    inertia = ArticulatedInertia([float(full[row, column]) for row, column in ENTRIES])
    wrench = inertia.column(axis)
    left = inertia.without_axis(axis, [-x / wrench[axis] for x in wrench], wrench)
    expected = full - np.outer(full[axis], full[axis]) / full[axis, axis]
    assert matrix(left) == pytest.approx(expected, abs=1e-13)
    assert all(value == 0.0 for value in left.column(axis))
