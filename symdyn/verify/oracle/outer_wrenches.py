"""What acts on a robot from outside, as forces and moments in the world.

Springs and dampers between two places, by the rates of the lengths and angles that they resist.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from mpmath import mp

from symdyn.description.bushing import Bushing, Strut
from symdyn.description.contact import Contact
from symdyn.description.external_loads import (
    ALONG,
    ENTRIES,
    POSITION,
    TURNING,
    VELOCITY,
    Acting,
    Along,
    Entries,
    Site,
    Wrench,
)
from symdyn.description.fluid import AddedMass, Buoyancy, Drag
from symdyn.description.loops import Holding
from symdyn.description.rigid_contact import RigidContact
from symdyn.description.robot import RobotDescription
from symdyn.errors import VerificationError
from symdyn.verify.base.matrices import (
    Real,
    Vector,
    add,
    cross,
    dot,
    identity,
    length,
    product,
    rotation_rate,
    scale,
    series_times,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.base.quadrature import rule
from symdyn.verify.oracle.contact import contact_force, gauge_radius
from symdyn.verify.oracle.motion import LinkMotion, RobotMotion
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_section import section_at, value_at
from symdyn.verify.oracle.rod_sections import GAUGE, node_name
from symdyn.verify.oracle.sites import site_motion, spin
from symdyn.verify.oracle.tree import Tree


def held(
    acting: Bushing | Strut, numbers: dict[str, Real], first: LinkMotion, second: LinkMotion
) -> tuple[Vector, Vector]:
    """Force and moment in the world on the second place, at its origin."""
    apart = subtract(second.origin[0], first.origin[0])
    if isinstance(acting, Strut):
        along = scale(1 / length(apart), apart) if length(apart) else apart
        rate = dot(along, subtract(second.origin[1], first.origin[1]))
        pull = numbers["stiffness"] * (length(apart) - numbers["length"]) + numbers["damping"] * rate
        return scale(-pull, along), [mp.mpf(0)] * 3
    axes = transpose(first.rotation[0])  # rows
    shift, omega = times(axes, apart), subtract(spin(second), spin(first))
    drift = times(axes, subtract(subtract(second.origin[1], first.origin[1]), cross(spin(first), apart)))
    turned = product(axes, second.rotation[0])
    turns = [numbers[f"stiffness.r{way}"] for way in "xyz"]
    force, moment = [mp.mpf(0)] * 3, [mp.mpf(0)] * 3
    for way, axis in enumerate(axes):
        name = "xyz"[way]
        stretch = shift[way] - numbers[f"translation.{name}"]
        pulled = numbers[f"stiffness.{name}"] * stretch + numbers[f"damping.{name}"] * drift[way]
        force = subtract(force, scale(pulled, axis))
        moment = subtract(moment, scale(numbers[f"damping.r{name}"] * dot(axis, omega), axis))
        # the energy sum of g_i (1 - R_ii): a turn moves the column R e_i by omega x R e_i
        weight = mp.fsum(turns) / 2 - turns[way]
        pushed = cross([row[way] for row in turned], identity()[way])
        moment = add(moment, times(transpose(axes), scale(weight, pushed)))
    return force, moment


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
            for moving, share, more in places_of(description, tree, quantities, motion, acting):
                yield moving, *_needed(acting, quantities, moving, share, more)
        elif isinstance(acting, Drag):
            for moving, share, more in places_of(description, tree, quantities, motion, acting):
                yield moving, *_dragged(acting, quantities, moving, share, more)
        elif isinstance(acting, AddedMass):
            for moving, masses in fluid_masses(description, tree, quantities, motion, acting):
                yield moving, *_carried_along(masses, moving)
        elif isinstance(acting, Buoyancy):
            for moving, mass in lifted(description, tree, quantities, motion, acting):
                yield moving, scale(mass, gravity), vector((0, 0, 0))
        elif isinstance(acting, Contact):
            numbers = {name: quantities(value, f"{acting.name}.{name}") for name, value in acting.numbers.items()}
            for moving, share, more in places_of(description, tree, quantities, motion, acting):
                radius = more["radius"] if acting.radius is None else mp.mpf(acting.radius)
                gauge, growth = gauge_of(acting, motion, moving), mp.mpf(0)
                if gauge is not None:
                    radius, growth, way = gauge_radius(*gauge)
                force, moment, pressed = contact_force(acting, numbers, moving, radius, growth)
                if gauge is not None:  # the normal force does work on the radius too
                    for told, sign in zip(gauge, (-1, 1), strict=True):
                        yield told, scale(sign * share * pressed, way), vector((0, 0, 0))
                yield moving, scale(-share, force), scale(-share, moment)
        elif isinstance(acting, Bushing | Strut):
            numbers = {name: quantities(value, f"{acting.name}.{name}") for name, value in acting.numbers.items()}
            first, second = (site_motion(description, tree, quantities, motion, site) for site in acting.between)
            force, moment = held(acting, numbers, first, second)
            yield second, scale(-1, force), scale(-1, moment)
            arm = subtract(second.origin[0], first.origin[0])
            yield first, force, add(moment, cross(arm, force))
        elif not isinstance(acting, Holding | RigidContact):
            raise VerificationError(
                f"'{acting.name}' is {acting.words}, which cannot be verified; verify the robot without it"
            )


def gauge_of(acting: Contact, motion: RobotMotion, moving: LinkMotion) -> tuple[LinkMotion, LinkMotion] | None:
    """The section on which a sphere stands, and what tells its radius, where that is asked for and changes."""
    name = moving.path[-1].child if acting.radius is None and moving.path else ""
    return (motion.links[name], motion.links[name + GAUGE]) if name + GAUGE in motion.links else None


def fluid_masses(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, acting: AddedMass
) -> Iterator[tuple[LinkMotion, Vector]]:
    """Frames with which fluid moves, and its six masses along and about their axes."""
    for moving, share, more in places_of(description, tree, quantities, motion, acting):
        yield moving, scale(share, _entries(acting, quantities, more))


def _carried_along(masses: Vector, moving: LinkMotion) -> tuple[Vector, Vector]:
    """Force and moment that change the momentum of the fluid with a place, about the moving place.

    In world axes the momentum is R m R^T v and R j R^T w, as series in time.
    """
    if len(moving.origin) < 3:
        return vector((0, 0, 0)), vector((0, 0, 0))
    inward = [transpose(part) for part in moving.rotation]
    velocity = [scale(power, part) for power, part in enumerate(moving.origin)][1:]
    momenta = []
    for rates, own in ((velocity, masses[:3]), (rotation_rate(moving.rotation), masses[3:])):
        seen = series_times(inward, rates)
        weighed = [[mass * entry for mass, entry in zip(own, part, strict=True)] for part in seen]
        momenta.append(series_times(moving.rotation, weighed))
    linear, angular = momenta
    return linear[1], add(angular[1], cross(velocity[0], linear[0]))


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
    assert place.soft is not None
    for index, weight in weights_along(place, acting):
        area = section_at(place.soft.section, place.rod.nodes[index].x).area
        yield motion.links[node_name(acting.rod, index)], density * weight * area


def places_of(
    description: RobotDescription, tree: Tree, quantities: Quantities, motion: RobotMotion, acting: Acting
) -> Iterator[tuple[LinkMotion, Real, dict[str, Real]]]:
    """Where a wrench acts, how much of it does there, and what names are known there."""
    if not acting.rod:
        for site in acting.sites:
            yield site_motion(description, tree, quantities, motion, site), 1, _radius(description, acting, site)
        return
    place = next(own for own in tree.rods if own.joint.parent == acting.rod)
    assert place.soft is not None
    for index, weight in weights_along(place, acting):
        node = place.rod.nodes[index]
        known = {ALONG: node.x}
        if place.soft.section.radius:
            known["radius"] = value_at(place.soft.section.radius, node.x)
        yield motion.links[node_name(acting.rod, index)], weight, known


def _radius(description: RobotDescription, acting: Acting, site: Site) -> dict[str, Real]:
    """The radius of the section that a place stands in, where a contact asks for it."""
    if not isinstance(acting, Contact) or acting.radius is not None:
        return {}
    frame = next((own for own in description.frames if own.name == site.frame), None)
    name, at = (site.link, site.at) if frame is None else (frame.link, frame.at)
    name = description.tips.get(site.frame, name)
    soft = next(link.soft for link in description.links if link.name == name)
    assert soft is not None
    place = mp.mpf(at) if isinstance(at, float) else mp.mpf(soft.length if at.moves else 0)
    return {"radius": value_at(soft.section.radius, place)}


def weights_along(place: Place, acting: Acting) -> Iterator[tuple[int, Real]]:
    """Nodes of a rod and the lengths for which they stand, all along it or on the part on which something acts."""
    nodes, soft = place.rod.nodes, place.soft
    assert soft is not None and soft.stations is not None
    if not isinstance(acting, Along) or acting.part is None:
        yield from ((index, node.weight) for index, node in enumerate(nodes))
        return
    start = mp.mpf(acting.start or 0)
    end = mp.mpf(soft.length if acting.end is None else acting.end)
    for before, after in pairwise([mp.mpf(0), *map(mp.mpf, soft.pieces)]):
        low, high = max(before, start), min(after, end)
        for x, weight in rule(low, high, soft.stations) if low < high else ():
            yield min(range(len(nodes)), key=lambda index: abs(nodes[index].x - x)), weight


def _needed(
    acting: Wrench, quantities: Quantities, moving: LinkMotion, share: Real, more: dict[str, Real]
) -> tuple[Vector, Vector]:
    axes = identity() if acting.axes == "world" else moving.rotation[0]
    names = dict(more)
    if len(moving.origin) > 1:
        for kind, values in ((VELOCITY, subtract(moving.origin[1], vector(acting.wind))), (TURNING, spin(moving))):
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
