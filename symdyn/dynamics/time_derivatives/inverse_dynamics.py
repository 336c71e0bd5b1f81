"""Time derivatives of inverse dynamics: the recursion of order 0, run on time series.

Angular velocities are carried one order above forces, so that accelerations are read off them; everything else is
:mod:`symdyn.dynamics.inverse_dynamics.rnea` as it stands. Losses, springs, rotors and external wrenches come along.
"""

from __future__ import annotations

from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.time_derivatives.series_base import FreeBases, motion_forms
from symdyn.dynamics.time_derivatives.series_coordinates import (
    SERIES,
    Sizes,
    coordinate_sweeps,
    input_sweeps,
    output_sweeps,
)
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.plan import Plan, kept_apart
from symdyn.transforms.taylor import lifted


def inverse_dynamics_time_derivatives_plan(model: Model, order: int, external: str = "") -> Plan:
    """The plan of tau, tau', .. tau^(r), (r + 1, nv), from q and V = v, v', .. v^(r+1), (r + 2, nv).

    Parameters
    ----------
    model
        The robot.
    order
        r, from 0.
    external
        Axes of the wrenches f_ext and their derivatives, (r + 1, nbodies, 6): body, world, or empty.

    Raises
    ------
    ModelError
        A joint's friction jumps at rest, so that tau has no derivative there.
    """
    tree = TreePlan(model, external)
    refuse_jumps(tree)
    bases = FreeBases(tree, model.free_bases)
    plain = inverse_dynamics_plan(model, external, tree)
    names = [field.name for field in plain.fields]
    fields, sweeps = kept_apart(plain.fields, plain.sweeps, "", names, SERIES)
    turning = order + 2 if order else 1  # coefficients of rotations: those of the angular velocities they carry
    sizes = Sizes(q=turning, v=order + 2, a=order + 1)
    own, first, forms = coordinate_sweeps(tree, order + 2, sizes, bases.rows)
    loaded, loads = input_sweeps("f_ext", model.wrench_bodies, order + 1) if external else ([], [])
    given, last = output_sweeps("tau", model.velocity_bodies, order + 1)
    bound = tree.parameter_sweeps()  # the plain plan's first ones; the bases' motion needs what they compute
    all_fields, all_sweeps = lifted(
        [*own, *loaded, *bases.fields(), *fields, *given],
        [
            *bound,
            *first,
            *loads,
            *bases.motion_sweeps(),
            *bases.rested(sweeps[len(bound) :]),
            *bases.force_sweeps(SERIES["tau"]),
            *last,
        ],
        order,
        ("V", "f_ext"),
        {**forms, **bases.forms(order), "motion": motion_forms(order)},
    )
    return Plan(
        "inverse_dynamics_time_derivatives",
        tuple(all_fields),
        tuple(all_sweeps),
        plain.bodies,
        plain.parent,
        order,
    )


def refuse_jumps(tree: TreePlan) -> None:
    """Refuse friction that has no derivative at rest.

    Raises
    ------
    ModelError
        A joint rubs without a velocity scale.
    """
    for index, body in enumerate(tree.model.bodies):
        if tree.variant(index).friction == "sharp":
            raise ModelError(
                f"joint '{body.joint.joint}' of '{tree.model.name}' has friction without a velocity scale, which jumps "
                "at rest and has no time derivative there; give the joint a velocity_scale above 0, or load the robot "
                "with joint_losses=False"
            )
