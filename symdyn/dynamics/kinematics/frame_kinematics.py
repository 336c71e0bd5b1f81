"""Poses of bodies and public frames in the world.

For a joint frame at (E, l) in the parent's frame and a joint pose (R, d):

    R_WB = R_WP E R,    p_WB = p_WP + R_WP (l + E d)

and a frame fixed to the body at (F, t) stands at R_WF = R_WB F, p_WF = p_WB + R_WB t.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.transform import UNMOVED
from symdyn.algebra.spatial.vectors import add, entries_of, matrix_from, product, times
from symdyn.dynamics.tree.bindings import Reads, Writes, declared_by, plan_of, read, step, write
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.places import POSE, WORLD, Place, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import ROTATION, TRANSLATION
from symdyn.model.frame_placement import baked_translation, frame_rotation, frame_translation
from symdyn.model.frame_policy import check_described
from symdyn.model.joints import JointModel
from symdyn.model.model import Model
from symdyn.plan.plan import Access, Binding, Constant, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit

FRAME_ROTATION = tuple(f"F{row}{column}" for row in range(3) for column in range(3))
FRAME_TRANSLATION = ("tx", "ty", "tz")


@dataclass(frozen=True, slots=True)
class PoseVariant:
    """What is structural about a body's place in the world.

    ``anchored`` puts the origin of a free base where the positions are measured from; ``keeps`` tells that the joint's
    pose is kept for later sweeps.
    """

    kind: JointModel
    anchored: bool
    keeps: bool


def world_pose(variant: PoseVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Outward step: orientation and origin of a body in the world."""
    stored = variant.kind.pose(algebra, reads["q"], constants)
    pose = variant.kind.placed(stored)
    parent = matrix_from(reads["parent"][:9])
    x_pc = frame_in_parent(constants, pose)
    turned = [x_pc.turn.transpose_times(row) for row in product(parent, x_pc.fixed)]
    at = [0.0, 0.0, 0.0]
    if not variant.anchored:
        at = add(reads["parent"][9:], times(parent, x_pc.origin))
    kept: Writes = {"pose": stored} if variant.keeps else {}
    return {"world": [*entries_of(turned), *at], **kept}


