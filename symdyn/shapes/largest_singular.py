"""The largest singular values of an operator that is known by what it does, by block Krylov spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symdyn.errors import DescriptionError

Array = np.ndarray[Any, Any]
_WHOLE = 150
_LAST_RESORT = 1000
_BLOCKS = 40
_SPARE = 4
_SEED = 20110
_SEEN = 1e-9
_SETTLED = 1e-13
_ROUNDING = 64 * np.finfo(float).eps


def largest_singular(
    apply: Callable[[Array], Array], transpose: Callable[[Array], Array], size: int, count: int
) -> tuple[Array, Array]:
    """The ``count`` largest singular values, descending, (count,), and their right vectors, (size, count).

    Small operators are taken whole. Values are right to rounding of the largest one; those
    below 1e-9 of it need not have settled.

    Raises
    ------
    DescriptionError
        Vectors that do not settle.
    """
    if size <= max(_WHOLE, 2 * count):
        return _values(apply(np.eye(size)), count)
    block = np.linalg.qr(np.random.default_rng(_SEED).standard_normal((size, count + _SPARE)))[0]
    block = _orthonormal(transpose(apply(block)), np.zeros((size, 0)))
    space, images = block, apply(block)
    for _ in range(min(_BLOCKS, size // (3 * block.shape[1]))):
        upper = np.asarray(np.linalg.qr(images, mode="r"))
        values, mixing = _values(upper, count)
        seen = values > _SEEN * values[0]
        right, left = space @ mixing, images @ mixing / np.where(seen, values, np.inf)
        # What lies among the vectors found is rounding of the large ones; it turns them within their space.
        missing = transpose(left) - right * values
        missing = np.linalg.norm(missing - right @ (right.T @ missing), axis=0)
        if np.all(~seen | (missing <= _SETTLED * values + _ROUNDING * values[0])):
            return values, right
        block = _orthonormal(transpose(images[:, -block.shape[1] :]), space)
        space, images = np.hstack([space, block]), np.hstack([images, apply(block)])
    if size <= _LAST_RESORT:
        return _values(apply(np.eye(size)), count)
    raise DescriptionError("natural modes do not settle: too many frequencies lie close to each other")


def _values(upper: Array, count: int) -> tuple[Array, Array]:
    _, values, right = np.linalg.svd(upper, full_matrices=False)
    return values[:count], right[:count].T


def _orthonormal(block: Array, space: Array) -> Array:
    """The block's part outside of a space, as orthonormal columns; twice, since once leaves rounding."""
    for _ in range(2):
        block = np.linalg.qr(block - space @ (space.T @ block))[0]
    return block
