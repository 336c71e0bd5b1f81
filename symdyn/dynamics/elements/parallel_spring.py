"""A spring between a joint's two links, beside whatever drives the joint: tau = K (q - q0).

q is the joint's own coordinate. That of a mimic joint is G q_leader + offset, and the leader's row takes G tau.
On an elastic joint it is the link's coordinate. The energy is K (q - q0)^2 / 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symdyn.dynamics.elements.base import Element, Gives, Visits
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.model.bind import SPRING
from symdyn.plan import Access, Mode, Port, Step, Visit
from symdyn.scalars.algebra import Algebra, Scalar

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

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


def _stretched(port: str, place: str) -> Visits:
    """Visits that read the joint's row of q; they add to its row of the field, or to the field's one scalar."""

    def visits(tree: TreePlan, field: str) -> Iterator[Visit]:
        for index, mimic, follower in _springs(tree):
            to = tree.v(index, field) if place == "row" else Access(field, 0, 1)
            yield Visit(index, mimic, tree.constants(index, (*SPRING, *follower)), {"q": tree.q(index), port: to})

    return visits


def _slopes(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index, mimic, follower in _springs(tree):
        diagonal = Access(field, tree.v(index).offset * (tree.model.nv + 1), 1)
        yield Visit(index, mimic, tree.constants(index, (SPRING[0], *follower[:1])), {"entry": diagonal})


def _springs(tree: TreePlan) -> Iterator[tuple[int, bool, tuple[str, ...]]]:
    """Bodies whose joints have such a spring, whether they follow others, and the constants of following."""
    for index in tree.links:
        if tree.has(index, SPRING[0]):
            mimic = tree.variant(index).mimic
            yield index, mimic, _FOLLOWER if mimic else ()


_FORCE = Step("parallel_spring_force", parallel_spring_force, (Port("q", Mode.READ), Port("tau", Mode.ADD)))
_ENERGY = Step("parallel_spring_energy", parallel_spring_energy, (Port("q", Mode.READ), Port("energy", Mode.ADD)))
_SLOPE = Step("parallel_spring_slope", parallel_spring_slope, (Port("entry", Mode.ADD),))
PARALLEL_SPRING = Element(
    "parallel spring",
    {
        Gives.FORCE: (_FORCE, _stretched("tau", "row")),
        Gives.ENERGY: (_ENERGY, _stretched("energy", "scalar")),
        Gives.SLOPE_BY_Q: (_SLOPE, _slopes),
    },
)
