"""What dynamics needs to know of a beam: integrals of its shapes over its mass, its tip, its stiffness.

The displacement of a point r0 of the beam is the sum of shapes s_i(r0) times amplitudes e_i, all in the beam's axes.
The first amplitudes are the coordinates d themselves. With stiffening, products of two coordinates follow, whose shapes
hold what bending takes from the beam's length: u_x = -1/2 integral (u_y'^2 + u_z'^2), Mohan & Saha, eq. (1b) with its
sign and limits corrected. So positions are linear in e, and all integrals are constant, whatever the beam does.
"""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Square = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class BeamIntegrals:
    """A beam in its own axes, about the centre of its root section; x points along the undeformed beam.

    Dynamics sees ``m`` coordinates and ``n = m + len(pairs)`` amplitudes.
    """

    names: tuple[str, ...]
    """Of the coordinates, (m,): ``bend_y[0]``, ..."""
    units: tuple[str, ...]
    """Of the coordinates: ``m``, or ``rad`` for torsion."""
    pairs: tuple[tuple[int, int], ...]
    """Amplitude m + k is the product of these two coordinates, the smaller index first; a square appears once."""
    mass: float
    """[kg]"""
    first: Vector
    """Integral of r0 dm [kg m]."""
    second: Matrix
    """Integral of r0 r0^T dm [kg m^2], with the sections' own moments where they are given."""
    shape_first: tuple[Vector, ...]
    """Per amplitude the integral of s dm, (n, 3)."""
    shape_second: tuple[Matrix, ...]
    """Per amplitude the integral of s r0^T dm, (n, 3, 3)."""
    shape_products: tuple[tuple[Matrix, ...], ...]
    """Per pair of amplitudes the integral of s_i s_j^T dm, (n, n, 3, 3)."""
    tip: Vector
    """The centre of the far section at rest [m]."""
    tip_shapes: tuple[Vector, ...]
    """Per amplitude the displacement of the centre of the far section, (n, 3)."""
    tip_slopes: tuple[Vector, ...]
    """Per coordinate the rotation vector of the far section, (m, 3) [rad per unit]: (theta_x, -u_z', u_y')."""
    stiffness: Square
    """Of the coordinates, (m, m)."""
    damping: Square
    """Of the rates of the coordinates, (m, m)."""
    frequencies: tuple[float, ...]
    """Natural frequency of each shape as the beam is described, sqrt(stiffness / modal mass) [rad/s], (m,)."""
