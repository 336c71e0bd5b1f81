"""One step of implicit Euler, theta = 1, or of the implicit midpoint rule, theta = 1/2, at a known acceleration.

    w = v + theta h a,   q* = q (+) theta h w,   R(q*, w, a, u) = 0,   v+ = v + h a,   q+ = q (+) h w

With T*, D* of the move theta h w, S = M + theta h R_v + (theta h)^2 R_q D* and the inverse of S by reflections,

    V = [-h S^-1 R_q T*, S^-1 M / theta + 1 - 1 / theta],    U = -h S^-1 R_u,    P = -h S^-1 R_p

An acceleration comes from Newton's method: a step of it is a - S^-1 R. Source: Hairer & Wanner 1996, section IV.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.control.orthogonal import OrthogonalFactor
from symdyn.dynamics.control.residual_partials import SLOPES, residual_partials_plan
from symdyn.dynamics.control.step_moves import (
    STEP_LENGTH,
    MoveSlopes,
    advance_sweep,
    inputs_of,
    move_sweeps,
    of_step,
    ones_added,
    turning_joints,
)
from symdyn.dynamics.control.steps import Q_NEXT, V_NEXT, Ends
from symdyn.dynamics.equations.implicit_residual import RESIDUAL
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

STAGE, VELOCITY = "q_of_stage", "v_of_stage"
NEWTON, _RIGHT, _FOUND, _STEEP, TURNED = "newton_matrix", "sides", "solved", "slopes_spread", "slopes_turned"


def sum_entry(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of S: M + l R_v + l R_q (l D), l being a part of h."""
    length = of_step(part, reads["h"][0])
    steep = reads["spread"][0] if "spread" in reads else length * reads["by_q"][0]
    return {"entry": [reads["by_a"][0] + length * (reads["by_v"][0] + steep)]}


