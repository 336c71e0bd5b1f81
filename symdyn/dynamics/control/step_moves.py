"""How a step moves coordinates by velocities, q (+) h w, and the blocks of its Jacobians that follow from that.

A finite move of a joint is that of its group: what :meth:`JointModel.integrate` does, over any scalar. With
d(q (+) h w) = T dq + h D dw and dw = theta dv+ + (1 - theta) dv, a step of which the velocity rows are V = dv+/d(q, v)
and U = dv+/du has

    A = [T, (1 - theta) h D; 0, 0] + [theta h D; 1] V,    B = [theta h D; 1] U

Joints whose v are rates of coordinates have T = D = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
BY_LENGTH = "g_h"
"""The output: the derivative of a weighted state by that."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """How long a move is as a part of h, and the part of the velocity that moves: theta."""

    kind: JointModel
    part: float
    theta: float


def of_step(part: float, h: Scalar) -> Scalar:
    """A part of the length of a step."""
    return h if part == 1.0 else part * h


def move(own: tuple[JointModel, float], algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: q (+) part h w."""
    kind, part = own
    return {"end": kind.moved(algebra, reads["q"], scale(of_step(part, reads["h"][0]), reads["w"]))}


def move_slopes(own: Slopes, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint: rows of T, of theta times the move's length times D, and of the rest of these."""
    length = of_step(own.part, reads["h"][0])
    T, D = own.kind.move_slopes(algebra, scale(length, reads["w"]))
    made = {f"turn_{row}": line for row, line in enumerate(T)}
    made |= {f"spread_{row}": scale(of_step(own.theta, length), line) for row, line in enumerate(D)}
    if own.theta != 1.0:
        made |= {f"rest_{row}": scale((1.0 - own.theta) * length, line) for row, line in enumerate(D)}
    return made


def advance(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: x + part h y."""
    return {"end": [reads["start"][0] + of_step(part, reads["h"][0]) * reads["rate"][0]]}


def lengthen(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: part h x, or x where it has that length already."""
    return {"entry": [of_step(part, reads["h"][0]) * reads["x"][0]] if "h" in reads else reads["x"]}


def add_given(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: what is added to it, or a part of h."""
    return {"entry": [of_step(part, reads["h"][0])] if "h" in reads else reads["x"]}


def multiply(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: a part of x y, or of h x y."""
    product = reads["x"][0] * reads["y"][0]
    product = part * product if part != 1.0 else product
    return {"total": [reads["h"][0] * product if "h" in reads else product]}


def _reading(*names: str) -> tuple[Port, ...]:
    return tuple(Port(name, Mode.READ) for name in names)


_MOVE = Step("move_coordinates", move, (*_reading("q", "w", "h"), Port("end", Mode.WRITE)))
_ADVANCE = Step("advance", advance, (*_reading("start", "rate", "h"), Port("end", Mode.WRITE)))
_LENGTHEN = Step("lengthen", lengthen, (*_reading("x", "h"), Port("entry", Mode.WRITE)))
_ADD = Step("add_given", add_given, (*_reading("x", "h"), Port("entry", Mode.ADD)))
_MULTIPLY = Step("multiply", multiply, (*_reading("x", "y", "h"), Port("total", Mode.ADD)))
_H = Access(STEP_LENGTH, 0, 1)


def move_sweeps(model: Model, velocity: str, end: str, part: float = 1.0, start: str = "q") -> list[Sweep]:
    """Sweeps that fill ``end`` (nq,) with q, or ``start``, moved along the field ``velocity`` for a part of h."""
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
        visits.append(Visit(-1, (joint.kind, part), {}, bindings))
    return [_advance(straight, start, velocity, end, part), Sweep(_MOVE, tuple(visits))]


def advance_sweep(count: int, start: str, rate: str, end: str, part: float = 1.0) -> Sweep:
    """The sweep of end = start + part h rate, row by row."""
    return _advance([(row, row) for row in range(count)], start, rate, end, part)


def _advance(rows: Iterable[tuple[int, int]], start: str, rate: str, end: str, part: float) -> Sweep:
    places = (("start", start, 0), ("rate", rate, 1), ("end", end, 0))
    visits = (
        Visit(-1, part, {}, {"h": _H, **{port: Access(field, row[of], 1) for port, field, of in places}})
        for row in rows
    )
    return Sweep(_ADVANCE, tuple(visits), vector=True)


def lengthened(
    x: MatrixField,
    out: MatrixField,
    rows: Sequence[int],
    columns: int,
    start: int = 0,
    part: float = 1.0,
    already: bool = False,
) -> Sweep:
    """The sweep of out[i, start + j] = part h x[i, j], or of x[i, j] where that is made ``already``."""
    length = {} if already else {"h": _H}
    visits = (
        Visit(-1, part, {}, {**length, "x": x.entry(row, column), "entry": out.entry(row, start + column)})
        for row in rows
        for column in range(columns)
    )
    return Sweep(_LENGTHEN, tuple(visits), vector=True)


def dot_sweep(count: int, x: str, y: str, part: float = 1.0, long: bool = False, x_start: int = 0) -> Sweep:
    """The sweep that adds a part of x^T y, or of h x^T y where ``long``, to the derivative by the step's length."""
    visits = []
    for row in range(count):
        bindings: dict[str, Binding] = {"x": Access(x, x_start + row, 1), "y": Access(y, row, 1)}
        bindings |= {"total": Access(BY_LENGTH, 0, 1), **({"h": _H} if long else {})}
        visits.append(Visit(-1, part, {}, bindings))
    return Sweep(_MULTIPLY, tuple(visits))


def ones_added(out: MatrixField, places: Sequence[tuple[int, int]]) -> Sweep:
    """The sweep that adds 1 to entries."""
    visits = (Visit(-1, 1.0, {}, {"x": Given((1.0,)), "entry": out.entry(*place)}) for place in places)
    return Sweep(_ADD, tuple(visits), vector=True)


def lengths_added(out: MatrixField, places: Sequence[tuple[int, int]], part: float) -> Sweep:
    """The sweep that adds a part of h to entries."""
    visits = (Visit(-1, part, {}, {"h": _H, "entry": out.entry(*place)}) for place in places)
    return Sweep(_ADD, tuple(visits), vector=True)


def turning_joints(model: Model) -> list[ModelJoint]:
    """The joints whose v are no rates of coordinates."""
    return [joint for joint in model.independent_joints if not joint.kind.commutes]


@dataclass(frozen=True, slots=True)
class MoveSlopes:
    """Matrices T, theta l D and (1 - theta) l D of a move by l = part h times a velocity, blocks of turning joints.

    ``prefix`` is what the names of their fields begin with.
    """

    model: Model
    prefix: str
    part: float = 1.0
    theta: float = 1.0

    def matrix(self, name: str) -> MatrixField:
        """One of ``turn``, ``spread`` and ``rest``."""
        return MatrixField(f"{self.prefix}_{name}", self.model.nv)

    def made(self, velocity: str) -> tuple[list[Field], list[Sweep]]:
        """The fields, and what fills them from the field of a velocity."""
        names = ("turn", "spread", *(("rest",) if self.theta != 1.0 else ()))
        visits, most = [], 0
        for joint in turning_joints(self.model):
            count, first = len(joint.coordinates.v), joint.v_index
            most = max(most, count)
            bindings: dict[str, Binding] = {"w": Access(velocity, first, count), "h": _H}
            for name in names:
                own = self.matrix(name)
                bindings |= {f"{name}_{row}": own.row(first + row, first, count) for row in range(count)}
            visits.append(Visit(-1, Slopes(joint.kind, self.part, self.theta), {}, bindings))
        if not visits:
            return [], []
        ports = (Port(f"{name}_{row}", Mode.WRITE) for name in names for row in range(most))
        step = Step("move_slopes", move_slopes, (*_reading("w", "h"), *ports))
        nv = self.model.nv
        fields = [Field(self.matrix(name).field, FieldKind.STATE, nv, nv, sparse=True) for name in names]
        return fields, [Sweep(step, tuple(visits))]

    def carried(
        self, start: MatrixField | None, rate: MatrixField, out: MatrixField, columns: Sequence[int]
    ) -> tuple[list[Field], list[Sweep]]:
        """Fields, and sweeps of columns of out = T start + l D rate, (nv, n) each, of a move of theta = 1."""
        turning = [row for joint in turning_joints(self.model) for row in joint.v_places]
        straight = [row for row in range(self.model.nv) if row not in turning]
        if start is None:
            sweeps = [lengthened(rate, out, straight, len(columns), part=self.part)]
        else:
            places = (("start", start), ("rate", rate), ("end", out))
            visits = (
                Visit(-1, self.part, {}, {"h": _H, **{port: of.entry(row, column) for port, of in places}})
                for row in straight
                for column in columns
            )
            sweeps = [Sweep(_ADVANCE, tuple(visits), vector=True)]
        half = MatrixField(f"{self.prefix}_turned_{rate.field}", len(columns))
        for joint in turning_joints(self.model):
            rows = list(joint.v_places)
            inner = dict.fromkeys(columns, rows)
            if start is not None:
                sweeps += product_sweeps(self.matrix("turn"), start, half, rows, inner)
            before = half if start is not None else None
            sweeps += product_sweeps(self.matrix("spread"), rate, out, rows, inner, before)
        fields = [Field(half.field, FieldKind.STATE, half.columns, self.model.nv, sparse=True)]
        return fields if turning and start is not None else [], [sweep for sweep in sweeps if sweep.visits]

    def position_rows(self, by_state: bool, columns: int, velocity_rows: MatrixField, out: MatrixField) -> list[Sweep]:
        """Sweeps of the position rows of A, ``by_state``, or of B: [T, rest] + spread V, or spread U."""
        nv = self.model.nv
        turning = [row for joint in turning_joints(self.model) for row in joint.v_places]
        straight = [row for row in range(nv) if row not in turning]
        sweeps = [lengthened(velocity_rows, out, straight, columns, part=self.part * self.theta)]
        if by_state:
            sweeps.append(ones_added(out, [(row, row) for row in straight]))
            if self.theta != 1.0:
                rest = self.part * (1.0 - self.theta)
                sweeps.append(lengths_added(out, [(row, nv + row) for row in straight], rest))
        for joint in turning_joints(self.model):
            rows = list(joint.v_places)
            parts: dict[int, MatrixField | None] = dict.fromkeys(range(columns))
            if by_state:
                parts |= dict.fromkeys(rows, self.matrix("turn"))
                if self.theta != 1.0:
                    parts |= dict.fromkeys([nv + row for row in rows], _Moved(self.matrix("rest").field, nv))
            for plus in dict.fromkeys(parts.values()):
                inner = {column: rows for column, own in parts.items() if own == plus}
                sweeps += product_sweeps(self.matrix("spread"), velocity_rows, out, rows, inner, plus)
        return [sweep for sweep in sweeps if sweep.visits]


class _Moved(MatrixField):
    """A matrix whose columns are counted from its width on."""

    def entry(self, row: int, column: int) -> Access:
        """One entry."""
        return Access(self.field, row * self.columns + column - self.columns, 1)


def block(field: str, columns: int, row: int) -> Block:
    """Rows of a matrix from ``row`` on."""
    return Block(field, columns, row * columns)


def inputs_of(model: Model) -> Iterator[Field]:
    """The inputs that all steps have."""
    yield Field("q", FieldKind.INPUT, model.nq)
    yield Field("v", FieldKind.INPUT, model.nv)
    yield Field(STEP_LENGTH, FieldKind.INPUT, 1)
