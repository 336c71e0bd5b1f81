"""Derivatives of the forces of actuators, tau = B(q, v) u, by q, v and p.

Inputs stay as they are while q moves, and forces do not: the equations of motion ID - B u = 0 have the slopes
dID/dq - d(B u)/dq in place of dID/dq.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.actuation_map import (
    chamber_visit,
    driving_fields,
    driving_sweeps,
    points_visit,
    rod_rows,
    strand_visit,
    without_factors,
)
from symdyn.dynamics.actuation.bulging import BulgingVariant, bulging_slopes_step
from symdyn.dynamics.actuation.steps import BentVariant, StrandVariant, row_name
from symdyn.errors import ModelError
from symdyn.model.actuation import Input
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, places_written
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import StrandTable

_DRIVEN = "driven"


def left_over(model: Model, free: Collection[int], needed: Plan) -> Plan:
    """A plan of ..., p -> tau, .., with inputs u: less in the free rows of tau what these give that rests on p too."""
    requested = [number for number, own in enumerate(model.actuator_inputs) if own.of == "rest"]
    if not driving_fields(model, driving_sweeps(model, "u", _DRIVEN, requested=requested)):
        return needed  # no strain at rest, or stiffness that is baked
    return less_given(model, free, needed, requested)


def turning_inputs(model: Model) -> list[int]:
    """Numbers of the inputs whose columns of B change with q."""
    return [
        number
        for number, own in enumerate(model.actuator_inputs)
        if any(_bends(table) for _, table, _ in _strands(model, own))
        or (own.of == "chamber" and model.actuation.chambers[own.place].table.products)
        or own.turns
    ]


def refuse_rated(model: Model, name: str) -> None:
    """Refuse second derivatives where gains depend on rates.

    Raises
    ------
    ModelError
        There is such an input: derivatives by v and u do not vanish, and no output has them.
    """
    for own in model.actuator_inputs:
        if own.rated:
            raise ModelError(
                f"{name} of robot '{model.name}' has no derivatives by v, then u, and those of input '{own.name}' are "
                "not zero, as its gain depends on a rate; leave that actuator out, or take inputs='forces'"
            )


def less_given(
    model: Model,
    free: Collection[int],
    needed: Plan,
    requested: Collection[int] | None = None,
    forces: str = "tau",
    rates: bool = True,
) -> Plan:
    """A plan of q, .. -> tau, .. with inputs u: less in the free rows of tau what actuators give.

    Parameters
    ----------
    model
        The robot.
    free
        Rows of v whose force the inputs give.
    needed
        The plan, of the whole robot.
    requested
        Numbers of the inputs that count; None for all.
    forces
        Its output tau.
    rates
        Whether the robot moves.
    """
    driving = driving_sweeps(model, "u", _DRIVEN, requested=requested, rates=rates)
    if not driving:
        return needed
    given = without_factors(model, driving)
    rows = sorted(places_written(given, _DRIVEN) & set(free))
    more = [clearing([Access(_DRIVEN, 0, model.nv)]), *given, taken_off(_DRIVEN, forces, rows)]
    own_fields = [
        Field("u", FieldKind.INPUT, len(model.actuator_inputs)),
        Field(_DRIVEN, FieldKind.STATE, model.nv),
        *driving_fields(model, given, needed.fields),
    ]
    return replace(needed, fields=(*needed.fields, *own_fields), sweeps=(*needed.sweeps, *more))


def taken_off(given: str, needed: str, rows: Iterable[int]) -> Sweep:
    """The sweep that takes rows of given forces off those that a motion needs, one field off another."""
    places = ({"given": Access(given, row, 1), "needed": Access(needed, row, 1)} for row in rows)
    return Sweep(steps.OPPOSED, tuple(Visit(-1, None, {}, {**own}) for own in places), vector=True)


def _bulging_sweeps(model: Model, rows_at: Mapping[int, int], field: str, u: str) -> Iterator[Sweep]:
    """The same of chambers in rods whose sections deform."""
    visits, widest = [], 0
    for number, own in enumerate(model.actuator_inputs):
        if own.of != "chamber" or not model.actuation.chambers[own.place].table.products:
            continue
        block = rod_rows(model, model.actuation.chambers[own.place].rod, "v")
        rows = tuple(row for row in range(block.count) if block.offset + row in rows_at)
        written = _written(model, block, rows, rows_at, field)
        rod = model.actuation.chambers[own.place].rod
        read = {"q": rod_rows(model, rod, "q"), "u": Access(u, number, 1)}
        visit = chamber_visit(model, own.place, {**read, **written})
        assert isinstance(visit.variant, BulgingVariant)
        visits.append(replace(visit, variant=replace(visit.variant, rows=rows)))
        widest = max(widest, block.count)
    if visits:
        yield Sweep(bulging_slopes_step(widest), tuple(visits))


def slope_sweeps(
    model: Model, rows_at: Mapping[int, int], field: str = "slope_q", u: str = "u", rates: str = "slope_v"
) -> list[Sweep]:
    """Sweeps that subtract d(B u)/dq from a field, some rows of v, each from the row ``rows_at`` says, nv to a row.

    Only tendons that bend have any, chambers that bulge, and actuators whose gain depends on their length. Those by
    their rate subtract d(B u)/dv from ``rates``; of a robot at rest it is empty.
    """
    fields = ((field, False), (rates, True)) if rates else ((field, False),)
    gain_sweeps = (_gain_sweep(model, rows_at, name, u, of_rates) for name, of_rates in fields)
    return [*_all_slopes(model, rows_at, field, u), *(sweep for sweep in gain_sweeps if sweep.visits)]


def _gain_sweep(model: Model, rows_at: Mapping[int, int], field: str, u: str, of_rates: bool) -> Sweep:
    """What gains of actuators of joints gain by q or by v."""
    visits = [
        Visit(
            -1,
            None,
            {"slope": slope[of_rates]},
            {"u": Access(u, number, 1), "entry": Access(field, rows_at[row] * model.nv + by, 1)},
        )
        for number, own in enumerate(model.actuator_inputs)
        for row, _, by, *slope in own.slopes
        if row in rows_at and slope[of_rates]
    ]
    return Sweep(steps.GAIN_SLOPE, tuple(visits), vector=True)


def _strands(model: Model, own: Input) -> Iterator[tuple[int, StrandTable, Callable[[dict[str, Binding]], Visit]]]:
    """Of an input whose size is summed over points: per rod its table, and what makes a visit."""
    if own.of == "tendon":
        for strand, (rod, table) in enumerate(model.actuation.tendons[own.place].strands):
            yield rod, table, partial(strand_visit, model, own.place, strand)
    elif own.of == "chamber":
        chamber = model.actuation.chambers[own.place]
        if chamber.table.following:
            yield chamber.rod, chamber.table.following, partial(points_visit, model, own.place)


def _bends(table: StrandTable) -> bool:
    """Whether its length is not linear in q."""
    straight = len({component for component, _ in table.entries} | set(table.rests)) == 1
    return bool(table.following) or not straight


def _all_slopes(model: Model, rows_at: Mapping[int, int], field: str, u: str) -> Iterator[Sweep]:
    visits, widest = [], 0
    for number, own in enumerate(model.actuator_inputs):
        for rod, table, made in _strands(model, own):
            block = rod_rows(model, rod, "v")
            rows = tuple(row for row in range(block.count) if block.offset + row in rows_at)
            if not _bends(table) or not rows:
                continue
            visit = made({"u": Access(u, number, 1), **_written(model, block, rows, rows_at, field)})
            assert isinstance(visit.variant, StrandVariant)
            visits.append(replace(visit, variant=BentVariant(visit.variant, rows)))
            widest = max(widest, block.count)
    yield from _bulging_sweeps(model, rows_at, field, u)
    if visits:
        yield Sweep(steps.slopes_step(widest), tuple(visits), vector=True)


def _written(
    model: Model, block: Access, rows: Sequence[int], rows_at: Mapping[int, int], field: str
) -> dict[str, Access]:
    """Where rows of a rod's block of slopes go."""
    places = {row: rows_at[block.offset + row] * model.nv + block.offset for row in rows}
    return {row_name(row): Access(field, place, block.count) for row, place in places.items()}
