"""What a deformable body shows at its tip, whatever kind it is: the columns of its rows, its coupling and its own mass.

A unit acceleration of a row moves the tip by a column of S, asks its carrier for a wrench U_0 and all its rows for
forces D_0. The tip's columns are in the axes of its joint's frame, at the tip's origin; what the tip carries is turned
into these axes first. Kernels of eliminations see a :class:`MovedTip`, as they see a joint that moves a rigid body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.articulated import ArticulatedInertia
from symdyn.algebra.spatial.motion import motion_in_child
from symdyn.algebra.spatial.rotations import Identity
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, dot, scale, times, transpose
from symdyn.dynamics.tree.body_variant import frame_in_parent
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bodies import Body
from symdyn.model.joints import JointPose
from symdyn.model.joints.bending import weighted
from symdyn.plan.plan import Binding


@dataclass(frozen=True, slots=True)
class TipColumn:
    """A column of S: it moves the tip by ``move``, and turns it by ``axes`` times ``slope``; ``axes`` are shared."""

    move: Vector
    slope: Vector
    axes: Matrix

    def share(self, wrench: Vector) -> Scalar:
        """S^T F of a wrench (f; n)."""
        return dot(self.move, wrench[:3]) + dot(self.slope, times(self.axes, wrench[3:]))

    def wrench(self, inertia: ArticulatedInertia) -> list[Scalar]:
        """I S."""
        still = [0.0] * 3
        momentum = inertia.times([*self.move, *still])
        for axis, part in zip(self.axes, self.slope, strict=True):
            momentum = add(momentum, scale(part, inertia.times([*still, *axis])))
        return momentum


class DeformableTip(Protocol):
    """The tip of one kind of deformable body."""

    def columns(self, pose: JointPose, constants: Mapping[str, Scalar]) -> Sequence[TipColumn]:
        """The columns of S, one per row of v, in the joint's axes; constants are enough where the pose has no bend."""

    def coupling(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """U_0: per row the wrench (f; n), of the ports ``q`` and ``shape``."""

    def own_mass(self, constants: Mapping[str, Scalar], reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """D_0, (n, n), of the same ports."""


@dataclass(frozen=True, slots=True)
class MovedTip:
    """A tip at a pose of its joint."""

    tip: DeformableTip
    constants: Mapping[str, Scalar]
    pose: JointPose

    def columns(self) -> Sequence[TipColumn]:
        """The columns of S, in the joint's axes."""
        return self.tip.columns(self.pose, self.constants)

    def frame(self) -> Transform:
        """The joint's axes at the tip, in the parent's frame."""
        return frame_in_parent(self.constants, JointPose(Identity(), self.pose.translation, self.pose.bend))

    def inertia(self, inertia: ArticulatedInertia) -> ArticulatedInertia:
        """An inertia at the tip, in the joint's axes."""
        return inertia.turned(self.pose.rotation)

    def wrench(self, wrench: Vector) -> list[Scalar]:
        """A wrench (f; n) on the tip, in the joint's axes."""
        return [*self.pose.rotation.times(wrench[:3]), *self.pose.rotation.times(wrench[3:])]

    def motion(self, above: Vector, rates: Sequence[Scalar | None]) -> list[Scalar]:
        """The tip's motion (a; alpha) in its own axes, where its parent moves, and its rows but those that are None."""
        columns = self.columns()
        known = [0.0 if rate is None else rate for rate in rates]
        turned = weighted([column.slope for column in columns], known)
        moved = [*weighted([column.move for column in columns], known), *times(transpose(columns[0].axes), turned)]
        motion = add(motion_in_child(self.frame(), above), moved)
        return [*self.pose.rotation.transpose_times(motion[:3]), *self.pose.rotation.transpose_times(motion[3:])]

    def coupling(self, reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """U_0; see :meth:`DeformableTip.coupling`."""
        return self.tip.coupling(self.constants, reads)

    def own_mass(self, reads: Mapping[str, Vector]) -> list[list[Scalar]]:
        """D_0; see :meth:`DeformableTip.own_mass`."""
        return self.tip.own_mass(self.constants, reads)


def tip_reads(tree: TreePlan, body: int) -> dict[str, Binding]:
    """Where the ports ``q`` and ``shape`` of a tip lie; none of others."""
    shape = tree.shape_at(body)
    return {"q": tree.q(body), "shape": shape} if shape is not None else {}


def tip_constants(tree: TreePlan, body: int, straight: bool = False) -> dict[str, float]:
    """Constants of the coupling of a tip and, but for that of a ``straight`` one, of its own mass; none of others."""
    constants = tree.beams.coupling_constants(body)
    return {name: value for name, value in constants.items() if name.startswith("H")} if straight else constants


def deforms(body: Body) -> bool:
    """Whether a body is the tip of a deformable one."""
    return body.beam is not None or body.rod is not None


def all_straight(tree: TreePlan) -> bool:
    """Whether columns and own masses of all tips are constants."""
    return not tree.rods.rods and not any(tree.beams.kind(index).pairs for index in tree.model.beams)


def tip_numbers(body: Body) -> dict[str, float]:
    """Numbers of the own mass of a tip that is straight, and of its columns."""
    assert body.beam is not None
    return body.beam.numbers() | dict(body.joint.numbers)


def tip_remedy(body: Body) -> str:
    """How to give the rows of a tip something that resists them."""
    return f"give link '{body.joint.label}' shapes that differ more from each other, or fewer of them"


def tip_reach(body: Body) -> float:
    """How far a tip may stand from the place of its joint's frame at rest, beside its coordinates [m]."""
    return 0.0 if body.rod is None else body.rod.reach


def tip_bound(body: Body, row: int, carried: tuple[float, float]) -> float:
    """What the pivot of a tip's row could be at most: its own mass, and that of what the tip moves and turns.

    Parameters
    ----------
    body
        The tip.
    row
        Of its joint.
    carried
        Mass and a bound of the trace of the second moment of what it carries [kg, kg m^2].
    """
    if body.rod is not None:
        return body.rod.bound(row, carried)
    numbers, (mass, spread) = tip_numbers(body), carried
    moved = sum(numbers[f"tip{row}{axis}"] ** 2 for axis in "xyz")
    turned = sum(numbers.get(f"slope{row}{axis}", 0.0) ** 2 for axis in "xyz")
    return numbers[f"T{row}_{row}"] + mass * moved + spread * turned
