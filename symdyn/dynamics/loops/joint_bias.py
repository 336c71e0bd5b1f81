"""The drives between both halves of a solution: all of them side by side, and what multipliers change of them."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.loops.whitened_jacobian import WhitenedJacobian
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.plan.plan import Access, Mode, Port, Step, Sweep, Visit


def _add(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"total": list(reads["update"])}


_ADD = Step("add_change", _add, (Port("update", Mode.READ), Port("total", Mode.ADD)))
_TAKE = Step("take_drive", _add, (Port("update", Mode.READ), Port("total", Mode.WRITE)))


def gathering(solutions: WhitenedJacobian) -> Sweep:
    """The sweep that takes the drives of tips that are eliminated in blocks to where all others are."""
    elimination = solutions.elimination
    visits = (
        Visit(
            -1,
            None,
            {},
            {
                "update": elimination.joint_force_residual(place, row),
                "total": Access("joint_force_residual", place.joint_force_residual + row, 1),
            },
        )
        for place in elimination.places
        if place.in_blocks and place.responds
        for row in range(len(place.rows))
    )
    return Sweep(_TAKE, tuple(visits), vector=True)


def correcting(solutions: WhitenedJacobian, found: str) -> Sweep:
    """The sweep that adds ``drive_change`` to the drives, and to forces before which nothing is free."""
    totals = solutions.drives(found)
    added = tuple(
        Visit(-1, None, {}, {"update": Access("drive_change", row, 1), "total": totals[row]})
        for row in touched_rows(solutions)
    )
    return Sweep(_ADD, added, vector=True)


def touched_rows(solutions: WhitenedJacobian) -> list[int]:
    """Rows of the solution that some loop moves."""
    return sorted({row for half in solutions.whitened for row in half.places})
