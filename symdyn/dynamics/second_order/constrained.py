"""Second derivatives of weighted accelerations and multipliers of robots with loops.

With x one of q, v, and a and the multipliers l solving

    R(x, a, l) = (ID - A^T l - tau, e'' + 2 e' / T + e / T^2) = 0,    K = dR/d(a, l) = (M, -A^T; A, 0)

let (mu; nu) = -K^-T (lambda; kappa), and D the second derivatives of mu^T R_1 + nu^T R_2 at what was found. R is
linear in (a, l), so that those by a and l alone vanish, and so do those by v and them. With K^-1 = (P, Y^T; -Y, S^-1),
as in ``loops.partials``, and t, h the slopes of both rows of R,

    d2(lambda^T a + kappa^T l)/dq dtau = W = D_qa P - D_ql Y
    V = Y D_aq + S^-1 D_lq
    d2(..)/dq dq = D_qq + B + B^T,   B = -W t_q - V^T h_q
    d2(..)/dq dv = D_qv - W t_v - V^T h_v
    d2(..)/dv dv = D_vv

Those by v, tau and by tau, tau vanish. All second derivatives of the loops' rows are in D: the plan of R is walked back
once, with weights mu and nu, and that gradient is varied along q and v, as for robots without loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.derivatives import WEIGHTS
from symdyn.dynamics.actuation.partials import Driven, by_inputs, less_given, refuse_rated, slope_sweeps, turning_inputs
from symdyn.dynamics.forward_dynamics.singular import refuse_singular
from symdyn.dynamics.loops.held_motion import held_motion_plan
from symdyn.dynamics.loops.partials import Outputs, Slope, SolvedPartials
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import inner_rows
from symdyn.dynamics.second_order.adjoint import gradient_plan
from symdyn.dynamics.second_order.inverse_dynamics import (
    POSES_VARIED,
    VARIED,
    symmetric_sweep,
    weighted_hessian_sweeps,
)
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

MULTIPLIER_WEIGHTS = "kappa"
_NAME = "constrained_forward_dynamics_weighted_hessian"
_MU, _NU, _BY_TAU, _BY_LAMBDA = "mu", "nu", "H_qtau", "D_lambdaq"


def constrained_forward_dynamics_weighted_hessian_plan(
    model: Model, external: str = "", stabilisation: float | None = None, driven: bool = False
) -> Plan:
    """The plan of H_qq, H_qv, H_vv and H_qtau, (nv, nv), from q, v, tau, lambda, (nv,), and kappa, (m,).

    Parameters
    ----------
    model
        The robot, with loops.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.
    stabilisation
        The time T [s] in which errors of the loops vanish; None leaves them.
    driven
        Whether inputs u of actuators, (na,), stand for tau, and H_qu, (nv, na), for H_qtau.

    Raises
    ------
    ModelError
        The mass matrix is singular, a joint's friction jumps with the sign of its velocity, or the gain of an input
        depends on a rate.
    """
    refuse_singular(model, range(model.nv))
    if driven:
        refuse_rated(model, _NAME)
    plan = _Plan(model, TreePlan(model, external), range(model.nv), Outputs({}, {}))
    plan.resisting = slope_sweeps(model, {row: row for row in range(model.nv)}) if driven else []
    made = plan.hessian("given" if driven else "tau", external, stabilisation, driven)
    if driven:
        taken = Driven(_BY_TAU, model.nv, "H_qu", "", "D_uq" if turning_inputs(model) else "")
        made = by_inputs(model, made, range(model.nv), "given", [taken], plan.resisting)
    return begun_alike(wanted(made))


class _Plan(SolvedPartials):
    """What is solved for, and then its second derivatives."""

    def hessian(self, given: str, external: str, stabilisation: float | None, driven: bool) -> Plan:
        """The plan, by forces."""
        self.solve(given, external, stabilisation)
        self._weigh()
        needed = held_motion_plan(self.model, external, stabilisation)
        slopes = {by: self.slope_of(needed, by, self.linked) for by in "qv"}
        gradient = self._gradient(external, stabilisation, driven)
        inputs = {**self.linked, _MU: _MU, _NU: _NU}
        fields, sweeps = weighted_hessian_sweeps(self.tree, gradient, inputs)
        known = {field.name for field in self.fields}
        self.take(([field for field in fields if field.name not in known], sweeps))
        self._products(slopes, sweeps)
        outputs = ("H_qq", "H_qv", "H_vv", _BY_TAU)
        self.fields += [Field(name, FieldKind.OUTPUT, self.count**2) for name in outputs]
        return plan_of(_NAME, self.tree, self.sweeps, self.fields)

    def _weigh(self) -> None:
        """Find mu and nu from lambda and kappa."""
        every, rows = range(self.count), range(self.rows)
        self.fields += [
            Field(WEIGHTS, FieldKind.INPUT, self.count),
            Field(MULTIPLIER_WEIGHTS, FieldKind.INPUT, self.rows),
        ]
        weights, more = MatrixField(WEIGHTS, 1), MatrixField(MULTIPLIER_WEIGHTS, 1)
        mu, nu = self.state(_MU, self.count, 1), self.state(_NU, self.rows, 1)
        moved, solved = self.state("mu_by_kappa", self.count, 1), self.state("nu_by_kappa", self.rows, 1)
        across = Transposed(self.lambda_by_u.field, self.count)
        self.sweeps += product_sweeps(across, more, moved, every, {0: rows}, negative=True)
        self.sweeps += product_sweeps(self.by_u, weights, mu, every, {0: every}, moved, negative=True)
        self.sweeps.append(self.factor.solving(more, solved, [0], negative=True))
        self.sweeps += product_sweeps(self.lambda_by_u, weights, nu, rows, {0: every}, solved)

    def _gradient(self, external: str, stabilisation: float | None, driven: bool) -> Plan:
        """The plan of the gradient of mu^T R_1 + nu^T R_2, to be varied."""
        tree = TreePlan(self.model, external, kept=True, derivatives=POSES_VARIED)
        needed, turning = held_motion_plan(self.model, external, stabilisation, tree=tree), turning_inputs(self.model)
        others = ["lambda", *(["u"] if driven and turning else [])]
        if driven:
            needed = less_given(self.model, range(self.count), needed, turning)
        return gradient_plan("held_motion_adjoint", tree, needed, {"tau": _MU, "held": _NU}, others)

    def _products(self, slopes: dict[str, Slope], varied: Sequence[Sweep]) -> None:
        """Sweeps from D and the slopes to second derivatives."""
        count, every, rows = self.count, range(self.count), range(self.rows)
        by_a, by_lambda = MatrixField(VARIED["aq"], count), MatrixField(_BY_LAMBDA, count)
        by_tau, left = MatrixField(_BY_TAU, count), self.state("W_by_lambda", count, count)
        across, dense = Transposed(by_lambda.field, count), dict.fromkeys(every, rows)
        self.sweeps += product_sweeps(across, self.lambda_by_u, left, every, dense)
        inner = dict.fromkeys(every, every)
        self.sweeps += product_sweeps(Transposed(by_a.field, count), self.by_u, by_tau, every, inner, left)
        solved, answer = self.state("V_by_lambda", self.rows, count), self.state("V", self.rows, count)
        self.sweeps.append(self.factor.solving(by_lambda, solved, every))
        felt = inner_rows(varied, by_a, every)
        self.sweeps += product_sweeps(self.lambda_by_u, by_a, answer, rows, felt, solved, negative=True)
        for by, name, plus in (("q", "B_qq", None), ("v", "H_qv", Transposed(VARIED["vq"], count))):
            own, half = slopes[by], self.state(f"{name}_by_errors", count, count)
            found = self.state(name, count, count) if by == "q" else MatrixField(name, count)
            gone = own.gone if plus is None else dict.fromkeys(every, rows)
            self.sweeps += product_sweeps(
                Transposed(answer.field, count), own.miss, half, every, gone, plus, negative=True
            )
            self.sweeps += product_sweeps(by_tau, own.force, found, every, own.felt, half, negative=True)
        self.sweeps.append(symmetric_sweep(self.model, VARIED["vv"], "H_vv"))
        self.sweeps.append(symmetric_sweep(self.model, VARIED["qq"], "H_qq", "B_qq"))