def frame_pose(_: Any, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame: its homogeneous pose in the world, 4 x 4 row-major."""
    body = matrix_from(reads["world"][:9])
    turned = product(body, matrix_from([constants[name] for name in FRAME_ROTATION]))
    at = _origin(constants, reads)
    rows = [[*row, place] for row, place in zip(turned, at, strict=True)]
    return {"X": [*rows[0], *rows[1], *rows[2], 0.0, 0.0, 0.0, 1.0]}


def frame_origin(_: Any, __: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame: its origin in the world."""
    return {"origin": _origin(constants, reads)}


def _origin(constants: Mapping[str, Scalar], reads: Reads) -> list[Scalar]:
    offset = [constants[name] for name in FRAME_TRANSLATION]
    return add(reads["world"][9:], times(matrix_from(reads["world"][:9]), offset))


def world_of(body: int) -> Binding:
    """A body's row of the ``world`` field, or the ground's pose for -1."""
    return Access("world", WORLD.width * body, WORLD.width) if body >= 0 else Given(tuple(UNMOVED.scalars()))


def origin_of(body: int) -> Binding:
    """A body's origin in the ``world`` field, or the ground's for -1."""
    return Access("world", WORLD.width * body + 9, 3) if body >= 0 else Given((0.0, 0.0, 0.0))


_WORLD_POSE = step(
    world_pose,
    q=read(Q),
    parent=read(WORLD.above),
    pose=write(POSE, when=lambda b: b.keeps),
    world=write(WORLD.own),
    constants=lambda b: (*ROTATION, *TRANSLATION, *b.kind.constants),
)


def world_pose_sweeps(
    tree: TreePlan, anchored: bool = False, keeps: bool = False, columns: bool = True
) -> tuple[list[Field], list[Sweep]]:
    """Sweeps that fill the field ``world`` from q: one row of 12 per body.

    Parameters
    ----------
    tree
        The robot.
    anchored
        Measure positions from the origin of a free base, where there is one, instead of the world's: algorithms that
        need differences of positions lose no digits far from the world's origin.
    keeps
        Fill the field ``pose`` as well.
    columns
        Whether the columns of soft links lie beside the poses of tips. If not, these poses are not filled.
    """

    def placed(tree: TreePlan, index: int) -> PoseVariant:
        kept = keeps and (columns or not tree.tips.knows(index))
        return PoseVariant(tree.joint(index).kind, anchored and index == tree.model.anchor, kept)

    def alone(visit: Visit) -> Visit:
        if columns or not tree.tips.knows(visit.body):
            return visit
        return replace(visit, bindings={**visit.bindings, "q": tree.tips.place(visit.body)})

    sweep = _WORLD_POSE.over(tree, tree.links, placed)
    sweep = replace(sweep, visits=tuple(map(alone, sweep.visits)))
    return [field for field in declared_by([sweep]) if field.kind is FieldKind.STATE], [sweep]


class FramePlan:
    """Constants of the public frames: numbers, or accesses to what the binding sweep computes from p."""

    def __init__(self, model: Model) -> None:
        check_described(model)
        self.model = model
        self._baked = [baked_translation(model, frame) for frame in model.frames]
        bound = (index for index, translation in enumerate(self._baked) if translation is None)
        self._bound_row = {index: row for row, index in enumerate(bound)}

    def fields(self) -> list[Field]:
        """Fields of what :meth:`binding_sweeps` writes."""
        return [Field("frame_constants", FieldKind.STATE, 3, len(self._bound_row))] if self._bound_row else []

    def binding_sweeps(self) -> list[Sweep]:
        """Sweeps that compute translations from p, where these rest on p."""
        everything = Access("p", 0, len(self.model.slots.names))
        step = Step("bind_frames", self._bind_kernel, (Port("p", Mode.READ), Port("constants", Mode.WRITE)))
        visits = tuple(
            Visit(-1, index, {}, {"p": everything, "constants": Access("frame_constants", 3 * row, 3)})
            for index, row in self._bound_row.items()
        )
        return [Sweep(step, visits)] if visits else []

    def _bind_kernel(self, variant: Any, algebra: Algebra, _: Mapping[str, Scalar], reads: Reads) -> Writes:
        return {"constants": frame_translation(self.model, self.model.frames[variant], algebra, reads["p"])}

    def translation(self, index: int) -> dict[str, Constant]:
        """The constants of ``FRAME_TRANSLATION`` of a frame."""
        baked = self._baked[index]
        if baked is not None:
            return dict(zip(FRAME_TRANSLATION, baked, strict=True))
        start = 3 * self._bound_row[index]
        return {name: Access("frame_constants", start + place, 1) for place, name in enumerate(FRAME_TRANSLATION)}

    def rotation(self, index: int) -> dict[str, Constant]:
        """The constants of ``FRAME_ROTATION`` of a frame."""
        turned = frame_rotation(self.model, self.model.frames[index])
        return dict(zip(FRAME_ROTATION, entries_of(turned), strict=True))


def per_frame(field: str, width: int, kind: FieldKind = FieldKind.STATE) -> Place:
    """A row per frame."""

    def declared(tree: TreePlan, name: str) -> Field:
        count = len(tree.model.frames)
        return Field(name, kind, width, count) if kind is FieldKind.STATE else Field(name, kind, width * count)

    return Place(field, lambda tree, frame, name: Access(name, width * frame, width), declared)


def frame_body(tree: TreePlan, frame: int) -> int:
    """The body that a frame stands on, -1 for the ground."""
    return tree.model.frames[frame].body


FRAME_ORIGIN = per_frame("frame_origin", 3)
_FRAME_POSE = step(
    frame_pose,
    variant=lambda tree, frame: None,
    body=frame_body,
    world=read(WORLD.own.by(frame_body)),
    X=write(per_frame("X", 16, FieldKind.OUTPUT)),
)
_FRAME_ORIGIN = step(
    frame_origin,
    variant=lambda tree, frame: None,
    body=frame_body,
    world=read(WORLD.own.by(frame_body)),
    origin=write(FRAME_ORIGIN),
)


def moving_frames(tree: TreePlan) -> list[int]:
    """Indices of the frames on bodies that move."""
    return [frame for frame, placed in enumerate(tree.model.frames) if placed.body >= 0]


def frame_origin_sweep(tree: TreePlan, frames: FramePlan) -> Sweep:
    """The sweep that fills the field ``frame_origin`` from ``world``: three rows per frame on a moving body [m]."""
    return _FRAME_ORIGIN.over(tree, moving_frames(tree), more=lambda _, frame: frames.translation(frame))


def forward_kinematics_plan(model: Model) -> Plan:
    """The plan of X(q), (nframes, 4, 4): homogeneous poses of the public frames in the world.

    Parameters
    ----------
    model
        The robot.
    """
    tree, frames = TreePlan(model), FramePlan(model)
    _, sweeps = world_pose_sweeps(tree)
    shown = _FRAME_POSE.over(
        tree, range(len(model.frames)), more=lambda _, frame: frames.rotation(frame) | frames.translation(frame)
    )
    fields = [*tree.fields(), *frames.fields()]
    return plan_of("forward_kinematics", tree, [*frames.binding_sweeps(), *sweeps, shown], fields)
