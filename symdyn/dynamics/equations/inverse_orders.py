"""Time derivatives of inverse dynamics, with loops or without: the recursion of order 0, run on time series.

Angular velocities are carried one order above forces, so that accelerations are read off them; everything else is
:mod:`symdyn.dynamics.inverse_dynamics.rnea` as it stands. Losses, springs, rotors and external wrenches come along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from symdyn.dynamics.partials.tangent_partials import MOVED
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
    forces = output_sweeps("tau", model.velocity_bodies, order + 1)
    return along_motion(FreeBases(tree, model.free_bases), plain, order, [forces])


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
    forces = output_sweeps("tau", model.velocity_bodies, order + 1)
    return along_motion(
        FreeBases(tree, [body for body in model.free_bases if body not in constraints.reached]),
        replace(plain, name="constrained_inverse_dynamics_time_derivatives", fields=tuple(fields)),
        order,
        [forces, series_outputs("lambda", "Lambda", [-1] * constraints.count, order + 1)],
    )


def along_motion(
    bases: FreeBases,
    plain: Plan,
    order: int,
    outputs: Sequence[tuple[Sequence[Field], Sequence[Sweep]]],
    inputs: Mapping[str, tuple[str, int]] = MappingProxyType({}),
    still: bool = False,
) -> Plan:
    """The plan of order 0 on time series, along a motion that is given: q and V = v, v', .. v^(r+1), (r + 2, nv).

    Parameters
    ----------
    bases
        The free bases whose motion is found before the rest, and the robot, whose loads have r + 1 derivatives or more.
    plain
        The plan of order 0 from q, v and a.
    order
        r.
    outputs
        Fields and sweeps that come last, and make outputs of series; that of tau is ``SERIES["tau"]``.
    inputs
        What else the plan takes: by its input the one that holds it with its derivatives, (r + 1, size), and the size.
    still
        Whether the plan has zeros for v and a, so that no rate is read off them.
    """
    tree, count = bases.tree, order + 1
    series = SERIES | {name: f"{name}_series" for name in inputs}
    fields, sweeps = kept_apart(plain.fields, plain.sweeps, "", [field.name for field in plain.fields], series)
    turning = count if still or not order else count + 1  # rotations: as many as the angular velocities they carry
    sizes = Sizes(q=count, v=count) if still else Sizes(q=turning, v=count + 1, a=count, rods=1)
    made, coordinates, forms = coordinate_sweeps(tree, count + 1, sizes, bases.rows)
    given = [("f_ext", tree.model.wrench_bodies, series["f_ext"])] if tree.external else []
    given += [(own, (-1,) * size, series[name]) for name, (own, size) in inputs.items()]
    begun = [input_sweeps(own, bodies, count, name) for own, bodies, name in given]
    by_parameters = {sweep.step.name for sweep in tree.parameter_sweeps()}  # which the motion of bases needs
    if not still:
        forms |= {**tree.rods.turning_forms(order), "motion": motion_forms(order)}
    if not (still or tree.rods.rods):  # whose copies hold moments of strain, known to the same order as the others
        forms |= _forms_of_copies(fields, {"motion": motion_forms(order), MOVED: forms[SERIES["q"]]})
    lifted_fields, lifted_sweeps = lifted(
        [
            *made,
            *(field for own, _ in begun for field in own),
            *bases.fields(),
            *fields,
            *(field for own, _ in outputs for field in own),
        ],
        [
            *(sweep for sweep in sweeps if sweep.step.name in by_parameters),
            *coordinates,
            *(sweep for _, own in begun for sweep in own),
            *bases.motion_sweeps(),
            *bases.rested([sweep for sweep in sweeps if sweep.step.name not in by_parameters]),
            *bases.force_sweeps(SERIES["tau"]),
            *(sweep for _, own in outputs for sweep in own),
        ],
        order,
        ("V", *(own for own, *_ in given)),
        {**forms, **bases.forms(order)},
    )
    return Plan(plain.name, tuple(lifted_fields), tuple(lifted_sweeps), plain.bodies, plain.parent, order)


def _forms_of_copies(fields: Sequence[Field], forms: Mapping[str, tuple[Form, ...]]) -> dict[str, tuple[Form, ...]]:
    """Forms of fields, of their copies in parts of the plan, ``<part>_<name>``, and of slopes, ``<name>_slope``."""
    copies = {}
    for field in fields:
        plain = field.name.removesuffix("_slope")
        names = [name for name in forms if plain == name or plain.endswith(f"_{name}")]
        if names:
            own = forms[max(names, key=len)]
            copies[field.name] = own * (field.width // len(own))
    return copies


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
