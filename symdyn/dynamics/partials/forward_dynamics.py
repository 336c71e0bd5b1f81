"""Partial derivatives of forward and of hybrid dynamics from those of inverse dynamics (Carpentier & Mansard 2018).

With tau(q, v, a) = ID and a the solution, split in free rows F (their force is given) and prescribed rows P, and
N = M_FF^-1 bordered with zeros:

    da_F/dx   = -N dtau/dx                              x one of q, v, p, at the solved acceleration
    dtau_P/dx = dtau_P/dx + M_PF da_F/dx
    da_F/du   = N on the columns F, -N M on the columns P
    dtau_P/du = M da_F/du, plus M_PP on the columns P

Forward dynamics has no prescribed rows. As N is wanted anyway, a = N (tau - bias) costs less than an articulated body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from symdyn.dynamics.forward_dynamics.singular import refuse_singular
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.partials.inverse_dynamics import PartialFields, inverse_dynamics_partials_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of, read, step, write
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.weighing import weighing_sweeps
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.transforms.tangent import tangent_sweeps


def hybrid_dynamics_partials_plan(
    model: Model,
    name: str,
    free: Collection[int],
    given: str,
    outputs: tuple[str, str, str, str],
    external: str = "",
    resisting: Sequence[Sweep] = (),
    by_p: Plan | None = None,
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
    resisting
        Sweeps that add to ``slope_q`` and ``slope_v``, (nv, nv), what q and v take off the given forces.
    by_p
        The plan whose ``tau`` is differentiated by p, if that is not inverse dynamics alone.

    Raises
    ------
    ModelError
        The mass matrix is singular, or a joint's friction jumps with the sign of its velocity.
    """
    refuse_singular(model, free)
    tree = TreePlan(model, external)
    count, parameters = model.nv, len(model.slots.names)
    slopes = PartialFields("slope_q", "slope_v", "" if len(free) == count else "slope_a")
    shared = [field.name for field in tree.fields()]
    recursion = inverse_dynamics_plan(model, external)
    known = kept_apart(recursion.fields, recursion.sweeps, "bias", ("pose", "ground"), {"a": "known", "tau": "bias"})
    inverse = weighing_sweeps(tree, lambda seen: mass_matrix_inverse_sweeps(seen, free, outputs[2]), "mass")
    slope = kept_apart(*inverse_dynamics_partials_sweeps(tree, slopes, "acceleration"), "slope", shared)
    fields = [
        *(Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", count), (given, count))),
        *tree.fields(),
        *(Field(name, FieldKind.STATE, count) for name in ("known", "bias", "residual", "acceleration")),
        *_matrices(slopes.wanted().values(), count, count),
        *(Field(output, FieldKind.OUTPUT, count**2) for output in outputs[:3]),
        *(field for made, _ in (known, inverse, slope) for field in made),
    ]
    filled = [*slope[1], *resisting, *inverse[1]]
    right = [(slopes.dq, outputs[0], count), (slopes.dv, outputs[1], count)]
    if parameters:
        more_fields, more = tangent_sweeps(by_p or recursion, "p", {"tau": "slope_p"}, {"a": "acceleration"})
        filled += more
        fields += [*more_fields, *_matrices(["slope_p"], count, parameters)]
        fields.append(Field(outputs[3], FieldKind.OUTPUT, count * parameters))
        right.append(("slope_p", outputs[3], parameters))
    by_u, mass = MatrixField(outputs[2], count), MatrixField(slopes.da, count)
    products = _force_products(filled, free, count, slopes.da, by_u)
    for name_of_slope, output, columns in right:
        found = MatrixField(output, columns)
        products += _state_products(filled, free, MatrixField(name_of_slope, columns), mass, found, by_u)
    solution = _solution(tree, free, given, by_u, inverse[1])
    taken = TAKE_KNOWN.over(tree, range(count), lambda tree, row: row in free, given=given)
    rest = (sweep for sweep in filled if sweep not in inverse[1])
    return plan_of(name, tree, (taken, *known[1], *inverse[1], *solution, *rest, *products), fields)


def _matrices(names: Iterable[str], rows: int, columns: int) -> list[Field]:
    return [Field(name, FieldKind.STATE, columns, rows, sparse=True) for name in names]


def _take(free: bool, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The acceleration of a row without those that are not known, and the whole one where it is known."""
    if free:
        return {"known": [0.0]}
    return {"known": reads["given"], "acceleration": reads["given"]}


def _subtract(_: str, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    return {"residual": [reads["given"][0] - reads["bias"][0]]}


def _row(field: str) -> Place:
    return Place(field, lambda tree, row, name: Access(name, row, 1))


TAKE_KNOWN = step(
    _take,
    name="take_known",
    body=lambda tree, row: -1,
    known=write(_row("known")),
    given=read(_row("given"), when=lambda free: not free),
    acceleration=write(_row("acceleration"), when=lambda free: not free),
)
SUBTRACT_BIAS = step(
    _subtract,
    name="subtract_bias",
    variant=lambda tree, row: "row",
    body=lambda tree, row: -1,
    given=read(_row("given")),
    bias=read(_row("bias")),
    residual=write(_row("residual")),
)


def _solution(
    tree: TreePlan, free: Collection[int], given: str, by_u: MatrixField, inverse: Sequence[Sweep]
) -> list[Sweep]:
    """The accelerations of the free rows: N times what the bias leaves of their forces."""
    rows = sorted(free)
    inner = inner_rows(inverse, by_u, rows)
    alike: dict[tuple[int, ...], list[int]] = {}
    for row in rows:
        alike.setdefault(tuple(inner[row]), []).append(row)
    products = [
        sweep
        for columns, together in alike.items()
        for sweep in product_sweeps(
            by_u, MatrixField("residual", 1), MatrixField("acceleration", 1), together, {0: columns}
        )
    ]
    return [SUBTRACT_BIAS.over(tree, rows, given=given), *products]


def inner_rows(sweeps: Sequence[Sweep], matrix: MatrixField, rows: Collection[int]) -> dict[int, list[int]]:
    """Per column of a matrix that sweeps fill, the rows among ``rows`` that they write."""
    written = places_written(sweeps, matrix.field)
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
    sweeps = product_sweeps(by_u, slope, found, rows, inner_rows(filled, slope, rows), negative=True)
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
    inner = {column: found for column, found in inner_rows(filled, mass, rows).items() if column in bound}
    return [
        *product_sweeps(by_u, mass, by_u, rows, inner, negative=True),
        *product_sweeps(mass, by_u, by_u, bound, dict.fromkeys(rows, rows)),
        *product_sweeps(mass, by_u, by_u, bound, dict.fromkeys(bound, rows), plus=mass),
    ]
