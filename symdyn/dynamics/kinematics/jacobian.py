"""Jacobians of the public frames in world axes.

Each row of v moves a body by a screw (V; W): W = R_WB s_angular and V = R_WB s_linear, the velocity of a point c that
moves with it, the body's origin. A frame at p that the joint carries has the column

    linear = V + W x (p - c),    angular = W

The base of the spatial convention has constant screws about the world's origin. Columns of joints that do not carry
the frame are zero and never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.motion import motion_at_offset
from symdyn.algebra.spatial.vectors import matrix_from, subtract
from symdyn.dynamics.kinematics.frame_kinematics import (
    FRAME_ORIGIN,
    FramePlan,
    frame_origin_sweep,
    origin_of,
    world_pose_sweeps,
)
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.places import POSE, WORLD, Columns, Place
from symdyn.dynamics.tree.rod_screws import SCREWS, lanes_of, rod_screw_sweeps
from symdyn.dynamics.tree.rod_tips import Chunk
from symdyn.dynamics.tree.soft_tip import TipQuantities
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.contracted import contracted_with_frames
from symdyn.model.joints import JointModel
from symdyn.model.joints.parts import UNPOSED
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Field, FieldKind, Given, Kernel, Plan, Sweep

SCREW_SIZE = 6
"""Scalars of a row of the ``screw`` field: V, then W."""

STILL = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ScrewVariant:
    """What is structural about a body's screws; ``anchored`` where its origin is the one that others are seen from."""

    kind: JointModel
    anchored: bool = False


def world_screws(variant: ScrewVariant, constants: Mapping[str, Scalar], reads: Reads) -> list[list[Scalar]]:
    """(V; W) per row of v, in world axes: of the ports ``world`` and, where the columns follow from it, ``pose``."""
    pose = variant.kind.placed(reads.get("pose", UNPOSED))
    return variant.kind.world_columns(matrix_from(reads["world"][:9]), pose, constants)


