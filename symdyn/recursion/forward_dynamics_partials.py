"""Partial derivatives of forward and of hybrid dynamics from those of inverse dynamics (Carpentier & Mansard 2018).

With tau(q, v, a) = ID and a the solution, split in free rows F (their force is given) and prescribed rows P, and
N = M_FF^-1 bordered with zeros:

    da_F/dx   = -N dtau/dx                              x one of q, v, p, at the solved acceleration
    dtau_P/dx = dtau_P/dx + M_PF da_F/dx
    da_F/du   = N on the columns F, -N M on the columns P
    dtau_P/du = M da_F/du, plus M_PP on the columns P

Forward dynamics has no prescribed rows. N comes in O(nv^2) from the factor that has solved for a.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symdyn.model.model import Model
from symdyn.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit, kept_apart
from symdyn.recursion.hybrid_dynamics import hybrid_dynamics_plan
from symdyn.recursion.inverse_dynamics_partials import PartialFields, inverse_dynamics_partials_sweeps
from symdyn.recursion.mass_matrix_inverse import mass_matrix_inverse_sweeps
from symdyn.recursion.matrix_product import MatrixField, product_sweeps
from symdyn.recursion.newton_euler import inverse_dynamics_plan
from symdyn.recursion.tangent import tangent_sweeps
from symdyn.recursion.tree import TreePlan
from symdyn.scalars.algebra import Algebra, Scalar


def hybrid_dynamics_partials_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    outputs: tuple[str, str, str, str],
    external: str = "",
) -> Plan:
    """The plan of (q, v, given[, f_ext][, p]) -> dw_dq, dw_dv, dw_du[, dw_dp].

    Parameters
    ----------
    model
        The robot.
    name
        Of the function.
    free
        Rows of v whose force is given; the acceleration of the others is.
    given
        Name of the input, (nv,).
    outputs
        Names of the three outputs (nv, nv) and of the fourth, (nv, np), which robots with run-time parameters have.
    external
        Axes of f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        The mass matrix is singular, or a joint's friction jumps with the sign of its velocity.
    """
    solution = hybrid_dynamics_plan(model, name, free, given, "solved", external)
    tree = TreePlan(model, external)
    count, parameters = model.nv, len(model.slots.names)
    slopes = PartialFields("slope_q", "slope_v", "" if len(free) == count else "slope_a")
    acceleration, merging = ("solved", []) if len(free) == count else ("acceleration", [_merging(free, count, given)])
    fields = [*solution.fields, *_matrices(slopes.wanted().values(), count, count)]
    fields += [Field(output, FieldKind.OUTPUT, count**2) for output in outputs[:3]]
    shared = [field.name for field in tree.fields()]
    slope_fields, filled = kept_apart(*inverse_dynamics_partials_sweeps(tree, slopes, acceleration), "slope", shared)
    inverse_fields, inverse_sweeps = kept_apart(*mass_matrix_inverse_sweeps(tree, free, outputs[2]), "mass", shared)
    fields += [*slope_fields, *inverse_fields]
    right = [(slopes.dq, outputs[0], count), (slopes.dv, outputs[1], count)]
    if parameters:
        recursion = inverse_dynamics_plan(model, external)
        more_fields, more = tangent_sweeps(recursion, "p", {"tau": "slope_p"}, {"a": acceleration})
        filled += more
        fields += [*more_fields, *_matrices(["slope_p"], count, parameters)]
        fields.append(Field(outputs[3], FieldKind.OUTPUT, count * parameters))
        right.append(("slope_p", outputs[3], parameters))
    filled += inverse_sweeps
    by_u = MatrixField(outputs[2], count)
    products = _force_products(filled, free, count, slopes.da, by_u)
    for slope, output, columns in right:
        found = MatrixField(output, columns)
        products += _state_products(
            filled, free, MatrixField(slope, columns), MatrixField(slopes.da, count), found, by_u
        )
    sweeps = (*solution.sweeps, *merging, *filled, *products)
    return replace(solution, name=name, fields=_together(fields), sweeps=sweeps)


def _matrices(names: Iterable[str], rows: int, columns: int) -> list[Field]:
    return [Field(name, FieldKind.STATE, columns, rows, sparse=True) for name in names]


def _together(fields: Iterable[Field]) -> tuple[Field, ...]:
    """The fields of several algorithms, those that they share once; what one has solved for is no output of all."""
    found: dict[str, Field] = {}
    for field in fields:
        field = replace(field, kind=FieldKind.STATE) if field.name == "solved" else field
        assert found.setdefault(field.name, field) == field, field
    count = found["solved"].width
    return (*found.values(), Field("acceleration", FieldKind.STATE, count))


def _copy(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Mapping[str, Sequence[Scalar]]) -> Mapping[str, Any]:
    return {"own": reads["other"]}


_MERGE = Step("merge_accelerations", _copy, (Port("other", Mode.READ), Port("own", Mode.WRITE)))


def _merging(free: Collection[int], count: int, given: str) -> Sweep:
    """The whole acceleration: solved where the row is free, else given."""
    visits = tuple(
        Visit(
            -1,
            "row",
            {},
            {"other": Access("solved" if row in free else given, row, 1), "own": Access("acceleration", row, 1)},
        )
        for row in range(count)
    )
    return Sweep(_MERGE, visits, vector=True)


def _written(sweeps: Sequence[Sweep], field: str) -> frozenset[int]:
    """Places of a field that sweeps write."""
    return frozenset(
        place
        for sweep in sweeps
        for port in sweep.step.ports
        if port.mode is not Mode.READ
        for visit in sweep.visits
        if isinstance(access := visit.bindings.get(port.name), Access) and access.field == field
        for place in access.places
    )


def _inner(sweeps: Sequence[Sweep], matrix: MatrixField, rows: Collection[int]) -> dict[int, list[int]]:
    """Per column of a matrix that sweeps fill, the rows among ``rows`` that they write."""
    written = _written(sweeps, matrix.field)
    columns = range(matrix.columns)
    return {column: [row for row in rows if row * matrix.columns + column in written] for column in columns}


def _state_products(
    filled: Sequence[Sweep],
    free: Collection[int],
    slope: MatrixField,
    mass: MatrixField,
    found: MatrixField,
    by_u: MatrixField,
) -> list[Sweep]:
    """Products for dw/dq, dw/dv or dw/dp: the free rows, then the prescribed ones."""
    rows, bound = sorted(free), [row for row in range(mass.columns) if row not in free]
    sweeps = product_sweeps(by_u, slope, found, rows, _inner(filled, slope, rows), negative=True)
    if bound:
        sweeps += product_sweeps(mass, found, found, bound, dict.fromkeys(range(slope.columns), rows), plus=slope)
    return sweeps


def _force_products(
    filled: Sequence[Sweep], free: Collection[int], count: int, mass_field: str, by_u: MatrixField
) -> list[Sweep]:
    """Products for the parts of dw/du that are not N."""
    rows, bound = sorted(free), [row for row in range(count) if row not in free]
    if not bound:
        return []
    mass = MatrixField(mass_field, count)
    inner = {column: found for column, found in _inner(filled, mass, rows).items() if column in bound}
    return [
        *product_sweeps(by_u, mass, by_u, rows, inner, negative=True),
        *product_sweeps(mass, by_u, by_u, bound, dict.fromkeys(rows, rows)),
        *product_sweeps(mass, by_u, by_u, bound, dict.fromkeys(bound, rows), plus=mass),
    ]
