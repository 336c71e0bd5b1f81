"""Rows of the input ``targets`` of a problem, from what users give: arrays, poses as matrices, values by names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.guesses import hint

Array = NDArray[np.float64]
_POSE = 7
_TURN = (".qx", ".qy", ".qz", ".qw")
"""How rows of a quaternion end, in whatever order."""
_ROTATED = 1e-6
"""By how much R^T R of a pose may differ from 1."""


def target_rows(owner: str, rows: tuple[str, ...], targets: ArrayLike | Mapping[str, Any]) -> Array:
    """Rows of targets.

    Parameters
    ----------
    owner
        Whose targets they are, for messages.
    rows
        Names of the rows, such as ``reach.x``.
    targets
        An array of all rows; a matrix (4, 4) where all rows are one pose; or a mapping from names of costs or rows to
        such values.

    Raises
    ------
    RequestError
        Unknown names, missing rows, other shapes, numbers that are not finite, a quaternion of length 0.
    """
    if isinstance(targets, Mapping):
        found = _by_names(owner, rows, targets)
    else:
        what = f"targets of {owner}"
        found = pose_rows(what, targets) if len(rows) == _POSE else given_numbers(what, targets)
    if found.shape != (len(rows),) or not np.isfinite(found).all():
        raise RequestError(
            f"targets of {owner} are {len(rows)} finite numbers, {', '.join(rows)}, got "
            f"{found.tolist() if found.ndim < 2 else f'the shape {found.shape}'}{_of_pose(rows)}"
        )
    for turn in (row.removesuffix(_TURN[0]) for row in rows if row.endswith(_TURN[0])):
        check_turn(f"target '{turn}' of {owner}", found[[rows.index(turn + entry) for entry in _TURN]])
    return found


def check_turn(what: str, quaternion: Array) -> None:
    """Refuse a quaternion of length 0."""
    if not quaternion.any():
        raise RequestError(f"{what}: its quaternion x, y, z, w has length 0; for no rotation give 0, 0, 0, 1")


def pose_rows(what: str, value: ArrayLike) -> Array:
    """Place and quaternion of a pose as a matrix (4, 4); other arrays as they are.

    Raises
    ------
    RequestError
        Axes that are not orthonormal and right-handed, another last row than 0, 0, 0, 1.
    """
    own = given_numbers(what, value)
    if own.shape != (4, 4):
        return own
    R = own[:3, :3]
    if not np.abs(R.T @ R - np.eye(3)).max() <= _ROTATED or np.linalg.det(R) < 0.0:
        raise RequestError(f"{what} has a rotation whose axes are not orthonormal and right-handed")
    if not np.array_equal(own[3], (0.0, 0.0, 0.0, 1.0)):
        raise RequestError(f"{what} is a matrix whose last row is 0, 0, 0, 1, got {own[3].tolist()}")
    return np.append(own[:3, 3], quaternions(R))


def quaternions(turns: Array) -> Array:
    """Quaternions x, y, z, w (.., 4) of rotation matrices (.., 3, 3), by their largest entry (Shepperd 1978)."""
    xx, yy, zz = (turns[..., row, row] for row in range(3))
    x, y, z = (turns[..., i, j] - turns[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    xy, yz, zx = (turns[..., i, j] + turns[..., j, i] for i, j in ((0, 1), (1, 2), (2, 0)))
    rows = np.stack(
        [
            np.stack([1.0 + xx - yy - zz, xy, zx, x], axis=-1),
            np.stack([xy, 1.0 - xx + yy - zz, yz, y], axis=-1),
            np.stack([zx, yz, 1.0 - xx - yy + zz, z], axis=-1),
            np.stack([x, y, z, 1.0 + xx + yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    found = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def _of_pose(rows: tuple[str, ...]) -> str:
    """What else may be given."""
    groups = list(dict.fromkeys(row.rsplit(".", 1)[0] for row in rows))
    pose = "; a pose may also be a matrix (4, 4)" if len(rows) == _POSE and len(groups) == 1 else ""
    return pose or (f"; or give them by names, {{'{groups[0]}': ..}}" if len(groups) > 1 else "")


def _by_names(owner: str, rows: tuple[str, ...], targets: Mapping[str, Any]) -> Array:
    """Rows from values by names of rows, or of what stands before a dot in them."""
    found, missing = np.zeros(len(rows)), dict.fromkeys(range(len(rows)))
    for name, value in targets.items():
        own = [i for i, row in enumerate(rows) if row == name or row.startswith(f"{name}.")]
        if not own:
            groups = dict.fromkeys(row.rsplit(".", 1)[0] for row in rows)
            raise RequestError(
                f"targets of {owner} have no '{name}'; there are {', '.join(groups)}{hint(name, groups)}"
            )
        given = given_numbers(f"target '{name}' of {owner}", value)
        if not np.isfinite(given).all():
            raise RequestError(f"target '{name}' of {owner} has numbers that are not finite")
        given = pose_rows(f"target '{name}' of {owner}", given)
        if given.size != len(own):
            raise RequestError(f"target '{name}' of {owner} has {len(own)} rows, got {given.shape}")
        found[own] = given.ravel()
        for row in own:
            missing.pop(row, None)
    if missing:
        raise RequestError(f"targets of {owner} lack {', '.join(rows[row] for row in missing)}")
    return found
