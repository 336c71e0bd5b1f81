"""Gradients of explicit steps of several stages: weights of a state after a step go back from its last stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import scale, times, transpose
from symdyn.dynamics.control.runge_kutta import ExplicitMethod, ExplicitSteps, Move
from symdyn.dynamics.control.step_adjoint import reads
from symdyn.dynamics.control.step_moves import BY_LENGTH, STEP_LENGTH, dot_sweep
from symdyn.dynamics.control.steps import Q_NEXT
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit


def add_part(own: tuple[float, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry: a part of x, or of h x where ``long``."""
    part, long = own
    found = part * reads["x"][0] if part != 1.0 else reads["x"][0]
    return {"entry": [reads["h"][0] * found if long else found]}


def pull_move(kind: JointModel, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per joint that moves by h w: what weights l of its end are of its start, T^T l, and of w, h D^T l."""
    h, l = reads["h"][0], reads["l"]  # noqa: E741
    if kind.commutes:
        return {"start": l, "rate": scale(h, l)}
    T, D = kind.move_slopes(algebra, scale(h, reads["w"]))
    return {"start": times(transpose(T), l), "rate": scale(h, times(transpose(D), l))}


_ADD_PART = Step("add_part", add_part, (*(Port(name, Mode.READ) for name in ("x", "h")), Port("entry", Mode.ADD)))
_PULL_MOVE = Step(
    "pull_move",
    pull_move,
    (*(Port(name, Mode.READ) for name in ("l", "h", "w")), Port("start", Mode.ADD), Port("rate", Mode.WRITE)),
)
_H = Access(STEP_LENGTH, 0, 1)


def staged_adjoint_plan(
    model: Model,
    method: ExplicitMethod,
    inner: Plan,
    acceleration: str,
    by: Mapping[str, str],
    silent: Sequence[str],
    by_length: bool = False,
) -> Plan:
    """The plan of (q, v, u, h, lambda) -> g_q, g_v, g_u[, g_p][, g_h], as of :func:`explicit_adjoint_plan`."""
    own, nv, stages = ExplicitSteps(model, method, inner, acceleration), model.nv, method.stages
    sizes = {name: inner.field(of).size for name, of in by.items()}
    back = _Back(own, sizes, by_length)
    behind = []
    for i in range(len(stages)):
        own.reach(i)
        weights = own.declare(f"weights_{i}", nv)
        linked = {WEIGHTS: weights} | {of: own.declare(f"{name}_{i}", sizes[name]) for name, of in by.items()}
        found = own.inner_at(i, linked, silent)
        first = next(number for number, sweep in enumerate(found) if reads(sweep, weights))
        own.sweeps += found[:first]
        behind.append(found[first:])
    own.reach(len(stages))  # for velocities of moves; the rest is not wanted
    own.fields[WEIGHTS] = Field(WEIGHTS, FieldKind.INPUT, 2 * nv)
    back.end()
    for i in reversed(range(len(stages))):
        own.sweeps += behind[i]
        back.through(i)
    return own.planned("step_adjoint", sizes | ({BY_LENGTH: 1} if by_length else {}))


class _Back:
    """Weights of velocities and coordinates of stages, and of accelerations, from the last stage to the first."""

    def __init__(self, own: ExplicitSteps, sizes: Mapping[str, int], by_length: bool) -> None:
        self.own, self.sizes, self.by_length = own, sizes, by_length
        for name, size in sizes.items():
            own.declare(name, size)

    def _weights(self, field: str) -> str:
        """The field that gathers weights of one of coordinates or velocities."""
        if field in ("q", "v"):
            return f"g_{field}"
        name = f"weights_of_{field}"
        return name if name in self.own.fields else self.own.declare(name, self.own.nv)

    def add(self, to: str, source: str, part: float, long: bool, start: int = 0, count: int = 0) -> None:
        """Add the sweep of to += part source, or part h source."""
        visits = (
            Visit(
                -1,
                (part, long),
                {},
                {"x": Access(source, start + row, 1), "entry": Access(to, row, 1), **({"h": _H} if long else {})},
            )
            for row in range(count or self.own.nv)
        )
        self.own.sweeps.append(Sweep(_ADD_PART, tuple(visits), vector=True))

    def end(self) -> None:
        """From weights of the state after the step."""
        own, nv, count = self.own, self.own.nv, len(self.own.method.stages)
        self.add("g_v", WEIGHTS, 1.0, False, nv)
        for i, part in own.method.velocity.items():
            self.add(f"weights_{i}", WEIGHTS, part, True, nv)
            self._lengthen(WEIGHTS, own.stage(i, own.acceleration), part, nv)
        for move in reversed(own.moves(count)):
            self._pull(move, WEIGHTS if move.end == Q_NEXT else self._weights(move.end))

    def through(self, i: int) -> None:
        """From weights of a stage, of which the sweeps before have made those of its acceleration."""
        own, stage = self.own, self.own.method.stages[i]
        for name in self.sizes:
            to = {"g_q": self._weights(own.coordinates(i)), "g_v": self._weights(own.velocity(i))}.get(name, name)
            self.add(to, f"{name}_{i}", 1.0, False, count=self.sizes[name])
        if stage.velocity:
            gathered = self._weights(own.velocity(i))
            self.add("g_v", gathered, 1.0, False)
            for j, part in stage.velocity.items():
                self.add(f"weights_{j}", gathered, part, True)
                self._lengthen(gathered, own.stage(j, own.acceleration), part)
        for move in reversed(own.moves(i)):
            self._pull(move, self._weights(move.end))

    def _lengthen(self, weights: str, rate: str, part: float, start: int = 0) -> None:
        """Add what a longer step makes of a sum of h times rates."""
        if self.by_length:
            self.own.sweeps.append(dot_sweep(self.own.nv, weights, rate, part, x_start=start))

    def _pull(self, move: Move, weights: str) -> None:
        self._lengthen(weights, self.own.along(move), 1.0)
        own, rate, start = self.own, self.own.declare(f"rate_{move.name}", self.own.nv), self._weights(move.start)
        visits = []
        for joint in own.model.independent_joints:
            first, count = joint.v_index, len(joint.coordinates.v)
            bindings: dict[str, Binding] = {"l": Access(weights, first, count), "h": _H}
            bindings |= {"start": Access(start, first, count), "rate": Access(rate, first, count)}
            if not joint.kind.commutes:
                bindings["w"] = Access(own.along(move), first, count)
            visits.append(Visit(-1, joint.kind, {}, bindings))
        own.sweeps.append(Sweep(_PULL_MOVE, tuple(visits)))
        for j, part in move.parts.items():
            self.add(self._weights(own.velocity(j)), rate, part, False)
