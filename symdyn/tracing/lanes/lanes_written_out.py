"""Plans whose visits with lanes are written out, lane by lane in one kernel, for languages without vectors.

There lanes only cost: what they share is computed once in each of them, and what is zero in some lanes is computed in
all. Written out, the same kernel shares the one, and the other vanishes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.plan.plan import Access, FieldKind, Given, Plan, Step, Sweep, Visit

_Tables = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class _WrittenOut:
    """A visit's own variant, its lanes, and the ports and constants that each lane has for itself."""

    variant: Hashable
    lanes: int
    own: frozenset[str]


def lanes_written_out(plan: Plan) -> Plan:
    """The plan without lanes in its visits, and with the numbers of its tables in place of these.

    What lanes add to one place is added up first.
    """
    if not any(visit.lanes > 1 for sweep in plan.sweeps for visit in sweep.visits):
        return plan
    tables = {field.name: field.values for field in plan.fields_of(FieldKind.TABLE)}
    fields = tuple(field for field in plan.fields if field.name not in tables)
    return replace(plan, fields=fields, sweeps=tuple(_sweep(sweep, tables) for sweep in plan.sweeps))


def _sweep(sweep: Sweep, tables: _Tables) -> Sweep:
    lanes = max((visit.lanes for visit in sweep.visits), default=1)
    if lanes == 1:
        return replace(sweep, visits=tuple(_with_numbers(visit, tables) for visit in sweep.visits))
    ports = [
        replace(port, name=name)
        for port in sweep.step.ports
        for name in (port.name, *(_of_lane(port.name, lane) for lane in range(lanes)))
    ]
    step = Step(sweep.step.name, _kernel(sweep.step), tuple(ports))
    return Sweep(step, tuple(_with_numbers(_visit(visit), tables) for visit in sweep.visits), sweep.vector)


def _with_numbers(visit: Visit, tables: _Tables) -> Visit:
    """The visit with numbers where it reads tables."""

    def numbers(place: Any) -> tuple[float, ...] | None:
        if not isinstance(place, Access) or place.field not in tables:
            return None
        return tuple(tables[place.field][at] for at in place.places)

    bindings = {name: (place, numbers(place)) for name, place in visit.bindings.items()}
    constants = {name: (place, numbers(place)) for name, place in visit.constants.items()}
    return replace(
        visit,
        bindings={name: place if found is None else Given(found) for name, (place, found) in bindings.items()},
        constants={name: place if found is None else found[0] for name, (place, found) in constants.items()},
    )


def _of_lane(name: str, lane: int) -> str:
    return f"{name}_lane{lane}"


def _visit(visit: Visit) -> Visit:
    places = {**visit.bindings, **visit.constants}
    own = frozenset(name for name, place in places.items() if isinstance(place, Access) and place.lane)

    def written_out(items: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, place in items.items():
            if name not in own:
                found[name] = place
                continue
            for lane in range(visit.lanes):
                found[_of_lane(name, lane)] = replace(place, offset=place.offset + lane * place.lane, lane=0)
        return found

    variant = _WrittenOut(visit.variant, visit.lanes, own)
    return Visit(visit.body, variant, written_out(visit.constants), written_out(visit.bindings))


def _kernel(step: Step) -> Any:
    def run(
        variant: _WrittenOut, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]
    ) -> Mapping[str, Sequence[Any]]:
        writes: dict[str, Sequence[Any]] = {}
        for lane in range(variant.lanes):

            def seen(items: Mapping[str, Any], lane: int = lane) -> dict[str, Any]:
                own = {name: items[_of_lane(name, lane)] for name in variant.own if _of_lane(name, lane) in items}
                return {**items, **own}

            for name, values in step.kernel(variant.variant, algebra, seen(constants), seen(reads)).items():
                if name in variant.own:
                    writes[_of_lane(name, lane)] = values
                elif name in writes:
                    writes[name] = [x + y for x, y in zip(writes[name], values, strict=True)]
                else:
                    writes[name] = values
        return writes

    return run
