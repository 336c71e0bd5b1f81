"""Jacobians of the public frames in world axes.

Each row of v moves a body by a screw (V; W): W = R_WB s_angular and V = R_WB s_linear, the velocity of a point c that
moves with it, the body's origin. A frame at p that the joint carries has the column

    linear = V + W x (p - c),    angular = W

The base of the spatial convention has constant screws about the world's origin. Columns of joints that do not carry
the frame are zero and never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symdyn.dynamics.kinematics.frame_kinematics import (
    WORLD_SIZE,
    FramePlan,
    frame_origin_sweeps,
    world_of,
    world_pose_sweeps,
)
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.joints import JointModel, JointPose, Rest
from symdyn.model.model import Model
from symdyn.plan import Access, Binding, Field, FieldKind, Given, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.motion import motion_at_offset
from symdyn.spatial.rotations import IDENTITY, Identity
from symdyn.spatial.transform import turned_halves
from symdyn.spatial.vectors import Matrix, Vector, matrix_from, scale, subtract

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

SCREW_SIZE = 6
"""Scalars of a row of the ``screw`` field: V, then W."""

STILL = (0.0, 0.0, 0.0)
UNPOSED = JointPose(Identity(), None)
"""In place of a pose where the columns do not depend on it."""


@dataclass(frozen=True, slots=True)
class ScrewVariant:
    """What is structural about a body's screws; ``anchored`` where its origin is the one that others are seen from."""

    kind: JointModel
    mimic: bool = False
    anchored: bool = False


def world_screws(
    kind: JointModel, rotation: Matrix, numbers: Mapping[str, Scalar], gain: Scalar, pose: JointPose = UNPOSED
) -> list[list[Scalar]]:
    """(V; W) per row of v, in world axes.

    Parameters
    ----------
    kind
        The joint's; the base of the spatial convention has its screws about the world's origin, others about the
        body's.
    rotation
        R_WB.
    numbers, gain
        The joint's constants, and the multiplier of a mimic joint or 1.
    pose
        The joint's, where the columns change with it.
    """
    if kind.rest is Rest.WORLD:
        return [*([*STILL, *unit] for unit in IDENTITY), *([*unit, *STILL] for unit in IDENTITY)]
    return [scale(gain, turned_halves(rotation, column)) for column in kind.columns(pose, numbers)]


