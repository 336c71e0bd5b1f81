"""Partial derivatives of forward and hybrid dynamics whose forces come from inputs of actuators, tau = B(q) u.

Inputs stay as they are while q moves, and forces do not: where tau is given, the equations of motion ID - B u = 0 have
the slopes dID/dq - d(B u)/dq in place of dID/dq. All else is as it was for given forces: derivatives by u are those by
forces times B, and those by prescribed accelerations are columns of the same matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import hybrid_dynamics_partials_plan
from symdyn.errors import ModelError
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
    slopes = slope_sweeps(model, {row: row for row in free})
    by_p = left_over(model, free, inverse_dynamics_plan(model, external))
    plan = hybrid_dynamics_partials_plan(model, name, free, _GIVEN, (dq, dv, _BY_GIVEN, dp), external, slopes, by_p)
    return by_inputs(model, plan, free, _GIVEN, [Driven(_BY_GIVEN, model.nv, du, da)], slopes)


@dataclass(frozen=True, slots=True)
class Driven:
    """A matrix of derivatives by what was given, with that many rows, and names of those by inputs and by a.

    ``plus`` names a field (inputs, rows) of what inputs that act by B(q) add to their columns.
    """

    by_given: str
    rows: int
    by_inputs: str
    by_a: str
    plus: str = ""


def by_inputs(
    model: Model,
    plan: Plan,
    free: Collection[int],
    given: str,
    matrices: Sequence[Driven],
    slopes: Sequence[Sweep] = (),
) -> Plan:
    """A plan of partial derivatives that takes inputs u (na,), and a where some is prescribed, for the field ``given``.

    Parameters
    ----------
    model
        The robot.
    plan
        What takes ``given`` (nv,), and has derivatives by it.
    free
        Rows of v whose force the inputs give.
    given
        Its name.
    matrices
        The derivatives by it, outputs that become state.
    slopes
        Sweeps of the plan that read inputs (``slope_sweeps``).
    """
    count, bound = len(model.actuator_inputs), [row for row in range(model.nv) if row not in free]
    columns = column_sweeps(model, _B, without=("joint",))
    written = places_written(columns, _B)
    inner = {
        number: [row for row in sorted(free) if row * count + number in written]
        for number, own in enumerate(model.actuator_inputs)
        if own.of != "joint"
    }
    products: list[Sweep] = []
    copies: list[Visit] = []
    for own in matrices:
        by_given, by_input = MatrixField(own.by_given, model.nv), MatrixField(own.by_inputs, count)
        plus = Transposed(own.plus, own.rows) if own.plus else None
        products += product_sweeps(by_given, MatrixField(_B, count), by_input, range(own.rows), inner, plus)
        kept = [
            (by_input.column(number, 0, own.rows), drive.place)
            for number, drive in enumerate(model.actuator_inputs)
            if drive.of == "joint" and drive.place in free
        ]
        kept += [(MatrixField(own.by_a, model.nv).column(row, 0, own.rows), row) for row in bound]
        copies += [steps.copy_visit(by_given.column(row, 0, own.rows), at) for at, row in kept]
    names = [own.by_given for own in matrices]
    fields = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.name in names else field for field in plan.fields
    ]
    fields += [
        *driving_fields(model, [*slopes, *columns], plan.fields),
        Field(_B, FieldKind.STATE, count, model.nv, sparse=True),
    ]
    for own in matrices:
        fields.append(Field(own.by_inputs, FieldKind.OUTPUT, own.rows * count))
        fields += [Field(own.by_a, FieldKind.OUTPUT, own.rows * model.nv)] if bound else []
    made = [*plan.sweeps, *columns, *products, Sweep(steps.COPY, tuple(copies))]
    sweeps = tuple(sweep for sweep in made if sweep.visits)
    return driven_plan(model, replace(plan, fields=tuple(fields), sweeps=sweeps), given, bound)


def left_over(model: Model, free: Collection[int], needed: Plan) -> Plan:
    """A plan of ..., p -> tau, .., with inputs u: less in the free rows of tau what these give that rests on p too."""
    asked = [number for number, own in enumerate(model.actuator_inputs) if own.of == "rest"]
    if not driving_fields(model, driving_sweeps(model, "u", _DRIVEN, asked=asked)):
        return needed  # no strain at rest, or stiffness that is baked
    return less_given(model, free, needed, asked)


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


def less_given(model: Model, free: Collection[int], needed: Plan, asked: Collection[int]) -> Plan:
    """A plan of q, .. -> tau, .. with inputs u: less in the free rows of tau what those ``asked`` for give."""
    driving = driving_sweeps(model, "u", _DRIVEN, asked=asked)
    if not driving:
        return needed
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


def _bulging_sweeps(model: Model, rows_at: Mapping[int, int], field: str, u: str) -> Iterator[Sweep]:
    """The same of chambers in rods whose sections deform."""
    visits = []
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
    if visits:
        yield Sweep(bulging_slopes_step(max(rod.count for rod in model.rods)), tuple(visits))


def slope_sweeps(
    model: Model, rows_at: Mapping[int, int], field: str = "slope_q", u: str = "u", rates: str = "slope_v"
) -> list[Sweep]:
    """Sweeps that subtract d(B u)/dq from a field, some rows of v, each from the row ``rows_at`` says, nv to a row.

    Only tendons that bend have any, chambers that bulge, and actuators whose gain depends on their length. Those by
    their rate subtract d(B u)/dv from ``rates``; of a robot at rest it is empty.
    """
    fields = ((field, False), (rates, True)) if rates else ((field, False),)
    gains = (_gain_sweep(model, rows_at, name, u, of_rates) for name, of_rates in fields)
    return [*_all_slopes(model, rows_at, field, u), *(sweep for sweep in gains if sweep.visits)]


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
    visits = []
    for number, own in enumerate(model.actuator_inputs):
        for rod, table, made in _strands(model, own):
            block = rod_rows(model, rod, "v")
            rows = tuple(row for row in range(block.count) if block.offset + row in rows_at)
            if not _bends(table) or not rows:
                continue
            visit = made({"u": Access(u, number, 1), **_written(model, block, rows, rows_at, field)})
            assert isinstance(visit.variant, StrandVariant)
            visits.append(replace(visit, variant=BentVariant(visit.variant, rows)))
    yield from _bulging_sweeps(model, rows_at, field, u)
    if visits:
        yield Sweep(steps.slopes_step(max(rod.count for rod in model.rods)), tuple(visits), vector=True)


def _written(
    model: Model, block: Access, rows: Sequence[int], rows_at: Mapping[int, int], field: str
) -> dict[str, Access]:
    """Where rows of a rod's block of slopes go."""
    places = {row: rows_at[block.offset + row] * model.nv + block.offset for row in rows}
    return {row_name(row): Access(field, place, block.count) for row, place in places.items()}
