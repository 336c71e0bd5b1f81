"""Constant rotations: orthogonal to the last bit, exact where the axis allows it, and the ones that were asked for."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from symdyn.algebra.spatial.rotations import (
    AboutZ,
    General,
    Identity,
    Rotation,
    axis_to_z,
    from_quaternion,
    minimal_rotation_from_z,
    snapped,
    turn,
)

AXES = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]


def random_axes(count: int) -> list[tuple[float, float, float]]:
    rng = random.Random(11)
    axes = []
    for _ in range(count):
        values = [rng.gauss(0.0, 1.0) for _ in range(3)]
        norm = math.sqrt(sum(value * value for value in values))
        axes.append((values[0] / norm, values[1] / norm, values[2] / norm))
    return axes


def near_minus_z(tilt: float) -> tuple[float, float, float]:
    return (math.sin(tilt) * 0.6, math.sin(tilt) * 0.8, -math.cos(tilt))


def assert_rotation(matrix: Sequence[Sequence[float]], tolerance: float = 1e-15) -> None:
    array = np.array(matrix)
    assert np.abs(array @ array.T - np.eye(3)).max() <= 4 * tolerance
    assert np.linalg.det(array) == pytest.approx(1.0, abs=4 * tolerance)


@pytest.mark.parametrize("axis", AXES)
def test_coordinate_axes_get_signed_permutations(axis: tuple[float, float, float]) -> None:
    matrix = axis_to_z(axis)
    assert tuple(row[2] for row in matrix) == axis
    assert sorted(abs(entry) for row in matrix for entry in row) == [0.0] * 6 + [1.0] * 3
    assert_rotation(matrix, 0.0)


@pytest.mark.parametrize("axis", [*random_axes(20), (0.6, 0.0, 0.8), (0.0, -0.6, -0.8)])
def test_any_axis_is_the_third_column(axis: tuple[float, float, float]) -> None:
    matrix = axis_to_z(axis)
    assert [row[2] for row in matrix] == pytest.approx(axis, abs=1e-15)
    assert_rotation(matrix)


@pytest.mark.parametrize("axis", random_axes(20))
def test_the_minimal_rotation_turns_about_the_normal_of_both(axis: tuple[float, float, float]) -> None:
    angle = math.acos(axis[2])
    normal = np.array([-axis[1], axis[0], 0.0])
    expected = turn(normal / np.linalg.norm(normal), angle)
    assert np.allclose(minimal_rotation_from_z(axis), expected, rtol=0.0, atol=1e-14)


def test_the_minimal_rotation_of_z_and_minus_z() -> None:
    assert minimal_rotation_from_z((0.0, 0.0, 1.0)) == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert minimal_rotation_from_z((0.0, 0.0, -1.0)) == ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


@pytest.mark.parametrize("tilt", [0.3, 1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12])
def test_near_minus_z_the_rotation_stays_one(tilt: float) -> None:
    axis = near_minus_z(tilt)
    matrix = minimal_rotation_from_z(axis)
    assert [row[2] for row in matrix] == pytest.approx(axis, rel=1e-12, abs=1e-15)
    assert_rotation(matrix, 1e-14)


@pytest.mark.parametrize("axis", AXES + random_axes(5))
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.4, -2.0, math.pi / 2, math.pi, 3.0])
def test_turns_agree_with_quaternions(axis: tuple[float, float, float], angle: float) -> None:
    half = math.sin(angle / 2)
    x, y, z = (half * component for component in axis)
    by_quaternion = from_quaternion(x, y, z, math.cos(angle / 2)).entries
    turned = turn(axis, angle)
    assert np.allclose(turned, by_quaternion, rtol=0.0, atol=1e-15)
    assert np.array(turned) @ np.array(axis) == pytest.approx(axis, abs=1e-15)
    assert_rotation(turned)


def test_quarter_turns_are_exact() -> None:
    assert turn((0.0, 0.0, 1.0), math.pi / 2) == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert turn((1.0, 0.0, 0.0), math.pi) == ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))


def test_turning_is_right_handed_and_additive() -> None:
    assert np.array(turn((1.0, 0.0, 0.0), 0.3)) @ [0.0, 1.0, 0.0] == pytest.approx([0.0, math.cos(0.3), math.sin(0.3)])
    (axis,) = random_axes(1)
    assert np.allclose(np.array(turn(axis, 0.4)) @ turn(axis, 0.5), turn(axis, 0.9), rtol=0.0, atol=1e-15)


def test_snapping_touches_rounding_errors_only() -> None:
    rows = [[1.0 - 4e-16, 6e-17, -3e-16], [1e-9, -1.0 + 2e-16, 0.5], [-0.25, 2e-15, 1.0 - 1e-14]]
    assert snapped(rows) == ((1.0, 0.0, 0.0), (1e-9, -1.0, 0.5), (-0.25, 2e-15, 1.0 - 1e-14))


ROTATIONS: list[Rotation] = [
    Identity(),
    AboutZ(math.sin(0.7), math.cos(0.7)),
    General(turn(random_axes(1)[0], 1.1)),
    from_quaternion(0.5, -0.5, 0.5, 0.5),
]


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_products_are_those_of_the_matrix(rotation: Rotation) -> None:
    matrix: NDArray[np.float64] = np.array(rotation.matrix())
    vector = [0.3, -1.2, 0.7]
    assert_rotation(rotation.matrix())
    assert rotation.times(vector) == pytest.approx(list(matrix @ vector), abs=1e-15)
    assert rotation.transpose_times(vector) == pytest.approx(list(matrix.T @ vector), abs=1e-15)


def test_rotation_about_z_keeps_the_third_component_untouched() -> None:
    marker = object()
    assert AboutZ(1.0, 0.0).times([2.0, 3.0, marker]) == [-3.0, 2.0, marker]
    assert AboutZ(1.0, 0.0).transpose_times([2.0, 3.0, marker]) == [3.0, -2.0, marker]
