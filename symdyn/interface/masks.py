"""Masked entries of arrays, which NumPy would read as if they were numbers too."""

from __future__ import annotations

from typing import Any

_DEEPEST = 64
"""Axes that an array can have: what is nested deeper is no array."""


def has_masked(value: Any, depth: int = 0) -> bool:
    """Whether an array has masked entries, or one that lists and tuples hold."""
    import numpy as np

    if isinstance(value, list | tuple):
        return depth < _DEEPEST and any(has_masked(item, depth + 1) for item in value)
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))
