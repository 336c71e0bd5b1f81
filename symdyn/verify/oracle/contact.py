"""Contact with surfaces in the world: the force on a sphere, in the world."""

from __future__ import annotations

from mpmath import mp

from symdyn.description.contact import Contact
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, length, scale, subtract, vector
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.sites import spin


def contact_force(
    acting: Contact, numbers: dict[str, Real], moving: LinkMotion, radius: Real, growth: Real = 0
) -> tuple[Vector, Vector, Real]:
    """Force and moment on a sphere, at its centre, and the size of the normal one; zeros where it is free.

    ``growth`` is the rate of its radius.
    """
    free = vector((0, 0, 0)), vector((0, 0, 0)), mp.mpf(0)
    surface, center = acting.surface, moving.origin[0]
    axis = vector(surface.axis)
    out = subtract(center, vector(surface.point))
    if surface.shape == "plane":
        normal, depth = axis, radius - dot(axis, out)
    else:
        if surface.shape == "cylinder":
            out = subtract(out, scale(dot(out, axis), axis))
        distance, side = length(out), -1 if surface.inside else 1
        if not distance:
            return free
        normal = scale(side / distance, out)
        depth = radius - side * (distance - mp.mpf(surface.radius))
    if depth <= 0:
        return free
    arm = scale(-radius, normal)
    velocity = add(moving.origin[1], cross(spin(moving), arm))
    away = dot(normal, velocity)
    pressed = numbers["stiffness"] * depth ** mp.mpf(acting.exponent) * (1 - numbers["damping"] * (away - growth))
    sliding = subtract(velocity, scale(away, normal))
    slowed = mp.sqrt(dot(sliding, sliding) + mp.mpf(acting.velocity_scale) ** 2)
    force = subtract(scale(pressed, normal), scale(numbers["friction"] * pressed / slowed, sliding))
    return force, cross(arm, force), pressed


def gauge_radius(station: LinkMotion, gauge: LinkMotion) -> tuple[Real, Real, Vector]:
    """How far a place is aside from a section, along the axis on which it stays; its rate, and the axis."""
    way = [row[1] for row in station.rotation[0]]
    arms = [subtract(far, near) for far, near in zip(gauge.origin, station.origin, strict=True)]
    return dot(way, arms[0]), (dot(way, arms[1]) if len(arms) > 1 else mp.mpf(0)), way
