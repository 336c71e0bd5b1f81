"""Constraints on velocities A(q) v = c(q) evaluated in floats: their rows, and right-hand sides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from symdyn.description.pfaffian import parameters_of
from symdyn.description.quantities.expression import Expression
from symdyn.errors import DescriptionError, ModelError
from symdyn.model.loop import ModelLoop
from symdyn.model.model import Model
from symdyn.model.values import Values
from symdyn.model.velocity_rows import VelocityRow, cite


def check_entries(model: Model, q: Sequence[float]) -> None:
    """Refuse constraints on velocities of which an entry has no finite value at the neutral position q.

    Raises
    ------
    ModelError
        There is one; run-time parameters without a value count as 1.
    """
    usual = [1.0 if value is None else value for value in model.slots.defaults]
    for loop in model.loops:
        for name, row in loop.velocity_rows:
            try:
                finite = all(math.isfinite(x) for x in row_values(model, loop, row, q, usual))
                failure = "it is not finite"
            except DescriptionError as error:
                finite, failure = False, str(error)
            if not finite:
                raise ModelError(
                    f"{cite(loop.constraint)}: row {name or 0} cannot be told at the neutral position, where all "
                    f"coordinates are zero: {failure}; multiply the row by what it is divided by, or count coordinates "
                    "from another position"
                )


def right_sides(model: Model, q: Sequence[float], p: Sequence[float]) -> list[float]:
    """What the rates of all rows of loops are held to at q: c of constraints on velocities, 0 of others."""
    return [
        row_values(model, loop, rows[name], q, p)[-1] if rows else 0.0
        for loop in model.loops
        for rows in (dict(loop.velocity_rows),)
        for name in loop.rows
    ]


def row_values(model: Model, loop: ModelLoop, row: VelocityRow, q: Sequence[float], p: Sequence[float]) -> list[float]:
    """The entries of a row and then that of c, in floats."""
    values = Values(model.parameters, model.slots, p=p)
    names = parameters_of({name: values.number(own) for name, own in loop.constraint.numbers.items()})
    for name, joint, place in row.names:
        names[name] = q[model.bodies[row.joints[joint]].joint.q_index + place]
    entries = (*(entry for _, entry in row.entries), row.equals)
    return [float(own.evaluate(names)) if isinstance(own, Expression) else own for own in entries]
