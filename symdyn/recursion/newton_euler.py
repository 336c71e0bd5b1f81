"""Inverse dynamics by recursive Newton-Euler in body frames (Luh, Walker & Paul 1980; Kim 2012, table 2).

Outward: motion of each body and the wrench that gives it this motion. Inward: the joint's share S^T F of the wrench,
and the rest handed to the parent, f_p += E R f, n_p += E R n + l' x (E R f). Linear in bodies. Mimic joints add their
share to their leader's row, scaled by the multiplier: tau = G^T tau_full. Rotors add armature * a to their joint's row;
those of elastic joints have a row of their own, and springs add to both (see ``springs``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.recursion.beam_wrench import beam_sweeps
from symdyn.recursion.external_wrenches import applied_wrench, at_own_origin, external_constants
from symdyn.recursion.joint_loads import losses, own_rates
from symdyn.recursion.kinematics import (
    MOTION_SIZE,
    motion_from,
    moved_by_joint,
)
from symdyn.recursion.springs import rotor_sweeps, spring_sweeps
from symdyn.recursion.tree import JOINT, LOSS, BodyVariant, TreePlan, frame_in_parent, pose_of
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_in_parent
from symdyn.spatial.rotations import UNTURNED
from symdyn.spatial.vectors import add, entries_of, matrix_from, product, subtract

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]


def body_wrench(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: joint pose, body motion, and the body's own wrench less the external one."""
    q, v, a = list(reads["q"]), list(reads["v"]), list(reads["a"])
    if variant.mimic:
        gain = constants["multiplier"]
        q, v, a = [gain * q[0] + constants["offset"]], [gain * v[0]], [gain * a[0]]
    stored = variant.kind.pose(algebra, q, constants)
    pose = variant.kind.placed(stored)
    joint = variant.kind.motion(pose, v, a, constants)
    x_pc = frame_in_parent(constants, pose)
    motion, differences = moved_by_joint(motion_from(reads["parent"]), x_pc, joint)
    wrench = inertia_of(constants).wrench(motion.u, differences, motion.acceleration)
    writes: dict[str, Sequence[Scalar]] = {"pose": stored, "motion": motion.scalars()}
    world = None
    if "orientation" in reads:
        world = product(product(matrix_from(reads["orientation"]), x_pc.fixed), x_pc.turn.matrix())
        writes["own_orientation"] = entries_of(world)
    if variant.external:
        applied = applied_wrench(variant, constants, reads["f_ext"], world)
        wrench = subtract(wrench, at_own_origin(variant, constants, applied))
    writes["wrench"] = wrench
    return writes


def transmit(variant: BodyVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: the joint's generalised force, and the wrench on the parent."""
    pose = pose_of(variant, reads)
    tau = variant.kind.force(pose, reads["wrench"], constants)
    if variant.lossy:
        tau = add(tau, losses(variant, algebra, constants, reads["v"]))
    if variant.geared:
        tau = add(tau, [constants["armature"] * rate for rate in own_rates(variant, constants, reads["a"])])
    if variant.mimic:
        tau = [constants["multiplier"] * share for share in tau]
    writes: dict[str, Sequence[Scalar]] = {"tau": tau}
    if variant.transmits:
        writes["parent_wrench"] = wrench_in_parent(frame_in_parent(constants, pose), reads["wrench"])
    return writes


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
    outward_fields, outward = wrench_sweep(tree)
    fields = [*outward_fields, Field("tau", FieldKind.OUTPUT, model.nv)]
    inward = Sweep(_INWARD, tuple(_inward_visit(tree, index) for index in reversed(tree.links)))
    return Plan(
        "inverse_dynamics",
        tuple(fields),
        (*tree.binding_sweeps(), outward, *beam_sweeps(tree), inward, *rotor_sweeps(tree), *spring_sweeps(tree)),
        tuple(body.name for body in model.bodies),
        model.parent,
    )


def wrench_sweep(tree: TreePlan) -> tuple[list[Field], Sweep]:
    """The outward sweep that fills ``pose`` and ``wrench`` from q, v and a; its fields, inputs included, and itself."""
    model = tree.model
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        Field("v", FieldKind.INPUT, model.nv),
        Field("a", FieldKind.INPUT, model.nv),
        *tree.fields(),
        Field("motion", FieldKind.STATE, MOTION_SIZE, tree.depth_rows),
        Field("wrench", FieldKind.STATE, 6, len(model.bodies)),
    ]
    if tree.external == "world":
        fields.append(Field("orientation", FieldKind.STATE, 9, tree.depth_rows))
    return fields, Sweep(_OUTWARD, tuple(_outward_visit(tree, index) for index in tree.links))


_OUTWARD = Step(
    "body_wrench",
    body_wrench,
    (
        Port("q", Mode.READ),
        Port("v", Mode.READ),
        Port("a", Mode.READ),
        Port("f_ext", Mode.READ),
        Port("parent", Mode.READ),
        Port("orientation", Mode.READ),
        Port("pose", Mode.WRITE),
        Port("motion", Mode.WRITE),
        Port("own_orientation", Mode.WRITE),
        Port("wrench", Mode.WRITE),
    ),
)
_INWARD = Step(
    "transmit",
    transmit,
    (
        Port("wrench", Mode.READ),
        Port("pose", Mode.READ),
        Port("v", Mode.READ),
        Port("a", Mode.READ),
        Port("tau", Mode.ADD),
        Port("parent_wrench", Mode.ADD),
    ),
)


def _outward_visit(tree: TreePlan, index: int) -> Visit:
    body = tree.model.bodies[index]
    bindings: dict[str, Binding] = {
        "q": tree.q(index),
        "v": tree.v(index),
        "a": tree.v(index, "a"),
        "parent": tree.parent_motion(index),
        "pose": tree.pose(index),
        "motion": tree.along_path("motion", MOTION_SIZE, index),
        "wrench": Access("wrench", 6 * index, 6),
    }
    if tree.external == "world":
        above = Given(UNTURNED) if body.parent < 0 else tree.along_path("orientation", 9, body.parent)
        bindings |= {"orientation": above, "own_orientation": tree.along_path("orientation", 9, index)}
    variant = tree.variant(index)
    if variant.external:
        bindings["f_ext"] = tree.external_wrench(index)
    names = (*ROTATION, *TRANSLATION, *INERTIA, *JOINT, *external_constants(variant))
    return Visit(index, variant, tree.constants(index, names), bindings)


def _inward_visit(tree: TreePlan, index: int) -> Visit:
    variant = tree.variant(index)
    bindings: dict[str, Binding] = {
        "wrench": Access("wrench", 6 * index, 6),
        "pose": tree.pose(index),
        "tau": tree.v(index, "tau"),
    }
    if variant.lossy:
        bindings["v"] = tree.v(index)
    if variant.geared:
        bindings["a"] = tree.v(index, "a")
    if variant.transmits:
        bindings["parent_wrench"] = Access("wrench", 6 * tree.model.bodies[index].parent, 6)
    placed = (*ROTATION, *TRANSLATION) if variant.transmits else ()
    names = (*placed, *JOINT, *(LOSS if variant.lossy else ()), *(("armature",) if variant.geared else ()))
    return Visit(index, variant, tree.constants(index, names), bindings)
