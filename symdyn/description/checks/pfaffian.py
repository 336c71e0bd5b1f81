"""Whether constraints on velocities can be as they are described; names of coordinates are looked up by the model."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.description.pfaffian import RESERVED, UNITS, Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError


def check_pfaffian(held: Pfaffian, parameters: Collection[str], place: str) -> None:
    """Refuse rows without entries, entries that are zero, right-hand sides of another number, and odd or unknown names.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    if not held.rows:
        raise DescriptionError(f"{place}: no rows; give at least one, such as {{x: sin(yaw), y: -cos(yaw)}}")
    for number, row in enumerate(held.rows):
        if not row:
            raise DescriptionError(f"{place}: row {number} has no columns; name at least one row of v with its entry")
        zero = next((name for name, entry in row if entry == 0.0), None)
        if zero is not None:
            raise DescriptionError(f"{place}: row {number}: the entry of {shown(zero)} is 0; leave it out")
        if len({name for name, _ in row}) < len(row):
            raise DescriptionError(f"{place}: row {number} names a row of v twice; add its entries up")
    if held.equals and len(held.equals) != len(held.rows):
        raise DescriptionError(
            f"{place}: equals has {len(held.equals)} entries for {len(held.rows)} rows; give one for each row"
        )
    if held.unit not in UNITS:
        raise DescriptionError(f"{place}: unit is {shown(held.unit)}; expected {' or '.join(UNITS)}")
    _check_names(held, parameters, place)


def _check_names(held: Pfaffian, parameters: Collection[str], place: str) -> None:
    coordinates = [name for name, _ in held.coordinates]
    used = {name for own in held.expressions for name in own.names}
    unknown = min(used - {*coordinates, *parameters}, default=None)
    if unknown is not None:
        raise DescriptionError(
            f"{place}: unknown name {shown(unknown)}; list rows of q under coordinates, and declare the rest under "
            f"'parameters'{hint(unknown, [*coordinates, *parameters])}"
        )
    for name in coordinates:
        if not (name.isidentifier() and name.isascii()) or name in RESERVED:
            raise DescriptionError(
                f"{place}: {shown(name)} cannot stand for a coordinate in expressions; give it a name of letters, "
                "digits and underscores of its own, such as {yaw: base.qz}"
            )
        if name in parameters:
            raise DescriptionError(f"{place}: {shown(name)} is a parameter's name; give the coordinate another one")
        if coordinates.count(name) > 1:
            raise DescriptionError(f"{place}: coordinates: {shown(name)} is there twice; keep one")
        if name not in used:
            raise DescriptionError(f"{place}: coordinates: no expression uses {shown(name)}; leave it out")


def spelt_pfaffian(held: Pfaffian) -> Pfaffian:
    """The constraint without right-hand sides where all are zero."""
    if held.equals and not any(isinstance(own, Expression) or own != 0.0 for own in held.equals):
        return replace(held, equals=())
    return held
