"""Loops that hold or not as the input ``active`` tells: no branch, but rows of zeros.

A switch is 1 or 0. Anything else gives NaN in all that depends on the loop's rows.

What a loop that does not hold exerts is zero, and so are its errors, their rates and accelerations: all that follows
from them is as if the loop were left out. A system of all rows has ones on the diagonal there, and gives multipliers
of zero. Zeros are chosen, not multiplied: where a row has no value, as at half a turn, nothing of it is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Vector
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.ports import Reads
from symdyn.model.loop import ModelLoop
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding

ACTIVE = "active"
"""The input, and the ports that read it."""
SWITCH = Place(ACTIVE, lambda tree, pair, field: Access(field, pair.loop.switch, 1))
"""That of a pair."""
Switches = tuple[int | None, ...]
"""Per row of the loops its place in the input, None where it always holds; empty where no loop is switched."""


def holds(algebra: Algebra, switch: Scalar) -> Any:
    """Whether a loop holds: its switch is 1."""
    return algebra.compare("equal", switch, 1.0)


def one_if_off(algebra: Algebra, switch: Scalar) -> Scalar:
    """1 where a switch is 0, else NaN; to be chosen only where a loop does not hold."""
    return algebra.function("sqrt", algebra.select(algebra.compare("equal", switch, 0.0), 1.0, -1.0))


def if_held(algebra: Algebra, reads: Reads, values: Vector) -> list[Scalar]:
    """What belongs to a loop's rows, and zeros where it does not hold."""
    if ACTIVE not in reads:
        return list(values)
    on = holds(algebra, reads[ACTIVE][0])
    nothing = 1.0 - one_if_off(algebra, reads[ACTIVE][0])
    return [algebra.select(on, x, nothing) for x in values]


def switch_of(loop: ModelLoop) -> dict[str, Binding]:
    """The binding of a loop's switch, where it has one."""
    return {} if loop.switch is None else {ACTIVE: Access(ACTIVE, loop.switch, 1)}


def switches_of(model: Model) -> Switches:
    """The switches of all rows."""
    return model.row_switches


def all_switches(model: Model) -> dict[str, Binding]:
    """The binding of the whole input, where there is one."""
    return {ACTIVE: Access(ACTIVE, 0, len(model.switches))} if model.switches else {}


def with_ones(
    algebra: Algebra, reads: Reads, switches: Switches, matrix: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """The lower triangle of a system of all rows, with ones on the diagonal where loops do not hold."""
    made = [list(row) for row in matrix]
    for row, switch in enumerate(switches):
        if switch is not None:
            own = reads[ACTIVE][switch]
            made[row][row] = algebra.select(holds(algebra, own), made[row][row], one_if_off(algebra, own))
    return made


def units(algebra: Algebra, reads: Reads, switches: Switches, count: int) -> list[Scalar]:
    """The diagonal of the identity on the rows that hold."""
    found: list[Scalar] = [1.0] * count
    for row, switch in enumerate(switches):
        if switch is not None:
            own = reads[ACTIVE][switch]
            found[row] = algebra.select(holds(algebra, own), 1.0, 1.0 - one_if_off(algebra, own))
    return found
