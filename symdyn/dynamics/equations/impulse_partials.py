"""Partial derivatives of what an impact does to velocities.

At the solved v+ and Lambda, with the jump v+ - v fixed, t are the slopes of M (v+ - v) - A^T Lambda and h those of
A v+ + e A v by q or p. As in ``implicit``, with N = M^-1 and S = A N A^T,

    dv+ = -P t - Y^T h,    dLambda = Y t - S^-1 h,    dLambda_dv = -S^-1 (1 + e) A,    dv+_dv = 1 + N A^T dLambda_dv
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.equations.implicit import ImplicitSystem, Outputs
from symdyn.dynamics.equations.impulses import (
    CLOSING,
    bare,
    closing_rows,
    closing_sweeps,
    given_fields,
    impulse_motion_plan,
)
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import places_written
from symdyn.plan.plan import Mode, Plan, Port, Step, Sweep, Visit


def impulse_partials_plan(model: Model, outputs: Outputs, restitution: bool) -> Plan:
    """The plan of (q, v[, restitution][, p]) -> derivatives of v_plus and of impulses.

    Parameters
    ----------
    model
        The robot, with loops.
    outputs
        Names by q, v and, where the robot has run-time parameters, p.
    restitution
        Whether the input e, one per loop, is there; otherwise it is zero.
    """
    own = bare(model)
    problem = _Impact(own, range(model.nv), "", looped=True, restitution=restitution)
    return _ImpactSystem(problem, TreePlan(own), outputs).plan(restitution)


@dataclass(frozen=True, slots=True)
class _Impact(Problem):
    """R = (M w - A^T Lambda, A (v + w) + e A v), where w is the jump of velocities."""

    restitution: bool = False

    def residual(self, exerted: bool = True, tree: TreePlan | None = None, jacobian: bool = False) -> Plan:
        """The plan of (q, v, v_plus, a, lambda[, restitution]) -> tau, held."""
        return impulse_motion_plan(self.model, self.restitution)


class _ImpactSystem(ImplicitSystem):
    """The jump of velocities and the impulses, and derivatives of both."""

    linked = MappingProxyType({"a": "jump", "v_plus": "v_after", "lambda": "multipliers"})

    def plan(self, restitution: bool) -> Plan:
        """The plan of the function."""
        model, every, row = self.problem.model, range(self.count), {0: range(self.rows)}
        constraints = ConstraintSet(self.tree)
        related, closing = (
            [pose_sweep(self.tree), *relation_sweeps(constraints)],
            closing_sweeps(constraints, restitution),
        )
        exerted = ("on_own", "on_other", "coefficients")  # which come with the Jacobian
        fields = [field for field in relation_fields(constraints, [*related, *closing]) if field.name not in exerted]
        self.take(([*given_fields(model, restitution), *self.tree.fields(), *fields], related))
        across = Transposed(self.invert().field, self.count)
        rate, impulses = self.state(CLOSING, self.rows, 1), self.state("multipliers", self.rows, 1)
        self.state("jump", 1, self.count)
        self.state("v_after", 1, self.count)
        self.sweeps += [*closing, self.factor.solving(rate, impulses, [0], negative=True)]
        for name, plus in (("jump", None), ("v_after", MatrixField("v", 1))):
            self.sweeps += product_sweeps(across, impulses, MatrixField(name, 1), every, row, plus)
        for x, own in self.slopes_of([x for x in self.solution if x in "qp" and self.widths[x]]).items():
            self.apply_inverse(own, self.solution[x], self.multipliers[x])
        rates = self.jacobian
        if restitution:
            rates = self.state("closing_slopes", self.rows, self.count)
            written = places_written(self.sweeps, self.jacobian.field)
            self.sweeps.append(closing_rows(model, self.jacobian, rates, written))
        unit = self.state("unit", self.count, self.count)
        self.sweeps.append(Sweep(_ONE, tuple(Visit(-1, None, {}, {"one": unit.entry(row, row)}) for row in every)))
        self.sweeps.append(self.factor.solving(rates, self.multipliers["v"], every, negative=True))
        dense = dict.fromkeys(every, range(self.rows))
        self.sweeps += product_sweeps(across, self.multipliers["v"], self.solution["v"], every, dense, unit)
        return plan_of("impulse_dynamics_partials", self.tree, self.sweeps, self.fields)


def _one(_: None, __: Algebra, ___: Mapping[str, Scalar], ____: Reads) -> Writes:
    return {"one": [1.0]}


_ONE = Step("one", _one, (Port("one", Mode.WRITE),))
