"""What the C that closes loops needs, in steppers and in solvers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from symdyn.compiler.emit.arguments import WIDTH, wrap_items
from symdyn.compiler.emit.contents import Function
from symdyn.compiler.emit.steppers.contents import call_of, loop_rows_of
from symdyn.compiler.emit.steppers.spelling import number

_CLOSED = {"double": 1e-14, "float": 1e-6}
_TOLERANCE = {"double": 1e-10, "float": 1e-4}
_RANK = {"double": 1e-10, "float": 1e-5}
"""Of the square of a row of slopes that shifts, or of a unit turn: what may be left of a row that depends on others. It
is the square of ``closing.sizes.RANK``; in float32 rounding alone leaves 1e-7."""
_SETTLED = {"double": 1e-15, "float": 1e-7}
"""Move of coordinates that is rounding [rad or m]: errors that are left then stay."""
_OPEN = {"double": 1e-5, "float": 1e-4}
"""Errors that may stay, as ``GROWN`` of loops [m or rad]."""
_ITERATIONS = 8


def loops_context(
    constraints: tuple[Function, ...],
    scalar: str,
    velocities: bool = True,
    held: Collection[int] = (),
    least: Sequence[float] = (),
) -> dict[str, Any]:
    """What ``step_loops`` needs: ``velocities`` keep the loops closed too, and rows of v in ``held`` do not move.

    Without velocities a search goes on from there, so that loops need not be closed to rounding. ``least`` are squared
    lengths below which rows vanish, 0 for those that never do.
    """
    error, slopes = constraints
    units = error.signature.outputs[0].element_units
    return {
        "rows": loop_rows_of(constraints),
        "error": call_of(error, ["error"], "rest"),
        "slopes": call_of(slopes, ["slopes"], "rest"),
        "iterations": _ITERATIONS,
        "passes": 2,
        "closed": number((_CLOSED if velocities else _TOLERANCE)[scalar], scalar),
        "tolerance": number(_TOLERANCE[scalar], scalar),
        "rank": number(_RANK[scalar], scalar),
        "settled": number(_SETTLED[scalar], scalar),
        "open": number(_OPEN[scalar], scalar),
        "shifts": wrap_items(["true" if unit == "m" else "false" for unit in units], WIDTH - 2),
        "velocities": velocities,
        "held": sorted(held),
        "least": wrap_items([number(own, scalar) for own in least], WIDTH - 2) if any(least) else [],
    }
