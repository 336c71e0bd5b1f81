"""A flexible link in the model: integrals of its shapes, seen from the body that carries it, and the joint to its tip.

The beam moves with its carrier's frame (v at the origin; omega) and against it by u = sum s_i e_i(d), so that its
kinetic energy is 1/2 integral |v + omega x r + u'|^2 dm, r = r0 + u (Mohan & Saha, eqs. 17 and 24, with every term of
the velocity). All that it holds of space are the constants

    H_i = integral s_i dm,    C_i = integral s_i r0^T dm,    D_ij = integral s_i s_j^T dm

here in the carrier's own axes and about its own origin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement

from symdyn.algebra.spatial.rotations import ROUNDING, General, Matrix3, turned_matrix
from symdyn.algebra.spatial.symmetric import packed
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, entries_of, scale
from symdyn.description.flexible import Flexible
from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError, ModelError
from symdyn.model.joints import Flexure
from symdyn.model.joints.bending import Turning
from symdyn.shapes.integrals import BeamIntegrals
from symdyn.shapes.integrals import Vector as Triple

TIP = ".tip"
"""What the tip of a flexible link adds to the link's name."""
_PLACES = tuple(row + column for row in "xyz" for column in "xyz")
_CYCLES: dict[int, Matrix3] = {
    0: ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    1: ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    2: ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""Rotations of which the z axis is x, y or z."""


@dataclass(frozen=True, slots=True)
class Beam:
    """The elastic part of a flexible link: ``integrals`` in the axes of the body that carries it, about its origin.

    ``stiff`` and ``damped`` tell whether its strain and its material's losses count.
    """

    link: str
    integrals: BeamIntegrals
    stiff: bool = True
    damped: bool = True

    @property
    def is_damped(self) -> bool:
        """Whether it loses energy."""
        return self.damped and any(entry != 0.0 for row in self.integrals.damping for entry in row)

    @property
    def at_rest(self) -> tuple[float, ...]:
        """Mass, first moment and second moments xx, xy, xz, yy, yz, zz of the beam where it is straight."""
        return (self.integrals.mass, *self.integrals.first, *packed(self.integrals.second))

    def numbers(self) -> dict[str, float]:
        """Its constants by name: H, C, D, the traces T of D, the stiffness K and the damping R."""
        own = self.integrals
        found: dict[str, float] = {}
        for i, (first, second) in enumerate(zip(own.shape_first, own.shape_second, strict=True)):
            found |= {f"H{i}{axis}": value for axis, value in zip("xyz", first, strict=True)}
            found |= {f"C{i}{place}": value for place, value in zip(_PLACES, entries_of(second), strict=True)}
        for i, j in combinations_with_replacement(range(len(own.shape_first)), 2):
            product = own.shape_products[i][j]
            found |= {f"D{i}_{j}{place}": value for place, value in zip(_PLACES, entries_of(product), strict=True)}
            found[f"T{i}_{j}"] = product[0][0] + product[1][1] + product[2][2]
        for name, square in (("K", own.stiffness), ("R", own.damping)):
            for i, j in combinations_with_replacement(range(len(own.names)), 2):
                found[f"{name}{i}_{j}"] = square[i][j]
        return found


def flexure_of(integrals: BeamIntegrals) -> tuple[Flexure, Matrix3]:
    """The kind of the joint to a beam's tip, and the axes of that joint in those of the beam.

    Where all slopes are about one axis, it becomes the joint's z axis.
    """
    turns = [axis for axis in range(3) if any(slope[axis] != 0.0 for slope in integrals.tip_slopes)]
    turning = Turning.NONE if not turns else Turning.Z if len(turns) == 1 else Turning.ALL
    axes = _CYCLES[turns[0] if len(turns) == 1 else 2]
    return Flexure(integrals.names, integrals.units, integrals.pairs, turning), axes


def flexure_numbers(kind: Flexure, axes: Matrix3, integrals: BeamIntegrals) -> tuple[tuple[str, float], ...]:
    """The constants of :attr:`Flexure.number_names`, in the axes of the joint."""
    found: dict[str, float] = {}
    for stem, vectors in (("slope", integrals.tip_slopes), ("tip", integrals.tip_shapes)):
        for place, vector in enumerate(vectors):
            turned = General(axes).transpose_times(vector)
            found |= {f"{stem}{place}{axis}": value for axis, value in zip("xyz", turned, strict=True)}
    return tuple((name, found[name]) for name in kind.number_names)


def seen_from(integrals: BeamIntegrals, rotation: Matrix3, origin: Vector) -> BeamIntegrals:
    """Integrals in other axes and about another origin, where the beam's frame stands at (rotation, origin)."""
    turn, mass = General(rotation), integrals.mass
    first = turn.times(integrals.first)
    moved = (_outer(first, origin), _outer(origin, first), _outer(origin, scale(mass, origin)))
    firsts = [turn.times(shape) for shape in integrals.shape_first]
    return replace(
        integrals,
        first=_clean_vector(add(first, scale(mass, origin))),
        second=_clean(_sum(turned_matrix(turn, integrals.second), *moved)),
        shape_first=tuple(map(_clean_vector, firsts)),
        shape_second=tuple(
            _clean(_sum(turned_matrix(turn, shape), _outer(own, origin)))
            for shape, own in zip(integrals.shape_second, firsts, strict=True)
        ),
        shape_products=tuple(
            tuple(_clean(turned_matrix(turn, entry)) for entry in row) for row in integrals.shape_products
        ),
    )


def link_integrals(link: str, flexible: Flexible) -> BeamIntegrals:
    """The integrals of a link's beam in its own axes; SymPy is imported here and no earlier.

    Raises
    ------
    ModelError
        Shapes or profiles that no integrals can be had of; the message names the link.
    """
    from symdyn.shapes.beam import beam_integrals

    try:
        return beam_integrals(flexible)
    except DescriptionError as failure:
        raise ModelError(f"flexible link {shown(link)}: {failure}") from None


def _outer(a: Vector, b: Vector) -> list[list[float]]:
    return [scale(entry, b) for entry in a]


def _sum(*matrices: Matrix) -> list[list[float]]:
    return [reduce(add, rows) for rows in zip(*matrices, strict=True)]


def _clean(matrix: Matrix) -> Matrix3:
    """Entries that are rounding errors of the largest set to zero."""
    floor = 4.0 * ROUNDING * max(abs(entry) for row in matrix for entry in row)
    x, y, z = (_above(row, floor) for row in matrix)
    return x, y, z


def _clean_vector(vector: Vector) -> Triple:
    return _above(vector, 4.0 * ROUNDING * max(map(abs, vector)))


def _above(vector: Vector, floor: float) -> Triple:
    x, y, z = (0.0 if abs(entry) <= floor else entry for entry in vector)
    return x, y, z
