"""What acts on a robot from outside, as forces and moments in the world."""

from __future__ import annotations

from collections.abc import Iterator

from mpmath import mp

from symdyn.description.acting import (
    ALONG,
    ENTRIES,
    POSITION,
    TURNING,
    VELOCITY,
    Acting,
    Buoyancy,
    Drag,
    Entries,
    Wrench,
)
from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact
from symdyn.description.loops import Holding
from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import (
    Real,
    Vector,
    add,
    cross,
    dot,
    identity,
    scale,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.bushing import held
from symdyn.verify.oracle.contact import contact_force
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_section import value_at
from symdyn.verify.oracle.rod_sections import node_name
from symdyn.verify.oracle.sites import site_motion, spin
from symdyn.verify.oracle.tree import Tree


def outer_wrenches(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, gravity: Vector
) -> Iterator[tuple[LinkMotion, Vector, Vector]]:
    """Per place the motion of a frame there, and what motion needs at its origin: force and moment in world axes.

    Raises
    ------
    VerificationError
        A kind that is not known here.
    """
    for acting in description.acting:
        if isinstance(acting, Wrench):
            for moving, share, more in _places(description, tree, quantities, motion, acting):
                yield moving, *_needed(acting, quantities, moving, share, more)
        elif isinstance(acting, Drag):
            for moving, share, more in _places(description, tree, quantities, motion, acting):
                yield moving, *_dragged(acting, quantities, moving, share, more)
        elif isinstance(acting, Buoyancy):
            for moving, mass in lifted(description, tree, quantities, motion, acting):
                yield moving, scale(mass, gravity), vector((0, 0, 0))
        elif isinstance(acting, Contact):
            numbers = {name: quantities(value, f"{acting.name}.{name}") for name, value in acting.numbers.items()}
            for moving, share, more in _places(description, tree, quantities, motion, acting):
                radius = more["radius"] if acting.radius is None else mp.mpf(acting.radius)
                force, moment = contact_force(acting, numbers, moving, radius)
                yield moving, scale(-share, force), scale(-share, moment)
        elif isinstance(acting, Bushing | Strut):
            numbers = {name: quantities(value, f"{acting.name}.{name}") for name, value in acting.numbers.items()}
            first, second = (site_motion(description, tree, quantities, motion, site) for site in acting.between)
            force, moment = held(acting, numbers, first, second)
            yield second, scale(-1, force), scale(-1, moment)
            arm = subtract(second.origin[0], first.origin[0])
            yield first, force, add(moment, cross(arm, force))
        elif not isinstance(acting, Holding):
            raise VerificationError(
                f"'{acting.name}' is {acting.words}, which cannot be verified; verify the robot without it"
            )


def lifted(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, acting: Buoyancy
) -> Iterator[tuple[LinkMotion, Real]]:
    """Frames whose origins are centres of volumes, and the mass of the fluid that each displaces."""
    density = quantities(acting.density, f"{acting.name}.density")
    if not acting.along:
        volume = quantities(acting.volume, f"{acting.name}.volume")
        yield site_motion(description, tree, quantities, motion, acting.site), density * volume
        return
    place = next(own for own in tree.rods if own.joint.parent == acting.rod)
    for index, node in enumerate(place.rod.nodes):
        yield motion.links[node_name(acting.rod, index)], density * node.mass  # of matter of density 1


def _places(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, acting: Acting
) -> Iterator[tuple[LinkMotion, Real, dict[str, Real]]]:
    """Where a wrench acts, how much of it does there, and what names are known there."""
    if not acting.rod:
        for site in acting.sites:
            yield site_motion(description, tree, quantities, motion, site), 1, {}
        return
    place = next(own for own in tree.rods if own.joint.parent == acting.rod)
    for index, node in enumerate(place.rod.nodes):
        assert place.soft is not None
        known = {ALONG: node.x}
        if place.soft.section.radius:
            known["radius"] = value_at(place.soft.section.radius, node.x)
        yield motion.links[node_name(acting.rod, index)], node.weight, known


def _needed(
    acting: Wrench, quantities: Quantities, moving: LinkMotion, share: Real, more: dict[str, Real]
) -> tuple[Vector, Vector]:
    axes = identity() if acting.axes == "world" else moving.rotation[0]
    names = dict(more)
    if len(moving.origin) > 1:
        for kind, values in ((VELOCITY, moving.origin[1]), (TURNING, spin(moving))):
            names |= zip(kind, times(transpose(axes), values), strict=True)
    names |= zip(POSITION, moving.origin[0], strict=True)
    felt = scale(-share, _entries(acting, quantities, names))
    return times(axes, felt[:3]), times(axes, felt[3:])


def _dragged(
    acting: Drag, quantities: Quantities, moving: LinkMotion, share: Real, more: dict[str, Real]
) -> tuple[Vector, Vector]:
    axes, moved = moving.rotation[0], moving.origin[1]
    speed = mp.sqrt(dot(moved, moved) + mp.mpf(acting.velocity_scale) ** 2)
    rates = [*times(transpose(axes), moved), *times(transpose(axes), spin(moving))]
    felt = [share * speed * entry * rate for entry, rate in zip(_entries(acting, quantities, more), rates, strict=True)]
    return times(axes, felt[:3]), times(axes, felt[3:])


def _entries(acting: Entries, quantities: Quantities, names: dict[str, Real]) -> Vector:
    found = []
    for name, number in zip(ENTRIES, acting.entries, strict=True):
        given = quantities.given.get(f"{acting.name}.{name}")
        found.append(quantities.with_names(number, names) if given is None else given)
    return found
