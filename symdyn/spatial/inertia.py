"""Rigid-body inertia about a frame's origin, as mass, first moment and second-moment matrix.

With Sigma = integral r r^T dm instead of the rotational inertia J = tr(Sigma) 1 - Sigma, the force and the moment of
a body need one matrix of motion, U = [alpha] + [omega]^2, that the kinematics have already (Ali et al. 2026 use J;
Sigma is the same information).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.scalars.algebra import Scalar
from symdyn.spatial.vectors import Matrix, Vector, add, cross, dot, product, scale, times, transpose


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass [kg], first moment m c [kg m] and second moments xx, xy, xz, yy, yz, zz [kg m^2] about the origin."""

    mass: Scalar
    first: Sequence[Scalar]
    second: Sequence[Scalar]

    def second_matrix(self) -> Matrix:
        """The symmetric second-moment matrix."""
        xx, xy, xz, yy, yz, zz = self.second
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]

    def moved(self, rotation: Matrix, translation: Vector) -> Inertia:
        """The same body seen from a frame in which its old frame stands at (rotation, translation)."""
        turned_first = times(rotation, self.first)
        turned = product(product(rotation, self.second_matrix()), transpose(rotation))
        first = add(turned_first, scale(self.mass, translation))
        # Sigma' = R Sigma R^T + (R h) t^T + t (R h)^T + m t t^T = R Sigma R^T + (R h) t^T + t h'^T
        second = [
            turned[i][j] + turned_first[i] * translation[j] + translation[i] * first[j]
            for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        ]
        return Inertia(self.mass, first, second)

    def plus(self, other: Inertia) -> Inertia:
        """Both bodies as one."""
        return Inertia(self.mass + other.mass, add(self.first, other.first), add(self.second, other.second))

    def wrench(
        self, motion: Matrix, differences: Sequence[Scalar], acceleration: Vector
    ) -> tuple[list[Scalar], list[Scalar]]:
        """Force and moment about the origin that give the body its motion.

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
        moment = [
            arm[0] + xy * u[2][0] + yy * u[2][1] + yz * differences[0] - xz * u[1][0] - zz * u[1][2],
            arm[1] + xz * differences[1] + yz * u[0][1] + zz * u[0][2] - xx * u[2][0] - xy * u[2][1],
            arm[2] + xx * u[1][0] + xy * differences[2] + xz * u[1][2] - yy * u[0][1] - yz * u[0][2],
        ]
        return force, moment


def from_center_of_mass(mass: Scalar, center: Vector, moments: Sequence[Scalar]) -> Inertia:
    """Inertia about a frame's origin from mass, centre of mass and moments xx, xy, xz, yy, yz, zz about that centre.

    ``moments`` are entries of the inertia tensor (its off-diagonal entries are minus the products of inertia).
    """
    xx, xy, xz, yy, yz, zz = moments
    half = 0.5 * (xx + yy + zz)
    first = scale(mass, center)
    about_center = (half - xx, -xy, -xz, half - yy, -yz, half - zz)
    outer = [first[i] * center[j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    return Inertia(mass, first, add(about_center, outer))


ZERO = Inertia(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
"""Nothing."""
