"""Second derivatives of weighted accelerations, from those of weighted joint forces.

With a the solution of ID(q, v, a) = tau, mu = -M^-1 lambda, D the second derivatives of mu^T ID at that acceleration,
and a_x = da/dx:

    d2(lambda^T a)/dq dtau   = D_qa M^-1 = W
    d2(lambda^T a)/dq dq     = D_qq + S + S^T,   S = D_qa a_q = -W ID_q
    d2(lambda^T a)/dq dv     = D_qv + D_qa a_v = D_qv - W ID_v
    d2(lambda^T a)/dv dv     = D_vv

Those by v, tau and by tau, tau vanish. (ID(x, a(x)) = tau, differentiated twice, and solved for a_xy by M^-1.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symdyn.derivatives import WEIGHTS
from symdyn.dynamics.mass_matrix.matrix_product import MatrixField, Transposed, product_sweeps
from symdyn.dynamics.partials.forward_dynamics import hybrid_dynamics_partials_plan, inner_rows
from symdyn.dynamics.second_order.inverse_dynamics import (
    VARIED,
    symmetric_sweep,
    weighted_hessian_sweeps,
)
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


def forward_dynamics_weighted_hessian_plan(model: Model, external: str = "") -> Plan:
    """The plan of H_qq, H_qv, H_vv and H_qtau, (nv, nv) each, from q, v, tau and the weights lambda, (nv,).

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        The mass matrix is singular, or a joint's friction jumps with the sign of its velocity.
    """
    count, rows = model.nv, range(model.nv)
    names = (_BY["q"], _BY["v"], _BY["tau"], _BY["p"])
    slopes = hybrid_dynamics_partials_plan(model, "forward_dynamics_partials", rows, "tau", names, external)
    inputs = {"a": _ACCELERATION, WEIGHTS: _MU}
    fields, sweeps = weighted_hessian_sweeps(model, external, inputs, FEW_MOVES)
    by_tau, mu = MatrixField(_BY["tau"], count), MatrixField(_MU, 1)
    weighed = product_sweeps(by_tau, MatrixField(WEIGHTS, 1), mu, rows, {0: rows}, negative=True)
    given = {field.name: field for field in (*slopes.fields, *fields)}
    kept = [
        replace(field, kind=FieldKind.STATE, sparse=True) if field.kind is FieldKind.OUTPUT else field
        for field in given.values()
    ]
    outputs = [Field(f"H_{name}", FieldKind.OUTPUT, count**2) for name in ("qq", "qv", "vv", "qtau")]
    more = [Field(WEIGHTS, FieldKind.INPUT, count), Field(_MU, FieldKind.STATE, count)]
    more.append(Field(_PRODUCT, FieldKind.STATE, count, count, sparse=True))
    last = [*_products(slopes.sweeps, model), symmetric_sweep(model, VARIED["vv"], "H_vv")]
    made = Plan(
        "forward_dynamics_weighted_hessian",
        (*kept, *more, *outputs),
        (*_in_line([*slopes.sweeps, *weighed, *sweeps]), *last),
        slopes.bodies,
        slopes.parent,
    )
    return begun_alike(wanted(made))


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
