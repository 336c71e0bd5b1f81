"""Roll-pitch-yaw, matrices and axes: the convention, exact quarter turns, orthogonality."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from symdyn.description.checks.rotation import perpendicular, rotation_from_matrix, rotation_from_rpy, unit_vector

angles = st.floats(-10, 10)


def _about(axis: int, angle: float) -> np.ndarray:
    cosine, sine = math.cos(angle), math.sin(angle)
    rows = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    rows[first, first] = rows[second, second] = cosine
    rows[first, second], rows[second, first] = -sine, sine
    return rows


@given(angles, angles, angles)
def test_is_yaw_times_pitch_times_roll(roll: float, pitch: float, yaw: float) -> None:
    expected = _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    np.testing.assert_allclose(rotation_from_rpy(roll, pitch, yaw), expected, rtol=0, atol=3e-15)


@pytest.mark.parametrize("angle", [1e11, -2.5e11, 12345678901.234])
def test_angles_of_many_turns_are_exact(angle: float) -> None:
    """The sine and cosine are those of the number, whose last digit is 1e-5 rad; 50 digits tell them."""
    with mp.workdps(50):
        c, s = (float(of(mp.mpf(angle))) for of in (mp.cos, mp.sin))
    expected = [
        [[1, 0, 0], [0, c, -s], [0, s, c]],
        [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    ]
    for place, rows in enumerate(expected):
        found = rotation_from_rpy(*(angle * (place == axis) for axis in range(3)))
        np.testing.assert_allclose(found, rows, rtol=0, atol=2e-16)


@given(angles, angles, angles)
def test_is_orthogonal_to_rounding(roll: float, pitch: float, yaw: float) -> None:
    rows = np.array(rotation_from_rpy(roll, pitch, yaw))
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), rtol=0, atol=4e-15)
    assert np.linalg.det(rows) == pytest.approx(1.0, abs=1e-14)


def test_quarter_turns_are_exact() -> None:
    for turns in product(range(-4, 5), repeat=3):
        rows = rotation_from_rpy(*(count * math.pi / 2 for count in turns))
        assert all(abs(entry) in (0.0, 1.0) for row in rows for entry in row)


def test_yaw_turns_x_towards_y() -> None:
    assert rotation_from_rpy(0.0, 0.0, math.pi / 2) == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@pytest.mark.parametrize("tilt", [1e-9, 1e-12, -3e-14])
def test_small_tilts_are_kept(tilt: float) -> None:
    assert rotation_from_rpy(tilt, 0.0, 0.0)[2][1] == math.sin(tilt)
    assert rotation_from_rpy(0.0, math.pi / 2 + tilt, 0.0)[0][0] == pytest.approx(-tilt, rel=1e-2)


@given(angles, angles, angles)
def test_matrices_of_rpy_are_kept_bit_for_bit(roll: float, pitch: float, yaw: float) -> None:
    rows = rotation_from_rpy(roll, pitch, yaw)
    assert rotation_from_matrix(rows) is rows


@given(angles, angles, angles)
def test_rounded_matrices_become_orthogonal(roll: float, pitch: float, yaw: float) -> None:
    x, y, z = ((round(a, 8), round(b, 8), round(c, 8)) for a, b, c in rotation_from_rpy(roll, pitch, yaw))
    rows = np.array(rotation_from_matrix((x, y, z)))
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(rows, (x, y, z), rtol=0, atol=1e-7)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_absurd_matrices_are_refused(scale: float) -> None:
    row = (scale, scale, scale)
    with pytest.raises(ValueError, match="not orthonormal"):
        rotation_from_matrix((row, row, row))


def test_reflections_are_refused() -> None:
    with pytest.raises(ValueError, match="determinant"):
        rotation_from_matrix(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)))


@given(st.tuples(*[st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-300)] * 3))
def test_axes_have_length_one_and_stay(vector: tuple[float, float, float]) -> None:
    unit = unit_vector(vector)
    if unit is None:
        assert not any(vector)
        return
    assert math.hypot(*unit) == pytest.approx(1.0, abs=5e-16)
    assert unit_vector(unit) is unit


def test_perpendicular() -> None:
    assert perpendicular((3.0, 0.0, 4.0), (1.0, 0.0, 0.0)) == (0.0, 0.0, 1.0)
