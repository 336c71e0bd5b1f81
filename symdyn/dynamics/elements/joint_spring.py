"""Elastic joints: the spring and damper between the motor and the link (Spong 1987).

The motor's coordinate theta is its angle over the gear ratio, so that theta and the link's coordinate q stand on the
same side of the gear and are equal where the spring is at rest. The rotor meets the tree through the spring alone:

    tau_link  = rigid-body row + K (q - theta) + D (q' - theta')
    tau_motor = B theta''      + K (theta - q) + D (theta' - q') + losses(theta'),    B = N^2 J

The rows of an elastic joint are neighbours in q and in v: the link's first. See ``rotor`` for the motor's own terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.dynamics.elements.base import SCALAR, Element, Gives
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import Place
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.plan.plan import Access, Sweep


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


def _parts(tree: TreePlan, index: int) -> SpringVariant:
    return SpringVariant(tree.has(index, "stiffness"), tree.has(index, "spring_damping"))


def _with(tree: TreePlan, *parts: str) -> list[int]:
    """Rotors whose springs have one of these."""
    return [index for index in tree.rotors if any(tree.has(index, part) for part in parts)]


def _row(after: int) -> Place:
    """The link's row of a field with the rows of v, or the motor's row after it."""
    return Place("", lambda tree, index, field: Access(field, tree.v(index).offset - 1 + after, 1))


def _entry(i: int, j: int) -> Place:
    """An entry of the block of link and motor in a matrix (nv, nv)."""

    def at(tree: TreePlan, index: int, field: str) -> Access:
        row = tree.v(index).offset - 1
        return Access(field, (row + i) * tree.model.nv + row + j, 1)

    return Place("", at)


_BOTH = Place("q", lambda tree, index, field: Access(field, tree.q(index).offset - 1, 2))
_RATES = Place("v", lambda tree, index, field: Access(field, tree.v(index).offset - 1, 2))
_FORCE = step(
    spring_force,
    variant=_parts,
    link=add_to(_row(0)),
    motor=add_to(_row(1)),
    q=read(_BOTH, when=lambda b: b.stiff),
    v=read(_RATES, when=lambda b: b.damped),
    constants=lambda b: (*(("stiffness",) if b.stiff else ()), *(("spring_damping",) if b.damped else ())),
)
_ENERGY = step(
    spring_energy,
    variant=lambda tree, index: SpringVariant(stiff=True, damped=False),
    q=read(_BOTH),
    energy=add_to(SCALAR),
    constants=lambda b: ("stiffness",),
)
_SLOPE = step(
    spring_slope,
    link=add_to(_entry(0, 0)),
    link_motor=add_to(_entry(0, 1)),
    motor_link=add_to(_entry(1, 0)),
    motor=add_to(_entry(1, 1)),
)


def _slopes(tree: TreePlan, field: str, constant: str) -> Sweep:
    return _SLOPE.over(
        tree,
        _with(tree, constant),
        variant=lambda *_: constant,
        more=lambda tree, index: {"slope": tree.constants(index, (constant,))[constant]},
        **dict.fromkeys(_SLOPE.ports, field),
    )


def _alone(tree: TreePlan, field: str, part: str) -> Sweep:
    """The forces of springs or of dampers."""
    variant = SpringVariant(part == "stiffness", part == "spring_damping")
    return _FORCE.over(tree, _with(tree, part), lambda *_: variant, link=field, motor=field)


JOINT_SPRING = Element(
    "spring of an elastic joint",
    {
        Gives.FORCE: lambda tree, field: _FORCE.over(
            tree, _with(tree, "stiffness", "spring_damping"), link=field, motor=field
        ),
        Gives.ELASTIC: lambda tree, field: _alone(tree, field, "stiffness"),
        Gives.LOSS: lambda tree, field: _alone(tree, field, "spring_damping"),
        Gives.ENERGY: lambda tree, field: _ENERGY.over(tree, _with(tree, "stiffness"), energy=field),
        Gives.SLOPE_BY_Q: lambda tree, field: _slopes(tree, field, "stiffness"),
        Gives.SLOPE_BY_V: lambda tree, field: _slopes(tree, field, "spring_damping"),
    },
)
