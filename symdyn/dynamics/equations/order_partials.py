"""Partial derivatives of the time derivatives of inverse dynamics: the partials of order 0, run on time series.

Along a path q(t), v(t), a(t) = v'(t) that changes by moves delta of q and by dv of v, as functions of time,

    d tau(t) = A(t) delta(t) + B(t) dv(t) + C(t) dv'(t),   A = dtau_dq, B = dtau_dv, C = dtau_da

and A, B and C are found as series in t by the plan of order 0, lifted. The inputs are q and v, v', .. at t = 0. Which
path changes belong to one of them follows from how moves and velocities go together, per joint (Hamel 1904):

    delta' = dv - [v, delta],   delta(0) = the move of q,   dv(t) = the change of v^(j) times t^j / j!

so that dv = 0 where q moves, and delta(0) = 0 where v^(j) changes. Where rows of v are rates of coordinates the
bracket vanishes: delta is constant, or t^(j+1) / (j+1)!. Coefficient k of d tau, times k!, is the derivative of
tau^(k). See docs/higher-order.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series, is_zero, product_coefficient, times
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.equations.free_base_series import motion_forms
from symdyn.dynamics.equations.inverse_orders import refuse_jumps
from symdyn.dynamics.kinematics.series_coordinates import SERIES, Sizes, coordinate_sweeps, input_sweeps
from symdyn.dynamics.partials.inverse_dynamics import PartialFields, inverse_dynamics_partials_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.transforms.taylor import lifted

_MATRICES = {"A": "slope_q", "B": "slope_v", "C": "slope_a"}
_MOVES = "path_moves"
_NAME = "inverse_dynamics_time_derivatives_partials"


def inverse_dynamics_time_derivatives_partials_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of dtau_dq, (r + 1, nv, nv), and dtau_dV, (r + 1, r + 2, nv, nv), from q and V = v, v', .. v^(r+1).

    Parameters
    ----------
    model
        The robot.
    order
        r, from 0.
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest, or a load is not smooth enough where it begins.
    """
    tree = TreePlan(model, external, derivatives=order + 3)
    refuse_jumps(tree, order + 1)
    fields, sweeps = inverse_dynamics_partials_sweeps(tree, PartialFields(*_MATRICES.values()))
    matrices = [Field(name, FieldKind.STATE, model.nv, model.nv, sparse=True) for name in _MATRICES.values()]
    inputs = [Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", model.nv), ("a", model.nv))]
    plain = plan_of(_NAME, tree, sweeps, [*inputs, *tree.fields(), *fields, *matrices])
    own_fields, own_sweeps = kept_apart(plain.fields, plain.sweeps, "", [field.name for field in plain.fields], SERIES)
    turning = order + 2 if order else 1
    sizes = Sizes(q=turning, v=order + 2, a=order + 1, rods=1)
    made, coordinates, found = coordinate_sweeps(tree, order + 2, sizes)
    loaded, loads = input_sweeps("f_ext", model.wrench_bodies, order + 1) if external else ([], [])
    last_fields, last = _chained(model, order, own_sweeps)
    forms = {**found, **tree.rods.turning_forms(order), "motion": motion_forms(order)}
    fields, sweeps = lifted(
        [*made, *loaded, *own_fields, *last_fields],
        [*coordinates, *loads, *own_sweeps, *last],
        order,
        ("V", "f_ext"),
        forms,
    )
    return wanted(Plan(_NAME, tuple(fields), tuple(sweeps), plain.bodies, plain.parent, order))


def _chained(model: Model, order: int, filled: Sequence[Sweep]) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps that lead series of A, B and C to the outputs, joint by joint."""
    nv = model.nv
    written = set().union(*(places_written(filled, name) for name in _MATRICES.values()))
    moves: list[Visit] = []
    entries: list[Visit] = []
    start = 0
    for index in model.owners:
        joint = model.bodies[index].joint
        rows = joint.v_rows
        width = rows.stop - rows.start
        columns = [[column] for column in range(rows.start, rows.stop)]
        own: Access | None = None
        if not joint.kind.commutes:
            own = Access(_MOVES, start, (order + 1) * width**2)
            start += own.count
            moves.append(Visit(index, joint.kind, {}, _path(model, index, own)))
            columns = [list(range(rows.start, rows.stop))]
        for row in range(nv):
            for together in columns:
                if any(row * nv + column in written for column in together):
                    entries.append(_entry(index, nv, order, row, together, own))
    fields = [Field(_MOVES, FieldKind.STATE, start, sparse=True)] if start else []
    outputs = {"dtau_dq": (order + 1) * nv**2, "dtau_dV": (order + 1) * (order + 2) * nv**2}
    fields += [Field(name, FieldKind.OUTPUT, size) for name, size in outputs.items()]
    return fields, [Sweep(step, tuple(visits)) for step, visits in ((_PATH, moves), (_steps(nv), entries)) if visits]


def _path(model: Model, index: int, own: Access) -> dict[str, Binding]:
    joint = model.bodies[index].joint
    q, v = joint.q_rows, joint.v_rows
    return {
        "q": Access(SERIES["q"], q.start, q.stop - q.start),
        "v": Access(SERIES["v"], v.start, v.stop - v.start),
        "moves": own,
    }


def path_moves(kind: JointModel, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Any) -> Mapping[str, Any]:
    """Step per joint: the moves along a path, column by column where q moves, then where v^(j) changes, j = 0 .."""
    q, v, size, order = reads["q"], reads["v"], len(kind.coordinates.v), algebra.order
    found: list[list[Series]] = []
    for power in range(-1, order):
        for row in range(size):
            start = [float(power < 0 and place == row) for place in range(size)]
            change = [_power(algebra, power if place == row else -1) for place in range(size)]
            found.append(kind.path_moves(algebra, q, v, start, change))
    return {"moves": [column[place] for column in found for place in range(size)]}


_PATH = Step("path_moves", path_moves, (Port("q", Mode.READ), Port("v", Mode.READ), Port("moves", Mode.WRITE)))


def _power(algebra: TaylorAlgebra, power: int) -> Series:
    """t^power / power!, zero where it is negative."""
    return algebra.from_derivatives([float(k == power) for k in range(algebra.order + 1)])


def _entry(index: int, nv: int, order: int, row: int, columns: Sequence[int], moves: Access | None) -> Visit:
    """The visit that fills the entries of a row by the columns of a joint, of all orders."""
    first, count = row * nv + columns[0], len(columns)
    bindings: dict[str, Binding] = {name: Access(field, first, count) for name, field in _MATRICES.items()}
    if moves is not None:
        bindings["moves"] = moves
    for place in range(count):
        bindings[f"by_q{place}"] = Access("dtau_dq", first + place, order + 1, nv**2)
        bindings[f"by_V{place}"] = Access("dtau_dV", first + place, (order + 1) * (order + 2), nv**2)
    return Visit(index, count, {}, bindings)


def _steps(nv: int) -> Step:
    reads = (Port(name, Mode.READ) for name in (*_MATRICES, "moves"))
    writes = (Port(f"by_{by}{place}", Mode.WRITE) for place in range(nv) for by in "qV")
    return Step("rate_slopes", rate_slopes, (*reads, *writes))


def rate_slopes(count: int, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Any) -> Mapping[str, Any]:
    """Step per row and joint: derivatives of tau^(k), k = 0 .. r, by moves of q and by v^(j), j = 0 .. r + 1."""
    order = algebra.order
    A, B, C = ([algebra.lifted(x) for x in reads[name]] for name in _MATRICES)
    paths = [algebra.lifted(x) for x in reads.get("moves", ())]
    writes = {}
    for place in range(count):

        def by_moves(k: int, j: int, place: int = place) -> Scalar:
            """From the moves of a path: j = -1 where q moves, else where v^(j) changes."""
            if not paths:
                return _rate(A[place], k, j + 1)
            if j >= k:
                return 0.0
            first = ((j + 1) * count + place) * count
            pairs = zip(A, paths[first : first + count], strict=True)
            return times(_total([product_coefficient(x, y, k) for x, y in pairs]), float(factorial(k)))

        writes[f"by_q{place}"] = [by_moves(k, -1) for k in range(order + 1)]
        writes[f"by_V{place}"] = [
            _total([_rate(B[place], k, j), _rate(C[place], k, j - 1), by_moves(k, j)])
            for k in range(order + 1)
            for j in range(order + 2)
        ]
    return writes


def _rate(x: Series, k: int, power: int) -> Scalar:
    """The k-th time derivative of x t^power / power!; 0 where the power is negative."""
    if not 0 <= power <= k:
        return 0.0
    return times(x.coefficient(k - power), float(factorial(k) // factorial(power)))


def _total(terms: Sequence[Scalar]) -> Scalar:
    """The sum of terms; structural zeros are left out."""
    found: Scalar = 0.0
    for term in terms:
        if not is_zero(term):
            found = term if is_zero(found) else found + term
    return found
