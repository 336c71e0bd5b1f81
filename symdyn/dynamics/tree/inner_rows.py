"""Fields of the stations of soft links: their names, which of them a sweep uses, and tables of their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.plan.plan import Access, Field, FieldKind, Mode, Sweep, lane_spacing

_BEGINS = "step_"
"""How the names of fields of stations' rows begin."""


def tabled(name: str, rows: Sequence[Sequence[float]]) -> Field:
    """A table with a lane per row; what is left of a vector repeats the last one."""
    lanes = lane_spacing(len(rows))
    columns = zip(*(rows[min(lane, len(rows) - 1)] for lane in range(lanes)), strict=True)
    values = tuple(value for column in columns for value in column)
    return Field(name, FieldKind.TABLE, len(values) // lanes, values=values, lanes=lanes)


def inner_name(rod: int, field: str) -> str:
    """The field of a rod's stations that stands for one of the robot's rows."""
    return f"{_BEGINS}{rod}_{field}"


def inner_rows(sweep: Sweep, reading: bool) -> list[tuple[str, int]]:
    """Names of the robot's fields of which a sweep reads, or writes, the rows of stations, and the rods of these."""
    modes = {port.name: port.mode for port in sweep.step.ports}
    found: dict[tuple[str, int], None] = {}
    for visit in sweep.visits:
        for port, place in visit.bindings.items():
            if isinstance(place, Access) and place.field.startswith(_BEGINS) and (modes[port] is Mode.READ) is reading:
                _, rod, name = place.field.split("_", 2)
                found[name, int(rod)] = None
    return list(found)