def velocity_entry(own: tuple[float, bool, bool], _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per velocity row: a multiple of what was solved, of h where ``long``; more in the ``diagonal``."""
    factor, long, diagonal = own
    found = factor * reads["x"][0] if factor != 1.0 else reads["x"][0]
    if long:
        found = reads["h"][0] * found
    return {"entry": [found + (1.0 - factor) if diagonal and factor != 1.0 else found]}


def correct(_: None, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row: a less what Newton's method takes off."""
    return {"end": [reads["start"][0] - reads["x"][0]]}


def _step(name: str, kernel: object, out: str, *given: str) -> Step:
    ports = (*(Port(own, Mode.READ) for own in given), Port(out, Mode.WRITE))
    return Step(name, kernel, ports)  # type: ignore[arg-type]


_SUM = _step("newton_entry", sum_entry, "entry", "h", "by_a", "by_v", "by_q", "spread")
_VELOCITY = _step("velocity_entry", velocity_entry, "entry", "x", "h")
_CORRECT = _step("correct_acceleration", correct, "end", "start", "x")
_COPY = _step("copy_entry", lambda _, __, ___, reads: {"entry": reads["x"]}, "entry", "x")
_H = Access(STEP_LENGTH, 0, 1)


@dataclass(frozen=True, slots=True)
class ImplicitStep:
    """An implicit step of a problem: its equations, theta, and the input that has a."""

    problem: Problem
    theta: float
    acceleration: str = "a"

    @property
    def model(self) -> Model:
        """The robot."""
        return self.problem.model

    def newton_plan(self) -> Plan:
        """The plan of (q, v, u, h, a_guess) -> q_next, v_next, a: a step of Newton's method, and of the robot by it."""
        nv = self.model.nv
        fields, sweeps = self.system({RESIDUAL: 1})
        right = MatrixField(_RIGHT, 1)
        corrected = [
            Visit(
                -1,
                None,
                {},
                {"start": Access(self.acceleration, row, 1), "x": Access(_FOUND, row, 1), "end": Access("a", row, 1)},
            )
            for row in range(nv)
        ]
        sweeps += [*self._solve(right, 1), Sweep(_CORRECT, tuple(corrected), vector=True)]
        sweeps += [advance_sweep(nv, "v", "a", V_NEXT), advance_sweep(nv, "v", "a", "moving", self.theta)]
        sweeps += move_sweeps(self.model, "moving", Q_NEXT)
        fields.append(Field("moving", FieldKind.STATE, nv))
        return self.planned("step", fields, sweeps, {Q_NEXT: self.model.nq, V_NEXT: nv, "a": nv})

    def partials_plan(self, name: str, by_p: bool) -> Plan:
        """The plan of (q, v, u, h, a) -> q_next, v_next, V, U[, P], or of A, B[, P], where a makes R vanish."""
        nv, problem = self.model.nv, self.problem
        given = len(self.model.actuator_inputs) if problem.actuated else nv
        widths = {"q": nv, "v": nv, "u": given, "p": len(self.model.slots.names) if by_p else 0}
        ends = Ends(self.model, {x: width for x, width in widths.items() if width}, name, self.theta)
        fields, sweeps = self.system({x: ends.widths[x] for x in ends.places})
        total = sum(ends.widths.values())
        sweeps += self._solve(MatrixField(_RIGHT, total), total)
        found, start = MatrixField(_FOUND, total), 0
        for x, (out, first) in ends.places.items():
            sweeps.append(self._velocity_rows(x, found, start, out, first, ends.widths[x]))
            start += ends.widths[x]
        sweeps.append(advance_sweep(nv, "v", self.acceleration, V_NEXT))
        more, last = ends.made(VELOCITY)
        return self.planned(name, [*fields, *more], [*sweeps, *last], ends.outputs)

    def _velocity_rows(self, x: str, found: MatrixField, start: int, out: MatrixField, first: int, width: int) -> Sweep:
        """Rows of V, U or P by what was solved: signs of right-hand sides are such that h times it is meant."""
        visits = []
        for row in range(self.model.nv):
            for column in range(width):
                bindings: dict[str, Binding] = {
                    "x": found.entry(row, start + column),
                    "entry": out.entry(row, first + column),
                }
                if x != "v":
                    bindings["h"] = _H
                factor = 1.0 / self.theta if x == "v" else 1.0 if x == "u" and not self.problem.actuated else -1.0
                visits.append(Visit(-1, (factor, x != "v", x == "v" and row == column), {}, bindings))
        return Sweep(_VELOCITY, tuple(visits), vector=True)

    def system(self, sides: Mapping[str, int]) -> tuple[list[Field], list[Sweep]]:
        """Fields and sweeps of S and of right-hand sides: of R_q T, M, R_u or 1, R_p, or of R."""
        model, nv = self.model, self.model.nv
        inner = residual_partials_plan(self.problem)
        as_state = [
            replace(own, kind=FieldKind.STATE, sparse=True) if own.kind is FieldKind.OUTPUT else own
            for own in inner.fields
        ]
        linked = {"q": STAGE, "v": VELOCITY, "a": self.acceleration}
        kept, found = kept_apart(as_state, inner.sweeps, "residual", (), linked)
        moves = MoveSlopes(model, "stage", part=self.theta)
        more, slopes = moves.made(VELOCITY)
        first = [
            advance_sweep(nv, "v", self.acceleration, VELOCITY, self.theta),
            *move_sweeps(model, VELOCITY, STAGE, self.theta),
        ]
        total = sum(sides.values())
        fields = [
            *inputs_of(model),
            Field(self.acceleration, FieldKind.INPUT, nv),
            *kept,
            *more,
            Field(STAGE, FieldKind.STATE, model.nq),
            Field(VELOCITY, FieldKind.STATE, nv),
            *(Field(name, FieldKind.STATE, nv, nv, sparse=True) for name in (_STEEP, TURNED)),
            Field(NEWTON, FieldKind.STATE, nv * nv),
            Field(_RIGHT, FieldKind.STATE, total, nv, sparse=True),
            Field(_FOUND, FieldKind.STATE, total * nv),
        ]
        by = {x: MatrixField(f"residual_{name}", nv) for x, name in SLOPES.items()}
        every, inner_rows = range(nv), dict[int, list[int]]()
        for joint in turning_joints(model):
            inner_rows |= {column: list(joint.v_places) for column in joint.v_places}
        sweeps = [*first, *found, *slopes]
        sweeps += product_sweeps(by["q"], moves.matrix("spread"), MatrixField(_STEEP, nv), every, inner_rows)
        sweeps += product_sweeps(by["q"], moves.matrix("turn"), MatrixField(TURNED, nv), every, inner_rows)
        visits = []
        for row in every:
            for column in every:
                turning = column in inner_rows
                steep = MatrixField(_STEEP, nv) if turning else by["q"]
                bindings: dict[str, Binding] = {
                    "h": _H,
                    "by_a": by["a"].entry(row, column),
                    "by_v": by["v"].entry(row, column),
                    "spread" if turning else "by_q": steep.entry(row, column),
                    "entry": MatrixField(NEWTON, nv).entry(row, column),
                }
                visits.append(Visit(-1, self.theta, {}, bindings))
        sweeps.append(Sweep(_SUM, tuple(visits), vector=True))
        start, right = 0, MatrixField(_RIGHT, total)
        for x, width in sides.items():
            if x == "u" and not self.problem.actuated:
                sweeps.append(ones_added(right, [(row, start + row) for row in every]))
            else:
                sweeps.append(self._side(x, width, start, right, by, inner_rows))
            start += width
        return fields, sweeps

    def _side(
        self,
        x: str,
        width: int,
        start: int,
        right: MatrixField,
        by: Mapping[str, MatrixField],
        turned: Mapping[int, object],
    ) -> Sweep:
        """The sweep that copies a right-hand side."""
        visits = []
        for row in range(self.model.nv):
            for column in range(width):
                source = MatrixField(f"residual_{SLOPES.get(x, RESIDUAL)}", width)
                if x == "v":
                    source = by["a"]
                elif x == "q" and column in turned:
                    source = MatrixField(TURNED, width)
                bindings: dict[str, Binding] = {
                    "x": source.entry(row, column),
                    "entry": right.entry(row, start + column),
                }
                visits.append(Visit(-1, None, {}, bindings))
        return Sweep(_COPY, tuple(visits), vector=True)

    def _solve(self, right: MatrixField, total: int) -> list[Sweep]:
        factor = OrthogonalFactor(MatrixField(NEWTON, self.model.nv))
        return [*factor.factoring(), factor.solving(right, MatrixField(_FOUND, total), range(total))]

    def planned(self, name: str, fields: list[Field], sweeps: list[Sweep], outputs: Mapping[str, int]) -> Plan:
        """The plan of these sweeps, with the fields of the factor and those of outputs of these sizes."""
        inner = residual_partials_plan(self.problem)
        factor = OrthogonalFactor(MatrixField(NEWTON, self.model.nv)).fields()
        made = [Field(output, FieldKind.OUTPUT, size) for output, size in outputs.items()]
        in_order = {own.name: own for own in (*fields, *factor)}
        every = (*in_order.values(), *made)
        run = tuple(sweep for sweep in sweeps if sweep.visits)
        return wanted(replace(inner, name=name, fields=every, sweeps=run))
