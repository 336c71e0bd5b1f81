"""Time derivatives of inverse dynamics of robots with loops: that of order 0, run on time series.

All of the trajectory is given, so that each step of
``constrained_inverse_dynamics`` runs once for all orders, the dense solution included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.dynamics.equations.constrained_inverse_dynamics import constrained_inverse_dynamics_plan
from symdyn.dynamics.equations.free_base_series import FreeBases, motion_forms
from symdyn.dynamics.equations.inverse_orders import on_series, refuse_jumps
from symdyn.dynamics.kinematics.series_coordinates import Sizes, series_outputs
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.model import Model
from symdyn.plan.plan import FieldKind, Plan


def constrained_inverse_dynamics_time_derivatives_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    order: int,
    external: str = "",
) -> Plan:
    """The plan of tau, (r + 1, nv), and Lambda, (r + 1, m), from q and V = v, v', .. v^(r+1), (r + 2, nv).

    Parameters
    ----------
    model, actuated, objective, weights
        As for ``constrained_inverse_dynamics.constrained_inverse_dynamics_plan``; weights do not change in time.
    order
        r, from 0.
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest.
    """
    tree = TreePlan(model, external, derivatives=order + 2)
    refuse_jumps(tree, order)
    plain = constrained_inverse_dynamics_plan(model, actuated, objective, weights, external, tree)
    constraints = ConstraintSet(tree)
    bases = FreeBases(tree, [body for body in model.free_bases if body not in constraints.reached])
    turning = order + 2 if order else 1  # coefficients of rotations: those of the angular velocities they carry
    fields, sweeps = on_series(
        bases,
        [replace(field, kind=FieldKind.STATE) if field.name == "lambda" else field for field in plain.fields],
        plain.sweeps,
        order,
        order + 2,
        Sizes(q=turning, v=order + 2, a=order + 1, rods=1),
        [sweep.step.name for sweep in tree.parameter_sweeps()],
        {"motion": motion_forms(order), **tree.rods.turning_forms(order)},
        series_outputs("lambda", "Lambda", [-1] * constraints.count, order + 1),
    )
    name = "constrained_inverse_dynamics_time_derivatives"
    return Plan(name, tuple(fields), tuple(sweeps), plain.bodies, plain.parent, order)
