"""Rigid-body inertia about a frame's origin, as mass, first moment and second-moment matrix.

With Sigma = integral r r^T dm instead of the rotational inertia J = tr(Sigma) 1 - Sigma, the force and the moment of
a body need one matrix of motion, U = [alpha] + [omega]^2, that the kinematics have already (Ali et al. 2026 use J;
Sigma is the same information).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.algebra.spatial.rotations import General, Identity, Rotation, turned_symmetric
from symdyn.algebra.spatial.symmetric import unpacked, upper
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, cross, dot, scale


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass [kg], first moment m c [kg m] and second moments xx, xy, xz, yy, yz, zz [kg m^2] about the origin."""

    mass: Scalar
    first: Sequence[Scalar]
    second: Sequence[Scalar]

    def second_matrix(self) -> Matrix:
        """The symmetric second-moment matrix."""
        return unpacked(self.second, 3)

    def scalars(self) -> list[Scalar]:
        """As a row of a field: mass, first and second moments."""
        return [self.mass, *self.first, *self.second]

    def rotational_matrix(self) -> Matrix:
        """J = tr(Sigma) 1 - Sigma."""
        xx, xy, xz, yy, yz, zz = self.second
        return [[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]]

    def times(self, density: Scalar) -> Inertia:
        """The body so much denser."""
        return Inertia(density * self.mass, scale(density, self.first), scale(density, self.second))

    def turned(self, rotation: Rotation) -> Inertia:
        """The same body in the axes of a frame in which its own axes stand at a rotation, about the same origin."""
        if isinstance(rotation, Identity):
            return self
        return Inertia(self.mass, rotation.times(self.first), turned_symmetric(rotation, self.second))

    def seen_from_parent(self, x_pc: Transform) -> Inertia:
        """The same body seen from its parent's frame.

        Turned by its joint first, then with the constant rotation R of the joint's frame and the origin l:
        Sigma' = R Sigma R^T + (R h) l^T + l (R h)^T + m l l^T, in a form that leaves few operations where m = 0.
        """
        turned, offset = self.turned(x_pc.turn).turned(General(x_pc.fixed)), x_pc.origin
        first, weighed, sigma = turned.first, scale(self.mass, offset), turned.second_matrix()
        second = [
            sigma[i][j] + (first[i] * offset[j] + offset[i] * (first[j] + weighed[j]))
            if i != j
            else sigma[i][i] + (first[i] * (offset[i] + offset[i]) + weighed[i] * offset[i])
            for i, j in upper(3)
        ]
        return Inertia(self.mass, add(first, weighed), second)

    def momentum(self, twist: Vector) -> list[Scalar]:
        """Momentum (p; L) of a twist (v; omega), (6,): p = m v + omega x h, L = J omega + h x v about the origin."""
        linear, angular = twist[:3], twist[3:]
        spun = couple_of(self.second_matrix(), angular)
        return [*add(scale(self.mass, linear), cross(angular, self.first)), *add(spun, cross(self.first, linear))]

    def sizes(self) -> Inertia:
        """The sizes of all its numbers."""
        return Inertia(abs(self.mass), [abs(x) for x in self.first], [abs(x) for x in self.second])

    def plus(self, other: Inertia) -> Inertia:
        """Both bodies as one."""
        return Inertia(self.mass + other.mass, add(self.first, other.first), add(self.second, other.second))

    def wrench(self, motion: Matrix, differences: Sequence[Scalar], acceleration: Vector) -> list[Scalar]:
        """Wrench (f; n) about the origin, (6,), that gives the body its motion.

        Parameters
        ----------
        motion
            U = [alpha] + [omega]^2 [rad/s^2], body axes.
        differences
            U_zz - U_yy, U_xx - U_zz, U_yy - U_xx.
        acceleration
            Proper acceleration of the origin (gravity subtracted) [m/s^2].

        Returns
        -------
        force f = m a + U h, and moment n = h x a + vee(U Sigma - (U Sigma)^T).
        """
        u, (xx, xy, xz, yy, yz, zz) = motion, self.second
        force = [self.mass * acceleration[i] + dot(u[i], self.first) for i in range(3)]
        arm = cross(self.first, acceleration)
        # Row 0 is X_zy - X_yz of X = U Sigma, with both terms in yz as yz (U_zz - U_yy); the others cyclically.
        moment = [
            arm[0] + xy * u[2][0] + yy * u[2][1] + yz * differences[0] - xz * u[1][0] - zz * u[1][2],
            arm[1] + xz * differences[1] + yz * u[0][1] + zz * u[0][2] - xx * u[2][0] - xy * u[2][1],
            arm[2] + xx * u[1][0] + xy * differences[2] + xz * u[1][2] - yy * u[0][1] - yz * u[0][2],
        ]
        return [*force, *moment]


def couple_of(matrix: Matrix, axis: Vector) -> list[Scalar]:
    """``tr(X) s - X s``, the moment of forces whose moments about the origin are gathered in [s] X."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    x, y, z = axis
    return [
        (yy + zz) * x - xy * y - xz * z,
        (xx + zz) * y - yx * x - yz * z,
        (xx + yy) * z - zx * x - zy * y,
    ]


def inertia_from(row: Sequence[Scalar]) -> Inertia:
    """Inverse of :meth:`Inertia.scalars`."""
    return Inertia(row[0], row[1:4], row[4:10])


def from_center_of_mass(mass: Scalar, center: Vector, moments: Sequence[Scalar]) -> Inertia:
    """Inertia about a frame's origin from mass, centre of mass and moments xx, xy, xz, yy, yz, zz about that centre.

    ``moments`` are entries of the inertia tensor (its off-diagonal entries are minus the products of inertia).
    """
    xx, xy, xz, yy, yz, zz = moments
    half = 0.5 * (xx + yy + zz)
    first = scale(mass, center)
    about_center = (_second(half, xx, yy, zz), -xy, -xz, _second(half, yy, xx, zz), -yz, _second(half, zz, xx, yy))
    outer = [first[i] * center[j] for i, j in upper(3)]
    return Inertia(mass, first, add(about_center, outer))


def _second(half: Scalar, own: Scalar, first: Scalar, other: Scalar) -> Scalar:
    """A second moment; of numbers that cancel to six digits without rounding, such as those of a thin rod across it."""
    found = half - own
    if all(isinstance(moment, float) for moment in (own, first, other)) and abs(found) < _THIN * abs(own):
        return 0.5 * math.fsum((first, other, -own))
    return found


_THIN = 1e-6
"""Second moments below that of a moment of inertia are found without rounding."""
ZERO = Inertia(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
"""Nothing."""
