"""Functions of the rows of q as they stand, for tools that know no manifolds, and their derivatives.

A function is that of q / |q|, whose quaternions have length 1, so that it is defined around the unit sphere. From
derivatives along moves of the robot's own axes, with the moves E dq that a change of the rows makes
(``state_coordinates``):

    by rows           J E
    twice by rows     E^T H E + d(E^T g)/dq,   g = J^T lambda held fixed there

H[i, j] is the derivative along move j of the derivative along move i, and need not be symmetric. What comes out is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.dynamics.actuation.steps import COPY
from symdyn.dynamics.equations.state_coordinates import STATE, coordinates_of, moves_by_coordinates, moves_sweep
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.interface.derivatives import COORDINATES
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, kept_apart, renamed, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit

_MOVES, _OWED, _TURNED, _CURVED = "moves_by_rows", "owed_by_moves", "hessian_by_rows", "turning_moves"


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """What second derivatives of a function's outputs are made of.

    ``of`` has the inputs of weights by outputs; ``inputs`` are those by which is differentiated, q first; ``blocks``
    the pairs of them whose second derivatives do not vanish, as outputs ``H_<x><y>`` of ``hessian``. The outputs
    ``d<of>_d<x>`` of ``partials`` are the first.
    """

    of: Mapping[str, str]
    inputs: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]
    partials: Plan
    hessian: Plan


def normalised_plan(model: Model, plan: Plan) -> Plan:
    """The plan that divides the quaternions of q by their lengths before it reads them."""
    unit, made, before = coordinates_of(model)
    if not before or COORDINATES not in {field.name for field in plan.fields_of(FieldKind.INPUT)}:
        return plan
    first = renamed(before, {STATE: COORDINATES})
    return replace(plan, fields=(*plan.fields, *made), sweeps=(*first, *renamed(plan.sweeps, {COORDINATES: unit})))


def by_rows_plan(model: Model, inner: Plan, by_q: Mapping[str, int]) -> Plan:
    """The plan of derivatives by rows of q, from one by moves.

    Parameters
    ----------
    model, inner
        The robot, and the plan of derivatives by moves, among others.
    by_q
        Its outputs that are by moves of q, (rows, nv), and their rows; they become (rows, nq) of the same names.
    """
    if _is_flat(model):
        return inner
    plan, (made, sweeps, inner_rows) = _given_moves(model, normalised_plan(model, inner), by_q)
    for name, rows in by_q.items():
        left, out = MatrixField(_by_moves(name), model.nv), MatrixField(name, model.nq)
        sweeps += product_sweeps(left, _steep(model), out, range(rows), inner_rows)
    return _finished(plan, made, sweeps)


def _counts(model: Model, partials: Plan, of: Iterable[str]) -> dict[str, int]:
    """Rows of outputs."""
    return {name: partials.field(f"d{name}_d{COORDINATES}").size // model.nv for name in of}


def _weighed(
    of: Mapping[str, str], counts: Mapping[str, int], slopes: Mapping[str, str], width: int, out: str
) -> tuple[list[Field], list[Sweep]]:
    """Fields of parts, and sweeps that fill ``out``, (width,), with the sum of slopes times the weights of outputs."""
    fields, sweeps, plus = list[Field](), list[Sweep](), None
    for number, (name, weights) in enumerate(of.items(), 1):
        found = MatrixField(out if number == len(of) else f"{out}_{name}", 1)
        if number < len(of):
            fields.append(Field(found.field, FieldKind.STATE, width))
        slope, inner = Transposed(slopes[name], width), {0: range(counts[name])}
        sweeps += product_sweeps(slope, MatrixField(weights, 1), found, range(width), inner, plus)
        plus = found
    return fields, sweeps


def second_by_rows_plan(model: Model, given: SecondOrder) -> Plan:
    """The plan of first and second derivatives by rows: ``d<of>_d<x>`` and ``H_<x><y>``, those by q (.., nq)."""
    both = _together(given)
    if _is_flat(model):
        return begun_alike(wanted(both))
    nq, nv, twice, counts = model.nq, model.nv, f"H_{COORDINATES}{COORDINATES}", _counts(model, both, given.of)
    slopes = {name: f"d{name}_d{COORDINATES}" for name in given.of}
    mixed = {f"H_{x}{y}": both.field(f"H_{x}{y}").size // nv for x, y in given.blocks if x == COORDINATES != y}
    by_q = {**{slopes[name]: count for name, count in counts.items()}, twice: nq, **mixed}
    plan, (made, sweeps, inner) = _given_moves(model, normalised_plan(model, both), by_q)
    steep, by_moves = _steep(model), {name: _by_moves(slope) for name, slope in slopes.items()}
    made += [
        Field(_OWED, FieldKind.STATE, nv),
        Field(_TURNED, FieldKind.STATE, nq, nv, sparse=True),
        Field(_CURVED, FieldKind.STATE, nq, nq, sparse=True),
    ]
    for name, slope in slopes.items():
        left, out = MatrixField(by_moves[name], nv), MatrixField(slope, nq)
        sweeps += product_sweeps(left, steep, out, range(counts[name]), inner)
    parts, owing = _weighed(given.of, counts, by_moves, nv, _OWED)
    made += parts
    sweeps += [*owing, _curving(model)]
    turned = MatrixField(_TURNED, nq)
    sweeps += product_sweeps(MatrixField(_by_moves(twice), nv), steep, turned, range(nv), inner)
    curved, out = Transposed(_CURVED, nq), Transposed(twice, nq)
    sweeps += product_sweeps(Transposed(_TURNED, nq), steep, out, range(nq), inner, curved)
    for name, width in mixed.items():
        left, out = Transposed(_by_moves(name), width), Transposed(name, width)
        sweeps += product_sweeps(left, steep, out, range(width), inner)
    return _finished(plan, made, sweeps)


def _together(given: SecondOrder) -> Plan:
    """One plan of first and second derivatives by moves; one that finds the first on the way gives them, too."""
    second = given.hessian
    first = {f"d{of}_d{name}" for of in given.of for name in given.inputs}
    if first <= {field.name for field in second.fields}:
        fields = (replace(own, kind=FieldKind.OUTPUT) if own.name in first else own for own in second.fields)
        return replace(second, fields=tuple(fields))
    made, sweeps = kept_apart(second.fields, second.sweeps, "second", ())
    known = {field.name for field in given.partials.fields}
    more = (field for field in made if field.name not in known)
    plan = given.partials
    return replace(plan, name="second", fields=(*plan.fields, *more), sweeps=(*plan.sweeps, *sweeps))


def curvature(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: d(E^T g)/dq for its adjoint g, (rows, rows)."""
    over = DualAlgebra(algebra)
    q = [over.dual(value, {number: 1.0}) for number, value in enumerate(reads["q"])]
    found = moves_by_coordinates(kind, over, {}, {"q": q})
    writes = {}
    for row in range(len(q)):
        entries: list[Scalar] = []
        for column in range(len(q)):
            total: Scalar = 0.0
            for move, adjoint in enumerate(reads["adjoint"]):
                steep = found[f"row{move}"][row]
                if over.is_own(steep):
                    total = total + adjoint * steep.slope(column)
            entries.append(total)
        writes[f"row{row}"] = entries
    return writes


