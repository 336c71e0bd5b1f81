"""First and second derivatives of what an impact does to velocities.

The problem is R = (M w - A^T Lambda, A (v + w) + e A v) = 0 for the jump w = v+ - v and the impulses Lambda. At the
solution, with w fixed, t are the slopes of R1 and h those of R2 by q or p. As in ``implicit``, with N = M^-1 and
S = A N A^T,

    dv+ = -P t - Y^T h,    dLambda = Y t - S^-1 h,    dLambda_dv = -S^-1 (1 + e) A,    dv+_dv = 1 + N A^T dLambda_dv

Gradients and Hessians of weighted solutions are those of w and Lambda; as v+ = v + w, g_v has the weights besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.equations.adjoint import ERRORS, AdjointSystem
from symdyn.dynamics.equations.hessian import WeightedSystem
from symdyn.dynamics.equations.implicit import Outputs
from symdyn.dynamics.equations.impulses import (
    CLOSING,
    bare,
    closing_rows,
    closing_sweeps,
    given_fields,
    impulse_motion_plan,
)
from symdyn.dynamics.equations.problem import Problem
from symdyn.dynamics.forward_dynamics.station_bias import Solution
from symdyn.dynamics.loops.constraint_kinematics import relation_fields, relation_sweeps
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.loops.constraints import slopes_beside
from symdyn.dynamics.loops.contracted_jacobian import SLOPES
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, plan_of
from symdyn.dynamics.tree.body_state import pose_sweep
from symdyn.dynamics.tree.contracted_view import Made
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.model import Model, lossless
from symdyn.plan.compose import begun_alike, places_written, renamed, wanted
from symdyn.plan.plan import Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit


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
    problem = _impact(model, restitution)
    return _ImpactSystem(problem, TreePlan(problem.model), outputs).partials()


def impulse_adjoint_plan(model: Model, name: str, restitution: bool, parameters: bool = False) -> Plan:
    """The plan of (q, v, lambda, kappa[, restitution][, p]) -> gradients of lambda^T v_plus + kappa^T impulses."""
    return _ImpactAdjoint(_impact(model, restitution)).plan(name, "", parameters)


def impulse_weighted_hessian_plan(model: Model, name: str, restitution: bool) -> Plan:
    """The plan of (q, v, lambda, kappa[, restitution][, p]) -> H_qq, H_qv of lambda^T v_plus + kappa^T impulses."""
    problem = _impact(model, restitution)
    plan = _ImpactSystem(problem, TreePlan(problem.model), Outputs({})).hessian(name, "H_qw", ("H_qq", "H_qv"))
    return begun_alike(wanted(plan))


@dataclass(frozen=True, slots=True)
class _Impact(Problem):
    """R = (M w - A^T Lambda, A (v + w) + e A v), where w is the jump of velocities."""

    restitution: bool = False

    def residual(self, exerted: bool = True, tree: TreePlan | None = None, jacobian: bool = False) -> Plan:
        """The plan of (q, v, a, lambda[, restitution]) -> tau, constraint_residual, with a for w."""
        return impulse_motion_plan(self.model, self.restitution, tree)

    def related(self) -> Made:
        """Fields and sweeps of poses and of how the ends of loops lie; a field for what :meth:`closing` computes."""
        tree = TreePlan(self.model)
        constraints = ConstraintSet(tree)
        sweeps = [pose_sweep(tree), *relation_sweeps(constraints)]
        exerted = ("on_own", "on_other", "coefficients")  # which come with the Jacobian
        fields = relation_fields(constraints, [*sweeps, *self.closing()])
        fields = [*tree.fields(), *(field for field in fields if field.name not in exerted)]
        closing = Field(CLOSING, FieldKind.STATE, self.rows, sparse=True)
        return [*given_fields(self.model, self.restitution), *fields, closing], sweeps

    def closing(self) -> list[Sweep]:
        """Sweeps that compute (1 + e) A v, from how ends lie and what comes with the Jacobian."""
        return closing_sweeps(ConstraintSet(TreePlan(self.model)), self.restitution)


def _impact(model: Model, restitution: bool) -> _Impact:
    own = bare(model)
    return _Impact(own, range(model.nv), "", looped=True, restitution=restitution)


class _ImpactAdjoint(AdjointSystem):
    """The jump of velocities and the impulses, and the gradient of a weighted sum of v_plus and impulses."""

    problem: _Impact

    def __init__(self, problem: _Impact) -> None:
        super().__init__(problem)
        self.by_v = "by_v"
        self.declare(FieldKind.STATE, {self.by_v: self.count, "rest": self.count})  # no force acts: rest is zero

    def solve(self) -> Solution:
        """Add what solves for the jump, from the rates of errors."""
        related = self.problem.related()
        whole = TreePlan(self.model)
        bound = plan_of("related", whole, related[1], related[0])  # with what run-time parameters set
        self.take((list(bound.fields), list(bound.sweeps)))
        jacobian = slopes_beside(ConstraintSet(TreePlan(lossless(self.model), beside=whole)), SLOPES)
        solution = self.solution(jacobian)
        self.take(jacobian)
        self.take((solution.fields, self.problem.closing()))
        self.sweeps += [*solution.factor, *renamed(solution.solve, {ERRORS: CLOSING})]
        return solution

    def complete(self, by_given: str) -> None:
        """Add the weights themselves to the gradient by v, because v_plus is v and the jump."""
        self.signed("g_v", {self.by_v: 1, WEIGHTS: 1}, range(self.count))


class _ImpactSystem(WeightedSystem):
    """The jump of velocities and the impulses, and derivatives of both."""

    problem: _Impact
    linked = MappingProxyType({"a": "jump", "lambda": "multipliers"})

    def solve(self) -> None:
        """Add what computes K^-1, the jump and the impulses."""
        self.take(self.problem.related())
        whole = self.invert()
        self.sweeps += self.problem.closing()
        impulses, jump = self.state("multipliers", self.rows, 1), self.state("jump", self.count, 1)
        self.sweeps.append(self.factor.solving(MatrixField(CLOSING, 1), impulses, [0], negative=True))
        across, row = Transposed(whole.field, self.count), {0: range(self.rows)}
        self.sweeps += product_sweeps(across, impulses, jump, range(self.count), row)

    def partials(self) -> Plan:
        """The plan of first derivatives."""
        model, every = self.problem.model, range(self.count)
        self.solve()
        across = Transposed("jacobian_inverse", self.count)
        for x, own in self.slopes_of([x for x in self.solution if x in "qp" and self.widths[x]]).items():
            self.apply_inverse(own, self.solution[x], self.multipliers[x])
        rates = self.jacobian
        if self.problem.restitution:
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
