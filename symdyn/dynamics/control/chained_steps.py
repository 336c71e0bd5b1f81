"""Implicit methods of two stages as two implicit maps, one after the other: ``sdirk2``, which is L-stable.

With g = 1 - 1/sqrt(2), the first map meets forces at g h and goes on to (1 - g) h with the velocity and acceleration
that it has there; the second is implicit Euler for g h, and ends where it meets forces. So


    A = A_2 A_1,   B = A_2 B_1 + B_2,   P = A_2 P_1 + P_2,   A_1^T (A_2^T lambda) for a gradient

Accelerations of both stages are one vector, with multipliers of loops behind each. Source: Alexander 1977.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from symdyn.dynamics.control.implicit_adjoint import implicit_adjoint_plan
from symdyn.dynamics.control.implicit_steps import ImplicitStep
from symdyn.dynamics.control.step_moves import BY_LENGTH
from symdyn.dynamics.control.steps import LINEARISED, MATRICES, Q_NEXT, V_NEXT, VELOCITY_ROWS
from symdyn.dynamics.equations.adjoint import signed_sum
from symdyn.dynamics.equations.implicit_residual import RESIDUAL
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.mass_matrix.matrix_product import Block, MatrixField, product_sweeps
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart, outputs_as_state, renamed, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

GAMMA = 1.0 - 1.0 / sqrt(2.0)
_NAMES = ("first", "second")


@dataclass(frozen=True, slots=True)
class ChainedSteps:
    """Two implicit maps of a problem, of which the second begins where the first ends."""

    first: ImplicitStep
    second: ImplicitStep

    @classmethod
    def sdirk2(cls, problem: Problem, acceleration: str = "a") -> ChainedSteps:
        """The method of Alexander."""
        return cls(
            ImplicitStep(problem, GAMMA, acceleration, 1.0 - GAMMA), ImplicitStep(problem, GAMMA, acceleration, GAMMA)
        )

    @property
    def model(self) -> Model:
        """The robot."""
        return self.first.model

    def newton_plan(self) -> Plan:
        """The plan of (q, v, u, h, a_guess) -> q_next, v_next, a: a step of Newton's method at each stage."""
        first, second = self.first.newton_plan(), self.second.newton_plan()
        made = _Chain(self, [first, second])
        model = self.model
        made.fields |= {name: Field(name, FieldKind.OUTPUT, size) for name, size in _state(model).items()}
        made.fields["a"] = Field("a", FieldKind.OUTPUT, 2 * self.first.count)
        made.run(0)
        made.run(1, {name: name for name in _state(model)})
        return made.planned("step")

    def partials_plan(self, name: str, by_p: bool) -> Plan:
        """The plan of (q, v, u, h, a) -> q_next, v_next, V, U[, P], or of A, B[, P], where a makes both R vanish."""
        plans = [own.partials_plan(LINEARISED, by_p) for own in (self.first, self.second)]
        made, nv, whole = _Chain(self, plans), self.model.nv, name == "step_matrices"
        made.run(0)
        made.run(1)
        rows = range(2 * nv if whole else nv)
        for x, own in MATRICES.items():
            if not any(field.name == own for field in plans[0].fields):
                continue
            width = plans[0].field(own).size // (2 * nv)
            out = MatrixField(MATRICES[x] if whole else VELOCITY_ROWS[x], width)
            made.fields[out.field] = Field(out.field, FieldKind.OUTPUT, len(rows) * width)
            below = 0 if whole else nv
            left = Block(made.named(1, "A"), 2 * nv, below * 2 * nv)
            direct = None if x == "x" else Block(made.named(1, own), width, below * width)
            inner = dict.fromkeys(range(width), range(2 * nv))
            made.sweeps += product_sweeps(left, MatrixField(made.named(0, own), width), out, rows, inner, direct)
        if not whole:
            made.tell_state()
        return made.planned(name)

    def equations_plan(self, name: str, plans: Sequence[Plan]) -> Plan:
        """The plan of (q, v, u, h, a) -> q_next, v_next, R, from those of both maps."""
        made = _Chain(self, plans)
        made.fields |= {own: Field(own, FieldKind.OUTPUT, size) for own, size in _state(self.model).items()}
        made.fields[RESIDUAL] = Field(RESIDUAL, FieldKind.OUTPUT, 2 * self.first.count)
        made.run(0)
        made.run(1, {own: own for own in _state(self.model)})
        return made.planned(name)

    def slopes_plan(self, name: str) -> Plan:
        """The plan of (q, v, u, h, a) -> ``name``, (2 n, 2 nv + nu): how a of both stages change with q, v and u."""
        plans = [self.first.partials_plan(LINEARISED, False), self.second.slopes_plan(name)]
        made, nv, n = _Chain(self, plans), self.model.nv, self.first.count
        made.run(0)
        made.run(1)
        own = self.first.slopes_plan(name)
        names = {self.first.acceleration: self.first.acceleration, name: name}
        fields, sweeps = kept_apart(own.fields, own.sweeps, "own", (), names)
        made.fields |= {field.name: field for field in fields if field.name not in made.fields}
        made.sweeps += sweeps
        total = plans[1].field(name).size // n
        nu, out = total - 2 * nv, Block(name, total, n * total)
        by_state, by_input = MatrixField(made.named(1, name), total), Block(made.named(1, name), total, 2 * nv)
        rows, every = range(n), range(2 * nv)
        for matrix, width, start, plus in (("A", 2 * nv, 0, None), ("B", nu, 2 * nv, by_input)):
            between = MatrixField(made.named(0, matrix), width)
            end = Block(name, total, out.start + start)
            made.sweeps += product_sweeps(by_state, between, end, rows, dict.fromkeys(range(width), every), plus)
        made.fields[name] = Field(name, FieldKind.OUTPUT, 2 * n * total)
        return made.planned(name)

    def adjoint_plan(self, parameters: bool, by_length: bool = False) -> Plan:
        """The plan of (q, v, u, h, a, lambda) -> g_q, g_v, g_u[, g_p][, g_h], where a makes both R vanish."""
        plans = [implicit_adjoint_plan(own, parameters, by_length) for own in (self.first, self.second)]
        of_both = ("g_u", *(["g_p"] if parameters else []), *([BY_LENGTH] if by_length else []))
        made, nv, model = _Chain(self, plans), self.model.nv, self.model
        sizes = _state(model) | {"w_between": nv}
        made.fields |= {
            made.named(0, name): Field(made.named(0, name), FieldKind.STATE, size) for name, size in sizes.items()
        }
        ahead = renamed(self.first.ahead("a", "w_between"), {name: made.named(0, name) for name in sizes})
        made.fields |= {own.name: own for own in plans[0].fields_of(FieldKind.INPUT)}
        made.sweeps += ahead
        made.run(1)
        between = Field("weights_between", FieldKind.STATE, 2 * nv)
        made.fields[between.name] = between
        for number, name in enumerate(("g_q", "g_v")):
            made.sweeps.append(_moved_rows(made.named(1, name), between.name, nv, number * nv))
        made.run(0, {WEIGHTS: between.name})
        for name in ("g_q", "g_v", *of_both):
            size = plans[0].field(name).size
            made.fields[name] = Field(name, FieldKind.OUTPUT, size)
            terms = {made.named(0, name): 1} | ({made.named(1, name): 1} if name in of_both else {})
            made.sweeps.append(signed_sum(name, terms, range(size)))
        return made.planned("step_adjoint")


