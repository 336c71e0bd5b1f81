"""Explicit steps of several stages: the classical method of Runge and Kutta, on groups without commutators.

Stages have velocities v_i and coordinates q_i, and accelerations a_i of forward dynamics there:

    v_i = v + h sum_j a_ij a_j,    q_i = q_k (+) h sum_j b_ij v_j,    v+ = v + h sum_i w_i a_i

and q+ follows q by two such moves, one after the other. Where coordinates have v for rates, this is the classical
method; of joints that turn it is the method of order 4 of Celledoni, Marthinsen & Owren 2003, section 4, with their
group's own exponentials. Derivatives are those of forward dynamics at each stage, chained; gradients go back from the
last stage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.control.step_moves import (
    STEP_LENGTH,
    MoveSlopes,
    advance_sweep,
    inputs_of,
    lengthened,
    move_sweeps,
    ones_added,
    turning_joints,
)
from symdyn.dynamics.control.steps import INNER, MATRICES, Q_NEXT, V_NEXT, VELOCITY_ROWS
from symdyn.dynamics.equations.problem import inner_rows
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, outputs_as_state, vanishing, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

Weights = Mapping[int, float]
"""A sum over stages: how much of each."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where forces are met: by accelerations of earlier stages, and by a move along their velocities.

    The move starts at the coordinates of stage ``start``, or at those of the step where that is -1.
    """

    velocity: Weights
    move: Weights
    start: int = -1


@dataclass(frozen=True, slots=True)
class ExplicitMethod:
    """Stages, what velocities at the end are made of, and the moves to the coordinates there."""

    stages: tuple[Stage, ...]
    velocity: Weights
    moves: tuple[Weights, ...]


_THIRD, _SIXTH, _TWELFTH = 1.0 / 3.0, 1.0 / 6.0, 1.0 / 12.0
RK4_METHOD = ExplicitMethod(
    (
        Stage({}, {}),
        Stage({0: 0.5}, {0: 0.5}),
        Stage({1: 0.5}, {1: 0.5}),
        Stage({2: 1.0}, {0: -0.5, 2: 1.0}, start=1),
    ),
    {0: _SIXTH, 1: _THIRD, 2: _THIRD, 3: _SIXTH},
    (
        {0: 0.25, 1: _SIXTH, 2: _SIXTH, 3: -_TWELFTH},
        {0: -_TWELFTH, 1: _SIXTH, 2: _SIXTH, 3: 0.25},
    ),
)


def combine(parts: tuple[float, ...], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: a weighted sum."""
    total: Scalar = 0.0
    for number, part in enumerate(parts):
        total = total + part * reads[f"x{number}"][0]
    return {"entry": [total]}


_COMBINE = Step(
    "combine_stages",
    combine,
    (*(Port(f"x{number}", Mode.READ) for number in range(4)), Port("entry", Mode.WRITE)),
)
_H = Access(STEP_LENGTH, 0, 1)


@dataclass(frozen=True, slots=True)
class Move:
    """One of the moves of a step: its name, the field where it starts, its velocities by stages, and where it ends."""

    name: str
    start: str
    parts: Weights
    end: str


