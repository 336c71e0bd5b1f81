"""Contact with surfaces in the world: the force on a sphere, in the world."""

from __future__ import annotations

from mpmath import mp

from symdyn.description.contact import Contact
from symdyn.verify.base.matrices import Real, Vector, add, cross, dot, length, scale, subtract, vector
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.sites import spin


def contact_force(acting: Contact, numbers: dict[str, Real], moving: LinkMotion, radius: Real) -> tuple[Vector, Vector]:
    """Force and moment on a sphere, at its centre: that of the normal and of friction, (0, 0) where it is free."""
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
            return vector((0, 0, 0)), vector((0, 0, 0))
        normal = scale(side / distance, out)
        depth = radius - side * (distance - mp.mpf(surface.radius))
    if depth <= 0:
        return vector((0, 0, 0)), vector((0, 0, 0))
    arm = scale(-radius, normal)
    velocity = add(moving.origin[1], cross(spin(moving), arm))
    away = dot(normal, velocity)
    pressed = numbers["stiffness"] * depth ** mp.mpf(acting.exponent) * (1 - numbers["damping"] * away)
    sliding = subtract(velocity, scale(away, normal))
    slowed = mp.sqrt(dot(sliding, sliding) + mp.mpf(acting.velocity_scale) ** 2)
    force = subtract(scale(pressed, normal), scale(numbers["friction"] * pressed / slowed, sliding))
    return force, cross(arm, force)
