"""Elimination of one joint's free accelerations where its body stands, over any scalar.

A joint with the columns S of its rows of v hands on what the joints in front of it feel. Its rows are taken one by one,
the last row first: each is a joint of one degree of freedom, so that no matrix is factorised. With the body's
articulated inertia I and its bias wrench p,

    U = I S,    r = -1 / (S^T U + armature),    g = r U
    I <- I + g U^T,    u = S^T p - tau,    p <- p + g u
    outward: a = r u + g^T A,    A <- A + S a

for an acceleration A of the body that its own joint does not cause (Featherstone 2008, section 7.3; the products
L D L^T of a joint with several rows appear row by row). Where S is a unit vector, the row and column of I that it
picks vanish exactly. A row whose acceleration is prescribed is not eliminated: its force is S^T (I A + p). With the
sign in r, every update is a sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.scalars.taylor import top_term
from symdyn.algebra.spatial.articulated import ArticulatedInertia
from symdyn.algebra.spatial.vectors import Vector, dot
from symdyn.model.joints import JointModel, JointPose

GAIN_SIZE = 7
"""Scalars that a row keeps for the solution: r, then g (6,), or for a prescribed row 0 and U."""


@dataclass(frozen=True, slots=True)
class Direction:
    """A column of S as (linear; angular), (6,); ``axis`` is its place where it is a unit vector, else None."""

    column: Vector
    axis: int | None = None

    def share(self, wrench: Vector) -> Scalar:
        """S^T F of a wrench (f; n)."""
        if self.axis is not None:
            return wrench[self.axis]
        return dot(self.column, wrench)

    def wrench(self, inertia: ArticulatedInertia) -> list[Scalar]:
        """U = I S."""
        return inertia.times(self.column) if self.axis is None else inertia.column(self.axis)


def directions(kind: JointModel, constants: Mapping[str, Scalar], pose: JointPose) -> list[Direction]:
    """The columns of S of a joint, one per row of v."""
    axes = kind.unit_axes
    if axes is not None:
        return [Direction([float(place == axis) for place in range(6)], axis) for axis in axes]
    return [Direction(column) for column in kind.columns(pose, constants)]


def eliminate(
    inertia: ArticulatedInertia, columns: Sequence[Direction], free: Sequence[bool], armature: Scalar | None
) -> tuple[ArticulatedInertia, list[list[Scalar]]]:
    """What a body's articulated inertia becomes once its joint's free rows give way.

    Parameters
    ----------
    inertia
        Of the body and all that it carries, in its own frame.
    columns, free
        S by rows of v, and which of them are free.
    armature
        Rotor inertia that adds to S^T U [kg m^2 or kg], None where the joint has none.

    Returns
    -------
    The inertia that the parent feels, still in the body's frame; and per row the ``GAIN_SIZE`` scalars.
    """
    gain_rows: list[list[Scalar]] = [[0.0] * GAIN_SIZE for _ in columns]
    for row in reversed(range(len(columns))):
        if not free[row]:
            continue
        wrench = columns[row].wrench(inertia)
        joint_forces = columns[row].share(wrench)
        reciprocal = -1.0 / (joint_forces if armature is None else joint_forces + armature)
        gain = [reciprocal * x for x in wrench]
        axis = columns[row].axis
        if axis is not None and armature is None:
            gain[axis] = -1.0
            inertia = inertia.without_axis(axis, gain, wrench)
        else:
            inertia = inertia.plus_product(gain, wrench)
        gain_rows[row] = [reciprocal, *gain]
    for row, column in enumerate(columns):
        if not free[row]:
            gain_rows[row] = [0.0, *column.wrench(inertia)]
    return inertia, gain_rows


def bias_pass(
    wrench: Vector,
    forces: Sequence[Scalar],
    columns: Sequence[Direction],
    free: Sequence[bool],
    bare: bool,
    gain_rows: Sequence[Vector],
) -> tuple[list[Scalar], list[Scalar]]:
    """Inward half of the solution: what the joint's forces leave for its parent.

    Parameters
    ----------
    wrench
        Bias wrench p of the body and all that it carries, (6,).
    forces
        Per row the generalised force, losses taken off; of prescribed rows nothing is read.
    columns, free, gains
        As for :func:`eliminate`.
    bare
        No armature: a unit column then transmits exactly the joint's force.

    Returns
    -------
    Per row r u, or S^T p of a prescribed row; and the wrench p that the parent feels, in the body's frame.
    """
    carried = list(wrench)
    drives: list[Scalar] = [0.0] * len(columns)
    for row in reversed(range(len(columns))):
        if not free[row]:
            continue
        column, (reciprocal, *gain) = columns[row], gain_rows[row]
        rest = top_term(column.share(carried) - forces[row])  # lower orders of a series are already in balance
        drives[row] = reciprocal * rest
        for place in range(6):
            if place == column.axis and bare:
                carried[place] = forces[row]
            else:
                carried[place] = carried[place] + gain[place] * rest
    for row, column in enumerate(columns):
        if not free[row]:
            drives[row] = column.share(carried)
    return drives, carried


def acceleration_pass(
    motion: Vector,
    drives: Sequence[Scalar],
    columns: Sequence[Direction],
    free: Sequence[bool],
    bare: bool,
    gain_rows: Sequence[Vector],
) -> tuple[list[Scalar], list[Scalar]]:
    """Outward half of the solution.

    Parameters
    ----------
    motion
        Acceleration (a; alpha) that reaches the body through its parent, (6,), beyond that of the bias wrench.
    drives
        Of :func:`absorb`.
    columns, free, bare, gains
        As there.

    Returns
    -------
    Per row the acceleration, or the force of a prescribed row; and the body's acceleration.
    """
    found: list[Scalar] = [
        joint_force_residual + (0.0 if is_free else dot(gain[1:], motion))
        for joint_force_residual, is_free, gain in zip(drives, free, gain_rows, strict=True)
    ]
    moved = list(motion)
    for row, column in enumerate(columns):
        if not free[row]:
            continue
        gain = list(gain_rows[row][1:])
        if column.axis is not None and bare:
            gain[column.axis] = 0.0
            reached = drives[row] + dot(gain, moved)
            found[row] = reached - moved[column.axis]
            moved[column.axis] = reached
        else:
            found[row] = drives[row] + dot(gain, moved)
            moved = [x + y * found[row] for x, y in zip(moved, column.column, strict=True)]
    return found, moved
