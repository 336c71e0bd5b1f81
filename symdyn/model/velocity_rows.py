"""Rows of constraints on velocities in the indexed tree: names become rows of q and v."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.description.loops import MET, Coupling, Loop
from symdyn.description.pfaffian import Pfaffian, parameters_of
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.errors import DescriptionError, ModelError
from symdyn.model.bodies import Body
from symdyn.model.values import Values

if TYPE_CHECKING:
    from symdyn.model.loop import ModelLoop
    from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class VelocityRow:
    """A row of A v = c: its entries by rows of v, in their order, and that of c.

    ``joints`` are the bodies whose coordinates its expressions use, and ``names`` tells for each name the place of the
    body among these and that of the coordinate among those of its joint.
    """

    entries: tuple[tuple[int, Number], ...]
    equals: Number
    joints: tuple[int, ...] = ()
    names: tuple[tuple[str, int, int], ...] = ()


def velocity_rows(held: Pfaffian, bodies: Sequence[Body]) -> tuple[tuple[str, VelocityRow], ...]:
    """The rows of a constraint with their names, without those of which locked joints take all columns.

    Raises
    ------
    ModelError
        A name that is no row of v, or no row of q; a row that locked joints cannot meet.
    """
    columns, coordinates = _velocities(bodies), _coordinates(bodies)
    for name, row in held.coordinates:
        if row not in coordinates:
            raise ModelError(
                f"{told(held)}: coordinate {shown(name)} stands for {shown(row)}, which is no row of q of a joint with "
                f"coordinates of its own{hint(row, coordinates) or _some(coordinates)}"
            )
    found = []
    for name, entries, equals in zip(held.row_names, held.rows, held.right, strict=True):
        if not entries:
            if isinstance(equals, Expression) or abs(equals) > MET:
                raise ModelError(
                    f"{told(held)}: row {name or 0} holds joints that are all locked to a velocity that is not 0; lock "
                    "fewer, or delete the row"
                )
            continue
        unknown = next((column for column, _ in entries if column not in columns), None)
        if unknown is not None:
            raise ModelError(
                f"{told(held)}: row {name or 0}: {shown(unknown)} is no row of v of a joint with coordinates of its own"
                f"{hint(unknown, columns) or _some(columns)}"
            )
        ordered = tuple(sorted(((columns[column], entry) for column, entry in entries), key=lambda entry: entry[0]))
        used = {own for entry in (*(own for _, own in entries), equals) for own in _names(entry)}
        rows = {own: coordinates[row] for own, row in held.coordinates if own in used}
        joints = tuple(sorted({body for body, _ in rows.values()}))
        told_by = tuple((own, joints.index(body), place) for own, (body, place) in rows.items())
        found.append((name, VelocityRow(ordered, equals, joints, told_by)))
    return tuple(found)


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
                    f"{told(loop.constraint)}: row {name or 0} cannot be told at the neutral position, where all "
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


def told(held: Loop | Coupling | Pfaffian) -> str:
    """A loop in messages about its robot: where it stands, and its name."""
    place = f"{at(held.source, held.line)}: " if held.source else on_line(held.line)
    return f"{place}loop {shown(held.name)}"


def _names(entry: Number) -> tuple[str, ...]:
    return entry.names if isinstance(entry, Expression) else ()


def _some(known: Mapping[str, object]) -> str:
    return f"; they are {', '.join(list(known)[:12])}{', ..' if len(known) > 12 else ''}"


def _velocities(bodies: Sequence[Body]) -> dict[str, int]:
    """Rows of v by name."""
    owners = (body.joint for body in bodies if not (body.joint.leaders or body.joint.inner))
    return {joint.label + way: joint.v_index + row for joint in owners for row, way in enumerate(joint.coordinates.v)}


def _coordinates(bodies: Sequence[Body]) -> dict[str, tuple[int, int]]:
    """Bodies, and places among the coordinates of their joints, by names of rows of q."""
    owners = ((index, body.joint) for index, body in enumerate(bodies) if not (body.joint.leaders or body.joint.inner))
    return {
        joint.label + way: (index, place) for index, joint in owners for place, way in enumerate(joint.coordinates.q)
    }