class ExplicitSteps:
    """Fields and sweeps of an explicit step, in order; ``inner`` is what each stage does."""

    def __init__(self, model: Model, method: ExplicitMethod, inner: Plan, acceleration: str) -> None:
        self.model, self.method, self.nv = model, method, model.nv
        self.inner, self.acceleration = inner, acceleration
        self.fields: dict[str, Field] = {own.name: own for own in inputs_of(model)}
        self.sweeps: list[Sweep] = []

    def stage(self, i: int, name: str) -> str:
        """The field of a stage for one of the inner plan."""
        return f"{INNER}{i}_{name}"

    def velocity(self, i: int) -> str:
        """The field of the velocity of a stage."""
        return f"v_{i}" if self.method.stages[i].velocity else "v"

    def coordinates(self, i: int) -> str:
        """The field of the coordinates of a stage."""
        return "q" if i < 0 or not self.method.stages[i].move else f"q_{i}"

    def declare(self, name: str, size: int, rows: int = 1) -> str:
        """A state field, zero where nothing is written."""
        self.fields[name] = Field(name, FieldKind.STATE, size, rows, sparse=True)
        return name

    def inner_at(self, i: int, linked: Mapping[str, str] | None = None, silent: Sequence[str] = ()) -> list[Sweep]:
        """Declare fields of what a stage does, and give its sweeps."""
        fields, sweeps = vanishing(self.inner.fields, self.inner.sweeps, silent)
        names = {"q": self.coordinates(i), "v": self.velocity(i)} | dict(linked or {})
        kept, found = kept_apart(outputs_as_state(fields), sweeps, f"{INNER}{i}", (), names)
        self.fields |= {own.name: own for own in kept if own.name not in self.fields}
        return found

    def moves(self, i: int) -> list[Move]:
        """The moves that lead to a stage, or, behind the last one, to the end."""
        stages = self.method.stages
        if i < len(stages):
            own = stages[i]
            return [Move(f"move_{i}", self.coordinates(own.start), own.move, f"q_{i}")] if own.move else []
        parts = self.method.moves
        if not turning_joints(self.model):
            parts = ({j: sum(own.get(j, 0.0) for own in parts) for j in range(len(stages))},)
        found, start = [], "q"
        for number, weights in enumerate(parts):
            end = Q_NEXT if number == len(parts) - 1 else f"q_end_{number}"
            found.append(Move(f"move_{i + number}", start, weights, end))
            start = end
        return found

    def combined(self, of: Mapping[int, MatrixField], parts: Weights, out: MatrixField, columns: Sequence[int]) -> None:
        """Add the sweep of out = sum of parts of matrices, (nv, n)."""
        visits = []
        for row in range(self.nv):
            for column in columns:
                bindings: dict[str, Binding] = {f"x{number}": of[j].entry(row, column) for number, j in enumerate(of)}
                bindings["entry"] = out.entry(row, column)
                visits.append(Visit(-1, tuple(parts[j] for j in of), {}, bindings))
        self.sweeps.append(Sweep(_COMBINE, tuple(visits), vector=True))

    def vectors(self, name: str, of: Sequence[str], parts: Weights) -> str:
        """A field with a sum of fields (nv,)."""
        if list(parts.values()) == [1.0]:
            return of[next(iter(parts))]
        self.declare(name, self.nv)
        self.combined({j: MatrixField(of[j], 1) for j in parts}, parts, MatrixField(name, 1), [0])
        return name

    def reach(self, i: int) -> None:
        """Add what leads to a stage, or to the end: its velocity and its coordinates."""
        stages = self.method.stages
        ended = i == len(stages)
        parts, to = (self.method.velocity, V_NEXT) if ended else (stages[i].velocity, f"v_{i}")
        if parts:
            own = [self.stage(j, self.acceleration) for j in range(min(i, len(stages)))]
            self.declare(to, self.nv)
            self.sweeps.append(advance_sweep(self.nv, "v", self.vectors(f"a_to_{i}", own, parts), to))
        velocities = [self.velocity(j) for j in range(len(stages))]
        for own_move in self.moves(i):
            along = self.vectors(own_move.name, velocities, own_move.parts)
            self.declare(own_move.end, self.model.nq)
            self.sweeps += move_sweeps(self.model, along, own_move.end, start=own_move.start)

    def along(self, own: Move) -> str:
        """The field of the velocity of a move."""
        parts = own.parts
        return self.velocity(next(iter(parts))) if list(parts.values()) == [1.0] else own.name

    def planned(self, name: str, outputs: Mapping[str, int]) -> Plan:
        """The plan, with outputs of these sizes."""
        made = [Field(output, FieldKind.OUTPUT, size) for output, size in outputs.items()]
        fields = [own for own in self.fields.values() if own.name not in outputs]
        run = tuple(sweep for sweep in self.sweeps if sweep.visits)
        return wanted(replace(self.inner, name=name, fields=(*fields, *made), sweeps=run))


