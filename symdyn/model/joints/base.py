"""The protocol of joints: rows of q and v, pose, motion, columns, force, and how coordinates are moved.

In the model every joint moves along or about the z axis of its own frame; constant rotations take it to the axis of
the file (see ``growing_tree``). A joint is a frozen, hashable object that holds what is structural about it, so that it
can be the variant of a kernel. Its numbers come as ``numbers``, by the names in ``constants``. What is abstract here
each joint says for itself: a class that leaves something out cannot be made.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.taylor import Series
from symdyn.algebra.scalars.taylor_algebra import TaylorAlgebra
from symdyn.algebra.scalars.taylor_functions import solution
from symdyn.algebra.spatial.transform import Pose, turned_halves
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, scale, subtract, times
from symdyn.description.robot import Limits
from symdyn.interface.stepping import Rates
from symdyn.model.joints.coordinate_map import IDENTITY_MAP, CoordinateMap
from symdyn.model.joints.parts import Array, Coordinates, JointMotion, JointPose, Numbers, Rest, drawn

if TYPE_CHECKING:  # robots load without NumPy
    import numpy as np


class JointModel(ABC):
    """A kind of joint, in its structure."""

    __slots__ = ()

    @property
    @abstractmethod
    def value(self) -> str:
        """What a user knows it as."""

    @property
    @abstractmethod
    def coordinates(self) -> Coordinates:
        """Its rows of q and v, in the order that users see."""

    @property
    @abstractmethod
    def stored(self) -> int:
        """Scalars of its pose that are kept between sweeps."""

    @property
    @abstractmethod
    def constants(self) -> tuple[str, ...]:
        """Names of the numbers that it reads."""

    @property
    def column_constants(self) -> tuple[str, ...]:
        """Those of them that columns, motion and force need once the pose is known."""
        return self.constants

    @property
    def moving(self) -> JointModel:
        """The joint of its own coordinates, which :attr:`coordinate_map` leads to; itself where it owns its rows."""
        return self

    @property
    def coordinate_map(self) -> CoordinateMap:
        """How own coordinates follow from its rows of q and v."""
        return IDENTITY_MAP

    @property
    @abstractmethod
    def rest(self) -> Rest:
        """In which frame its columns are constant."""

    @property
    @abstractmethod
    def unit_axes(self) -> tuple[int, ...] | None:
        """Per row of v the axis of (v; omega) that it moves, where its columns are unit vectors, else None."""

    @property
    @abstractmethod
    def axial(self) -> bool:
        """Whether it is the same wherever on the z axis its frames stand."""

    @property
    @abstractmethod
    def unfelt(self) -> tuple[str, ...]:
        """Constants of the child that its forces cannot tell from those of the parent."""

    @property
    @abstractmethod
    def moved_axes(self) -> tuple[bool, bool, bool]:
        """Along which child axes a first moment of the child moves against the parent."""

    @property
    @abstractmethod
    def quaternion(self) -> bool:
        """Whether the last four coordinates are a unit quaternion (x, y, z, w)."""

    @property
    @abstractmethod
    def by_rate(self) -> bool:
        """Whether the series of a coordinate follows from that of its rate."""

    @property
    @abstractmethod
    def has_frame(self) -> bool:
        """Whether it moves a frame; a rotor does not."""

    @property
    def posed(self) -> bool:
        """Whether its columns depend on its pose."""
        return self.rest in (Rest.WORLD, Rest.NOWHERE)

    @property
    def about_ground(self) -> bool:
        """Whether its columns are constant in the world, and give the velocity of the point at the world's origin."""
        return self.rest is Rest.WORLD

    @property
    def has_moving_inertia(self) -> bool:
        """Whether its columns rest in no frame, and follow from its pose."""
        return self.rest is Rest.NOWHERE

    @property
    def rests_in_parent(self) -> bool:
        """Whether its columns are constant in the parent."""
        return self.rest in (Rest.AXIS, Rest.WORLD)

    @property
    def commutes(self) -> bool:
        """Whether the fields along which its rows of v move commute: v are rates of coordinates."""
        return False

    @property
    @abstractmethod
    def coordinate_rates(self) -> Rates:
        """The form of N(q) in q' = N(q) v, as those have it who compute it apart from plans."""

    @property
    def own_axes(self) -> JointModel:
        """The joint that moves alike with velocities in the child's axes; itself where they are."""
        return self

    @abstractmethod
    def pose(self, algebra: Algebra, q: Sequence[Scalar], numbers: Numbers) -> list[Scalar]:
        """The scalars of the pose at coordinates q, as :meth:`placed` takes them."""

    @abstractmethod
    def placed(self, stored: Sequence[Scalar]) -> JointPose:
        """The pose from the scalars of :meth:`pose`."""

    @abstractmethod
    def motion(self, pose: JointPose, v: Sequence[Scalar], a: Sequence[Scalar], numbers: Numbers) -> JointMotion:
        """Relative velocity and acceleration for velocity coordinates v and their rates a."""

    @abstractmethod
    def force(self, pose: JointPose, wrench: Vector, numbers: Numbers) -> list[Scalar]:
        """Generalised force S^T F of a wrench (f; n), (6,), in child axes about the child's origin."""

    def columns(self, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """Columns (v; omega) of S, one per row of v, in child axes about the child's origin: twists of unit rates."""
        size = len(self.coordinates.v)
        units = [[1.0 if place == row else 0.0 for place in range(size)] for row in range(size)]
        return [self.motion(pose, unit, [0.0] * size, numbers).twist for unit in units]

    def world_columns(self, rotation: Matrix, pose: JointPose, numbers: Numbers) -> list[list[Scalar]]:
        """Columns (v; omega) in world axes, for the child's orientation there; see :attr:`about_ground`."""
        return [turned_halves(rotation, column) for column in self.columns(pose, numbers)]

    def moment_rate(
        self,
        pose: JointPose,
        v: Sequence[Scalar],
        numbers: Numbers,
        mass: Scalar,
        moment: Vector,
        inner: Vector,
        seen: Vector,
    ) -> list[Scalar]:
        """Rate of the first moment of all that it carries, about the joint's origin in the joint's axes.

        ``moment`` and its rate ``inner`` in the child are in child axes about the child's origin, ``seen`` is the
        moment in the joint's axes about the joint's origin.
        """
        joint = self.motion(pose, v, [0.0] * len(v), numbers)
        own = add(inner, cross(joint.angular, moment))
        if joint.linear is not None:
            own = add(own, scale(mass, joint.linear))
        return pose.rotation.times(own)

    def column_changes(self, pose: JointPose, v: Sequence[Scalar], numbers: Numbers) -> Sequence[Vector] | None:
        """How fast the columns change in child axes at the velocity v, None where they rest there or in the world."""
        return None

    def to_own_axes(self, pose: JointPose, forces: list[Scalar]) -> list[Scalar]:
        """Rows of tau as those of :attr:`own_axes`."""
        return forces

    def from_own_axes(self, pose: JointPose, rates: list[Scalar]) -> list[Scalar]:
        """Rates of the velocity coordinates from those of :attr:`own_axes`."""
        return rates

    @abstractmethod
    def displacement(self, algebra: Algebra, screws: Sequence[Vector], home: Pose | None, q: Sequence[Scalar]) -> Pose:
        """How the joint at q has moved all that hangs on it, seen in the world while the rest is at q = 0.

        ``screws`` are its columns there, ``home`` the child's pose there, given where the joint has a quaternion.
        """

    @abstractmethod
    def rates(self, algebra: Algebra, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """N(q) of q' = N(q) v, a row per coordinate and a column per row of v; results are differentiated along it."""

    def speeds(self, algebra: Algebra, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """The rates of the coordinates at the velocity v."""
        return times(self.rates(algebra, q), v)

    def moves_by_coordinates(self, rates: Sequence[Vector]) -> list[Vector]:
        """E, (nv, nq), with E N = 1: the moves along rows of v that changes of the coordinates are.

        ``rates`` is N with the rows of a unit quaternion times 4. Its columns are at right angles to each other, and so
        its transpose is E.
        """
        return [list(row) for row in zip(*rates, strict=True)]

    @abstractmethod
    def bracket(self, a: Vector, b: Vector) -> list[Scalar]:
        """The rows of v of the bracket of two fields on the joint's positions that have the rows a and b."""

    @abstractmethod
    def series(self, algebra: TaylorAlgebra, q: Sequence[Scalar], v: Sequence[Series]) -> list[Series]:
        """Series of the coordinates from q at t = 0 and series of v; one order longer than those."""

    def path_moves(
        self, algebra: TaylorAlgebra, q: Sequence[Series], v: Sequence[Series], start: Vector, change: Sequence[Series]
    ) -> list[Series]:
        """Series of the moves along rows of v that a path makes whose velocities change.

        ``delta' = change - [v, delta]``, where [,] is :meth:`bracket`.

        Parameters
        ----------
        algebra
            Of the series.
        q, v
            The path.
        start
            The moves at t = 0.
        change
            What is added to the rows of v.
        """
        order = min(series.order for series in (*v, *change)) + 1

        def rates(k: int) -> list[Scalar]:
            turned: list[Scalar] = [0.0] * len(start)
            for j in range(k + 1):
                own = [series.coefficient(k - j) for series in v]
                turned = add(turned, self.bracket(own, [series.coefficient(j) for series in found]))
            return [series.coefficient(k) - turn for series, turn in zip(change, turned, strict=True)]

        found = solution(algebra.inner, order, start, rates)
        return found

    def rows_between(self, algebra: Algebra, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
        """What :meth:`difference` gives, over any scalar."""
        return subtract(end, start)

    def moved(self, algebra: Algebra, q: Sequence[Scalar], move: Vector) -> list[Scalar]:
        """What :meth:`integrate` gives, over any scalar."""
        return add(q, move)

    def move_slopes(self, algebra: Algebra, move: Vector) -> tuple[Matrix, Matrix]:
        """T and D of ``d(q (+) move) = T dq + D dmove``, all along rows of v, where q is and where it gets.

        With the matrix B of ``bracket(move, .)`` they are ``T = exp(-B)``, ``D = sum of (-B)^k / (k + 1)!``.
        """
        one = [[float(row == column) for column in range(len(move))] for row in range(len(move))]
        return one, one

    @abstractmethod
    def integrate(self, q: Array, dv: Array) -> Array:
        """The coordinates after moving with the velocity dv for unit time; (..., nq), (..., nv) -> (..., nq)."""

    @abstractmethod
    def difference(self, start: Array, end: Array) -> Array:
        """The dv of smallest rotation that :meth:`integrate` takes from start to end."""

    def random(
        self, rng: np.random.Generator, limits: Limits | None, numbers: Mapping[str, float], before: float
    ) -> list[float]:
        """Coordinates within limits; angles without any within +-pi, positions within +-1 m, uniform rotations.

        ``before`` is the coordinate in the row above, nan for the first.
        """
        found = [drawn(rng, unit, limits) for unit in self.coordinates.q_units]
        if self.quaternion:
            length = math.sqrt(sum(entry * entry for entry in found[-4:]))
            found[-4:] = (entry / length for entry in found[-4:])
        return found

    def usual(self, numbers: Mapping[str, float]) -> list[float]:
        """Per row of v how far it usually moves [rad, m]; a link that bends moves less far."""
        return [1.0] * len(self.coordinates.v)
