"""Outward: each body's motion and its derivatives by its joint. Inward: what moves behind each joint, as one body.

A composite is the inertia, the momentum matrix (see ``moment_matrices``) and, for partials, the wrench of all that a
joint carries, in the axes of the joint's own body: ten, twelve and six scalars. Partials take momenta twice, because
2 S r' is what they need of r'.
"""

from __future__ import annotations

from symdyn.dynamics.elements.external_wrench import AXES_ABOVE, OWN_AXES, external_constants, external_port
from symdyn.dynamics.partials.composite_motion_steps import (
    INERTIA_SIZE,
    LOAD_SIZE,
    VariedBody,
    answer_of_body,
    hand_over,
    momentum_size,
    twist_size,
)
from symdyn.dynamics.partials.motion_derivatives import Purpose
from symdyn.dynamics.tree.bindings import add_to, declared_by, read, step, write
from symdyn.dynamics.tree.places import MOTION, POSE, WRENCH, A, Place, Q, Rows, V, known
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION
from symdyn.plan.plan import Access, Field, FieldKind, Sweep

VELOCITY = Rows("velocity", 6, known((0.0,) * 6), on_path=True)
INERTIAS, LOADS = Rows("inertia", INERTIA_SIZE), Rows("load", LOAD_SIZE)


def momenta(purpose: Purpose) -> Rows:
    """Momenta of composites."""
    return Rows("momentum", momentum_size(purpose))


def twists(purpose: Purpose) -> Place:
    """The derivatives of motion by a body's columns."""
    size = twist_size(purpose)
    return Place(
        "twists",
        lambda tree, body, field: Access(field, size * tree.first_column[body], size * len(tree.joint(body).v_places)),
        lambda tree, field: Field(field, FieldKind.STATE, size, tree.first_column[-1]),
    )


def composite_motion_sweeps(
    tree: TreePlan, purpose: Purpose, acceleration: str = "a"
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that leave each body's pose, derivatives (``twists``) and composite in state fields.

    Parameters
    ----------
    tree
        The robot; it may be regrouped.
    purpose
        What the composites are for; a Coriolis matrix needs no accelerations.
    acceleration
        The field of nv scalars that holds the acceleration, an input or one that earlier sweeps have filled.
    """

    def variant(tree: TreePlan, body: int) -> VariedBody:
        return VariedBody(tree.variant(body), purpose)

    momentum, forces, loads = momenta(purpose), purpose.accelerates, purpose.loads
    outward = step(
        answer_of_body,
        variant=variant,
        q=read(Q),
        v=read(V),
        a=read(A.where(forces)),
        f_ext=external_port(lambda b: b.body),
        parent=read(MOTION.above.where(forces)),
        parent_velocity=read(VELOCITY.above),
        orientation=AXES_ABOVE,
        pose=write(POSE),
        motion=write(MOTION.own.where(forces)),
        velocity=write(VELOCITY.own),
        own_orientation=OWN_AXES,
        twists=write(twists(purpose)),
        inertia=write(INERTIAS.own),
        momentum=write(momentum.own),
        wrench=write(WRENCH.own.where(forces)),
        load=write(LOADS.own.where(loads)),
        constants=lambda b: (*ROTATION, *TRANSLATION, *INERTIA, *b.body.kind.constants, *external_constants(b.body)),
    )
    inward = step(
        hand_over,
        variant=variant,
        pose=read(POSE),
        inertia=read(INERTIAS.own),
        momentum=read(momentum.own),
        wrench=read(WRENCH.own.where(forces)),
        load=read(LOADS.own.where(loads)),
        parent_inertia=add_to(INERTIAS.above),
        parent_momentum=add_to(momentum.above),
        parent_wrench=add_to(WRENCH.above.where(forces)),
        parent_load=add_to(LOADS.above.where(loads)),
        constants=lambda b: (*ROTATION, *TRANSLATION),
    )
    handing = [index for index in reversed(tree.links) if tree.variant(index).transmits]
    sweeps = [outward.over(tree, tree.links, a=acceleration), inward.over(tree, handing)]
    found = {field.name: field for field in declared_by(sweeps)}
    order = ("velocity", "twists", "inertia", "momentum", "motion", "wrench", "orientation", "load")
    return [found[name] for name in order if name in found], sweeps