def joint_screws(variant: ScrewVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per body: the screws of its rows of v."""
    gain = constants["multiplier"] if variant.mimic else 1.0
    pose = variant.kind.placed(reads["pose"]) if "pose" in reads else UNPOSED
    screws = world_screws(variant.kind, matrix_from(reads["world"][:9]), constants, gain, pose)
    return {"screw": [scalar for screw in screws for scalar in screw]}


def screws_from(row: Sequence[Scalar]) -> list[Vector]:
    """Screws (V; W) from a row of the ``screw`` field."""
    return [row[start : start + SCREW_SIZE] for start in range(0, len(row), SCREW_SIZE)]


def jacobian_column(_: Any, __: Algebra, ___: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Step per frame and row of v that moves it: a column of the frame's Jacobian."""
    return {"column": motion_at_offset(reads["screw"], subtract(reads["origin"], reads["point"]))}


_SCREWS = Step(
    "joint_screws", joint_screws, (Port("world", Mode.READ), Port("pose", Mode.READ), Port("screw", Mode.WRITE))
)
_COLUMN = Step(
    "jacobian_column",
    jacobian_column,
    (Port("screw", Mode.READ), Port("origin", Mode.READ), Port("point", Mode.READ), Port("column", Mode.ADD)),
)


class ScrewPlan:
    """Where the screws of a robot's joints lie."""

    def __init__(self, tree: TreePlan) -> None:
        self.tree = tree
        self.model = tree.model
        self._first = [0]
        for body in self.model.bodies:
            self._first.append(self._first[-1] + len(body.joint.coordinates.v))

    def field(self, name: str) -> Field:
        """A field with a row per row of a body's joint; followers have rows of their own."""
        return Field(name, FieldKind.STATE, SCREW_SIZE, self._first[-1])

    def of_body(self, name: str, index: int) -> Access:
        """All rows of a body's joint."""
        first, last = self._first[index : index + 2]
        return Access(name, SCREW_SIZE * first, SCREW_SIZE * (last - first))

    def of_row(self, name: str, index: int, row: int) -> Access:
        """One row of a body's joint."""
        return Access(name, SCREW_SIZE * (self._first[index] + row), SCREW_SIZE)

    def visit(self, index: int, bindings: Mapping[str, Binding]) -> Visit:
        """A visit of a step that forms a body's screws."""
        joint = self.model.bodies[index].joint
        variant = ScrewVariant(joint.kind, joint.mimic is not None, index == self.model.anchor)
        posed = {"pose": self.tree.pose(index)} if joint.kind.rest is Rest.NOWHERE else {}
        return Visit(index, variant, self.tree.constants(index, ("pitch", "multiplier")), {**bindings, **posed})

    @property
    def posed(self) -> bool:
        """Whether screws depend on poses of joints."""
        return bool(self.model.beams)

    def point(self, index: int) -> Binding:
        """The point whose velocity the screws of a body tell."""
        rests = self.model.bodies[index].joint.kind.rest is Rest.WORLD
        return Given(STILL) if rests else origin_of(index)

    def columns(self, output: str) -> Iterator[tuple[int, int, int, Access]]:
        """(frame, body, row of the body's joint, column of the output) wherever a joint carries a frame."""
        for frame, placed in enumerate(self.model.frames):
            path = []
            index = placed.body
            while index >= 0:
                path.append(index)
                index = self.model.bodies[index].parent
            for index in reversed(path):
                joint = self.model.bodies[index].joint
                for row in range(len(joint.coordinates.v)):
                    start = 6 * self.model.nv * frame + joint.v_index + row
                    yield frame, index, row, Access(output, start, 6, self.model.nv)


def origin_of(body: int) -> Binding:
    """A body's origin in the ``world`` field, or the ground's for -1."""
    return Access("world", WORLD_SIZE * body + 9, 3) if body >= 0 else Given(STILL)


def jacobians_plan(model: Model) -> Plan:
    """The plan of J(q), (nframes, 6, nv): rows linear; angular in world axes, at each frame's origin.

    Parameters
    ----------
    model
        The robot.
    """
    tree, frames = TreePlan(model), FramePlan(model)
    screws = ScrewPlan(tree)
    pose_fields, pose_sweeps = world_pose_sweeps(tree, anchored=True, keeps=screws.posed)
    origin_fields, origin_sweeps = frame_origin_sweeps(tree, frames)
    joints = tuple(
        screws.visit(index, {"world": world_of(index), "screw": screws.of_body("screw", index)}) for index in tree.links
    )
    columns = tuple(
        Visit(
            index,
            None,
            {},
            {
                "screw": screws.of_row("screw", index, row),
                "origin": Access("frame_origin", 3 * frame, 3),
                "point": screws.point(index),
                "column": column,
            },
        )
        for frame, index, row, column in screws.columns("J")
    )
    return Plan(
        "jacobians",
        (
            Field("q", FieldKind.INPUT, model.nq),
            *tree.fields(),
            *frames.fields(),
            *pose_fields,
            *origin_fields,
            screws.field("screw"),
            Field("J", FieldKind.OUTPUT, 6 * model.nv * len(model.frames)),
        ),
        (
            *tree.parameter_sweeps(),
            *frames.binding_sweeps(),
            *pose_sweeps,
            *origin_sweeps,
            Sweep(_SCREWS, joints),
            Sweep(_COLUMN, columns),
        ),
        tuple(body.name for body in model.bodies),
        model.parent,
    )
