"""Coriolis matrices C(q, v) with M' - 2 C skew and C v + gravity = bias, joint losses and springs left out.

With composites as in ``composite_wrenches``, C_ij = S_i . (I S'_j + B S_j), summed over the bodies behind both joints.

Christoffel's has C_ij = integral (S_i r) . d/dt (S_j r) dm, that is B = 1/2 (V x* I - I V x + (I V) x-bar*) per body
(Echeandia & Wensing 2021); where v are the rates of coordinates,
C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k. Lemma 1 of Ali et al. 2026 has B = V x* I; the two differ
by a skew matrix that v does not feel. The lemma is stated for a base twist in world axes, whose columns rest there; it
holds in either convention, S' being the rate of the convention's columns.
"""

from __future__ import annotations

from symdyn.dynamics.partials.composite_motion import composite_motion_sweeps
from symdyn.dynamics.partials.force_columns import carried_column_sweeps
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.partials.tangent_coriolis import tangent_coriolis_plan
from symdyn.dynamics.tree.bindings import plan_of
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind, Plan

FACTORIZATIONS = {"christoffel": Purpose.CHRISTOFFEL, "lemma1": Purpose.LEMMA}


def coriolis_matrix_plan(model: Model, factorization: str = "christoffel") -> Plan:
    """The plan of C, (nv, nv), from q and v.

    Parameters
    ----------
    model
        The robot.
    factorization
        ``"christoffel"`` or ``"lemma1"``; the latter for robots whose links are all rigid.

    Raises
    ------
    ModelError
        Fluid that moves with the robot, and ``"lemma1"``.
    """
    fluid = any(placed.load.inert for body in model.bodies for placed in body.loads)
    if fluid and factorization != "christoffel":
        raise ModelError(
            f"robot '{model.name}' moves fluid with it, whose added mass is no rigid body's, and "
            f"factorization='{factorization}' is for these alone; use factorization='christoffel'"
        )
    if model.has_moving_inertia or fluid:
        assert factorization == "christoffel"
        return tangent_coriolis_plan(model)
    purpose = FACTORIZATIONS[factorization]
    tree = TreePlan(model)
    motion_fields, motion_sweeps = composite_motion_sweeps(tree, purpose)
    column_fields, column_sweeps = carried_column_sweeps(tree, purpose, {"C": "C"})
    fields = [*tree.fields(), *motion_fields, *column_fields, Field("C", FieldKind.OUTPUT, model.nv**2)]
    return plan_of("coriolis_matrix", tree, [*motion_sweeps, *column_sweeps], fields)
