"""Rows of constraints on velocities in the indexed tree: names become rows of q and v."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.description.loops import MET, Coupling, Loop
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.quantities.placement import Number
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.errors import ModelError
from symdyn.model.bodies import Body


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
                f"{cite(held)}: coordinate {shown(name)} stands for {shown(row)}, which is no row of q of a joint with "
                f"coordinates of its own{hint(row, coordinates) or _some(coordinates)}"
            )
    found = []
    for name, entries, equals in zip(held.row_names, held.rows, held.right, strict=True):
        if not entries:
            if isinstance(equals, Expression) or abs(equals) > MET:
                raise ModelError(
                    f"{cite(held)}: row {name or 0} holds joints that are all locked to a velocity that is not 0; lock "
                    "fewer, or delete the row"
                )
            continue
        unknown = next((column for column, _ in entries if column not in columns), None)
        if unknown is not None:
            raise ModelError(
                f"{cite(held)}: row {name or 0}: {shown(unknown)} is no row of v of a joint with coordinates of its own"
                f"{hint(unknown, columns) or _some(columns)}"
            )
        ordered = tuple(sorted(((columns[column], entry) for column, entry in entries), key=lambda entry: entry[0]))
        used = {own for entry in (*(own for _, own in entries), equals) for own in _names(entry)}
        rows = {own: coordinates[row] for own, row in held.coordinates if own in used}
        joints = tuple(sorted({body for body, _ in rows.values()}))
        told_by = tuple((own, joints.index(body), place) for own, (body, place) in rows.items())
        found.append((name, VelocityRow(ordered, equals, joints, told_by)))
    return tuple(found)


def cite(loop: Loop | Coupling | Pfaffian) -> str:
    """A loop in messages about its robot: where it stands, and its name."""
    place = f"{at(loop.source, loop.line)}: " if loop.source else on_line(loop.line)
    return f"{place}loop {shown(loop.name)}"


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
