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
        Unknown names, missing rows, other shapes, numbers that are not finite.
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
    return found


def pose_rows(what: str, value: ArrayLike) -> Array:
    """Place and quaternion of a pose as a matrix (4, 4); other arrays as they are.

    Raises
    ------
    RequestError
        Axes that are not orthonormal and right-handed.
    """
    own = given_numbers(what, value)
    if own.shape != (4, 4):
        return own
    R = own[:3, :3]
    if not np.abs(R.T @ R - np.eye(3)).max() <= _ROTATED or np.linalg.det(R) < 0.0:
        raise RequestError(f"{what} has a rotation whose axes are not orthonormal and right-handed")
    return np.append(own[:3, 3], _quaternion(R))


def _quaternion(R: Array) -> Array:
    """The quaternion (x, y, z, w) of a rotation, from the largest row of 4 q q^T (Shepperd 1978)."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.tolist()
    fourfold = np.array(
        [
            [1.0 + xx - yy - zz, xy + yx, xz + zx, zy - yz],
            [xy + yx, 1.0 - xx + yy - zz, yz + zy, xz - zx],
            [xz + zx, yz + zy, 1.0 - xx - yy + zz, yx - xy],
            [zy - yz, xz - zx, yx - xy, 1.0 + xx + yy + zz],
        ]
    )
    largest = int(np.argmax(np.diag(fourfold)))
    return np.asarray(fourfold[largest] / np.linalg.norm(fourfold[largest]))


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
