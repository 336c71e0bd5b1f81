"""Partial derivatives of forward and hybrid dynamics whose forces come from inputs of actuators, tau = B(q) u.

Inputs stay as they are while q moves, and forces do not: where tau is given, the equations of motion ID - B u = 0 have
the slopes dID/dq - d(B u)/dq in place of dID/dq. All else is as it was for given forces: derivatives by u are those by
forces times B, and those by prescribed accelerations are columns of the same matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from symdyn.dynamics.actuation import steps
from symdyn.dynamics.actuation.bulging import BulgingVariant, bulging_slopes_step
from symdyn.dynamics.actuation.driving import (
    chamber_visit,
    column_sweeps,
    driving_fields,
    driving_sweeps,
    points_visit,
    rod_rows,
    strand_visit,
    without_factors,
)
from symdyn.dynamics.actuation.plans import driven_plan
from symdyn.dynamics.actuation.steps import BentVariant, StrandVariant, row_name
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import hybrid_dynamics_partials_plan
from symdyn.model.actuation import Input
from symdyn.model.model import Model
from symdyn.plan.compose import clearing, places_written
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan, Sweep, Visit

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tendon import StrandTable

_GIVEN, _BY_GIVEN, _B, _DRIVEN = "given", "by_given", "B", "driven"


def driven_partials_plan(
    model: Model, name: str, free: Collection[int], outputs: tuple[str, str, str, str, str], external: str = ""
) -> Plan:
    """The plan of (q, v, u[, a][, f_ext][, p]) -> dw_dq, dw_dv, dw_du[, dw_da][, dw_dp].

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    free
        Rows of v whose force the inputs give; the acceleration of the others is given.
    outputs
        Names of the outputs: (nv, nv) twice, (nv, na), (nv, nv) where accelerations are given, and (nv, np) where the
        robot has run-time parameters.
    external
        Axes of f_ext: body, world, or empty.

    Raises
    ------
    ModelError
        The mass matrix is singular, or a joint's friction jumps with the sign of its velocity.
    """
    dq, dv, du, da, dp = outputs
    slopes = list(_slope_sweeps(model, free))
    by_p = _left_over(model, free, external)
    plan = hybrid_dynamics_partials_plan(model, name, free, _GIVEN, (dq, dv, _BY_GIVEN, dp), external, slopes, by_p)
    count, bound = len(model.actuator_inputs), [row for row in range(model.nv) if row not in free]
    columns = column_sweeps(model, _B, without=("joint",))
    written = places_written(columns, _B)
    inner = {
        number: [row for row in sorted(free) if row * count + number in written]
        for number, own in enumerate(model.actuator_inputs)
        if own.of != "joint"
    }
    by_given, by_input = MatrixField(_BY_GIVEN, model.nv), MatrixField(du, count)
    products = product_sweeps(by_given, MatrixField(_B, count), by_input, range(model.nv), inner)
    kept = [
        (by_input.column(number, 0, model.nv), own.place)
        for number, own in enumerate(model.actuator_inputs)
        if own.of == "joint" and own.place in free
    ]
    kept += [(MatrixField(da, model.nv).column(row, 0, model.nv), row) for row in bound]
    copies = [Visit(-1, None, {}, {"source": by_given.column(row, 0, model.nv), "column": at}) for at, row in kept]
    fields = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.name == _BY_GIVEN else field for field in plan.fields
    ]
    fields += [
        *driving_fields(model, [*slopes, *columns], plan.fields),
        Field(_B, FieldKind.STATE, count, model.nv, sparse=True),
        Field(du, FieldKind.OUTPUT, model.nv * count),
        *([Field(da, FieldKind.OUTPUT, model.nv**2)] if bound else []),
    ]
    made = [*plan.sweeps, *columns, *products, Sweep(steps.COPY, tuple(copies))]
    sweeps = tuple(sweep for sweep in made if sweep.visits)
    return driven_plan(model, replace(plan, fields=tuple(fields), sweeps=sweeps), _GIVEN, bound)


def _left_over(model: Model, free: Collection[int], external: str) -> Plan:
    """The plan of (q, v, a, u[, f_ext], p) -> tau, less in the free rows what inputs give that rests on p too."""
    needed = inverse_dynamics_plan(model, external)
    asked = [number for number, own in enumerate(model.actuator_inputs) if own.of == "rest"]
    driving = driving_sweeps(model, "u", _DRIVEN, asked=asked)
    if not driving or not driving_fields(model, driving):
        return needed  # no strain at rest, or stiffness that is baked
    rows = [(Access(_DRIVEN, row, 1), Access("tau", row, 1)) for row in sorted(free)]
    opposed = tuple(Visit(-1, None, {}, {"given": own, "needed": tau}) for own, tau in rows)
    given = without_factors(model, driving)
    more = [clearing([Access(_DRIVEN, 0, model.nv)]), *given, Sweep(steps.OPPOSED, opposed, vector=True)]
    own_fields = [
        Field("u", FieldKind.INPUT, len(model.actuator_inputs)),
        Field(_DRIVEN, FieldKind.STATE, model.nv),
        *driving_fields(model, given, needed.fields),
    ]
    return replace(needed, fields=(*needed.fields, *own_fields), sweeps=(*needed.sweeps, *more))


def _bulging_sweeps(model: Model, free: Collection[int]) -> Iterator[Sweep]:
    """The same of chambers in rods whose sections deform."""
    visits = []
    for number, own in enumerate(model.actuator_inputs):
        if own.of != "chamber" or not model.actuation.chambers[own.place].table.products:
            continue
        block = rod_rows(model, model.actuation.chambers[own.place].rod, "v")
        rows = tuple(row for row in range(block.count) if block.offset + row in free)
        places = {row: (block.offset + row) * model.nv + block.offset for row in rows}
        written = {row_name(row): Access("slope_q", place, block.count) for row, place in places.items()}
        rod = model.actuation.chambers[own.place].rod
        read = {"q": rod_rows(model, rod, "q"), "u": Access("u", number, 1)}
        visit = chamber_visit(model, own.place, {**read, **written})
        assert isinstance(visit.variant, BulgingVariant)
        visits.append(replace(visit, variant=replace(visit.variant, rows=rows)))
    if visits:
        yield Sweep(bulging_slopes_step(max(rod.count for rod in model.rods)), tuple(visits))


def _strands(model: Model, own: Input) -> Iterator[tuple[int, StrandTable, Callable[[dict[str, Binding]], Visit]]]:
    """Of an input whose size is summed over points: per rod its table, and what makes a visit."""
    if own.of == "tendon":
        for strand, (rod, table) in enumerate(model.actuation.tendons[own.place].strands):
            yield rod, table, partial(strand_visit, model, own.place, strand)
    elif own.of == "chamber":
        chamber = model.actuation.chambers[own.place]
        if chamber.table.following:
            yield chamber.rod, chamber.table.following, partial(points_visit, model, own.place)


def _slope_sweeps(model: Model, free: Collection[int]) -> Iterator[Sweep]:
    """Sweeps that subtract d(B u)/dq from ``slope_q`` (nv, nv) in the free rows; only tendons that bend have any."""
    visits = []
    for number, own in enumerate(model.actuator_inputs):
        for rod, table, made in _strands(model, own):
            block = rod_rows(model, rod, "v")
            rows = tuple(row for row in range(block.count) if block.offset + row in free)
            straight = len({component for component, _ in table.entries} | set(table.rests)) == 1
            if (straight and not table.following) or not rows:
                continue  # the length is linear in q
            places = {row: (block.offset + row) * model.nv + block.offset for row in rows}
            written = {row_name(row): Access("slope_q", place, block.count) for row, place in places.items()}
            visit = made({"u": Access("u", number, 1), **written})
            assert isinstance(visit.variant, StrandVariant)
            visits.append(replace(visit, variant=BentVariant(visit.variant, rows)))
    yield from _bulging_sweeps(model, free)
    if visits:
        yield Sweep(steps.slopes_step(max(rod.count for rod in model.rods)), tuple(visits), vector=True)
