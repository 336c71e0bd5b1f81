"""Rows of stations, of rods and of bodies given by their map: how many there are, and which of them joints read."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.dynamics.tree.map_steps import PLACE, POSE, RATES, MapVariant
from symdyn.dynamics.tree.rod_steps import SoftVariant
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Sweep, lane_spacing
from symdyn.plan.transforms.series_places import Form

_INNER = "step_"
"""How the names of fields of stations' rows begin."""
_WHOLE = ("q", "v", "a", "tau")
"""Fields of the robot of which all stations write or read their rows."""
_WIDTHS = {"q": 12}
"""Scalars of a step in a field of its rows; those of v and all other fields have 6."""


def row_width(variant: SoftVariant, field: str) -> int:
    """Scalars of a station in a field of its rows."""
    if not isinstance(variant, MapVariant):
        return _WIDTHS.get(field, 6)
    if variant.turns:
        return POSE if field == "q" else RATES
    return PLACE


def rows_read(variant: SoftVariant, field: str, tip: bool) -> tuple[int, int]:
    """Which of them its joint reads: the first, and how many."""
    width = row_width(variant, field)
    if not isinstance(variant, MapVariant) or not variant.turns:
        return 0, width
    if tip:
        return 0, width if field == "q" else width - PLACE
    return width - PLACE, PLACE


def is_whole(variant: SoftVariant, field: str) -> bool:
    """Whether stations write all of their rows of a field. Forces of points and of a tip that turns are other rows."""
    apart = isinstance(variant, MapVariant) and variant.turns and field == "tau"
    return field in _WHOLE and not apart


def turned_form(variant: SoftVariant, form: tuple[Form, ...], moving: tuple[Form, ...]) -> tuple[Form, ...]:
    """Forms of a station's rows, from those of a rod's and of a shift."""
    if not isinstance(variant, MapVariant):
        return form
    if not variant.turns:
        return moving
    return form if len(form) == POSE else (*form, *moving)


def tabled(name: str, rows: Sequence[Sequence[float]]) -> Field:
    """A table with a lane per row; what is left of a vector repeats the last one."""
    lanes = lane_spacing(len(rows))
    columns = zip(*(rows[min(lane, len(rows) - 1)] for lane in range(lanes)), strict=True)
    values = tuple(value for column in columns for value in column)
    return Field(name, FieldKind.TABLE, len(values) // lanes, values=values, lanes=lanes)


def inner_name(rod: int, field: str) -> str:
    """The field of the rows of a rod's stations that stands for one of the robot's."""
    return f"{_INNER}{rod}_{field}"


def inner_rows(sweep: Sweep, reading: bool) -> list[tuple[str, int]]:
    """Names of the robot's fields of which a sweep reads, or writes, the rows of stations, and the rods of these."""
    modes = {port.name: port.mode for port in sweep.step.ports}
    found: dict[tuple[str, int], None] = {}
    for visit in sweep.visits:
        for port, place in visit.bindings.items():
            if isinstance(place, Access) and place.field.startswith(_INNER) and (modes[port] is Mode.READ) is reading:
                _, rod, name = place.field.split("_", 2)
                found[name, int(rod)] = None
    return list(found)
