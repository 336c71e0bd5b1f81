"""One step of implicit Euler, theta = 1, or of the implicit midpoint rule, theta = 1/2, at a known acceleration.

    w = v + theta h a,   q* = q (+) theta h w,   R(q*, w, a, u) = 0,   v+ = v + e h a,   q+ = q (+) e h w,   e = 1

Robots with loops have R of the equations of constrained motion: multipliers are unknowns behind a, and e'' + 2 e' / T +
e / T^2 = 0 holds at the stage, so that R below has rows of both, and S those of A beside. Rows of loops that are open
say that their multipliers vanish.

With T*, D* of the move theta h w, S = M + theta h R_v + (theta h)^2 R_q D* and the inverse of S by reflections,

    V = [-e h S^-1 R_q T*, S^-1 M e / theta + 1 - e / theta],    U = -e h S^-1 R_u,    P = -e h S^-1 R_p

Methods of several stages are chains of such maps with other e (``chained_steps``).

An acceleration comes from Newton's method: a step of it is a - S^-1 R. Source: Hairer & Wanner 1996, section IV.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

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
from symdyn.dynamics.equations.implicit_jacobian import open_rows_sweep
from symdyn.dynamics.equations.implicit_residual import RESIDUAL
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.loops.constraint_activation import ACTIVE, holds, one_if_off, switches_of
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, outputs_as_state, renamed, wanted
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit

STAGE, VELOCITY = "q_of_stage", "v_of_stage"
NEWTON, _RIGHT, _FOUND, _STEEP, TURNED = "newton_matrix", "sides", "solved", "slopes_spread", "slopes_turned"


def sum_entry(part: float, _: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per entry of S: M + l R_v + l R_q (l D), l being a part of h; without M, R_v + R_q (l D)."""
    length = of_step(part, reads["h"][0])
    steep = reads["spread"][0] if "spread" in reads else length * reads["by_q"][0]
    by_velocity = reads["by_v"][0] + steep
    return {"entry": [reads["by_a"][0] + length * by_velocity if "by_a" in reads else by_velocity]}


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


