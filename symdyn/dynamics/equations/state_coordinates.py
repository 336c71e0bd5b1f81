"""The coordinates of a state y = (q, v) as solvers move them: each row by itself, quaternions off the unit sphere.

Dynamics read q after its quaternions Q are divided by their lengths. The rate of Q is linear in Q, and at right angles
to it, so that its length stays; positions move with the rotation of the unit quaternion. A change dq of the rows moves
the robot along rows of v by E dq, with E N = 1: as columns of N(q) are at right angles, of length 1, or 1/2 |Q| in
the rows of a quaternion,

    E = N^T in other rows,    E = 4 N^T / |Q|^2 in those of Q

Only those of a twist in the world are not, which moves p by omega x p too: there v = dp - omega x p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.spatial.vectors import dot, scale
from symdyn.dynamics.mass_matrix.matrix_product import Block
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Port, Step, Sweep, Visit

STATE, RATE = "y", "dy_dt"
"""Fields (nq + nv,): the input and the output."""
UNIT = "unit_q"
"""The state field of q (nq,), quaternions of length one."""


def coordinates_of(model: Model) -> tuple[str, list[Field], list[Sweep]]:
    """Where dynamics read q: in a field that sweeps fill where the robot has quaternions, else in y itself."""
    if not any(joint.kind.quaternion for joint in model.independent_joints):
        return STATE, [], []
    visits = []
    for joint in model.independent_joints:
        own = len(joint.coordinates.q)
        places: dict[str, Binding] = {name: Access(name, joint.q_index, own) for name in (STATE, UNIT)}
        visits.append(Visit(-1, joint.kind, {}, places))
    return UNIT, [Field(UNIT, FieldKind.STATE, model.nq)], [Sweep(_NORMALISE, tuple(visits))]


def rate_sweep(model: Model) -> Sweep:
    """The sweep that fills the rates of q from y."""
    visits = []
    for joint in model.independent_joints:
        q, v = len(joint.coordinates.q), len(joint.coordinates.v)
        places: dict[str, Binding] = {
            "q": Access(STATE, joint.q_index, q),
            "v": Access(STATE, model.nq + joint.v_index, v),
            "rate": Access(RATE, joint.q_index, q),
        }
        visits.append(Visit(-1, joint.kind, {}, places))
    return Sweep(_RATE, tuple(visits))


def rate_slopes_sweep(model: Model, matrix: str) -> Sweep:
    """The sweep that fills the derivatives of these rates in the first rows of a matrix (nq + nv, nq + nv)."""
    whole, most, visits = Block(matrix, model.nq + model.nv, 0), 0, []
    for joint in model.independent_joints:
        q, v = len(joint.coordinates.q), len(joint.coordinates.v)
        places: dict[str, Binding] = {"v": Access(STATE, model.nq + joint.v_index, v)}
        if not joint.kind.commutes:
            places["q"] = Access(STATE, joint.q_index, q)
        for row in range(q):
            if "q" in places:
                places[f"by_q{row}"] = whole.row(joint.q_index + row, joint.q_index, q)
            places[f"by_v{row}"] = whole.row(joint.q_index + row, model.nq + joint.v_index, v)
        visits.append(Visit(-1, joint.kind, {}, places))
        most = max(most, q)
    ports = (*_given("q", "v"), *(Port(f"by_{by}{row}", Mode.WRITE) for by in "qv" for row in range(most)))
    return Sweep(Step("rate_slopes", rate_slopes, ports), tuple(visits))


def moves_sweep(model: Model, matrix: str) -> Sweep:
    """The sweep that fills E in a matrix (nv, nq), but for joints whose v are rates of coordinates: 1 there."""
    visits, most = [], 0
    for joint in model.independent_joints:
        if joint.kind.commutes:
            continue
        q, v = len(joint.coordinates.q), len(joint.coordinates.v)
        places: dict[str, Binding] = {"q": Access(STATE, joint.q_index, q)}
        for row in range(v):
            places[f"row{row}"] = Access(matrix, (joint.v_index + row) * model.nq + joint.q_index, q)
        visits.append(Visit(-1, joint.kind, {}, places))
        most = max(most, v)
    ports = (*_given("q"), *(Port(f"row{row}", Mode.WRITE) for row in range(most)))
    return Sweep(Step("moves_by_coordinates", moves_by_coordinates, ports), tuple(visits))


def normalise(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: its coordinates, the quaternion of length one."""
    return {UNIT: _unit(kind, algebra, reads[STATE])}


def coordinate_rates(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: the rates of its coordinates."""
    return {"rate": _speeds(kind, algebra, reads["q"], reads["v"])}


def rate_slopes(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: derivatives of these by its coordinates and by its rows of v."""
    over = DualAlgebra(algebra)
    v = [over.dual(value, {number: 1.0}) for number, value in enumerate(reads["v"])]
    if kind.commutes:
        return {f"by_v{row}": own for row, own in enumerate(kind.rates(algebra, reads["v"]))}
    q = [over.dual(value, {number: 1.0}) for number, value in enumerate(reads["q"], len(v))]
    found = _speeds(kind, over, q, v)
    writes = {f"by_v{row}": [over.slope(own, number) for number in range(len(v))] for row, own in enumerate(found)}
    columns = range(len(v), len(v) + len(q))
    return writes | {f"by_q{row}": [over.slope(own, number) for number in columns] for row, own in enumerate(found)}


def moves_by_coordinates(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: rows of E."""
    q = reads["q"]
    block = kind.rates(algebra, _unit(kind, algebra, q))
    if kind.quaternion:
        turn = q[-4:]
        factor = 4.0 / dot(turn, turn)
        block = [*block[:-4], *(scale(factor, row) for row in kind.rates(algebra, q)[-4:])]
    return {f"row{row}": own for row, own in enumerate(kind.moves_by_coordinates(block))}


def _speeds(kind: JointModel, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """Rates of the coordinates: of quaternions as they are, and of all else at a unit one."""
    found = kind.speeds(algebra, q, v)
    if kind.quaternion:
        found = [*kind.speeds(algebra, _unit(kind, algebra, q), v)[:-4], *found[-4:]]
    return found


def _unit(kind: JointModel, algebra: Algebra, q: Sequence[Scalar]) -> list[Scalar]:
    if not kind.quaternion:
        return list(q)
    turn = q[-4:]
    return [*q[:-4], *scale(1.0 / algebra.function("sqrt", dot(turn, turn)), turn)]


def _given(*names: str) -> tuple[Port, ...]:
    return tuple(Port(name, Mode.READ) for name in names)


_NORMALISE = Step("normalise_quaternion", normalise, (*_given(STATE), Port(UNIT, Mode.WRITE)))
_RATE = Step("coordinate_rates", coordinate_rates, (*_given("q", "v"), Port("rate", Mode.WRITE)))
