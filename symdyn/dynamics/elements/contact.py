"""Penalty contact of spheres with surfaces in the world.

What is not in contact gives exact zeros, in derivatives too: a choice by depth comes before every root and quotient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.vectors import Vector, add, cross, dot, matrix_from, scale, subtract, times, transpose
from symdyn.description.contact import Contact, Surface
from symdyn.dynamics.elements.base import Element, Gives, body_of, over_loads
from symdyn.dynamics.tree.bindings import Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import ORIENTATION, STAND, TWIST, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import OFFSET, BodyLoad


@dataclass(frozen=True, slots=True)
class ContactVariant:
    """What is structural about a contact: the surface, the power, what takes motion, and whether it is per metre.

    ``gauged`` tells whether the radius is that of a section that deforms. A body without mass stands as far along y of
    the section as it is. A force along y there and its opposite at the section have the same line, so that together
    they do the work of the radius and nothing else.
    """

    surface: Surface
    exponent: float
    damped: bool
    rubs: bool
    velocity_scale: float
    per_length: bool
    gauged: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """Whether a sphere is in a surface's matter, how deep [m], 1 if it is not, and the normal towards its centre."""

    active: Scalar
    depth: Scalar
    normal: Vector


def arm_of(surface: Surface, center: Vector) -> Vector:
    """A place seen from a surface: from the point of a plane or sphere, or across from the axis of a cylinder."""
    away = subtract(center, list(surface.point))
    if surface.shape == "cylinder":
        axis = list(surface.axis)
        away = subtract(away, scale(dot(axis, away), axis))
    return away


def touch(surface: Surface, algebra: Algebra, center: Vector, radius: Scalar) -> Touch:
    """How a sphere touches a surface."""
    axis, away = list(surface.axis), arm_of(surface, center)
    if surface.shape == "plane":
        depth = radius - dot(axis, away)
        active = algebra.compare("less", 0.0, depth)
        return Touch(active, algebra.select(active, depth, 1.0), axis)
    squared, room = dot(away, away), surface.radius - radius if surface.inside else surface.radius + radius
    edge = room * room
    if not surface.inside:  # in a centre or on an axis no direction leads out: nothing pushes
        squared = algebra.select(algebra.compare("less", 0.0, squared), squared, edge)
    active = algebra.compare("less", *((edge, squared) if surface.inside else (squared, edge)))
    distance = algebra.function("sqrt", algebra.select(active, squared, 1.0))
    depth = distance - room if surface.inside else room - distance
    normal = scale((-1.0 if surface.inside else 1.0) / distance, away)
    return Touch(active, algebra.select(active, depth, 1.0), normal)


def powered(algebra: Algebra, base: Scalar, exponent: float) -> Scalar:
    """A power in halves, by products and a root."""
    power = algebra.function("sqrt", base) if exponent % 1.0 else None
    for _ in range(int(exponent)):
        power = base if power is None else power * base
    return power


def contact(variant: ContactVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against the contact, about the body's origin in its axes."""
    at, axes = [constants[name] for name in OFFSET], matrix_from(reads["orientation"])
    radius, grows = constants["radius"], None
    if variant.gauged:
        radius = times(transpose(axes), subtract(reads["gauge_stand"], reads["stand"]))[1]
        if variant.damped:
            grows = reads["gauge_twist"][1] - reads["twist"][1]
    touched = touch(variant.surface, algebra, add(reads["stand"], times(axes, at)), radius)
    into = transpose(axes)
    normal = times(into, touched.normal)
    arm = subtract(at, scale(radius, normal))
    pressed = constants["stiffness"] * powered(algebra, touched.depth, variant.exponent)
    if variant.per_length:
        pressed = constants["share"] * pressed
    velocity = add(reads["twist"][:3], cross(reads["twist"][3:], arm)) if "twist" in reads else []
    if variant.damped:
        away = dot(normal, velocity)
        pressed = pressed * (1.0 - constants["damping"] * (away if grows is None else away - grows))
    pressed = algebra.select(touched.active, pressed, 0.0)
    force = scale(-1.0 * pressed, normal)
    if variant.rubs:
        sliding = subtract(velocity, scale(dot(normal, velocity), normal))
        speed = algebra.function("sqrt", dot(sliding, sliding) + variant.velocity_scale * variant.velocity_scale)
        force = add(force, scale(constants["friction"] * pressed / speed, sliding))
    wrench = wrench_at_offset([*force, 0.0, 0.0, 0.0], arm)
    if not variant.gauged:
        return {"wrench": wrench}
    pushed = [0.0, pressed, 0.0, 0.0, 0.0, 0.0]
    return {"wrench": subtract(wrench, pushed), "gauge_wrench": pushed}


def _variant(tree: TreePlan, load: BodyLoad) -> ContactVariant:
    contact = load.load
    assert isinstance(contact, Contact)
    damped, rubs = (load.constants[name] != 0.0 for name in ("damping", "friction"))
    return ContactVariant(
        contact.surface, contact.exponent, damped, rubs, contact.velocity_scale, contact.along, load.other >= 0
    )


def _gauge(_: TreePlan, load: BodyLoad) -> int:
    return load.other


_CONTACT = step(
    contact,
    variant=_variant,
    body=body_of,
    orientation=read(ORIENTATION.own.by(body_of)),
    stand=read(STAND.own.by(body_of)),
    twist=read(TWIST.own.by(body_of), when=lambda b: b.damped or b.rubs),
    gauge_stand=read(STAND.own.by(_gauge), when=lambda b: b.gauged),
    gauge_twist=read(TWIST.own.by(_gauge), when=lambda b: b.gauged and b.damped),
    wrench=add_to(WRENCH.own.by(body_of)),
    gauge_wrench=add_to(WRENCH.own.by(_gauge), when=lambda b: b.gauged),
)
CONTACT = Element("contact", {Gives.WRENCH: over_loads(_CONTACT, Contact, "wrench", "gauge_wrench")})
