"""Screws, their exponentials and packed symmetric matrices, against plain linear algebra."""

from __future__ import annotations

import numpy as np
import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.exponential import screw_exponential, translation_exponential
from symdyn.algebra.spatial.force import dual_bracket
from symdyn.algebra.spatial.motion import adjoint, adjoint_matrix, bracket
from symdyn.algebra.spatial.symmetric import congruence, ldl_factor, ldl_solve, packed, packed_size, unpacked
from symdyn.algebra.spatial.transform import Pose, pose_from

ALGEBRA = FloatAlgebra()


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def hat(screw: np.ndarray) -> np.ndarray:
    """The 4 x 4 matrix of a screw (eq. 2 of the paper)."""
    top = np.column_stack([skew(screw[3:]), screw[:3]])
    return np.vstack([top, np.zeros(4)])


def vee(matrix: np.ndarray) -> np.ndarray:
    return np.array([*matrix[:3, 3], matrix[2, 1], matrix[0, 2], matrix[1, 0]])


def exponential(matrix: np.ndarray) -> np.ndarray:
    """The power series, long enough for norms of a few units."""
    total, term = np.eye(len(matrix)), np.eye(len(matrix))
    for k in range(1, 60):
        term = term @ matrix / k
        total = total + term
    return total


def homogeneous(pose: Pose) -> np.ndarray:
    top = np.column_stack([np.array(pose.rotation, dtype=float), np.array(pose.position, dtype=float)])
    return np.vstack([top, [0.0, 0.0, 0.0, 1.0]])


def unit_screw(rng: np.random.Generator, pitch: float = 0.0) -> np.ndarray:
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    return np.concatenate([np.cross(rng.standard_normal(3), axis) + pitch * axis, axis])


@pytest.mark.parametrize("pitch", [0.0, 0.3])
@pytest.mark.parametrize("angle", [0.0, 1e-8, 0.7, -2.9])
def test_exponential_of_a_screw(pitch: float, angle: float) -> None:
    screw = unit_screw(np.random.default_rng(1), pitch)
    found = homogeneous(screw_exponential(ALGEBRA, list(screw), angle))
    np.testing.assert_allclose(found, exponential(hat(angle * screw)), atol=4e-15)


def test_exponential_of_a_translation() -> None:
    screw = np.array([1.0, -2.0, 0.5, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(homogeneous(translation_exponential(list(screw), 0.4)), exponential(hat(0.4 * screw)))


def test_poses_and_adjoints_are_those_of_matrices() -> None:
    rng = np.random.default_rng(2)
    one, two = (screw_exponential(ALGEBRA, list(unit_screw(rng)), 1.3) for _ in range(2))
    np.testing.assert_allclose(homogeneous(one.times(two)), homogeneous(one) @ homogeneous(two), atol=1e-15)
    np.testing.assert_allclose(homogeneous(one.inverse()), np.linalg.inv(homogeneous(one)), atol=1e-14)
    assert homogeneous(pose_from(one.scalars())).tolist() == homogeneous(one).tolist()
    screw = rng.standard_normal(6)
    expected = vee(homogeneous(one) @ hat(screw) @ np.linalg.inv(homogeneous(one)))
    np.testing.assert_allclose(adjoint(one, list(screw)), expected, atol=1e-14)
    np.testing.assert_allclose(np.array(adjoint_matrix(one), dtype=float) @ screw, expected, atol=1e-14)


def test_bracket_is_the_commutator_and_wrenches_are_dual_to_it() -> None:
    rng = np.random.default_rng(3)
    twist, screw, wrench = rng.standard_normal((3, 6))
    expected = vee(hat(twist) @ hat(screw) - hat(screw) @ hat(twist))
    np.testing.assert_allclose(bracket(list(twist), list(screw)), expected, atol=1e-15)
    # the power of a wrench on a screw does not change while both go with the body
    power_rate = np.dot(dual_bracket(list(twist), list(wrench)), screw) + np.dot(wrench, expected)
    assert abs(power_rate) <= 1e-14


@pytest.mark.parametrize("size", [1, 3, 6])
def test_factor_of_a_symmetric_matrix(size: int) -> None:
    rng = np.random.default_rng(size)
    root = rng.standard_normal((6, 6))
    matrix = root @ root.T + np.eye(6)
    entries = packed(matrix.tolist())
    assert len(entries) == packed_size(6)
    assert unpacked(entries, 6) == matrix.tolist()
    columns = rng.standard_normal((size, 6))
    reduced = congruence(entries, columns.tolist())
    dense = columns @ matrix @ columns.T
    np.testing.assert_allclose(unpacked(reduced, size), dense, rtol=1e-13, atol=1e-12)
    right = rng.standard_normal(size)
    found = ldl_solve(ldl_factor(reduced, size), right.tolist())
    np.testing.assert_allclose(dense @ np.array(found), right, atol=1e-11)
