"""Second derivatives of weighted accelerations, from those of weighted joint forces.

With a the solution of ID(q, v, a) = tau, mu = -M^-1 lambda, D the second derivatives of mu^T ID at that acceleration,
and a_x = da/dx:

    d2(lambda^T a)/dq dtau   = D_qa M^-1 = W
    d2(lambda^T a)/dq dq     = D_qq + S + S^T,   S = D_qa a_q = -W ID_q
    d2(lambda^T a)/dq dv     = D_qv + D_qa a_v = D_qv - W ID_v
    d2(lambda^T a)/dv dv     = D_vv

Those by v, tau and by tau, tau vanish. (ID(x, a(x)) = tau, differentiated twice, and solved for a_xy by M^-1.) Inputs
u of actuators are part of what is balanced, ID - B(q) u = 0: D and ID_q are then those of ID - B u, and

    d2(lambda^T a)/dq du     = W B + D_qu,   D_qu = -d(B^T mu)/dq transposed
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symdyn.derivatives import WEIGHTS
from symdyn.dynamics.actuation.partials import Driven, by_inputs, less_given, refuse_rated, slope_sweeps, turning_inputs
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import hybrid_dynamics_partials_plan, inner_rows
from symdyn.dynamics.second_order.adjoint import gradient_plan, inverse_dynamics_adjoint_plan
from symdyn.dynamics.second_order.inverse_dynamics import (
    POSES_VARIED,
    VARIED,
    symmetric_sweep,
    weighted_hessian_sweeps,
)
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.compose import begun_alike, wanted
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep

IN_LINE_UP_TO = 32
"""Visits of a loop over entries before the last products up to which it is written out, so that lines before and after
it are one and share what they compute: sines of a 7-DoF arm are found once there, and four times where loops cut."""

FEW_MOVES = 7
"""Moves of q from which they go in lanes: a 7-DoF arm takes 0.25 of the time of CasADi's C, and 0.32 before, with moves
one by one and loops between. Velocities, of whose gradient little varies, follow the general rule."""

_BY = {"q": "da_dq", "v": "da_dv", "tau": "da_dtau", "p": "da_dp"}
_FORCES = {"q": "slope_q", "v": "slope_v"}
"""Fields of dtau/dq and dtau/dv at the acceleration found, which partials of forward dynamics fill on their way."""
_MU, _ACCELERATION, _PRODUCT, _BY_TAU = "mu", "acceleration", "S_qq", "H_qtau"
_NAME = "forward_dynamics_weighted_hessian"


def forward_dynamics_weighted_hessian_plan(model: Model, external: str = "", driven: bool = False) -> Plan:
    """The plan of H_qq, H_qv, H_vv and H_qtau, (nv, nv) each, from q, v, tau and the weights lambda, (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.
    driven
        Whether inputs u of actuators, (na,), stand for tau, and H_qu, (nv, na), for H_qtau.

    Raises
    ------
    ModelError
        The mass matrix is singular, a joint's friction jumps with the sign of its velocity, or the gain of an input
        depends on a rate.
    """
    count, rows, given = model.nv, range(model.nv), "given" if driven else "tau"
    if driven:
        refuse_rated(model, _NAME)
    names = (_BY["q"], _BY["v"], _BY["tau"], _BY["p"])
    resisting = slope_sweeps(model, {row: row for row in rows}) if driven else []
    slopes = hybrid_dynamics_partials_plan(model, "forward_dynamics_partials", rows, given, names, external, resisting)
    gradient = _driven_gradient(model, external) if driven else _gradient(model, external)
    inputs = {"a": _ACCELERATION, WEIGHTS: _MU}
    fields, sweeps = weighted_hessian_sweeps(TreePlan(model, external), gradient, inputs, FEW_MOVES)
    by_tau, mu = MatrixField(_BY["tau"], count), MatrixField(_MU, 1)
    weighed = product_sweeps(by_tau, MatrixField(WEIGHTS, 1), mu, rows, {0: rows}, negative=True)
    known = {field.name: field for field in (*slopes.fields, *fields)}
    kept = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.kind is FieldKind.OUTPUT else field
        for field in known.values()
    ]
    outputs = [Field(f"H_{name}", FieldKind.OUTPUT, count**2) for name in ("qq", "qv", "vv", "qtau")]
    more = [Field(WEIGHTS, FieldKind.INPUT, count), Field(_MU, FieldKind.STATE, count)]
    more.append(Field(_PRODUCT, FieldKind.STATE, count, count, sparse=True))
    last = [*_products(slopes.sweeps, model), symmetric_sweep(model, VARIED["vv"], "H_vv")]
    made = Plan(
        _NAME,
        (*kept, *more, *outputs),
        (*_in_line([*slopes.sweeps, *weighed, *sweeps]), *last),
        slopes.bodies,
        slopes.parent,
    )
    return begun_alike(wanted(_by_inputs(model, made, resisting) if driven else made))


def _gradient(model: Model, external: str) -> Plan:
    """The plan of the gradient of mu^T ID, to be varied."""
    return inverse_dynamics_adjoint_plan(model, external, POSES_VARIED)


def _driven_gradient(model: Model, external: str) -> Plan:
    """That of mu^T (ID - B u), with g_u where some columns of B change with q."""
    tree, turning = TreePlan(model, external, kept=True, derivatives=POSES_VARIED), turning_inputs(model)
    needed = less_given(model, range(model.nv), inverse_dynamics_plan(model, external, tree), turning)
    return gradient_plan("driven_dynamics_adjoint", tree, needed, others=["u"] if turning else [])


def _by_inputs(model: Model, plan: Plan, resisting: Sequence[Sweep]) -> Plan:
    """The plan with inputs u for the forces that are given."""
    taken = Driven(_BY_TAU, model.nv, "H_qu", "", "D_uq" if turning_inputs(model) else "")
    return by_inputs(model, plan, range(model.nv), "given", [taken], resisting)


def _in_line(sweeps: Iterable[Sweep]) -> list[Sweep]:
    """Sweeps of which short ones are no loops of their own."""
    return [replace(own, vector=own.vector and len(own.visits) > IN_LINE_UP_TO) for own in sweeps]


def _products(filled: tuple[Sweep, ...], model: Model) -> list[Sweep]:
    """Sweeps of what rests on how the acceleration answers."""
    count, rows = model.nv, range(model.nv)
    by_acceleration, across = Transposed(VARIED["aq"], count), Transposed(VARIED["vq"], count)
    by_tau, inverse = MatrixField(_BY_TAU, count), MatrixField(_BY["tau"], count)
    made = product_sweeps(by_acceleration, inverse, by_tau, rows, inner_rows(filled, inverse, rows))
    for name, found, plus in (("q", _PRODUCT, None), ("v", "H_qv", across)):
        slope = MatrixField(_FORCES[name], count)
        inner = inner_rows(filled, slope, rows)
        made += product_sweeps(by_tau, slope, MatrixField(found, count), rows, inner, plus, negative=True)
    made = [replace(sweep, looped=True) for sweep in made]
    return [*made, symmetric_sweep(model, VARIED["qq"], "H_qq", _PRODUCT)]
