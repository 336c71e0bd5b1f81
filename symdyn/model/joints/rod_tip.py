"""The joint between root and tip of a soft link, for algorithms that see a rod as one body (``model.contracted``).

Its pose and columns come from the stations between: ``dynamics.tree.rod_columns`` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.rotations import General
from symdyn.algebra.spatial.transform import Pose
from symdyn.algebra.spatial.vectors import Vector, dot, matrix_from
from symdyn.errors import InternalError, ModelError
from symdyn.model.joints.parts import JointMotion, JointPose, Numbers, Rest
from symdyn.model.joints.strains import StrainRows

POSE = 12
"""Scalars of the pose before those of the columns: the rotation row-major, then the place [m]."""


TWIST_ROWS = 6
LANES = 8
"""Columns of a chunk: they go side by side. The last chunk is filled up with columns of zeros."""


def chunks_of(count: int) -> int:
    """In how many chunks so many columns go."""
    return -(-count // LANES)


def shape_size(count: int) -> int:
    """Scalars of coupling and masses of so many rows."""
    chunks = chunks_of(count)
    return masses_at(chunks, chunks, 0)


def masses_at(chunks: int, row: int, chunk: int) -> int:
    """Where the masses of a chunk of rows with an earlier one, or itself, begin: those of one column after another."""
    return LANES * (TWIST_ROWS * chunks + LANES * (row * (row + 1) // 2 + chunk))


def table_columns(table: Sequence[Scalar], count: int) -> list[list[Scalar]]:
    """The columns, (6,), of chunks."""
    return [
        [table[(place // LANES * TWIST_ROWS + row) * LANES + place % LANES] for row in range(TWIST_ROWS)]
        for place in range(count)
    ]


@dataclass(frozen=True, slots=True)
class RodTip(StrainRows):
    """Rows of v as those of a rod; what it reads in place of q is its pose and its columns.

    Columns are (v; omega) of the tip's origin in the joint's axes.
    """

    constants = ()
    rest = Rest.NOWHERE
    unit_axes = None
    axial = False
    unfelt = ()
    moved_axes = (True, True, True)
    has_frame = True

    @property
    def stored(self) -> int:
        """Pose and columns."""
        return POSE + TWIST_ROWS * LANES * chunks_of(len(self.names))

    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """What is read, as it is."""
        return list(q)

    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """A rotation, a translation, and the columns where they are stored."""
        columns = table_columns(stored[POSE:], len(self.names)) if len(stored) > POSE else ()
        return JointPose(General(matrix_from(stored[:9])), list(stored[9:POSE]), columns=columns)

    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Unknown here: whoever asks for motions sees a rod's stations.

        Raises
        ------
        InternalError
            Always.
        """
        raise InternalError("the tip of a soft link was asked for its motion, which its stations know")

    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """None: a tip does not move along screws that rest in the world.

        Raises
        ------
        ModelError
            Always. The catalogue refuses soft links for the world-frame recursions before.
        """
        raise ModelError("the tip of a soft link follows no screws; use formulation='body'")

    def columns(self, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """The columns in the tip's axes."""
        turn = pose.rotation
        return [[*turn.transpose_times(c[:3]), *turn.transpose_times(c[3:])] for c in pose.columns]

    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """The work of the wrench along each column."""
        turned = [*pose.rotation.times(wrench[:3]), *pose.rotation.times(wrench[3:])]
        return [dot(column, turned) for column in pose.columns]