def staged_step_plan(model: Model, method: ExplicitMethod, inner: Plan, acceleration: str) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, from one that finds accelerations, of which this is the field."""
    own = ExplicitSteps(model, method, inner, acceleration)
    for i in range(len(method.stages)):
        own.reach(i)
        own.sweeps += own.inner_at(i)
    own.reach(len(method.stages))
    return own.planned("step", {Q_NEXT: model.nq, V_NEXT: model.nv})


def staged_partials_plan(
    model: Model, method: ExplicitMethod, inner: Plan, acceleration: str, by: Mapping[str, str], name: str
) -> Plan:
    """The plan of (q, v, u, h) -> q_next, v_next, V, U[, P], or of A and B, as of :func:`explicit_partials_plan`."""
    own, whole, count = ExplicitSteps(model, method, inner, acceleration), name == "step_matrices", len(method.stages)
    chained = _Chained(own, by, whole)
    for i in range(count + 1):
        own.reach(i)
        chained.velocities(i)
        if i < count or whole:
            chained.coordinates(i)
        if i < count:
            own.sweeps += own.inner_at(i)
            chained.accelerations(i)
    names = MATRICES if whole else VELOCITY_ROWS
    outputs = {names[x]: width * model.nv * (2 if whole else 1) for x, width in chained.ends.items()}
    return own.planned(name, outputs if whole else {Q_NEXT: model.nq, V_NEXT: model.nv, **outputs})


class _Chained:
    """Derivatives of stages by moves of q, by v, u and p, from those of accelerations at each."""

    def __init__(self, own: ExplicitSteps, by: Mapping[str, str], whole: bool) -> None:
        self.own, self.by, self.whole, nv = own, by, whole, own.nv
        self.widths = {x: own.inner.field(field).size // nv for x, field in by.items()}
        self.ends = {"x": 2 * nv} | {x: width for x, width in self.widths.items() if x in "up"}

    def _state(self, name: str, x: str) -> MatrixField:
        self.own.declare(f"{name}_{x}", self.widths[x], self.own.nv)
        return MatrixField(f"{name}_{x}", self.widths[x])

    def _end(self, x: str, below: bool) -> MatrixField:
        names = MATRICES if self.whole else VELOCITY_ROWS
        columns, nv = self.ends["x" if x in "qv" else x], self.own.nv
        start = nv * columns if below and self.whole else 0
        return Block(names["x" if x in "qv" else x], columns, start + (nv if x == "v" else 0))

    def _ones(self, x: str, name: str) -> MatrixField:
        """The unit matrix."""
        found, nv = MatrixField(f"{name}_{x}", self.widths[x]), self.own.nv
        if found.field not in self.own.fields:
            self._state(name, x)
            self.own.sweeps.append(ones_added(found, [(row, row) for row in range(nv)]))
        return found

    def _accelerations(self, i: int, x: str) -> MatrixField:
        if self.own.method.stages[i].velocity:
            return MatrixField(f"slope_a_{i}_{x}", self.widths[x])
        return MatrixField(self.own.stage(i, self.by[x]), self.widths[x])

    def _velocity(self, i: int, x: str) -> MatrixField | None:
        if self.own.method.stages[i].velocity:
            return MatrixField(f"slope_v_{i}_{x}", self.widths[x])
        return self._ones(x, "of_v") if x == "v" else None

    def _at(self, field: str, x: str) -> MatrixField | None:
        """Derivatives of coordinates of a stage."""
        if field == "q":
            return self._ones(x, "of_q") if x == "q" else None
        found = MatrixField(f"slope_{field}_{x}", self.widths[x])
        return found if found.field in self.own.fields else None

    def velocities(self, i: int) -> None:
        """Add those of v_i, or of v_next."""
        own, stages = self.own, self.own.method.stages
        ended = i == len(stages)
        parts = own.method.velocity if ended else stages[i].velocity
        if not parts:
            return
        for x, width in self.widths.items():
            out = self._end(x, below=True) if ended else self._state(f"slope_v_{i}", x)
            of = [self._accelerations(j, x) for j in range(min(i, len(stages)))]
            total = of[next(iter(parts))]
            if list(parts.values()) != [1.0]:
                total = self._state(f"slope_a_to_{i}", x)
                own.combined({j: of[j] for j in parts}, parts, total, range(width))
            own.sweeps.append(lengthened(total, out, range(own.nv), width))
            if x == "v":
                own.sweeps.append(ones_added(out, [(row, row) for row in range(own.nv)]))

    def coordinates(self, i: int) -> None:
        """Add those of q_i, or of q_next."""
        own = self.own
        for move in own.moves(i):
            slopes = MoveSlopes(own.model, move.name)
            fields, found = slopes.made(own.along(move))
            own.fields |= {field.name: field for field in fields}
            own.sweeps += found
            for x, width in self.widths.items():
                rates = {j: rate for j in move.parts if (rate := self._velocity(j, x)) is not None}
                start = self._at(move.start, x)
                if start is None and not rates:
                    continue
                out = self._end(x, below=False) if move.end == Q_NEXT else self._state(f"slope_{move.end}", x)
                total = self._state(f"rate_{move.name}", x)
                own.combined(rates, move.parts, total, range(width))
                fields, found = slopes.carried(start, total, out, range(width))
                own.fields |= {field.name: field for field in fields}
                own.sweeps += found

    def accelerations(self, i: int) -> None:
        """Add those of a_i, from what the stage's are by its own state."""
        own, nv = self.own, self.own.nv
        if not own.method.stages[i].velocity:
            return
        rows = range(nv)
        for x, width in self.widths.items():
            out = self._state(f"slope_a_{i}", x)
            direct = MatrixField(own.stage(i, self.by[x]), width) if x in "up" else None
            terms = [("q", self._at(own.coordinates(i), x)), ("v", self._velocity(i, x))]
            present = [(of, right) for of, right in terms if right is not None]
            for number, (of, right) in enumerate(present):
                last = number == len(present) - 1
                to = out if last else self._state(f"half_a_{i}", x)
                inner = inner_rows(own.sweeps, right, rows)
                inner |= {column: [] for column in range(width) if column not in inner}
                left = MatrixField(own.stage(i, self.by[of]), nv)
                own.sweeps += product_sweeps(left, right, to, rows, inner, direct)
                direct = to
