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
from dataclasses import dataclass, replace
from math import factorial
from types import MappingProxyType
from typing import Any

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import Series, is_zero, product_coefficient, times
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.dynamics.equations.free_base_series import FreeBases
from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.inverse_orders import along_motion, refuse_jumps
from symdyn.dynamics.equations.inverse_partials import SharingSystem
from symdyn.dynamics.kinematics.series_coordinates import SERIES
from symdyn.dynamics.partials.inverse_dynamics import PartialFields, inverse_dynamics_partials_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.compose import outputs_as_state, places_written, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

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
    slopes = Slopes("tau", model.nv)
    fields, sweeps = inverse_dynamics_partials_sweeps(tree, PartialFields(slopes.by_q, slopes.by_v, slopes.by_a))
    inputs = [Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", model.nv), ("a", model.nv))]
    plain = plan_of(_NAME, tree, sweeps, [*inputs, *tree.fields(), *fields, *slopes.fields(model)])
    return along_trajectory(tree, plain, [slopes], order)


def constrained_inverse_order_partials_plan(
    model: Model,
    name: str,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    order: int,
    external: str = "",
) -> Plan:
    """The plan of dtau_dq, dtau_dV, dLambda_dq and dLambda_dV from q and V, as above, where loops are closed.

    Parameters
    ----------
    model, actuated, objective, weights
        As for ``constrained_inverse_dynamics.constrained_inverse_dynamics_plan``.
    name
        Of the function.
    order, external
        As above.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest, or a load is not smooth enough where it begins.
    """
    system = SharingSystem(model, actuated, objective, weights, external, derivatives=order + 3)
    names = [{by: f"{of}_by_{by}" for by in "qvap"} for of in ("tau", "lambda")]
    plain = system.partials(Outputs(*names))
    states = outputs_as_state(plain.fields_of(FieldKind.OUTPUT))
    others = (field for field in plain.fields if field.kind is not FieldKind.OUTPUT)
    slopes = [
        Slopes(symbol, rows, own["q"], own["v"], own["a"])
        for symbol, rows, own in zip(("tau", "Lambda"), (model.nv, system.rows), names, strict=True)
    ]
    return along_trajectory(system.tree, replace(plain, name=name, fields=(*others, *states)), slopes, order)


@dataclass(frozen=True, slots=True)
class Slopes:
    """The fields of derivatives of a quantity with so many rows, by q, v and, if it has a name, a.

    ``symbol`` names its outputs. ``given`` is the field of those by ``columns`` numbers that are given beside.
    """

    symbol: str
    rows: int
    by_q: str = "slope_q"
    by_v: str = "slope_v"
    by_a: str = "slope_a"
    given: str = ""
    columns: int = 0

    def fields(self, model: Model) -> list[Field]:
        """State, (rows, nv) each."""
        return [Field(name, FieldKind.STATE, model.nv, self.rows, sparse=True) for name in self.matrices.values()]

    @property
    def matrices(self) -> dict[str, str]:
        """The fields by the ports that read them."""
        return {port: name for port, name in zip("ABC", (self.by_q, self.by_v, self.by_a), strict=True) if name}


def along_trajectory(
    tree: TreePlan,
    plain: Plan,
    slopes: Sequence[Slopes],
    order: int,
    inputs: Mapping[str, tuple[str, int]] = MappingProxyType({}),
) -> Plan:
    """The plan of d<x>_dq, (r + 1, rows, nv), and d<x>_dV, (r + 1, r + 2, rows, nv), for quantities x.

    Of those that have a field by what is given beside, also d<x>_dG, (r + 1, r + 1, rows, columns).

    Parameters
    ----------
    tree
        That of the plan, whose loads and rods may be differentiated often enough.
    plain
        The plan of order 0 from q, v and a, with state fields for the derivatives of the quantities.
    slopes
        Those fields.
    order
        r.
    inputs
        What else the plan takes: by its input the one that holds it with its derivatives, (r + 1, size), and the size.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest, or a load is not smooth enough where it begins.
    """
    model = tree.model
    refuse_jumps(tree, order + 1)
    last = _chained(model, order, plain.sweeps, slopes)
    return wanted(along_motion(FreeBases(tree, ()), plain, order, [last], inputs))


def _chained(
    model: Model, order: int, filled: Sequence[Sweep], slopes: Sequence[Slopes]
) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps that lead series of A, B and C to the outputs, joint by joint."""
    nv = model.nv
    written = [set().union(*(places_written(filled, name) for name in own.matrices.values())) for own in slopes]
    moves: list[Visit] = []
    entries: list[Visit] = []
    rates: list[Visit] = []
    start = 0
    for index in model.owners:
        joint = model.bodies[index].joint
        rows = joint.v_rows
        width = rows.stop - rows.start
        columns = [[column] for column in range(rows.start, rows.stop)]
        path: Access | None = None
        if not joint.kind.commutes:
            path = Access(_MOVES, start, (order + 1) * width**2)
            start += path.count
            moves.append(Visit(index, joint.kind, {}, _path(model, index, path)))
            columns = [list(range(rows.start, rows.stop))]
        for own, places in zip(slopes, written, strict=True):
            entries += [
                _entry(index, nv, order, own, row, together, path)
                for row in range(own.rows)
                for together in columns
                if any(row * nv + column in places for column in together)
            ]
    fields = [Field(_MOVES, FieldKind.STATE, start, sparse=True)] if start else []
    for own in slopes:
        fields.append(Field(f"d{own.symbol}_dq", FieldKind.OUTPUT, (order + 1) * own.rows * nv))
        fields.append(Field(f"d{own.symbol}_dV", FieldKind.OUTPUT, (order + 1) * (order + 2) * own.rows * nv))
        if own.given:
            size, name = own.rows * own.columns, f"d{own.symbol}_dG"
            fields.append(Field(name, FieldKind.OUTPUT, (order + 1) ** 2 * size))
            rates += [
                Visit(-1, None, {}, {"x": Access(own.given, at, 1), "rates": Access(name, at, (order + 1) ** 2, size)})
                for at in sorted(places_written(filled, own.given))
            ]
    made = ((_PATH, moves), (_steps(nv), entries), (_RATES, rates))
    return fields, [Sweep(step, tuple(visits)) for step, visits in made if visits]


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


def _entry(
    index: int, nv: int, order: int, own: Slopes, row: int, columns: Sequence[int], moves: Access | None
) -> Visit:
    """The visit that fills the entries of a row by the columns of a joint, of all orders."""
    first, count, size = row * nv + columns[0], len(columns), own.rows * nv
    bindings: dict[str, Binding] = {name: Access(field, first, count) for name, field in own.matrices.items()}
    if moves is not None:
        bindings["moves"] = moves
    for place in range(count):
        bindings[f"by_q{place}"] = Access(f"d{own.symbol}_dq", first + place, order + 1, size)
        bindings[f"by_V{place}"] = Access(f"d{own.symbol}_dV", first + place, (order + 1) * (order + 2), size)
    return Visit(index, count, {}, bindings)


def _steps(nv: int) -> Step:
    reads = (Port(name, Mode.READ) for name in (*"ABC", "moves"))
    writes = (Port(f"by_{by}{place}", Mode.WRITE) for place in range(nv) for by in "qV")
    return Step("rate_slopes", rate_slopes, (*reads, *writes))


def rate_slopes(count: int, algebra: TaylorAlgebra, _: Mapping[str, Scalar], reads: Any) -> Mapping[str, Any]:
    """Step per row and joint: derivatives of tau^(k), k = 0 .. r, by moves of q and by v^(j), j = 0 .. r + 1."""
    order = algebra.order
    A, B, C = ([algebra.lifted(x) for x in reads.get(name, [0.0] * count)] for name in "ABC")
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


def rates_of(_: None, algebra: TaylorAlgebra, __: Mapping[str, Scalar], reads: Any) -> Mapping[str, Any]:
    """Step per entry of derivatives by what is given: those of x^(k) by its j-th derivative, k = 0 .. r, j = 0 .. r."""
    x, orders = algebra.lifted(reads["x"][0]), range(algebra.order + 1)
    return {"rates": [_rate(x, k, j) for k in orders for j in orders]}


_RATES = Step("rates_of", rates_of, (Port("x", Mode.READ), Port("rates", Mode.WRITE)))


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