def _state(model: Model) -> dict[str, int]:
    return {Q_NEXT: model.nq, V_NEXT: model.nv}


def _moved_rows(source: str, target: str, count: int, start: int) -> Sweep:
    (sweep,) = renamed([signed_sum("to", {source: 1}, range(count))], {"to": target}, {"to": start})
    return sweep


class _Chain:
    """Fields and sweeps of both maps in one plan."""

    def __init__(self, own: ChainedSteps, plans: Sequence[Plan]) -> None:
        self.own, self.plans = own, plans
        self.fields: dict[str, Field] = {}
        self.sweeps: list[Sweep] = []

    def named(self, number: int, name: str) -> str:
        """The field of a map for one of its own."""
        return f"{_NAMES[number]}_{name}"

    def run(self, number: int, linked: Mapping[str, str] | None = None) -> None:
        """Add a map: the second one begins where the first ends, and has rows nv.. of accelerations."""
        own, plan = self.own.first if number == 0 else self.own.second, self.plans[number]
        names = {own.acceleration: "of_both", **(linked or {})}
        if any(field.name == "a" for field in plan.fields_of(FieldKind.OUTPUT)):
            names["a"] = "found_of_both"
        if any(field.name == RESIDUAL for field in plan.fields_of(FieldKind.OUTPUT)):
            names[RESIDUAL] = "left_of_both"
        if number:
            names |= {"q": self.named(0, Q_NEXT), "v": self.named(0, V_NEXT)}
        fields, sweeps = kept_apart(outputs_as_state(plan.fields), plan.sweeps, _NAMES[number], (), names)
        self.fields |= {field.name: field for field in fields if field.name not in self.fields}
        back = {"of_both": own.acceleration, "found_of_both": "a", "left_of_both": RESIDUAL}
        starts = dict.fromkeys(back, number * self.own.first.count)
        self.sweeps += renamed(sweeps, back, starts)
        self.fields[own.acceleration] = Field(own.acceleration, FieldKind.INPUT, 2 * self.own.first.count)

    def tell_state(self) -> None:
        """Make the state after the second map an output."""
        for name, size in _state(self.own.model).items():
            self.fields[name] = Field(name, FieldKind.OUTPUT, size)
        names = {self.named(1, name): name for name in _state(self.own.model)}
        for name in names:
            self.fields.pop(name)
        self.sweeps = renamed(self.sweeps, names)

    def planned(self, name: str) -> Plan:
        """The plan."""
        fields = tuple(self.fields.values())
        return wanted(replace(self.plans[0], name=name, fields=fields, sweeps=tuple(self.sweeps)))
