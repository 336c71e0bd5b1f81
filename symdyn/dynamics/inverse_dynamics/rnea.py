"""Inverse dynamics by recursive Newton-Euler in body frames (Luh, Walker & Paul 1980; Kim 2012, table 2).

Outward: motion of each body and the wrench that gives it this motion. Inward: the joint's share S^T F of the wrench,
and the rest handed to the parent, f_p += E R f, n_p += E R n + l' x (E R f). Linear in bodies. What a joint feels by
its own coordinates goes to its rows: tau = G^T tau_own. Rotors add armature * a to their joint's own coordinate; those
of elastic joints have a row of their own. What springs and other elements add is in ``elements``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_in_parent
from symdyn.algebra.spatial.vectors import add, scale
from symdyn.dynamics.elements.base import Gives
from symdyn.dynamics.elements.external_wrench import (
    AXES_ABOVE,
    OWN_AXES,
    external_constants,
    external_port,
    less_external,
)
from symdyn.dynamics.elements.listed import DEFORMABLES, element_sweeps, load_sweeps
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import BodyVariant, frame_in_parent
from symdyn.dynamics.tree.joint_loads import losses
from symdyn.dynamics.tree.kinematics import motion_from, moved_by_joint
from symdyn.dynamics.tree.places import MOTION, POSE, TAU, WRENCH, A, Q, V
from symdyn.dynamics.tree.tree import LOSS, TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.model import Model
from symdyn.plan.plan import Plan, Sweep


def rnea_forward(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose, body motion, and the body's own wrench less the external one."""
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    joint = variant.kind.motion(pose, reads["v"], reads["a"], constants)
    x_pc = frame_in_parent(constants, pose)
    motion, differences = moved_by_joint(motion_from(reads["parent"]), x_pc, joint)
    wrench = inertia_of(constants).wrench(motion.u, differences, motion.acceleration)
    left = less_external(variant, constants, reads, x_pc, wrench)
    return {"pose": stored, "motion": motion.scalars(), **left}


def rnea_backward(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the joint's generalised force, and the wrench on the parent."""
    pose, kind = variant.kind.placed(reads["pose"]), variant.kind
    own = kind.moving.force(pose, reads["wrench"], constants)
    if variant.lossy:
        own = add(own, losses(variant, algebra, constants, reads["v"]))
    if variant.geared:
        own = add(own, scale(constants["armature"], kind.coordinate_map.rates(reads["a"], constants)))
    writes: dict[str, Sequence[Scalar]] = {"tau": kind.coordinate_map.forces(own, constants)}
    if variant.transmits:
        writes["parent_wrench"] = wrench_in_parent(frame_in_parent(constants, pose), reads["wrench"])
    return writes


def _placed(variant: BodyVariant) -> tuple[str, ...]:
    return (*ROTATION, *TRANSLATION) if variant.transmits else ()


OUTWARD = step(
    rnea_forward,
    q=read(Q),
    v=read(V),
    a=read(A),
    f_ext=external_port(),
    parent=read(MOTION.above),
    pose=write(POSE),
    motion=write(MOTION.own),
    wrench=write(WRENCH.own),
    orientation=AXES_ABOVE,
    own_orientation=OWN_AXES,
    constants=lambda b: (*ROTATION, *TRANSLATION, *INERTIA, *b.kind.constants, *external_constants(b)),
).as_timeless()
INWARD = step(
    rnea_backward,
    wrench=read(WRENCH.own),
    pose=read(POSE),
    v=read(V, when=lambda b: b.lossy),
    a=read(A, when=lambda b: b.geared),
    tau=add_to(TAU),
    parent_wrench=add_to(WRENCH.above),
    constants=lambda b: (
        *_placed(b),
        *b.kind.column_constants,
        *(LOSS if b.lossy else ()),
        *(("armature",) if b.geared else ()),
    ),
).as_timeless()


def inverse_dynamics_plan(model: Model, external: str = "", tree: TreePlan | None = None) -> Plan:
    """The plan of tau = ID(q, v, a) for a model.

    Parameters
    ----------
    model
        The robot.
    external
        Axes of the wrenches f_ext that the environment applies at the body frames' origins: body, world, or empty.
    tree
        That of the model and these wrenches, where the caller has it.
    """
    tree = tree or TreePlan(model, external)
    inward = INWARD.over(tree, reversed(tree.links))
    forces = element_sweeps(tree, "tau", Gives.REACTION, Gives.FORCE)
    return plan_of("inverse_dynamics", tree, (*wrench_sweeps(tree), *DEFORMABLES.wrenches(tree), inward, *forces))


def wrench_sweeps(tree: TreePlan) -> list[Sweep]:
    """The sweeps that fill ``pose`` and ``wrench`` from q, v and a, loads included, deformable bodies apart."""
    return [OUTWARD.over(tree, tree.links), *load_sweeps(tree)]
