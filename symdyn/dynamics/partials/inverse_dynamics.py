"""Partial derivatives of inverse dynamics, all at once (Carpentier & Mansard 2018; Singh, Russell & Wensing 2022).

Perturbations of q are along rows of v, at fixed components of v and a: as ``integrate`` moves it, so that a free base
moves along and about its own axes, or by a twist in the world in the spatial convention. See ``motion_derivatives``,
``composite_motion`` and ``composite_wrenches`` for the equations. Here the losses and rotors of joints are added, which
couple rows of one joint only, and the slopes of springs and other elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.listed import element_sweeps, load_sweeps
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.partials.composite_motion import composite_motion_sweeps
from symdyn.dynamics.partials.force_columns import carried_column_sweeps
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.partials.tangent_partials import tangent_partials_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, plan_of, read, step
from symdyn.dynamics.tree.body_variant import BodyVariant
from symdyn.dynamics.tree.joint_loads import loss_slopes
from symdyn.dynamics.tree.places import DIAGONAL, V
from symdyn.dynamics.tree.tree import LOSS, TreePlan
from symdyn.errors import ModelError
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind, Plan, Sweep
from symdyn.plan.transforms.tangent import tangent_sweeps


@dataclass(frozen=True, slots=True)
class PartialFields:
    """Names of the (nv, nv) fields for dtau/dq, dtau/dv and dtau/da; the last may be empty where M is not wanted."""

    dq: str = "dtau_dq"
    dv: str = "dtau_dv"
    da: str = "dtau_da"

    def wanted(self) -> dict[str, str]:
        """The fields that have a name, by matrix."""
        return {matrix: field for matrix, field in (("dq", self.dq), ("dv", self.dv), ("da", self.da)) if field}


def own_slopes(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What a joint's losses and rotor add to dtau/dv and dtau/da, between the rows of the joint."""
    kind, slopes = variant.kind, dict[str, Sequence[Scalar]]()
    if variant.lossy:
        slopes["dv"] = loss_slopes(variant, algebra, constants, reads["v"])
    if variant.geared:
        slopes["da"] = [constants["armature"]] * len(kind.moving.coordinates.v)
    return {
        f"{matrix}{place}": entries
        for matrix, own in slopes.items()
        for place, entries in enumerate(kind.coordinate_map.entries(own, constants))
    }


_OWN = step(
    own_slopes,
    v=read(V),
    dv=add_to(DIAGONAL, when=lambda b: b.lossy),
    da=add_to(DIAGONAL, when=lambda b: b.geared),
    constants=lambda b: (
        *b.kind.coordinate_map.multipliers,
        *(LOSS if b.lossy else ()),
        *(("armature",) if b.geared else ()),
    ),
)


def inverse_dynamics_partials_sweeps(
    tree: TreePlan, fields: PartialFields | None = None, acceleration: str = "a"
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the matrices of partial derivatives from q, v and an acceleration.

    Parameters
    ----------
    tree
        The robot; it may be regrouped.
    fields
        Where the matrices go; the caller declares these fields, as outputs or as state. Entries between separate
        branches are left alone: outputs are zero there, a state field is not.
    acceleration
        The field of nv scalars that holds the acceleration.

    Returns
    -------
    State fields, and sweeps to run after ``tree.binding_sweeps()``.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    places = fields or PartialFields()
    refuse_jumps(tree)
    if tree.model.has_moving_inertia or load_sweeps(tree):
        return tangent_partials_sweeps(tree, places.wanted(), acceleration)
    motion_fields, motion_sweeps = composite_motion_sweeps(tree, Purpose.PARTIALS, acceleration)
    column_fields, column_sweeps = carried_column_sweeps(tree, Purpose.PARTIALS, places.wanted())

    def variant(tree: TreePlan, index: int) -> BodyVariant:
        own = tree.variant(index)
        return own if places.da else replace(own, geared=False)

    bodies = [index for index in range(len(tree.model.bodies)) if (own := variant(tree, index)).lossy or own.geared]
    own_sweeps = [_OWN.over(tree, bodies, variant, dv=places.dv, da=places.da)] if bodies else []
    sweeps = [*motion_sweeps, *column_sweeps, *own_sweeps]
    sweeps += element_sweeps(tree, places.dq, Gives.SLOPE_BY_Q) + element_sweeps(tree, places.dv, Gives.SLOPE_BY_V)
    return [*motion_fields, *column_fields], sweeps


def parameter_partials_sweeps(
    model: Model, external: str = "", acceleration: str = "a", field: str = "dtau_dp"
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill dtau/dp, (nv, np), from q, v, an acceleration, f_ext and the run-time parameters p.

    Parameters
    ----------
    model, external
        The robot, and the axes of f_ext.
    acceleration
        The field of nv scalars that holds the acceleration.
    field
        Where the Jacobian goes; the caller declares it. What no parameter reaches is left alone.
    """
    plan = inverse_dynamics_plan(model, external)
    return tangent_sweeps(plan, "p", {"tau": field}, {"a": acceleration})


def inverse_dynamics_partials_plan(model: Model, external: str = "") -> Plan:
    """The plan of dtau_dq, dtau_dv and dtau_da, (nv, nv) each, from q, v and a; and of dtau_dp where there is a p.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext, whose components are held fixed: body, world, or empty.

    Raises
    ------
    ModelError
        A joint whose friction jumps with the sign of its velocity.
    """
    tree = TreePlan(model, external)
    fields, sweeps = inverse_dynamics_partials_sweeps(tree)
    matrices = [Field(name, FieldKind.OUTPUT, model.nv**2) for name in PartialFields().wanted().values()]
    if model.slots.names:
        more_fields, more_sweeps = parameter_partials_sweeps(model, external)
        fields, sweeps = [*fields, *more_fields], [*sweeps, *more_sweeps]
        matrices.append(Field("dtau_dp", FieldKind.OUTPUT, model.nv * len(model.slots.names)))
    inputs = (Field(name, FieldKind.INPUT, size) for name, size in (("q", model.nq), ("v", model.nv), ("a", model.nv)))
    return plan_of("inverse_dynamics_partials", tree, sweeps, [*inputs, *tree.fields(), *fields, *matrices])


def refuse_jumps(tree: TreePlan) -> None:
    """Refuse friction that jumps with the sign of a velocity.

    Raises
    ------
    ModelError
        A joint has such friction.
    """
    for index, body in enumerate(tree.model.bodies):
        if tree.variant(index).friction == "sharp":
            raise ModelError(
                f"joint '{body.joint.joint}' of '{tree.model.name}' has friction without a velocity scale, which jumps "
                "at rest and has no derivative there; give the joint a velocity_scale above 0, or load the robot with "
                "joint_losses=False"
            )
