"""Results of the oracle by name, and how closely they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.verify.base.dense import Rows
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.truths import TRUTHS


def values(name: str, setting: Setting, inputs: dict[str, list[Any]]) -> list[Any]:
    """The exact result of a function, flat."""
    return TRUTHS[name](setting, inputs).values


def matrix(name: str, setting: Setting, inputs: dict[str, list[Any]], columns: int) -> Rows:
    """The same in rows."""
    flat = values(name, setting, inputs)
    return [flat[first : first + columns] for first in range(0, len(flat), columns)]


def agree(found: Sequence[Any], expected: Sequence[Any], tolerance: float) -> None:
    """Fail where two vectors differ by more than a share of the largest entry, or of one."""
    assert len(found) == len(expected)
    size = max(1, *(abs(x) for x in expected))
    assert max(abs(x - y) for x, y in zip(found, expected, strict=True)) < tolerance * size
