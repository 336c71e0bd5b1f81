"""Springs and dampers between two places, by the rates of the lengths and angles that they resist."""

from __future__ import annotations

from mpmath import mp

from symdyn.description.bushing import Bushing, Strut
from symdyn.verify.base.matrices import (
    Real,
    Vector,
    add,
    cross,
    dot,
    identity,
    length,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.verify.oracle.motion import LinkMotion
from symdyn.verify.oracle.sites import spin


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
