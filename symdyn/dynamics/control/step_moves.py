"""How a step moves coordinates by velocities, q (+) h w, and the blocks of its Jacobians that follow from that.

A finite move of a joint is that of its group: what :meth:`JointModel.integrate` does, over any scalar. With
d(q (+) h w) = T dq + h D dw and dw = theta dv+ + (1 - theta) dv, a step of which the velocity rows are V = dv+/d(q, v)
and U = dv+/du has

    A = [T, (1 - theta) h D; 0, 0] + [theta h D; 1] V,    B = [theta h D; 1] U

Joints whose v are rates of coordinates have T = D = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.bodies import ModelJoint
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Mode, Port, Step, Sweep, Visit

STEP_LENGTH = "h"
"""The input: the length of a step [s]."""
_TURN, _SPREAD = "turned_by_move", "spread_by_move"


def move(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: q (+) h w."""
    return {"end": kind.moved(algebra, reads["q"], scale(reads["h"][0], reads["w"]))}


def move_slopes(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: rows of T and of h D."""
    h = reads["h"][0]
    T, D = kind.move_slopes(algebra, scale(h, reads["w"]))
    turned = {f"turn_{row}": own for row, own in enumerate(T)}
    return turned | {f"spread_{row}": scale(h, own) for row, own in enumerate(D)}


def advance(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: x + h y."""
    return {"end": [reads["start"][0] + reads["h"][0] * reads["rate"][0]]}


def lengthen(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: h x."""
    return {"entry": [reads["h"][0] * reads["x"][0]]}


def add_given(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: what is added to it."""
    return {"entry": reads["x"]}


def _reading(*names: str) -> tuple[Port, ...]:
    return tuple(Port(name, Mode.READ) for name in names)


_MOVE = Step("move_coordinates", move, (*_reading("q", "w", "h"), Port("end", Mode.WRITE)))
_ADVANCE = Step("advance", advance, (*_reading("start", "rate", "h"), Port("end", Mode.WRITE)))
_LENGTHEN = Step("lengthen", lengthen, (*_reading("x", "h"), Port("entry", Mode.WRITE)))
_ADD = Step("add_given", add_given, (*_reading("x"), Port("entry", Mode.ADD)))
_H = Access(STEP_LENGTH, 0, 1)


def move_sweeps(model: Model, velocity: str, end: str, start: str = "q") -> list[Sweep]:
    """Sweeps that fill ``end`` (nq,) with ``start`` moved along the field ``velocity`` for the time h."""
    visits: list[Visit] = []
    straight: list[tuple[int, int]] = []
    for joint in model.independent_joints:
        if joint.kind.commutes:
            straight += zip(joint.q_places, joint.v_places, strict=True)
            continue
        bindings: dict[str, Binding] = {
            "q": Access(start, joint.q_index, len(joint.coordinates.q)),
            "w": Access(velocity, joint.v_index, len(joint.coordinates.v)),
            "h": _H,
            "end": Access(end, joint.q_index, len(joint.coordinates.q)),
        }
        visits.append(Visit(-1, joint.kind, {}, bindings))
    return [_advance(straight, start, velocity, end), Sweep(_MOVE, tuple(visits))]


def advance_sweep(count: int, start: str, rate: str, end: str) -> Sweep:
    """The sweep of end = start + h rate, row by row."""
    return _advance([(row, row) for row in range(count)], start, rate, end)


def _advance(rows: Iterable[tuple[int, int]], start: str, rate: str, end: str) -> Sweep:
    places = (("start", start, 0), ("rate", rate, 1), ("end", end, 0))
    visits = (
        Visit(-1, None, {}, {"h": _H, **{port: Access(field, row[of], 1) for port, field, of in places}})
        for row in rows
    )
    return Sweep(_ADVANCE, tuple(visits), vector=True)


def lengthened(x: MatrixField, out: MatrixField, rows: Sequence[int], columns: int, start: int = 0) -> Sweep:
    """The sweep of out[i, start + j] = h x[i, j]."""
    visits = (
        Visit(-1, None, {}, {"h": _H, "x": x.entry(row, column), "entry": out.entry(row, start + column)})
        for row in rows
        for column in range(columns)
    )
    return Sweep(_LENGTHEN, tuple(visits), vector=True)


def ones_added(out: MatrixField, places: Sequence[tuple[int, int]]) -> Sweep:
    """The sweep that adds 1 to entries."""
    visits = (Visit(-1, None, {}, {"x": Given((1.0,)), "entry": out.entry(*place)}) for place in places)
    return Sweep(_ADD, tuple(visits), vector=True)


def turning_joints(model: Model) -> list[ModelJoint]:
    """The joints whose v are no rates of coordinates."""
    return [joint for joint in model.independent_joints if not joint.kind.commutes]


def slopes_sweep(model: Model, velocity: str) -> tuple[list[Field], list[Sweep]]:
    """Fields (nv, nv) of T and of h D at the move h w, with blocks of turning joints alone, and what fills them."""
    visits, most = [], 0
    for joint in turning_joints(model):
        count, first = len(joint.coordinates.v), joint.v_index
        most = max(most, count)
        bindings: dict[str, Binding] = {"w": Access(velocity, first, count), "h": _H}
        for name, field in (("turn", _TURN), ("spread", _SPREAD)):
            bindings |= {
                f"{name}_{row}": MatrixField(field, model.nv).row(first + row, first, count) for row in range(count)
            }
        visits.append(Visit(-1, joint.kind, {}, bindings))
    if not visits:
        return [], []
    ports = (Port(f"{name}_{row}", Mode.WRITE) for name in ("turn", "spread") for row in range(most))
    step = Step("move_slopes", move_slopes, (*_reading("w", "h"), *ports))
    fields = [Field(name, FieldKind.STATE, model.nv, model.nv, sparse=True) for name in (_TURN, _SPREAD)]
    return fields, [Sweep(step, tuple(visits))]


def position_rows(
    model: Model, by_state: bool, columns: int, velocity_rows: MatrixField, out: MatrixField
) -> list[Sweep]:
    """Sweeps of the rows of A, ``by_state``, or of B that are of positions, for theta = 1: h D V + [T, 0], or h D U."""
    turning = [row for joint in turning_joints(model) for row in joint.v_places]
    straight = [row for row in range(model.nv) if row not in turning]
    sweeps = [lengthened(velocity_rows, out, straight, columns)]
    if by_state:
        sweeps.append(ones_added(out, [(row, row) for row in straight]))
    for joint in turning_joints(model):
        rows = list(joint.v_places)
        own = dict.fromkeys(range(columns), rows)
        spread, turn = MatrixField(_SPREAD, model.nv), MatrixField(_TURN, model.nv)
        within = [column for column in own if by_state and column in rows]
        for some, plus in ((within, turn), ([column for column in own if column not in within], None)):
            inner = {column: own[column] for column in some}
            sweeps += product_sweeps(spread, velocity_rows, out, rows, inner, plus)
    return [sweep for sweep in sweeps if sweep.visits]


def block(field: str, columns: int, row: int) -> Block:
    """Rows of a matrix from ``row`` on."""
    return Block(field, columns, row * columns)


def inputs_of(model: Model) -> Iterator[Field]:
    """The inputs that all steps have."""
    yield Field("q", FieldKind.INPUT, model.nq)
    yield Field("v", FieldKind.INPUT, model.nv)
    yield Field(STEP_LENGTH, FieldKind.INPUT, 1)