def let_go(_: None, algebra: Algebra, __: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per row of a loop that may be open: its multiplier where it is."""
    switch = reads[ACTIVE][0]
    return {"entry": [algebra.select(holds(algebra, switch), 0.0, one_if_off(algebra, switch) * reads["x"][0])]}


def _step(name: str, kernel: object, out: str, *given: str) -> Step:
    ports = (*(Port(own, Mode.READ) for own in given), Port(out, Mode.WRITE))
    return Step(name, kernel, ports)  # type: ignore[arg-type]


_SUM = _step("newton_entry", sum_entry, "entry", "h", "by_a", "by_v", "by_q", "spread")
_VELOCITY = _step("velocity_entry", velocity_entry, "entry", "x", "h")
_CORRECT = _step("correct_acceleration", correct, "end", "start", "x")
_COPY = _step("copy_entry", lambda _, __, ___, reads: {"entry": reads["x"]}, "entry", "x")
_LET_GO = Step("let_go", let_go, (Port(ACTIVE, Mode.READ), Port("x", Mode.READ), Port("entry", Mode.ADD)))
_OPPOSE = _step("oppose_entry", lambda _, __, ___, reads: {"entry": [-1.0 * reads["x"][0]]}, "entry", "x")
_MULTIPLIERS = "multipliers_of_step"
_H = Access(STEP_LENGTH, 0, 1)


@dataclass(frozen=True, slots=True)
class ImplicitStep:
    """An implicit step of a problem: its equations, theta, the input that has a, and the part e of h that it takes."""

    problem: Problem
    theta: float
    acceleration: str = "a"
    part: float = 1.0

    @property
    def model(self) -> Model:
        """The robot."""
        return self.problem.model

    @property
    def count(self) -> int:
        """Unknowns: accelerations, and multipliers of loops behind them."""
        return self.model.nv + self.problem.rows

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
            for row in range(self.count)
        ]
        sweeps += [*self._solve(right, 1), Sweep(_CORRECT, tuple(corrected), vector=True)]
        fields.append(Field("moving", FieldKind.STATE, nv))
        sweeps += self.ahead("a", "moving")
        return self.planned("step", fields, sweeps, {Q_NEXT: self.model.nq, V_NEXT: nv, "a": self.count})

    def ahead(self, acceleration: str, velocity: str) -> list[Sweep]:
        """Sweeps from q and v to the state after the step, by a field of accelerations; ``velocity`` gets w."""
        sweeps = [advance_sweep(self.model.nv, "v", acceleration, V_NEXT, self.part)]
        sweeps.append(advance_sweep(self.model.nv, "v", acceleration, velocity, self.theta))
        return [*sweeps, *move_sweeps(self.model, velocity, Q_NEXT, self.part)]

    def partials_plan(self, name: str, by_p: bool) -> Plan:
        """The plan of (q, v, u, h, a) -> q_next, v_next, V, U[, P], or of A, B[, P], where a makes R vanish.

        With ``LINEARISED`` for a name it has the state after the step, and A, B and P of it.
        """
        nv, problem = self.model.nv, self.problem
        given = len(self.model.actuator_inputs) if problem.actuated else nv
        widths = {"q": nv, "v": nv, "u": given, "p": len(self.model.slots.names) if by_p else 0}
        present = {x: width for x, width in widths.items() if width}
        ends = Ends(self.model, present, name, self.theta / self.part, self.part)
        fields, sweeps = self.system({x: ends.widths[x] for x in ends.places})
        total = sum(ends.widths.values())
        sweeps += self._solve(MatrixField(_RIGHT, total), total)
        found, start = MatrixField(_FOUND, total), 0
        for x, (out, first) in ends.places.items():
            sweeps.append(self._velocity_rows(x, found, start, out, first, ends.widths[x]))
            start += ends.widths[x]
        sweeps.append(advance_sweep(nv, "v", self.acceleration, V_NEXT, self.part))
        more, last = ends.made(VELOCITY)
        return self.planned(name, [*fields, *more], [*sweeps, *last], ends.outputs)

    def slopes_plan(self, name: str) -> Plan:
        """The plan of (q, v, u, h, a) -> ``name``, (n, 2 nv + nu): how a, and multipliers, change with q, v and u."""
        nv, problem = self.model.nv, self.problem
        widths = {"q": nv, "w": nv, "u": len(self.model.actuator_inputs) if problem.actuated else nv}
        total = sum(widths.values())
        fields, sweeps = self.system(widths)
        sweeps += self._solve(MatrixField(_RIGHT, total), total)
        found, out = MatrixField(_FOUND, total), MatrixField(name, total)
        visits = []
        for row in range(self.count):
            for column in range(total):
                turned = 1.0 if column >= 2 * nv and not problem.actuated else -1.0
                bindings: dict[str, Binding] = {"x": found.entry(row, column), "entry": out.entry(row, column)}
                visits.append(Visit(-1, (turned, False, False), {}, bindings))
        sweeps.append(Sweep(_VELOCITY, tuple(visits), vector=True))
        return self.planned(name, fields, sweeps, {name: self.count * total})

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
                turned = self.part if x == "u" and not self.problem.actuated else -self.part
                factor = self.part / self.theta if x == "v" else turned
                visits.append(Visit(-1, (factor, x != "v", x == "v" and row == column), {}, bindings))
        return Sweep(_VELOCITY, tuple(visits), vector=True)

    def system(self, sides: Mapping[str, int]) -> tuple[list[Field], list[Sweep]]:
        """Fields and sweeps of S and of right-hand sides: of R_q T, M, R_u or 1, R_p, or of R."""
        model, nv, n = self.model, self.model.nv, self.count
        inner = residual_partials_plan(self.problem, bool(self.problem.rows))
        kept, found = kept_apart(outputs_as_state(inner.fields), inner.sweeps, "residual", (), self.linked)
        found = self.placed(found)
        moves = MoveSlopes(model, "stage", part=self.theta)
        more, slopes = moves.made(VELOCITY)
        first = [
            advance_sweep(nv, "v", self.acceleration, VELOCITY, self.theta),
            *move_sweeps(model, VELOCITY, STAGE, self.theta),
        ]
        total = sum(sides.values())
        fields = [
            *inputs_of(model),
            Field(self.acceleration, FieldKind.INPUT, n),
            *kept,
            *more,
            Field(STAGE, FieldKind.STATE, model.nq),
            Field(VELOCITY, FieldKind.STATE, nv),
            *(Field(name, FieldKind.STATE, nv, n, sparse=True) for name in (_STEEP, TURNED)),
            Field(NEWTON, FieldKind.STATE, n, n, sparse=True),
            Field(_RIGHT, FieldKind.STATE, total, n, sparse=True),
            Field(_FOUND, FieldKind.STATE, total * n),
        ]
        by = {x: MatrixField(f"residual_{name}", nv) for x, name in SLOPES.items()}
        every, inner_rows = range(n), dict[int, list[int]]()
        for joint in turning_joints(model):
            inner_rows |= {column: list(joint.v_places) for column in joint.v_places}
        sweeps = [*first, *found, *slopes]
        sweeps += product_sweeps(by["q"], moves.matrix("spread"), MatrixField(_STEEP, nv), every, inner_rows)
        sweeps += product_sweeps(by["q"], moves.matrix("turn"), MatrixField(TURNED, nv), every, inner_rows)
        visits = []
        for row in every:
            for column in range(nv):
                turning = column in inner_rows
                steep = MatrixField(_STEEP, nv) if turning else by["q"]
                bindings: dict[str, Binding] = {
                    "h": _H,
                    "by_a": by["a"].entry(row, column),
                    "by_v": by["v"].entry(row, column),
                    "spread" if turning else "by_q": steep.entry(row, column),
                    "entry": MatrixField(NEWTON, n).entry(row, column),
                }
                visits.append(Visit(-1, self.theta, {}, bindings))
        sweeps += [Sweep(_SUM, tuple(visits), vector=True), self._exerted(by["a"])]
        if self.problem.rows:
            sweeps.append(open_rows_sweep(model, MatrixField(NEWTON, n)))
        start, right = 0, MatrixField(_RIGHT, total)
        for x, width in sides.items():
            if x == "u" and not self.problem.actuated:
                sweeps.append(ones_added(right, [(row, start + row) for row in range(nv)]))
            else:
                sweeps.append(self._side(x, width, start, right, by, inner_rows))
            start += width
        return fields, [*sweeps, *(self.let_go_of(_RIGHT) if RESIDUAL in sides else [])]

    def let_go_of(self, residual: str) -> list[Sweep]:
        """Sweeps that add multipliers of open loops to their rows of a residual (n,): these are to vanish."""
        visits = list[Visit]()
        for row, switch in enumerate(switches_of(self.model)):
            if switch is not None:
                place = self.model.nv + row
                bindings: dict[str, Binding] = {ACTIVE: Access(ACTIVE, switch, 1)}
                bindings |= {"x": Access(self.acceleration, place, 1), "entry": Access(residual, place, 1)}
                visits.append(Visit(-1, None, {}, bindings))
        return [Sweep(_LET_GO, tuple(visits), vector=True)] if visits and self.problem.rows else []

    @property
    def linked(self) -> dict[str, str]:
        """Fields of the step for inputs of the equations of motion; multipliers are :meth:`placed` behind."""
        return {"q": STAGE, "v": VELOCITY, "a": self.acceleration, "lambda": _MULTIPLIERS}

    def placed(self, sweeps: Sequence[Sweep], more: Mapping[str, str] = MappingProxyType({})) -> list[Sweep]:
        """Sweeps of which multipliers, and ``more`` fields, are rows of another field behind those of v."""
        names = {_MULTIPLIERS: self.acceleration, **more}
        return renamed(sweeps, names, dict.fromkeys(names, self.model.nv))

    def _exerted(self, by_acceleration: MatrixField) -> Sweep:
        """The sweep of -A^T, what multipliers do."""
        nv, newton = self.model.nv, MatrixField(NEWTON, self.count)
        visits = []
        for row in range(nv):
            for column in range(nv, self.count):
                bindings: dict[str, Binding] = {
                    "x": by_acceleration.entry(column, row),
                    "entry": newton.entry(row, column),
                }
                visits.append(Visit(-1, None, {}, bindings))
        return Sweep(_OPPOSE, tuple(visits), vector=True)

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
        for row in range(self.model.nv if x == "u" else self.count):
            for column in range(width):
                source = MatrixField(f"residual_{SLOPES.get(x, RESIDUAL)}", width)
                if x == "w":
                    visits.append(self._by_velocity(row, column, right.entry(row, start + column), by, turned))
                    continue
                if x == "v":
                    source = by["a"]
                elif x == "q" and column in turned:
                    source = MatrixField(TURNED, width)
                bindings: dict[str, Binding] = {
                    "x": source.entry(row, column),
                    "entry": right.entry(row, start + column),
                }
                visits.append(Visit(-1, None, {}, bindings))
        return Sweep(_SUM if x == "w" else _COPY, tuple(visits), vector=True)

    def _by_velocity(
        self, row: int, column: int, entry: Access, by: Mapping[str, MatrixField], turned: Mapping[int, object]
    ) -> Visit:
        """The visit of an entry of R_v + l R_q D, how R changes with v at a fixed a."""
        steep = ("spread", MatrixField(_STEEP, self.model.nv)) if column in turned else ("by_q", by["q"])
        bindings: dict[str, Binding] = {
            "h": _H,
            "by_v": by["v"].entry(row, column),
            steep[0]: steep[1].entry(row, column),
            "entry": entry,
        }
        return Visit(-1, self.theta, {}, bindings)

    def _solve(self, right: MatrixField, total: int) -> list[Sweep]:
        factor = OrthogonalFactor(MatrixField(NEWTON, self.count))
        return [*factor.factoring(), factor.solving(right, MatrixField(_FOUND, total), range(total))]

    def planned(self, name: str, fields: list[Field], sweeps: list[Sweep], outputs: Mapping[str, int]) -> Plan:
        """The plan of these sweeps, with the fields of the factor and those of outputs of these sizes."""
        inner = residual_partials_plan(self.problem, bool(self.problem.rows))
        factor = OrthogonalFactor(MatrixField(NEWTON, self.count)).fields()
        made = [Field(output, FieldKind.OUTPUT, size) for output, size in outputs.items()]
        in_order = {own.name: own for own in (*fields, *factor)}
        every = (*in_order.values(), *made)
        run = tuple(sweep for sweep in sweeps if sweep.visits)
        return wanted(replace(inner, name=name, fields=every, sweeps=run))
