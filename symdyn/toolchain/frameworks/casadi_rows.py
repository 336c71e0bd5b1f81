"""Rows of q in graphs of CasADi: quaternions of length one, and matrices between their changes and moves of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symdyn.interface.stepping import CoordinateRows
from symdyn.toolchain.frameworks.moves import has_quaternions, moves, moves_apart, rates, unit


def of_rows(ca: Any, rows: Sequence[CoordinateRows], nv: int, what: str, q: Any) -> Any:
    """Coordinates with quaternions of length one (``unit``), or matrices E of ``moves`` and N of ``rates``."""
    size = q.shape[0]
    if not moves_apart(rows):
        return q if what == "unit" else ca.MX.eye(size)
    return of_row_changes(ca, rows, size, nv, what)(q)


def of_row_changes(ca: Any, rows: Sequence[CoordinateRows], size: int, nv: int, what: str) -> Any:
    """The function of q (size,) of :func:`of_rows`."""
    symbols, change = ca.SX.sym("q", size), ca.SX.sym("change", size if what == "moves" else nv)
    at = _scalars(ca, symbols)
    if what != "rates" and has_quaternions(rows):
        at = unit(np, rows, at)
    if what == "unit":
        found = ca.vertcat(*at[0])
    else:
        linear = (moves if what == "moves" else rates)(np, rows, at, _scalars(ca, change))
        found = ca.jacobian(ca.vertcat(*linear[0]), change)
        if what == "moves":  # the length of a quaternion does not count: along it nothing moves
            found = ca.mtimes(found, ca.jacobian(ca.vertcat(*at[0]), symbols))
    return ca.Function(what, [symbols], [found])


def _scalars(ca: Any, column: Any) -> Any:
    """The scalars of a column in an array of objects (1, n), as functions of arrays take it."""
    found = np.empty((1, column.shape[0]), object)
    found[0, :] = ca.vertsplit(column)
    return found
