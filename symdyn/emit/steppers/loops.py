"""What the C that closes loops needs, in steppers and in solvers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from symdyn.emit.contents import Function
from symdyn.emit.steppers.contents import call_of, loop_rows_of
from symdyn.emit.steppers.spelling import number

_CLOSED = {"double": 1e-14, "float": 1e-6}
_TOLERANCE = {"double": 1e-10, "float": 1e-4}
_PROXIMAL = {"double": 1e-10, "float": 1e-5}
_ITERATIONS = 8


def loops_context(
    constraints: tuple[Function, ...], scalar: str, velocities: bool = True, held: Collection[int] = ()
) -> dict[str, Any]:
    """What ``step_loops`` needs: ``velocities`` keep the loops closed too, and rows of v in ``held`` do not move.

    Without velocities a search goes on from there, so that loops need not be closed to rounding.
    """
    error, slopes = constraints
    return {
        "rows": loop_rows_of(constraints),
        "error": call_of(error, ["error"], "rest"),
        "slopes": call_of(slopes, ["slopes"], "rest"),
        "iterations": _ITERATIONS,
        "passes": 2,
        "closed": number((_CLOSED if velocities else _TOLERANCE)[scalar], scalar),
        "tolerance": number(_TOLERANCE[scalar], scalar),
        "proximal": number(_PROXIMAL[scalar], scalar),
        "velocities": velocities,
        "held": sorted(held),
    }