def _is_flat(model: Model) -> bool:
    """Whether rows of q are rows of v and their rates are those of v."""
    return all(joint.kind.commutes for joint in model.independent_joints)


def _by_moves(name: str) -> str:
    return f"{name}_by_moves"


def _steep(model: Model) -> MatrixField:
    return MatrixField(_MOVES, model.nq)


def _given_moves(
    model: Model, plan: Plan, by_q: Mapping[str, int]
) -> tuple[Plan, tuple[list[Field], list[Sweep], dict[int, Sequence[int]]]]:
    """The plan with outputs by moves as state beside outputs of their names, and what fills E.

    Of E also the rows v that are not zero in each column.
    """
    moved = {name: _by_moves(name) for name in by_q}
    fields = []
    for field in plan.fields:
        if field.name in moved:
            fields.append(Field(moved[field.name], FieldKind.STATE, field.size, sparse=True))
            fields.append(replace(field, width=by_q[field.name] * model.nq))
        else:
            fields.append(field)
    plan = replace(plan, fields=tuple(fields), sweeps=tuple(renamed(plan.sweeps, moved)))
    ones, inner = [], dict[int, Sequence[int]]()
    steep = _steep(model)
    for joint in model.independent_joints:
        if joint.kind.commutes:
            columns = list(zip(joint.q_places, joint.v_places, strict=True))
            ones += [Visit(-1, None, {}, {"source": Given((1.0,)), "column": steep.entry(v, q)}) for q, v in columns]
            inner |= {q: (v,) for q, v in columns}
        else:
            inner |= dict.fromkeys(joint.q_places, tuple(joint.v_places))
    made = [Field(_MOVES, FieldKind.STATE, model.nq, model.nv, sparse=True)]
    sweeps = renamed([moves_sweep(model, _MOVES)], {STATE: COORDINATES})
    return plan, (made, [*sweeps, *([Sweep(COPY, tuple(ones), vector=True)] if ones else [])], inner)


def _curving(model: Model) -> Sweep:
    visits, most = [], 0
    for joint in model.independent_joints:
        if joint.kind.commutes:
            continue
        q, v = len(joint.coordinates.q), len(joint.coordinates.v)
        places: dict[str, Binding] = {
            "q": Access(COORDINATES, joint.q_index, q),
            "adjoint": Access(_OWED, joint.v_index, v),
        }
        for row in range(q):
            places[f"row{row}"] = Access(_CURVED, (joint.q_index + row) * model.nq + joint.q_index, q)
        visits.append(Visit(-1, joint.kind, {}, places))
        most = max(most, q)
    ports = (Port("q", Mode.READ), Port("adjoint", Mode.READ), *(Port(f"row{row}", Mode.WRITE) for row in range(most)))
    return Sweep(Step("curvature", curvature, ports), tuple(visits))


def _finished(plan: Plan, fields: Sequence[Field], sweeps: Sequence[Sweep]) -> Plan:
    made = replace(plan, fields=(*plan.fields, *fields), sweeps=(*plan.sweeps, *(own for own in sweeps if own.visits)))
    return begun_alike(wanted(made))
