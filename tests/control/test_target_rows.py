"""Targets of a problem as users give them: arrays, poses as matrices, values by names."""

import re
from typing import Any

import numpy as np
import pytest

from symdyn.errors import RequestError
from symdyn.interface.target_rows import target_rows

_POSE = tuple(f"reach.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))
_TWO = (*_POSE, "middle.x", "middle.y", "middle.z")
_ANGLE = 0.8


def _placed() -> tuple[np.ndarray, np.ndarray]:
    """A pose turned about y, as a matrix and as rows."""
    X = np.eye(4)
    X[:3, :3] = [[np.cos(_ANGLE), 0, np.sin(_ANGLE)], [0, 1, 0], [-np.sin(_ANGLE), 0, np.cos(_ANGLE)]]
    X[:3, 3] = [0.4, -0.1, 0.5]
    return X, np.array([0.4, -0.1, 0.5, 0, np.sin(_ANGLE / 2), 0, np.cos(_ANGLE / 2)])


def test_a_pose_may_be_a_matrix() -> None:
    X, rows = _placed()
    np.testing.assert_allclose(target_rows("it", _POSE, X), rows, atol=1e-15)
    np.testing.assert_allclose(target_rows("it", _POSE, {"reach": X}), rows, atol=1e-15)
    np.testing.assert_allclose(target_rows("it", _TWO, {"middle": [1, 2, 3], "reach": X}), [*rows, 1, 2, 3], atol=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_quaternions_of_matrices_turn_as_they_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, z, w = q = (lambda own: own / np.linalg.norm(own))(rng.normal(size=4) * 10.0 ** rng.integers(-6, 1, 4))
    X = np.eye(4)
    X[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    found = target_rows("it", _POSE, X)[3:]
    np.testing.assert_allclose(found * np.sign(found @ q), q, atol=4e-16)


def test_rows_have_names_of_their_own() -> None:
    given = dict(zip(_POSE, range(1, 8), strict=True))
    np.testing.assert_array_equal(target_rows("it", _POSE, given), np.arange(1.0, 8.0))


@pytest.mark.parametrize(
    ("rows", "targets", "message"),
    [
        (_POSE, [1, 2, 3], "7 finite numbers, reach.x"),
        (_POSE, [1, 2, 3], "a pose may also be a matrix (4, 4)"),
        (_POSE, np.full(7, np.nan), "7 finite numbers"),
        (_POSE, np.diag([1, 1, -1, 1]), "not orthonormal and right-handed"),
        (_POSE, np.full((4, 4), np.nan), "not orthonormal and right-handed"),
        (_POSE, np.vstack([np.eye(4)[:3], [[0, 0, 1, 1]]]), "last row is 0, 0, 0, 1, got [0.0, 0.0, 1.0, 1.0]"),
        (_TWO, np.eye(4), "or give them by names, {'reach': ..}"),
        (_TWO, {"reach": np.eye(4)}, "lack middle.x, middle.y, middle.z"),
        (_TWO, {"reach": [1, 2], "middle": [0, 0, 0]}, "'reach' of it has 7 rows, got (2,)"),
        (_POSE, {"raech": np.eye(4)}, "did you mean 'reach'?"),
    ],
)
def test_what_is_no_target_is_refused(rows: tuple[str, ...], targets: Any, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        target_rows("it", rows, targets)