def joint_screws(variant: ScrewVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the screws of its rows of v."""
    return {"screw": [scalar for screw in world_screws(variant, constants, reads) for scalar in screw]}


def jacobian_column(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: a column of the frame's Jacobian."""
    return {"column": motion_at_offset(reads["screw"], subtract(reads["origin"], reads["point"]))}


def screw_variant(tree: TreePlan, index: int) -> ScrewVariant:
    """The variant of a step that forms a body's screws."""
    return ScrewVariant(tree.joint(index).kind, index == tree.model.anchor)


def point_of(tree: TreePlan, body: int, field: str) -> Binding:
    """The point whose velocity the screws of a body tell."""
    return Given(STILL) if tree.joint(body).kind.about_ground else origin_of(body)


def screws_of(field: str) -> Place:
    """All rows of a body's joint in a field of screws; followers have rows of their own."""

    def at(tree: TreePlan, body: int, name: str) -> Binding:
        first, last = tree.first_column[body : body + 2]
        return Access(name, SCREW_SIZE * first, SCREW_SIZE * (last - first))

    return Place(field, at, Columns(field, SCREW_SIZE).each.declared)


Carried = tuple[int, int, int]
"""A frame, a body that carries it, and a row of that body's joint."""
CarriedChunk = tuple[int, Chunk]
"""A frame, and columns of a soft link that carries it."""


def carried_columns(tree: TreePlan) -> Iterator[Carried]:
    """Wherever a joint carries a frame, from the root on; soft links are left out."""
    for frame, body in _carriers(tree):
        if not tree.tips.knows(body):
            yield from ((frame, body, row) for row in range(len(tree.joint(body).coordinates.v)))


def carried_chunks(tree: TreePlan) -> list[CarriedChunk]:
    """Wherever a soft link carries a frame."""
    chunks = [(body, frame, chunk) for frame, body in _carriers(tree) for chunk in tree.tips.chunks]
    return [(frame, chunk) for body, frame, chunk in chunks if chunk.body == body]


def _carriers(tree: TreePlan) -> Iterator[tuple[int, int]]:
    """Each frame and body that carries it, from the root on."""
    for frame, placed in enumerate(tree.model.frames):
        path, index = list[int](), placed.body
        while index >= 0:
            path.append(index)
            index = tree.model.bodies[index].parent
        yield from ((frame, body) for body in reversed(path))


def frame_of(tree: TreePlan, item: Carried) -> int:
    """The frame."""
    return item[0]


def carrier_of(tree: TreePlan, item: Carried) -> int:
    """The body that carries it."""
    return item[1]


def screw_of(field: str) -> Place:
    """One row of a field of screws, for items that are :data:`Carried`."""
    return Place(
        field, lambda tree, item, name: Access(name, SCREW_SIZE * (tree.first_column[item[1]] + item[2]), SCREW_SIZE)
    )


def frame_column(output: str) -> Place:
    """A column of a matrix per frame, (nframes, 6, nv)."""

    def at(tree: TreePlan, item: Carried, name: str) -> Binding:
        (frame, body, row), nv = item, tree.model.nv
        return Access(name, 6 * nv * frame + tree.joint(body).v_places[row], 6, nv)

    return Place(output, at, _matrices)


def frame_columns(output: str) -> Place:
    """The columns of such a matrix for a chunk, side by side, for items that are :data:`CarriedChunk`."""

    def at(tree: TreePlan, item: CarriedChunk, name: str) -> Binding:
        (frame, chunk), nv = item, tree.model.nv
        return Access(name, 6 * nv * frame + tree.joint(chunk.body).v_places[chunk.first], 6, nv, 1)

    return Place(output, at, _matrices)


def _matrices(tree: TreePlan, name: str) -> Field:
    return Field(name, FieldKind.OUTPUT, 6 * tree.model.nv * len(tree.model.frames))


POINT = Place("world", point_of).by(carrier_of)
_SCREWS = step(
    joint_screws,
    variant=screw_variant,
    world=read(WORLD.own),
    pose=read(POSE, when=lambda b: b.kind.has_moving_inertia),
    screw=write(screws_of("screw")),
    constants=lambda b: b.kind.column_constants,
)
_COLUMN = step(
    jacobian_column,
    variant=lambda tree, item: None,
    body=carrier_of,
    screw=read(screw_of("screw")),
    origin=read(FRAME_ORIGIN.by(frame_of)),
    point=read(POINT),
    column=add_to(frame_column("J")),
)


_CHUNK = step(
    jacobian_column,
    name="jacobian_columns",
    variant=lambda tree, item: None,
    body=lambda tree, item: item[1].body,
    screw=read(SCREWS.by(lambda tree, item: item[1])),
    origin=read(FRAME_ORIGIN.by(frame_of)),
    point=read(Place("world", lambda tree, item, field: origin_of(item[1].body))),
    column=add_to(frame_columns("J")),
).in_lanes(lambda item: lanes_of(item[1]))


def frame_sweeps(tree: TreePlan) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill ``world`` and ``frame_origin``, and ``pose`` where screws follow from poses; their fields."""
    frames = FramePlan(tree.model)
    keeps = any(body.joint.kind.has_moving_inertia and body.rod is None for body in tree.model.bodies)
    _, posed = world_pose_sweeps(tree, anchored=True, keeps=keeps, columns=False)
    sweeps = [*posed, frame_origin_sweep(tree, frames)]
    fields = [*tree.fields(), *frames.fields(), *declared_by(sweeps)]
    bound = [*tree.parameter_sweeps(), *tree.shape_sweeps(TipQuantities.COLUMNS), *frames.binding_sweeps()]
    return fields, [*bound, *sweeps]


def jacobians_plan(model: Model) -> Plan:
    """The plan of J(q), (nframes, 6, nv): rows linear; angular in world axes, at each frame's origin.

    Parameters
    ----------
    model
        The robot.
    """
    return column_plan(contracted_with_frames(model), "jacobians", "J", jacobian_column)


def columns_sweep(tree: TreePlan, kernel: Kernel = jacobian_column, output: str = "J") -> Sweep:
    """The sweep that fills ``output`` from the field ``screw``, with a kernel per column; without rods."""
    return replace(_COLUMN, kernel=kernel).over(tree, carried_columns(tree), column=output)


def column_plan(model: Model, name: str, output: str, column: Kernel) -> Plan:
    """A plan from q whose output is (nframes, 6, nv), with a kernel per column as :func:`jacobian_column`.

    Parameters
    ----------
    model
        The robot, contracted.
    name, output
        Of the plan and of its output.
    column
        The kernel.
    """
    tree = TreePlan(model)
    fields, sweeps = frame_sweeps(tree)
    rigid = (body for body in tree.links if not tree.tips.knows(body))
    own, soft = rod_screw_sweeps(tree)
    sweeps += [_SCREWS.over(tree, rigid), *soft]
    sweeps += [columns_sweep(tree, column, output)]
    if soft:
        chunks = replace(_CHUNK, kernel=column)
        sweeps += [chunks.over(tree, carried_chunks(tree), column=output)]
    return plan_of(name, tree, sweeps, [*fields, *own], binding=())
