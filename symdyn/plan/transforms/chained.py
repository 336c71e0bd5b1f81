"""Slopes by the chain rule: of alike things side by side first by what each of them reads, then by the directions.

A visit that is born with lanes reads few scalars that vary, and is costly. Its own derivatives by these need no
directions: they are found with the lanes that the visit has. What is left per lane is a product of small matrices, with
directions in lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, SlopeRule, Step, Visit, lane_spacing
from symdyn.plan.transforms.directions import valued
from symdyn.plan.transforms.dual_kernels import UNKNOWN_DUALS, Unknown, UnknownAlgebra, WithSlopes, slope_port, unknown


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
                reads[port.name] = [unknown(() if at is None else (at,)) for at in found]
            else:
                reads[port.name] = place.values
        constants = {key: value if isinstance(value, float) else Unknown() for key, value in visit.constants.items()}
        self._reads = reads
        self._rule_sizes: Mapping[str, int] | None = None
        results = step.kernel(visit.variant, UNKNOWN_DUALS, constants, reads)
        self.columns = {
            port: [tuple(sorted(UNKNOWN_DUALS.slopes(x))) for x in scalars] for port, scalars in results.items()
        }
        """Per scalar that is written the columns that it depends on."""
        sloped = {port: len(rows) for port, rows in self.columns.items() if any(rows)}
        self._rows = dict(zip(sloped, _starts(sloped.values()), strict=False))
        self._height = sum(sloped.values())
        varied = dict.fromkeys(port for port, _ in self.given)
        self._ports = {port: len(reads[port]) for port in varied}
        self._starts = _starts(self._ports.values())

    def fields(self) -> list[Field]:
        """The derivatives, column by column, and what tells columns apart."""
        count, size = len(self.given), self._starts[-1]
        scalars = [(port, place) for port, width in self._ports.items() for place in range(width)]
        units = tuple(float(scalar == column) for column in self.given for scalar in scalars)
        found = [Field(self._field, FieldKind.STATE, self._height, count, lanes=self._lanes)]
        if self._rule_sizes is None:
            return [*found, Field(self._units, FieldKind.TABLE, size, count, values=units)]
        shared = [
            Field(f"{self._field}_{name}", FieldKind.STATE, own, lanes=self._lanes, alike=name == "starts")
            for name, own in self._rule_sizes.items()
        ]
        return [*found, *shared]

    def made(self, step: Step) -> list[tuple[Step, Visit]]:
        """Visits that find them, with the lanes of the visit, and what it does; ``step`` is that on dual numbers."""
        rule = self._step.slopes
        if rule is not None and all(port in rule.by for port, _ in self.given):
            return self._by_rule(rule)
        values = valued(self._step, self._visit, tuple(self.columns))
        return [(step, visit) for visit in (*self._by_duals(), values)]

    def _by_rule(self, rule: SlopeRule) -> list[tuple[Step, Visit]]:
        visit, count = self._visit, len(self.given)
        reads = {port.name: self._reads[port.name] for port in self._step.ports if port.name in self._reads}
        kept = {name: visit.bindings[name] for name in reads}
        variant = (visit.variant, self.given)
        values = {name: visit.bindings[name] for name in self.columns}
        unknown = {name: [Unknown()] * len(own) for name, own in reads.items()}
        sizes = {
            name: len(scalars)
            for name, scalars in rule.shared(variant, UnknownAlgebra(), visit.constants, unknown).items()
            if name not in values
        }
        self._rule_sizes = sizes
        places = {name: Access(f"{self._field}_{name}", 0, size, self._lanes, 1) for name, size in sizes.items()}
        name, width = f"{self._step.name}_shared", sizes["starts"] // count
        ports = [*(Port(own, Mode.READ) for own in kept), *(Port(own, Mode.WRITE) for own in (*values, *sizes))]
        shared = Step(name, rule.shared, tuple(ports))
        found = [(shared, Visit(visit.body, variant, visit.constants, kept | values | places, visit.lanes))]
        shared_reads = [Port(own, Mode.READ) for own in (*sizes, "start") if own != "starts"]
        column = Step(
            f"{self._step.name}_column", rule.column, (*shared_reads, *(Port(own, Mode.WRITE) for own in self._rows))
        )
        for number, own in enumerate(self.given):
            kind = rule.kind(visit.variant, own, tuple(reads))
            start = replace(places["starts"], offset=number * width * self._lanes, count=width)
            bound = {own: at for own, at in places.items() if own != "starts"} | {"start": start}
            found.append((column, Visit(visit.body, kind, {}, bound | self._found(number), visit.lanes)))
        return found

    def _found(self, column: int) -> dict[str, Access]:
        """Where a column of the derivatives lies, by port."""
        return {
            port: Access(
                self._field, (column * self._height + start) * self._lanes, len(self.columns[port]), self._lanes, 1
            )
            for port, start in self._rows.items()
        }

    def _by_duals(self) -> list[Visit]:
        reads = {port.name for port in self._step.ports if port.mode is Mode.READ}
        kept = {name: place for name, place in self._visit.bindings.items() if name in reads}
        pairs = tuple((port, 0) for port in self._ports), tuple((port, 0) for port in self._rows)
        found = []
        for column in range(len(self.given)):
            bindings: dict[str, Any] = dict(kept)
            for (port, width), start in zip(self._ports.items(), self._starts, strict=False):
                bindings[slope_port(port, 0)] = Access(self._units, column * self._starts[-1] + start, width)
            bindings |= {slope_port(port, 0): place for port, place in self._found(column).items()}
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
