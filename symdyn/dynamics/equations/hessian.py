"""Second derivatives of the weighted solution of R(x, z) = 0: of w = lambda^T a + kappa^T l, l being the multipliers.

With K = dR/dz = (M, -A^T; A, 0) and (mu; nu) = -K^-T (lambda; kappa), let D be the second derivatives of
mu^T R1 + nu^T R2 at the solution, and t, h the slopes of R1 and R2. R is affine in z, so that

    H_qtau = W = D_qa P - D_ql Y,    V = Y D_aq + S^-1 D_lq
    H_qq = D_qq + B + B^T,           B = -W t_q - V^T h_q
    H_qv = D_qv - W t_v - V^T h_v,   H_vv = D_vv

H_vtau and H_tautau vanish. Inputs u of actuators are part of R: H_qu = W B + D_qu.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.dynamics.actuation.partials import less_given, refuse_rated, turning_inputs
from symdyn.dynamics.equations.implicit import ImplicitSystem, Outputs
from symdyn.dynamics.equations.inputs import ByInputs, by_inputs
from symdyn.dynamics.equations.problem import Problem, Slope, inner_rows
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.equations.residual_hessian import POSES_VARIED, VARIED, symmetric_sweep, weighted_hessian_sweeps
from symdyn.dynamics.forward_dynamics.singular import refuse_singular
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import WEIGHTS
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

MULTIPLIER_WEIGHTS = "kappa"
IN_LINE_UP_TO = 32
"""Visits of a loop over entries before the last products up to which it is written out."""
FEW_MOVES = 7
"""Moves of q from which they go in lanes."""
_MU, _NU, _BY_TAU, _BY_LAMBDA = "mu", "nu", "H_qtau", "D_lambdaq"


def weighted_hessian_plan(
    model: Model, external: str = "", stabilisation: float | None = None, driven: bool = False, looped: bool = False
) -> Plan:
    """The plan of H_qq, H_qv, H_vv and H_qtau, (nv, nv), from q, v, tau, lambda, (nv,), and with loops kappa, (m,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.
    stabilisation
        The time T [s] in which errors of loops vanish; None leaves them.
    driven
        Whether forces come from inputs of actuators: H_qu, (nv, na), takes the place of H_qtau.
    looped
        Whether the robot's loops hold.

    Raises
    ------
    ModelError
        The mass matrix is singular, a joint's friction jumps with the sign of its velocity, or the gain of an input
        depends on a rate.
    """
    every = range(model.nv)
    refuse_singular(model, every)
    if driven:
        refuse_rated(model, f"{'constrained_' if looped else ''}forward_dynamics_weighted_hessian")
    problem = Problem(model, every, "given" if driven else "tau", external, stabilisation, looped, driven)
    plan = WeightedSystem(problem, TreePlan(model, external), Outputs({})).hessian()
    if driven:
        matrix = ByInputs(_BY_TAU, model.nv, "H_qu", "", "D_uq" if turning_inputs(model) else "")
        plan = by_inputs(model, plan, every, problem.given, [matrix], problem.input_slopes())
    return begun_alike(wanted(plan))


class WeightedSystem(ImplicitSystem):
    """The solution, and derivatives of a weighted sum of it."""

    def hessian(self) -> Plan:
        """The plan of second derivatives by q, v and forces."""
        self.solve()
        self.weigh()
        slopes = self.slopes_of("qv")
        fields, sweeps = weighted_hessian_sweeps(
            self.tree, self.gradient(), {**self.linked, _MU: _MU, _NU: _NU}, None if self.rows else FEW_MOVES
        )
        known = {field.name for field in self.fields}
        self.take(([field for field in fields if field.name not in known], sweeps))
        if not self.rows:
            self.sweeps = [replace(own, vector=own.vector and len(own.visits) > IN_LINE_UP_TO) for own in self.sweeps]
        self._products(slopes, sweeps)
        outputs = ("H_qq", "H_qv", "H_vv", _BY_TAU)
        self.fields += [Field(name, FieldKind.OUTPUT, self.count**2) for name in outputs]
        name = f"{'constrained_' if self.rows else ''}forward_dynamics_weighted_hessian"
        return plan_of(name, self.tree, self.sweeps, self.fields)

    def weigh(self) -> None:
        """Add what computes mu and nu from lambda and kappa."""
        every, rows = range(self.count), range(self.rows)
        sizes = {WEIGHTS: self.count, MULTIPLIER_WEIGHTS: self.rows}
        self.fields += [Field(name, FieldKind.INPUT, size) for name, size in sizes.items() if size]
        weights, by_kappa = MatrixField(WEIGHTS, 1), None
        mu, nu = self.state(_MU, self.count, 1), self.state(_NU, self.rows, 1)
        if self.rows:
            kappa = MatrixField(MULTIPLIER_WEIGHTS, 1)
            by_kappa, solved = self.state("mu_by_kappa", self.count, 1), self.state("nu_by_kappa", self.rows, 1)
            across = Transposed(self.multipliers_by_force.field, self.count)
            self.sweeps += product_sweeps(across, kappa, by_kappa, every, {0: rows}, negative=True)
            self.sweeps.append(self.factor.solving(kappa, solved, [0], negative=True))
            self.sweeps += product_sweeps(self.multipliers_by_force, weights, nu, rows, {0: every}, solved)
        self.sweeps += product_sweeps(self.by_force, weights, mu, every, {0: every}, by_kappa, negative=True)

    def gradient(self) -> Plan:
        """The plan of the gradient of mu^T R1 + nu^T R2 by q, v, a, l and inputs whose columns of B turn with q."""
        problem, model = self.problem, self.problem.model
        turning = turning_inputs(model) if problem.actuated else []
        tree = TreePlan(model, problem.external, kept=True, derivatives=POSES_VARIED)
        residual = problem.residual(tree=tree)
        if problem.actuated:
            residual = less_given(model, problem.free, residual, turning)
        others = [*(["lambda"] if self.rows else []), *(["u"] if turning else [])]
        weights = {"tau": _MU, **({"constraint_residual": _NU} if self.rows else {})}
        return gradient_plan("residual_gradient", tree, residual, weights, others)

    def _products(self, slopes: dict[str, Slope], varied: Sequence[Sweep]) -> None:
        """Add what computes second derivatives from D and the slopes."""
        count, every, rows = self.count, range(self.count), range(self.rows)
        by_a, by_tau = MatrixField(VARIED["aq"], count), MatrixField(_BY_TAU, count)
        by_lambda, multiplier_part = MatrixField(_BY_LAMBDA, count), None
        start = len(self.sweeps)
        if self.rows:
            multiplier_part, dense = self.state("W_by_lambda", count, count), dict.fromkeys(every, rows)
            across = Transposed(by_lambda.field, count)
            self.sweeps += product_sweeps(across, self.multipliers_by_force, multiplier_part, every, dense)
            solved, error_part = self.state("V_by_lambda", self.rows, count), self.state("V", self.rows, count)
            self.sweeps.append(self.factor.solving(by_lambda, solved, every))
            inner = inner_rows(varied, by_a, every)
            self.sweeps += product_sweeps(
                self.multipliers_by_force, by_a, error_part, rows, inner, solved, negative=True
            )
        inner = inner_rows(self.sweeps, self.by_force, every)
        across = Transposed(by_a.field, count)
        self.sweeps += product_sweeps(across, self.by_force, by_tau, every, inner, multiplier_part)
        for by, name, plus in (("q", "B_qq", None), ("v", "H_qv", Transposed(VARIED["vq"], count))):
            slope, out = slopes[by], MatrixField(name, count)
            half: MatrixField | None = plus
            if by == "q":
                self.state(name, count, count)
            if self.rows:
                half = self.state(f"{name}_by_errors", count, count)
                error_rows = slope.error_rows if by == "q" else dense
                across = Transposed(error_part.field, count)
                self.sweeps += product_sweeps(across, slope.error, half, every, error_rows, plus, negative=True)
            self.sweeps += product_sweeps(by_tau, slope.force, out, every, slope.force_rows, half, negative=True)
        if not self.rows:
            self.sweeps[start:] = [replace(own, looped=True) for own in self.sweeps[start:]]
        self.sweeps.append(symmetric_sweep(self.problem.model, VARIED["vv"], "H_vv"))
        self.sweeps.append(symmetric_sweep(self.problem.model, VARIED["qq"], "H_qq", "B_qq"))
