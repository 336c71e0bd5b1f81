"""A spring between a joint's two links, beside whatever drives the joint: tau = K (q - q0).

q is the joint's own coordinate. That of a mimic joint is G q_leader + offset, and the leader's row takes G tau.
On an elastic joint it is the link's coordinate. The energy is K (q - q0)^2 / 2.
"""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.dynamics.elements.base import ROW, SCALAR, Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place, Q
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import SPRING
from symdyn.plan.plan import Access
from symdyn.scalars.algebra import Algebra, Scalar

_FOLLOWER = ("multiplier", "offset")


def parallel_spring_force(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """The force K (q - q0), in the leader's row where the joint is a mimic one."""
    force = constants["spring_stiffness"] * _stretch(mimic, constants, reads)
    return {"tau": [constants["multiplier"] * force if mimic else force]}


def parallel_spring_energy(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - q0)^2 / 2."""
    stretch = _stretch(mimic, constants, reads)
    return {"energy": [0.5 * constants["spring_stiffness"] * (stretch * stretch)]}


def parallel_spring_slope(mimic: bool, _: Algebra, constants: Mapping[str, Scalar], __: Reads) -> Writes:
    """The entry K of the diagonal, G^2 K of a mimic joint."""
    slope = constants["spring_stiffness"]
    gain = constants["multiplier"] * constants["multiplier"] if mimic else 1.0
    return {"entry": [gain * slope]}


def _stretch(mimic: bool, constants: Mapping[str, Scalar], reads: Reads) -> Scalar:
    """How far the joint's own coordinate is from rest."""
    (q,) = reads["q"]
    own = constants["multiplier"] * q + constants["offset"] if mimic else q
    return own - constants["spring_rest"]


def _follows(tree: TreePlan, index: int) -> bool:
    return tree.variant(index).mimic


def _sprung(tree: TreePlan) -> list[int]:
    return [index for index in tree.links if tree.has(index, SPRING[0])]


_DIAGONAL = Place("", lambda tree, index, field: Access(field, tree.v(index).offset * (tree.model.nv + 1), 1))
_FORCE = step(
    parallel_spring_force,
    variant=_follows,
    q=read(Q),
    tau=add_to(ROW),
    constants=lambda mimic: (*SPRING, *(_FOLLOWER if mimic else ())),
)
_ENERGY = step(
    parallel_spring_energy,
    variant=_follows,
    q=read(Q),
    energy=add_to(SCALAR),
    constants=lambda mimic: (*SPRING, *(_FOLLOWER if mimic else ())),
)
_SLOPE = step(
    parallel_spring_slope,
    variant=_follows,
    entry=add_to(_DIAGONAL),
    constants=lambda mimic: (SPRING[0], *(_FOLLOWER[:1] if mimic else ())),
)
PARALLEL_SPRING = Element(
    "parallel spring",
    {
        Gives.FORCE: lambda tree, field: _FORCE.over(tree, _sprung(tree), tau=field),
        Gives.ENERGY: lambda tree, field: _ENERGY.over(tree, _sprung(tree), energy=field),
        Gives.SLOPE_BY_Q: lambda tree, field: _SLOPE.over(tree, _sprung(tree), entry=field),
    },
)
