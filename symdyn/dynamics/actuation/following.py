"""Tendons and chambers that move with the matter of sections that deform (``shapes.following``).

At each point of the quadrature a length or a volume is a function L of a few quantities z = z_0 + Z q: the strains, and
where the section has moved what crosses it. So dL/dq = Z^T dL/dz and d2L/dq2 = Z^T (d2L/dz2) Z. The slopes dL/dz are
in closed form, and d2L/dz2 are those of that form.

With d = (0, y, z) and t = xi_lin + xi_ang x d + d', a tendon has L = w |t|. Where sections get thinner, d = d_0 f and
d' = d_0' f + d_0 (df/ds) s' with f = s^(-1/2). A chamber there has
L = w (A_0 xi*_x + (xi_ang,y m_z - xi_ang,z m_y) f^3): the volume of a slice between parallel sections stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.spatial.vectors import dot
from symdyn.dynamics.tree.bindings import Reads

NUMBERS = {"": 0, "bulging": 1, "thin": 5, "thin chamber": 4}
"""How many of them close a row of the table."""
_QUANTITIES = {"bulging": 10, "thin": 8, "thin chamber": 8}
SIGNS = {"thin chamber": 1.0}
"""Of the forces that one unit of input gives per slope; of tendons, which pull, it is -1."""
_Local = tuple[Scalar, list[Scalar]]


def quantities(kind: str, entries: Sequence[tuple[int, int]], rests: Sequence[int], reads: Reads) -> list[Scalar]:
    """Z at a point."""
    found: list[Scalar] = [0.0] * _QUANTITIES[kind]
    table = reads["table"]
    for row, rest in zip(rests, table[len(entries) :], strict=False):
        found[row] = rest
    for (row, coordinate), slope in zip(entries, table, strict=False):
        found[row] = found[row] + slope * reads["q"][coordinate]
    return found


def local(kind: str, algebra: Algebra, z: Sequence[Scalar], table: Sequence[Scalar]) -> _Local:
    """L and dL/dz."""
    numbers = table[len(table) - NUMBERS[kind] :]
    if kind == "bulging":
        value, slopes = _crossing(algebra, z[:6], z[6:])
        return numbers[0] * value, [numbers[0] * slope for slope in slopes]
    s, rate = z[6:]
    inverse = algebra.constant(1.0) / s
    f = algebra.function("sqrt", inverse)
    f1 = -0.5 * (f * inverse)
    f2 = -1.5 * (f1 * inverse)
    if kind == "thin chamber":
        weight, volume, moment_y, moment_z = numbers
        lever, cube = z[4] * moment_z - z[5] * moment_y, weight * (f * inverse)
        forces = [0.0, 0.0, 0.0, 0.0, cube * moment_z, -(cube * moment_y), -1.5 * (cube * inverse) * lever, 0.0]
        return weight * volume + cube * lever, forces
    weight, *route = numbers
    (y, x), (y_slope, x_slope) = route[:2], route[2:]
    way = [f * y, f * x, f * y_slope + f1 * rate * y, f * x_slope + f1 * rate * x]
    value, slopes = _crossing(algebra, z[:6], way)
    across, onward = dot([y, x], slopes[6:8]), dot([y, x], slopes[8:])
    by_s = f1 * across + f1 * dot([y_slope, x_slope], slopes[8:]) + f2 * rate * onward
    return weight * value, [weight * slope for slope in (*slopes[:6], by_s, f1 * onward)]


def _crossing(algebra: Algebra, strain: Sequence[Scalar], way: Sequence[Scalar]) -> _Local:
    """The size of t, and its slopes by strains (linear; angular), y, z and their slopes along the rod."""
    (ax, ay, az), (y, z, y_slope, z_slope) = strain[3:], way
    t = [
        strain[0] + ay * z - az * y,
        strain[1] - ax * z + y_slope,
        strain[2] + ax * y + z_slope,
    ]
    size = algebra.function("sqrt", dot(t, t))
    u, v, w = (entry / size for entry in t)
    turned = [y * w - z * v, z * u, -(y * u)]
    return size, [u, v, w, *turned, ax * w - az * u, ay * u - ax * v, v, w]


def bent(
    kind: str, algebra: Algebra, z: Sequence[Scalar], table: Sequence[Scalar], moved: Sequence[int]
) -> list[list[Scalar]]:
    """d2L/dz2 in rows and columns of the quantities ``moved``."""
    found = []
    over = DualAlgebra(algebra)
    for own in moved:
        varied = [over.dual(value, {0: algebra.constant(1.0)} if row == own else {}) for row, value in enumerate(z)]
        _, slopes = local(kind, over, varied, table)
        found.append([over.slope(slopes[row], 0) for row in moved])
    return found
