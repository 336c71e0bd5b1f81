"""Slopes by the chain rule: of alike things side by side first by what each of them reads, then by the directions.

A visit that is born with lanes reads few scalars that vary, and is costly. Its own derivatives by these need no
directions: they are found with the lanes that the visit has. What is left per lane is a product of small matrices, with
directions in lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Visit, lane_spacing
from symdyn.scalars.dual import Dual, DualAlgebra
from symdyn.transforms.directions import valued
from symdyn.transforms.dual_kernels import Unknown, UnknownAlgebra, WithSlopes, slope_port


@dataclass(frozen=True, slots=True)
class ChainVariant:
    """What is structural about a product: per scalar of each port the columns that it has, where their slopes lie.

    ``given`` are (port, place) per column, ``found`` the ports and per scalar (column, entry) pairs.
    """

    given: tuple[tuple[str, int], ...]
    found: tuple[tuple[str, tuple[tuple[tuple[int, int], ...], ...]], ...]


class Chained:
    """The derivatives of a visit by the scalars that it reads.

    Parameters
    ----------
    name
        What the names of fields begin with.
    step, visit
        What is differentiated.
    given
        The (port, place) of each scalar that varies, in any lane.
    """

    def __init__(self, name: str, step: Step, visit: Visit, given: Sequence[tuple[str, int]]) -> None:
        self._field, self._units, self._step, self._visit = f"{name}_jacobian", f"{name}_units", step, visit
        self._lanes = lane_spacing(visit.lanes)
        self.given = tuple(given)
        columns = {at: column for column, at in enumerate(self.given)}
        reads: dict[str, Sequence[Any]] = {}
        for port in step.ports:
            place = visit.bindings.get(port.name)
            if port.mode is not Mode.READ or place is None:
                continue
            if isinstance(place, Access):
                found = [columns.get((port.name, number)) for number in range(place.count)]
                reads[port.name] = [Dual(Unknown(), {} if at is None else {at: Unknown()}) for at in found]
            else:
                reads[port.name] = place.values
        constants = {key: value if isinstance(value, float) else Unknown() for key, value in visit.constants.items()}
        results = step.kernel(visit.variant, DualAlgebra(UnknownAlgebra()), constants, reads)
        self.columns = {
            port: [tuple(sorted(x.slopes)) if isinstance(x, Dual) else () for x in scalars]
            for port, scalars in results.items()
        }
        """Per scalar that is written the columns that it depends on."""
        self._rows = dict(zip(self.columns, _starts(map(len, self.columns.values())), strict=False))
        self._height = sum(map(len, self.columns.values()))
        varied = dict.fromkeys(port for port, _ in self.given)
        self._ports = {port: len(reads[port]) for port in varied}
        self._starts = _starts(self._ports.values())

    def fields(self) -> list[Field]:
        """The derivatives, column by column, and what tells columns apart."""
        count, size = len(self.given), self._starts[-1]
        scalars = [(port, place) for port, width in self._ports.items() for place in range(width)]
        units = tuple(float(scalar == column) for column in self.given for scalar in scalars)
        return [
            Field(self._field, FieldKind.STATE, self._height, count, lanes=self._lanes),
            Field(self._units, FieldKind.TABLE, size, count, values=units),
        ]

    def values(self) -> Visit:
        """The visit that finds what the original one does."""
        return valued(self._step, self._visit, tuple(self.columns))

    def derivatives(self) -> list[Visit]:
        """Visits that find them, one per column, with the lanes of the visit."""
        reads = {port.name for port in self._step.ports if port.mode is Mode.READ}
        kept = {name: place for name, place in self._visit.bindings.items() if name in reads}
        pairs = tuple((port, 0) for port in self._ports), tuple((port, 0) for port in self.columns)
        found = []
        for column in range(len(self.given)):
            bindings: dict[str, Any] = dict(kept)
            for (port, width), start in zip(self._ports.items(), self._starts, strict=False):
                bindings[slope_port(port, 0)] = Access(self._units, column * self._starts[-1] + start, width)
            for port, scalars in self.columns.items():
                start = (column * self._height + self._rows[port]) * self._lanes
                bindings[slope_port(port, 0)] = Access(self._field, start, len(scalars), self._lanes, 1)
            variant = WithSlopes(self._visit.variant, (), *pairs)
            found.append(Visit(self._visit.body, variant, self._visit.constants, bindings, self._visit.lanes))
        return found

    def product(
        self, lane: int, slopes: Mapping[str, Binding], found: Mapping[str, Binding], active: set[int], lanes: int
    ) -> tuple[Step, Visit]:
        """The visit that makes slopes of a group of directions in a lane of what is read and written there.

        Parameters
        ----------
        lane
            Of the original visit.
        slopes, found
            Where slopes of its ports lie.
        active
            Columns that have slopes.
        lanes
            Directions of the group.
        """
        read = tuple(at for column, at in enumerate(self.given) if column in active)
        places = {column: number for number, column in enumerate(sorted(active))}
        rows = []
        for port in found:
            entries = (
                tuple(
                    (places[column], column * self._height + self._rows[port] + number)
                    for column in columns
                    if column in active
                )
                for number, columns in enumerate(self.columns[port])
            )
            rows.append((port, tuple(entries)))
        bindings: dict[str, Any] = {
            "jacobian": Access(self._field, lane, self._height * len(self.given), self._lanes),
            **{f"given_{port}": at for port, at in slopes.items()},
            **{f"found_{port}": at for port, at in found.items()},
        }
        ports = [Port("jacobian", Mode.READ), *(Port(f"given_{port.name}", Mode.READ) for port in self._step.ports)]
        ports += [Port(f"found_{port.name}", Mode.WRITE) for port in self._step.ports]
        step = Step(f"{self._step.name}_chain", _multiply, tuple(ports))
        return step, Visit(self._visit.body, ChainVariant(read, tuple(rows)), {}, bindings, lanes)


def _multiply(
    variant: ChainVariant, _: Any, __: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
) -> Mapping[str, Sequence[Any]]:
    given = [reads[f"given_{port}"][place] for port, place in variant.given]
    writes: dict[str, list[Any]] = {}
    for port, rows in variant.found:
        totals: list[Any] = []
        for terms in rows:
            total: Any = 0.0
            for column, entry in terms:
                total = total + reads["jacobian"][entry] * given[column]
            totals.append(total)
        writes[f"found_{port}"] = totals
    return writes


def _starts(sizes: Iterable[int]) -> list[int]:
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found
