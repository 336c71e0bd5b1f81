"""Rows of a loop's error e: smooth functions of the pose of its first place in the axes of the second.

For the rotation R and the position p of the first place, which moves with p' = nu and R' = [omega] R, a row has

    e,    e' = f . nu + n . omega,    e'' = f . nu' + n . omega' + c(nu, omega)

so that (f; n) is the wrench that its multiplier exerts on the first place, about that place's origin. Shifts and
distances are smooth everywhere. Directions that are held at right angles are so up to a quarter turn, and turns

    phi = vee(R - R^T) / sqrt(1 + tr R) = 2 sin(theta / 2) n

up to half a turn, where their slope vanishes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, cross, dot, scale, subtract, times

_NONE: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Relative:
    """The first place in the axes of the second, what its rows share, and the distance that some hold [m]."""

    algebra: Algebra
    turn: Matrix
    apart: Vector
    distance: Scalar = 0.0


@dataclass(frozen=True, slots=True)
class ConstraintRow(ABC):
    """A row of an error."""

    @abstractmethod
    def error(self, at: Relative) -> Scalar:
        """The entry e."""

    @abstractmethod
    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """The force f and the moment n."""

    def curvature(self, at: Relative, nu: Vector, omega: Vector) -> Scalar:
        """What e'' is where nu' and omega' vanish."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Shift(ConstraintRow):
    """The position along an axis of the second place."""

    axis: int

    def error(self, at: Relative) -> Scalar:
        """p_i."""
        return at.apart[self.axis]

    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """A unit force."""
        return [float(place == self.axis) for place in range(3)], _NONE


@dataclass(frozen=True, slots=True)
class Square(ConstraintRow):
    """The z axis of the first place stays at right angles to an axis of the second: R_i3 = 0."""

    axis: int

    def error(self, at: Relative) -> Scalar:
        """The cosine."""
        return at.turn[self.axis][2]

    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """A moment about both."""
        return _NONE, cross(_third(at.turn), self._unit)

    def curvature(self, at: Relative, nu: Vector, omega: Vector) -> Scalar:
        """That of a direction that turns steadily."""
        return cross(omega, cross(omega, _third(at.turn)))[self.axis]

    @property
    def _unit(self) -> Vector:
        return [float(place == self.axis) for place in range(3)]


@dataclass(frozen=True, slots=True)
class Turn(ConstraintRow):
    """The turn about an axis of the second place, phi_i."""

    axis: int

    def error(self, at: Relative) -> Scalar:
        """2 sin(theta / 2) n_i."""
        return _inverse_root(at) * _twice_sine(at.turn)[self.axis]

    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """Row i of dphi/domega = c (tr R 1 - R) + c^3 s s^T / 2, where phi = c s."""
        c, s, turn = _inverse_root(at), _twice_sine(at.turn), at.turn
        trace = turn[0][0] + turn[1][1] + turn[2][2]
        own = [trace * float(place == self.axis) - turn[self.axis][place] for place in range(3)]
        curved = 0.5 * c * c * c * s[self.axis]
        return _NONE, [c * x + curved * y for x, y in zip(own, s, strict=True)]

    def curvature(self, at: Relative, nu: Vector, omega: Vector) -> Scalar:
        """The rate of that row times omega."""
        c, s, turn = _inverse_root(at), _twice_sine(at.turn), at.turn
        along = dot(s, omega)
        turned = times(turn, omega)
        trace = turn[0][0] + turn[1][1] + turn[2][2]
        rate = subtract(scale(trace, omega), turned)  # s'
        c_rate = 0.5 * c * c * c * along
        curved = subtract(scale(-1.0 * along, omega), cross(omega, turned))  # s'' at rest of omega
        grown = 1.5 * c * c * c_rate * along + 0.5 * c * c * c * dot(rate, omega)  # c''
        place = self.axis
        return c * curved[place] + 2.0 * c_rate * rate[place] + grown * s[place]


@dataclass(frozen=True, slots=True)
class Distance(ConstraintRow):
    """How far apart the origins are: (p . p - d^2) / (2 d), the excess over d [m] where that is small."""

    def error(self, at: Relative) -> Scalar:
        """The excess."""
        return (dot(at.apart, at.apart) - at.distance * at.distance) * (0.5 / at.distance)

    def wrench(self, at: Relative) -> tuple[Vector, Vector]:
        """A force along the line."""
        return scale(1.0 / at.distance, at.apart), _NONE

    def curvature(self, at: Relative, nu: Vector, omega: Vector) -> Scalar:
        """That of a point that passes."""
        return dot(nu, nu) * (1.0 / at.distance)


def _third(turn: Matrix) -> Vector:
    return [row[2] for row in turn]


def _twice_sine(turn: Matrix) -> Vector:
    """S = vee(R - R^T) = 2 sin(theta) n."""
    return [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]


def _inverse_root(at: Relative) -> Scalar:
    """C = 1 / sqrt(1 + tr R) = 1 / (2 cos(theta / 2))."""
    turn = at.turn
    return 1.0 / at.algebra.function("sqrt", 1.0 + (turn[0][0] + turn[1][1] + turn[2][2]))


ROWS: dict[str, ConstraintRow] = {
    **{way: Shift(place) for place, way in enumerate("xyz")},
    **{f"r{way}": Turn(place) for place, way in enumerate("xyz")},
    "tilt_x": Square(0),
    "tilt_y": Square(1),
    "tilt": Square(2),
    "distance": Distance(),
}
"""Rows by the names that :class:`symdyn.description.loops.LoopKind` has for them."""
