"""Elastic joints: the spring and damper between the motor and the link (Spong 1987).

The motor's coordinate theta is its angle over the gear ratio, so that theta and the link's coordinate q stand on the
same side of the gear and are equal where the spring is at rest. The rotor meets the tree through the spring alone:

    tau_link  = rigid-body row + K (q - theta) + D (q' - theta')
    tau_motor = B theta''      + K (theta - q) + D (theta' - q') + losses(theta'),    B = N^2 J

The rows of an elastic joint are neighbours in q and in v: the link's first. See ``rotor`` for the motor's own terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symdyn.dynamics.elements.base import Element, Gives, Visits
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan import Access, Binding, Mode, Port, Step, Visit
from symdyn.scalars.algebra import Algebra, Scalar

Reads = Mapping[str, Sequence[Scalar]]
Writes = Mapping[str, Sequence[Scalar]]

_SPRING = ("stiffness", "spring_damping")


@dataclass(frozen=True, slots=True)
class SpringVariant:
    """What is structural about a spring: which of its parts there are."""

    stiff: bool
    damped: bool


def spring_force(variant: SpringVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Forces K (q - theta) + D (q' - theta') on the link's row, and its opposite on the motor's."""
    force: Scalar = 0.0
    if variant.stiff:
        force = constants["stiffness"] * (reads["q"][0] - reads["q"][1])
    if variant.damped:
        force = force + constants["spring_damping"] * (reads["v"][0] - reads["v"][1])
    return {"link": [force], "motor": [-force]}


def spring_energy(variant: SpringVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """Stored energy K (q - theta)^2 / 2."""
    stretch = reads["q"][0] - reads["q"][1]
    return {"energy": [0.5 * constants["stiffness"] * (stretch * stretch)]}


def spring_slope(_: str, __: Algebra, constants: Mapping[str, Scalar], ___: Reads) -> Writes:
    """The block (k, -k; -k, k) of link and motor, k being K for derivatives by q and D for those by v."""
    slope = constants["slope"]
    return {"link": [slope], "link_motor": [-slope], "motor_link": [-slope], "motor": [slope]}


def _forces(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index in tree.rotors:
        variant = SpringVariant(tree.has(index, "stiffness"), tree.has(index, "spring_damping"))
        if not variant.stiff and not variant.damped:
            continue
        row = tree.v(index).offset - 1
        bindings: dict[str, Binding] = {"link": Access(field, row, 1), "motor": Access(field, row + 1, 1)}
        if variant.stiff:
            bindings["q"] = _both_coordinates(tree, index)
        if variant.damped:
            bindings["v"] = Access("v", row, 2)
        names = [name for name, here in zip(_SPRING, (variant.stiff, variant.damped), strict=True) if here]
        yield Visit(index, variant, tree.constants(index, names), bindings)


def _energies(tree: TreePlan, field: str) -> Iterator[Visit]:
    for index in tree.rotors:
        if tree.has(index, "stiffness"):
            yield Visit(
                index,
                SpringVariant(stiff=True, damped=False),
                tree.constants(index, ("stiffness",)),
                {"q": _both_coordinates(tree, index), "energy": Access(field, 0, 1)},
            )


def _slopes(constant: str) -> Visits:
    def visits(tree: TreePlan, field: str) -> Iterator[Visit]:
        for index in tree.rotors:
            if tree.has(index, constant):
                row = tree.v(index).offset - 1
                places = [i * tree.model.nv + j for i in (row, row + 1) for j in (row, row + 1)]
                bindings = {name: Access(field, place, 1) for name, place in zip(_BLOCK, places, strict=True)}
                yield Visit(index, constant, {"slope": tree.constants(index, (constant,))[constant]}, bindings)

    return visits


def _both_coordinates(tree: TreePlan, index: int) -> Access:
    return Access("q", tree.q(index).offset - 1, 2)


_FORCE = Step(
    "spring_force",
    spring_force,
    (Port("q", Mode.READ), Port("v", Mode.READ), Port("link", Mode.ADD), Port("motor", Mode.ADD)),
)
_ENERGY = Step("spring_energy", spring_energy, (Port("q", Mode.READ), Port("energy", Mode.ADD)))
_BLOCK = ("link", "link_motor", "motor_link", "motor")
_SLOPE = Step("spring_slope", spring_slope, tuple(Port(entry, Mode.ADD) for entry in _BLOCK))
JOINT_SPRING = Element(
    "spring of an elastic joint",
    {
        Gives.FORCE: (_FORCE, _forces),
        Gives.ENERGY: (_ENERGY, _energies),
        Gives.SLOPE_BY_Q: (_SLOPE, _slopes("stiffness")),
        Gives.SLOPE_BY_V: (_SLOPE, _slopes("spring_damping")),
    },
)
