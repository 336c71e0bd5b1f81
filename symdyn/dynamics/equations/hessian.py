"""Second derivatives of the weighted solution of R(x, z) = 0: of W = lambda^T w + kappa^T l, l being the multipliers.

The solution w has accelerations a_F of free rows F and forces f_P of prescribed rows P. With mu_P = lambda_P, let mu_F
and nu solve

    M_FF mu_F + A_F^T nu = -lambda_F - M_FP lambda_P,    A_F mu_F = kappa - A_P lambda_P

Let D be the second derivatives of mu^T R1 + nu^T R2 at the solution, t and h the slopes of R1 and R2, and P, Y as in
``implicit``. R is affine in z, so that, with g for what is given (forces of F, accelerations of P),

    H_qg = D_qa da/dg + D_ql dl/dg,    V = Y D_aq + S^-1 D_lq,    U = H_qg in the columns F
    H_qq = D_qq + B + B^T,             B = -U t_q - V^T h_q
    H_qv = D_qv - U t_v - V^T h_v,     H_vv = D_vv

in the rows F of t, where da/dg is 1 in prescribed rows. H_vg and H_gg vanish. Inputs u of actuators are part of R:
H_qu = U B + D_qu.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.dynamics.actuation.input_slopes import less_given, refuse_rated, turning_inputs
from symdyn.dynamics.actuation.steps import COPY
from symdyn.dynamics.equations.implicit import ImplicitSystem, Outputs
from symdyn.dynamics.equations.inputs import ByInputs, by_inputs
from symdyn.dynamics.equations.problem import Problem, Slope, inner_rows
from symdyn.dynamics.equations.residual_gradient import gradient_plan
from symdyn.dynamics.equations.residual_hessian import POSES_VARIED, VARIED, symmetric_sweep, weighted_hessian_sweeps
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.interface.derivatives import MULTIPLIER_WEIGHTS, WEIGHTS
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Access, Field, FieldKind, Given, Plan, Sweep, Visit

IN_LINE_UP_TO = 32
"""Visits of a loop over entries before the last products up to which it is written out."""
FEW_MOVES = 7
"""Moves of q from which they go in lanes."""
_MU, _NU, _BY_LAMBDA = "mu", "nu", "D_lambdaq"


def weighted_hessian_plan(problem: Problem, name: str, by_given: str) -> Plan:
    """The plan of H_qq, H_qv, H_vv, (nv, nv), and those by q and what is given, from q, v, what is given and weights.

    Weights are lambda, (nv,), and with loops kappa, (m,).

    Parameters
    ----------
    problem
        The equations.
    name
        Of the function.
    by_given
        Output for second derivatives by q and ``problem.given``, (nv, nv). With actuators' inputs u there are H_qu,
        (nv, na), and H_qa, (nv, nv), where accelerations are prescribed, in its place.

    Raises
    ------
    ModelError
        A joint's friction jumps with the sign of its velocity, or the gain of an input depends on a rate.
    """
    model = problem.model
    if problem.actuated:
        refuse_rated(model, name)
        by_given = "H_qgiven"
    plan = WeightedSystem(problem, TreePlan(model, problem.external), Outputs({})).hessian(name, by_given)
    if problem.actuated:
        by_acceleration = "H_qa" if len(problem.free) < model.nv else ""
        turning = "D_uq" if turning_inputs(model) else ""
        matrix = ByInputs(by_given, model.nv, "H_qu", by_acceleration, turning)
        plan = by_inputs(model, plan, problem.free, problem.given, [matrix], problem.input_slopes())
    return begun_alike(wanted(plan))


class WeightedSystem(ImplicitSystem):
    """The solution, and derivatives of a weighted sum of it."""

    def hessian(self, name: str, by_given: str, outputs: Sequence[str] = ()) -> Plan:
        """The plan of second derivatives by q, v and what is given, or of those among ``outputs``."""
        self.solve()
        weights, kappa = self._inputs()
        if self.prescribed:
            slopes = self.slopes_of("qva")
            weights, kappa = self._less_prescribed(weights, kappa)
            self.by_accelerations(slopes.pop("a"))
            self.weigh(weights, kappa)
        else:
            self.weigh(weights, kappa)
            slopes = self.slopes_of("qv")
        fields, sweeps = weighted_hessian_sweeps(
            self.tree, self.gradient(), {**self.linked, _MU: _MU, _NU: _NU}, None if self.rows else FEW_MOVES
        )
        known = {field.name for field in self.fields}
        self.take(([field for field in fields if field.name not in known], sweeps))
        if not self.rows:
            self.sweeps = [replace(own, vector=own.vector and len(own.visits) > IN_LINE_UP_TO) for own in self.sweeps]
        self._products(slopes, sweeps, by_given)
        for own in ("H_qq", "H_qv", "H_vv", by_given):
            kind = FieldKind.OUTPUT if not outputs or own in outputs else FieldKind.STATE
            self.fields.append(Field(own, kind, self.count**2, sparse=kind is FieldKind.STATE))
        return plan_of(name, self.tree, self.sweeps, self.fields)

    def _inputs(self) -> tuple[MatrixField, MatrixField]:
        """The weights lambda and kappa, declared as inputs."""
        sizes = {WEIGHTS: self.count, MULTIPLIER_WEIGHTS: self.rows}
        self.fields += [Field(name, FieldKind.INPUT, size) for name, size in sizes.items() if size]
        return MatrixField(WEIGHTS, 1), MatrixField(MULTIPLIER_WEIGHTS, 1)

    def _less_prescribed(self, weights: MatrixField, kappa: MatrixField) -> tuple[MatrixField, MatrixField]:
        """Add lambda_F + M_FP lambda_P and kappa - A_P lambda_P."""
        inner, rows = {0: self.prescribed}, range(self.rows)
        free, errors = self.state("free_weights", self.count, 1), self.state("error_weights", self.rows, 1)
        self.sweeps += product_sweeps(MatrixField("slope_a", self.count), weights, free, self.free, inner, weights)
        self.sweeps += product_sweeps(self.jacobian, weights, errors, rows, inner, kappa, negative=True)
        return free, errors

    def weigh(self, weights: MatrixField, kappa: MatrixField) -> None:
        """Add what computes mu and nu from weights of free rows and of multipliers."""
        rows, by_kappa = range(self.rows), None
        mu, nu = self.state(_MU, self.count, 1), self.state(_NU, self.rows, 1)
        if self.rows:
            by_kappa, solved = self.state("mu_by_kappa", self.count, 1), self.state("nu_by_kappa", self.rows, 1)
            across = Transposed(self.multipliers_by_force.field, self.count)
            self.sweeps += product_sweeps(across, kappa, by_kappa, self.free, {0: rows}, negative=True)
            self.sweeps.append(self.factor.solving(kappa, solved, [0], negative=True))
            self.sweeps += product_sweeps(self.multipliers_by_force, weights, nu, rows, {0: self.free}, solved)
        self.sweeps += product_sweeps(self.by_force, weights, mu, self.free, {0: self.free}, by_kappa, negative=True)
        if self.prescribed:
            copies: list[tuple[Access | Given, Access]] = [
                (Access(WEIGHTS, row, 1), Access(_MU, row, 1)) for row in self.prescribed
            ]
            copies += [(Given((1.0,)), self.by_force.entry(row, row)) for row in self.prescribed]
            visits = [Visit(-1, None, {}, {"source": source, "column": to}) for source, to in copies]
            self.sweeps.append(Sweep(COPY, tuple(visits), vector=True))

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

    def _products(self, slopes: dict[str, Slope], varied: Sequence[Sweep], by_given: str) -> None:
        """Add what computes second derivatives from D and the slopes."""
        count, every, rows = self.count, range(self.count), range(self.rows)
        by_a, by_tau = MatrixField(VARIED["aq"], count), MatrixField(by_given, count)
        by_lambda, multiplier_part = MatrixField(_BY_LAMBDA, count), None
        start = len(self.sweeps)
        if self.rows:
            multiplier_part, dense = self.state("W_by_lambda", count, count), dict.fromkeys(every, rows)
            across = Transposed(by_lambda.field, count)
            self.sweeps += product_sweeps(across, self.multipliers_by_force, multiplier_part, every, dense)
            solved, error_part = self.state("V_by_lambda", self.rows, count), self.state("V", self.rows, count)
            self.sweeps.append(self.factor.solving(by_lambda, solved, every))
            inner = inner_rows(varied, by_a, self.free)
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
