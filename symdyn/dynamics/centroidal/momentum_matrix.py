"""The matrix that takes v to the momentum about the centre of mass (Orin, Goswami & Lee 2013), by composite bodies.

A column (v; omega) of a joint moves everything that the joint carries, of inertia I^c, as one body. Its momentum in
the joint's body axes is p = m v + omega x h, L = J omega + h x v; in world axes and about the centre c

    linear = R_WB p,    angular = R_WB L + (p_WB - c) x linear

A free base carries the whole robot: its translations have no angular momentum about the centre, and its rotations
about a world axis w have the momentum of a turn about the centre, J_c w.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_sweeps
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.kinematics.frame_kinematics import world_of, world_pose_sweeps
from symdyn.dynamics.mass_matrix.crba import INERTIA_SIZE
from symdyn.dynamics.tree.tree import TreePlan, frame_in_parent
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.joints import JointModel, JointPose, Rest
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.force import wrench_at_offset
from symdyn.spatial.inertia import Inertia, inertia_from
from symdyn.spatial.rotations import IDENTITY, General, Identity
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import Vector, cross, matrix_from, scale, subtract

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_TRANSLATIONS = 3
"""Rows of v of a free base that come first."""


@dataclass(frozen=True, slots=True)
class CompositeVariant:
    """What is structural about a composite body: whether bodies hang on it, and whether it hangs on one."""

    kind: JointModel
    carries: bool
    transmits: bool


@dataclass(frozen=True, slots=True)
class ColumnVariant:
    """What is structural about the columns of a joint; ``whole`` tells that the joint carries the whole robot."""

    kind: JointModel
    mimic: bool
    whole: bool


def compose(variant: CompositeVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Inward step: inertia of everything that a joint carries, about the body's origin, and in the parent's frame."""
    inertia = inertia_of(constants)
    if variant.carries:
        inertia = inertia.plus(inertia_from(reads["inertia"]))
    writes: dict[str, Sequence[Scalar]] = {"composite": inertia.scalars()}
    if variant.transmits:
        x_pc = frame_in_parent(constants, variant.kind.placed(reads["pose"]))
        writes["parent_inertia"] = inertia.seen_from_parent(x_pc).scalars()
    return writes


def momentum_columns(variant: ColumnVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the columns of its joint, one port for each."""
    rotation, at = matrix_from(reads["world"][:9]), reads["world"][9:]
    inertia = inertia_from(reads["composite"])
    arm = subtract(at, reads["center"])
    if variant.kind.rest is Rest.WORLD:
        columns = _world_columns(inertia.turned(General(rotation)), reads["center"], arm)
    else:
        columns = []
        pose = variant.kind.placed(reads["pose"]) if "pose" in reads else JointPose(Identity(), None)
        subspace = variant.kind.columns(pose, constants)
        for place, column in enumerate(subspace):
            momentum = inertia.momentum(column)
            turned = turned_halves(rotation, momentum)
            if variant.whole and place < _TRANSLATIONS:
                columns.append([*turned[:3], 0.0, 0.0, 0.0])
            else:
                columns.append(wrench_at_offset(turned, arm))
    if variant.mimic:
        columns = [scale(constants["multiplier"], column) for column in columns]
    return {f"column{place}": column for place, column in enumerate(columns)}


def _world_columns(inertia: Inertia, center: Vector, arm: Vector) -> list[list[Scalar]]:
    """Columns of a base that moves by its twist about the world's origin; inertia in world axes about its own."""
    turns = [
        [*scale(inertia.mass, cross(unit, center)), *inertia.momentum([*cross(unit, arm), *unit])[3:]]
        for unit in IDENTITY
    ]
    return turns + [[*scale(inertia.mass, unit), 0.0, 0.0, 0.0] for unit in IDENTITY]


_COMPOSE = Step(
    "compose",
    compose,
    (
        Port("pose", Mode.READ),
        Port("inertia", Mode.READ),
        Port("composite", Mode.WRITE),
        Port("parent_inertia", Mode.ADD),
    ),
)


@cache
def _columns_step(rows: int) -> Step:
    ports = (
        Port("world", Mode.READ),
        Port("pose", Mode.READ),
        Port("composite", Mode.READ),
        Port("center", Mode.READ),
        *(Port(f"column{place}", Mode.ADD) for place in range(rows)),
    )
    return Step("momentum_columns", momentum_columns, ports)


def centroidal_momentum_matrix_plan(model: Model) -> Plan:
    """The plan of the centroidal momentum matrix, (6, nv): rows linear; angular, world axes.

    Parameters
    ----------
    model
        The robot.

    Raises
    ------
    ModelError
        A robot whose moving links have no mass.
    """
    tree = TreePlan(model)
    count = len(model.bodies)
    pose_fields, pose_sweeps = world_pose_sweeps(tree, anchored=True, keeps=True)
    center_fields, center_sweeps = center_of_mass_sweeps(tree, "center", anchored=model.anchor is not None, posed=True)
    fields = [
        Field("q", FieldKind.INPUT, model.nq),
        *tree.fields(),
        *pose_fields,
        *center_fields,
        Field("center", FieldKind.STATE, 3),
        Field("inertia", FieldKind.STATE, INERTIA_SIZE, count),
        Field("composite", FieldKind.STATE, INERTIA_SIZE, count),
        Field("momentum_matrix", FieldKind.OUTPUT, 6 * model.nv),
    ]
    sweeps = (
        *tree.binding_sweeps(),
        *pose_sweeps,
        *center_sweeps,
        Sweep(_COMPOSE, tuple(_composite_visit(tree, index, index in tree.carriers) for index in reversed(tree.links))),
        Sweep(_columns_step(model.most_rows), tuple(_columns_visit(tree, index) for index in tree.links)),
        *DEFORMABLES.momentum_columns(tree, world_of, "momentum_matrix"),
    )
    return Plan(
        "centroidal_momentum_matrix", tuple(fields), sweeps, tuple(body.name for body in model.bodies), model.parent
    )


def _composite_visit(tree: TreePlan, index: int, carries: bool) -> Visit:
    model = tree.model
    parent = model.bodies[index].parent
    variant = CompositeVariant(model.bodies[index].joint.kind, carries, parent >= 0)
    bindings: dict[str, Binding] = {"composite": Access("composite", INERTIA_SIZE * index, INERTIA_SIZE)}
    if variant.carries:
        bindings["inertia"] = Access("inertia", INERTIA_SIZE * index, INERTIA_SIZE)
    if variant.transmits:
        bindings["pose"] = tree.pose(index)
        bindings["parent_inertia"] = Access("inertia", INERTIA_SIZE * parent, INERTIA_SIZE)
    placed = (*ROTATION, *TRANSLATION) if variant.transmits else ()
    return Visit(index, variant, tree.constants(index, (*placed, *INERTIA)), bindings)


def _columns_visit(tree: TreePlan, index: int) -> Visit:
    model = tree.model
    joint = model.bodies[index].joint
    variant = ColumnVariant(joint.kind, joint.mimic is not None, index == model.anchor)
    bindings: dict[str, Binding] = {
        "world": world_of(index),
        "composite": Access("composite", INERTIA_SIZE * index, INERTIA_SIZE),
        "center": Access("center", 0, 3),
    }
    if joint.kind.rest is Rest.NOWHERE:
        bindings["pose"] = tree.pose(index)
    for place in range(len(joint.coordinates.v)):
        bindings[f"column{place}"] = Access("momentum_matrix", joint.v_index + place, 6, model.nv)
    return Visit(index, variant, tree.constants(index, ("pitch", "multiplier")), bindings)
