"""Time derivatives of inverse dynamics, with loops or without: the recursion of order 0, run on time series.

Angular velocities are carried one order above forces, so that accelerations are read off them; everything else is
:mod:`symdyn.dynamics.inverse_dynamics.rnea` as it stands. Losses, springs, rotors and external wrenches come along.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from symdyn.dynamics.equations.constrained_inverse_dynamics import constrained_inverse_dynamics_plan
from symdyn.dynamics.equations.free_base_series import FreeBases, motion_forms
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.kinematics.series_coordinates import (
    SERIES,
    Sizes,
    coordinate_sweeps,
    input_sweeps,
    output_sweeps,
    series_outputs,
)
from symdyn.dynamics.loops.constraint_set import ConstraintSet
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.plan.compose import kept_apart
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.series_places import Form
from symdyn.plan.transforms.taylor import lifted


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
    tree = TreePlan(model, external, derivatives=order + 2)
    refuse_jumps(tree, order)
    plain = replace(inverse_dynamics_plan(model, external, tree), name="inverse_dynamics_time_derivatives")
    return _along_given(FreeBases(tree, model.free_bases), plain, order)


def constrained_inverse_dynamics_time_derivatives_plan(
    model: Model,
    actuated: Sequence[int],
    objective: str,
    weights: Sequence[float] | str,
    order: int,
    external: str = "",
) -> Plan:
    """The plan of tau, (r + 1, nv), and Lambda, (r + 1, m), from q and V = v, v', .. v^(r+1), (r + 2, nv).

    All of the trajectory is given. So each step of ``constrained_inverse_dynamics`` runs once for all orders, the dense
    solution included.

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
    fields = (replace(field, kind=FieldKind.STATE) if field.name == "lambda" else field for field in plain.fields)
    return _along_given(
        FreeBases(tree, [body for body in model.free_bases if body not in constraints.reached]),
        replace(plain, name="constrained_inverse_dynamics_time_derivatives", fields=tuple(fields)),
        order,
        series_outputs("lambda", "Lambda", [-1] * constraints.count, order + 1),
    )


def _along_given(bases: FreeBases, plain: Plan, order: int, more: tuple[list[Field], list[Sweep]] = ([], [])) -> Plan:
    """A plan of order 0 along a trajectory that is given with its derivatives: from q and V, (r + 2, nv)."""
    tree, turning = bases.tree, order + 2 if order else 1  # rotations: as many as the angular velocities they carry
    sizes = Sizes(q=turning, v=order + 2, a=order + 1, rods=1)
    first = [sweep.step.name for sweep in tree.parameter_sweeps()]  # the bases' motion needs what they compute
    forms = {"motion": motion_forms(order), **tree.rods.turning_forms(order)}
    fields, sweeps = on_series(bases, plain.fields, plain.sweeps, order, order + 2, sizes, first, forms, more)
    return Plan(plain.name, tuple(fields), tuple(sweeps), plain.bodies, plain.parent, order)


def on_series(
    bases: FreeBases,
    fields: Sequence[Field],
    sweeps: Sequence[Sweep],
    order: int,
    count: int,
    sizes: Sizes,
    first: Collection[str] = (),
    forms: Mapping[str, tuple[Form, ...]] = MappingProxyType({}),
    more: tuple[list[Field], list[Sweep]] = ([], []),
) -> tuple[list[Field], list[Sweep]]:
    """Fields and sweeps of inverse dynamics on time series, from q and V, (count, nv), to tau, (order + 1, nv).

    Parameters
    ----------
    bases
        The free bases that are found at once, and the robot.
    fields, sweeps
        Of inverse dynamics.
    order
        The highest derivative of tau.
    count
        Rows of V.
    sizes
        Coefficients of q, v and a.
    first
        Steps that come before those that make series of q, v and a.
    forms
        Of fields that hold other coefficients than those to ``order``.
    more
        Fields and sweeps that come last, of other outputs.
    """
    tree = bases.tree
    own_fields, own_sweeps = kept_apart(fields, sweeps, "", [field.name for field in fields], SERIES)
    made, coordinates, found = coordinate_sweeps(tree, count, sizes, bases.rows)
    loaded, loads = input_sweeps("f_ext", tree.model.wrench_bodies, order + 1) if tree.external else ([], [])
    given, last = output_sweeps("tau", tree.model.velocity_bodies, order + 1)
    return lifted(
        [*made, *loaded, *bases.fields(), *own_fields, *given, *more[0]],
        [
            *(sweep for sweep in own_sweeps if sweep.step.name in first),
            *coordinates,
            *loads,
            *bases.motion_sweeps(),
            *bases.rested([sweep for sweep in own_sweeps if sweep.step.name not in first]),
            *bases.force_sweeps(SERIES["tau"]),
            *last,
            *more[1],
        ],
        order,
        ("V", "f_ext"),
        {**found, **bases.forms(order), **forms},
    )


def refuse_jumps(tree: TreePlan, order: int = 0) -> None:
    """Refuse friction that has no derivative at rest, and loads that have none of some ``order`` where they begin.

    Raises
    ------
    ModelError
        A joint rubs without a velocity scale, or a load is not that smooth.
    """
    for placed in (placed for body in tree.model.bodies for placed in body.loads):
        load = placed.load
        if load.smooth < order:
            raise ModelError(
                f"{load.word} '{placed.owner}' of '{tree.model.name}' has {load.smooth:g} time derivatives where it "
                f"begins, and {order} are asked for; {load.smoother(order)}, or ask for a lower order"
            )
    for index, body in enumerate(tree.model.bodies):
        if tree.variant(index).friction == "sharp":
            raise ModelError(
                f"joint '{body.joint.joint}' of '{tree.model.name}' has friction without a velocity scale, which jumps "
                "at rest and has no time derivative there; give the joint a velocity_scale above 0, or load the robot "
                "with joint_losses=False"
            )
