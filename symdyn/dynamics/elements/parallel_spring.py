"""A spring between a joint's two links, beside whatever drives the joint: tau = K (q - q0).

q is the joint's own coordinate; its rows take G^T tau. On an elastic joint it is the link's coordinate. The energy is
K (q - q0)^2 / 2.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import DIAGONAL, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import SPRING
from symdyn.model.joints.coordinate_map import CoordinateMap
from symdyn.scalars.algebra import Algebra, Scalar


def parallel_spring_force(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force K (q - q0), as the joint's rows feel it."""
    return {"tau": variant.forces([constants["spring_stiffness"] * _stretch(variant, constants, reads)], constants)}


def parallel_spring_energy(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - q0)^2 / 2."""
    stretch = _stretch(variant, constants, reads)
    return {"energy": [0.5 * constants["spring_stiffness"] * (stretch * stretch)]}


def parallel_spring_slope(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], __: Reads) -> Writes:
    """G^T K G."""
    block = variant.entries([constants["spring_stiffness"]], constants)
    return {f"entry{place}": entries for place, entries in enumerate(block)}


def _stretch(variant: CoordinateMap, constants: Mapping[str, Scalar], reads: Reads) -> Scalar:
    """How far the joint's own coordinate is from rest."""
    (own,) = variant.coordinates(reads["q"], constants)
    return own - constants["spring_rest"]


def _map(tree: TreePlan, index: int) -> CoordinateMap:
    return tree.joint(index).kind.coordinate_map


def _sprung(tree: TreePlan) -> list[int]:
    return [index for index in tree.links if tree.has(index, SPRING[0])]


_FORCE = step(
    parallel_spring_force,
    variant=_map,
    q=read(Q),
    tau=add_to(ROW),
    constants=lambda b: (*SPRING, *b.constants),
)
_ENERGY = step(
    parallel_spring_energy,
    variant=_map,
    q=read(Q),
    energy=add_to(SCALAR),
    constants=lambda b: (*SPRING, *b.constants),
)
_SLOPE = step(
    parallel_spring_slope,
    variant=_map,
    entry=add_to(DIAGONAL),
    constants=lambda b: (SPRING[0], *b.multipliers),
)
PARALLEL_SPRING = Element(
    "parallel spring",
    {
        Gives.FORCE: lambda tree, field: _FORCE.over(tree, _sprung(tree), tau=field),
        Gives.ENERGY: lambda tree, field: _ENERGY.over(tree, _sprung(tree), energy=field),
        Gives.SLOPE_BY_Q: lambda tree, field: _SLOPE.over(tree, _sprung(tree), entry=field),
    },
)
