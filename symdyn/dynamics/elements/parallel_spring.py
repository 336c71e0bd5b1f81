"""A spring between a joint's two links, beside whatever drives the joint: tau = K (q - q0).

q is the joint's own coordinate; its rows take G^T tau. On an elastic joint it is the link's coordinate. The energy is
K (q - q0)^2 / 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.description.loads import Spring
from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives, body_of, over_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import DIAGONAL, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import BodyLoad
from symdyn.model.joints.coordinate_map import CoordinateMap


def parallel_spring_force(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force K (q - q0), as the joint's rows feel it."""
    return {"tau": variant.forces([constants["stiffness"] * _stretch(variant, constants, reads)], constants)}


def parallel_spring_energy(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - q0)^2 / 2."""
    stretch = _stretch(variant, constants, reads)
    return {"energy": [0.5 * constants["stiffness"] * (stretch * stretch)]}


def parallel_spring_slope(variant: CoordinateMap, _: Algebra, constants: Mapping[str, Scalar], __: Reads) -> Writes:
    """G^T K G."""
    block = variant.entries([constants["stiffness"]], constants)
    return {f"entry{place}": entries for place, entries in enumerate(block)}


def _stretch(variant: CoordinateMap, constants: Mapping[str, Scalar], reads: Reads) -> Scalar:
    """How far the joint's own coordinate is from rest."""
    (coordinate,) = variant.coordinates(reads["q"], constants)
    return coordinate - constants["rest"]


def _map(tree: TreePlan, spring: BodyLoad) -> CoordinateMap:
    return tree.joint(spring.body).kind.coordinate_map


_spring_step = partial(step, variant=_map, body=body_of)
_FORCE = _spring_step(
    parallel_spring_force,
    q=read(Q.by(body_of)),
    tau=add_to(ROW.by(body_of)),
    constants=lambda b: b.constants,
)
_ENERGY = _spring_step(
    parallel_spring_energy,
    q=read(Q.by(body_of)),
    energy=add_to(SCALAR),
    constants=lambda b: b.constants,
)
_SLOPE = _spring_step(
    parallel_spring_slope,
    entry=add_to(DIAGONAL.by(body_of)),
    constants=lambda b: b.multipliers,
)
PARALLEL_SPRING = Element(
    "parallel spring",
    {
        Gives.FORCE: over_loads(_FORCE, Spring, "tau"),
        Gives.ELASTIC: over_loads(_FORCE, Spring, "tau"),
        Gives.ENERGY: over_loads(_ENERGY, Spring, "energy"),
        Gives.SLOPE_BY_Q: over_loads(_SLOPE, Spring, "entry"),
    },
)
