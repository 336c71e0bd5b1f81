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

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.inertia import Inertia, inertia_from
from symdyn.algebra.spatial.rotations import IDENTITY, General
from symdyn.algebra.spatial.transform import turned_halves
from symdyn.algebra.spatial.vectors import Vector, cross, matrix_from, scale, subtract
from symdyn.dynamics.centroidal.center_of_mass import center_of_mass_sweeps
from symdyn.dynamics.elements.listed import DEFORMABLES
from symdyn.dynamics.kinematics.frame_kinematics import world_of, world_pose_sweeps
from symdyn.dynamics.mass_matrix.crba import INERTIA_SIZE
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, WORLD, Place, Rows, whole
from symdyn.dynamics.tree.soft_tip import TipQuantities
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import INERTIA, ROTATION, TRANSLATION, inertia_of
from symdyn.model.contracted import contracted
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Plan

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
    if variant.kind.about_ground:
        columns = _world_columns(inertia.turned(General(rotation)), reads["center"], arm)
    else:
        columns = []
        pose = variant.kind.placed(reads.get("pose", UNPOSED))
        for place, column in enumerate(variant.kind.columns(pose, constants)):
            turned = turned_halves(rotation, inertia.momentum(column))
            still = variant.whole and place < _TRANSLATIONS
            columns.append([*turned[:3], 0.0, 0.0, 0.0] if still else wrench_at_offset(turned, arm))
    return {f"column{place}": column for place, column in enumerate(columns)}


def _world_columns(inertia: Inertia, center: Vector, arm: Vector) -> list[list[Scalar]]:
    """Columns of a base that moves by its twist about the world's origin; inertia in world axes about its own."""
    turns = [
        [*scale(inertia.mass, cross(unit, center)), *inertia.momentum([*cross(unit, arm), *unit])[3:]]
        for unit in IDENTITY
    ]
    return turns + [[*scale(inertia.mass, unit), 0.0, 0.0, 0.0] for unit in IDENTITY]


def _composite(tree: TreePlan, index: int) -> CompositeVariant:
    body = tree.model.bodies[index]
    return CompositeVariant(body.joint.kind, index in tree.carriers, body.parent >= 0)


def _columns(tree: TreePlan, index: int) -> ColumnVariant:
    return ColumnVariant(tree.joint(index).kind, index == tree.model.anchor)


def _columns_at(tree: TreePlan, index: int, field: str) -> list[Binding]:
    joint, nv = tree.joint(index), tree.model.nv
    return [Access(field, place, 6, nv) for place in joint.v_places]


def _carried_at(tree: TreePlan, index: int, field: str) -> Binding | None:
    return CARRIED.of(tree, index) if index in tree.carriers else None


CARRIED, COMPOSITE = Rows("inertia", INERTIA_SIZE), Rows("composite", INERTIA_SIZE)
CENTER = whole("center", 3)
COLUMNS = Place(
    "momentum_matrix", _columns_at, lambda tree, name: Field(name, FieldKind.OUTPUT, 6 * tree.model.nv), True
)
_COMPOSE = step(
    compose,
    variant=_composite,
    pose=read(POSE, when=lambda b: b.transmits),
    composite=write(COMPOSITE.own),
    inertia=read(Place("inertia", _carried_at)),
    parent_inertia=add_to(CARRIED.above, when=lambda b: b.transmits),
    constants=lambda b: (*((*ROTATION, *TRANSLATION) if b.transmits else ()), *INERTIA),
)
_COLUMNS = step(
    momentum_columns,
    variant=_columns,
    world=read(WORLD.own),
    pose=read(POSE, when=lambda b: b.kind.has_moving_inertia),
    composite=read(COMPOSITE.own),
    center=read(CENTER),
    column=add_to(COLUMNS),
    constants=lambda b: b.kind.column_constants,
)


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
    tree = TreePlan(contracted(model))
    placed, posed = world_pose_sweeps(tree, anchored=True, keeps=True)
    fields, center = center_of_mass_sweeps(tree, "center", anchored=model.anchor is not None, posed=True)
    fields = [*tree.fields(), *placed, *fields, Field("center", FieldKind.STATE, 3)]
    rigid = (body for body in tree.links if not tree.tips.knows(body))
    composed, columns = _COMPOSE.over(tree, reversed(tree.links)), _COLUMNS.over(tree, rigid)
    deformed = DEFORMABLES.momentum_columns(tree, world_of, "momentum_matrix")
    inertia = reversed(declared_by([composed]))
    sweeps = (*posed, *center, composed, columns, *deformed)
    binding = [*tree.parameter_sweeps(), *tree.shape_sweeps(TipQuantities.MOMENTA)]
    return plan_of("centroidal_momentum_matrix", tree, sweeps, [*fields, *inertia], binding)
