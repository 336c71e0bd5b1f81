"""Bushings and struts: springs and dampers between places on two bodies, or on one and the ground.

Both wrenches act at the origin of the second place. The visit's body is one that moves; the other may be the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.force import wrench_at_offset
from symdyn.algebra.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    matrix_from,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.description.bushing import WAYS, Bushing, Strut
from symdyn.dynamics.elements.base import Element, Gives, body_of
from symdyn.dynamics.tree.bindings import BoundStep, Reads, Writes, add_to, read, step
from symdyn.dynamics.tree.places import ORIENTATION, STAND, TWIST, WRENCH
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.dynamics.tree.tree_loads import AXES, OFFSET, OTHER_AXES, OTHER_OFFSET, BodyLoad

_ENDLESS = 1e36
"""Square of a length whose inverse adds nothing to 1, in floats too."""


@dataclass(frozen=True, slots=True)
class PairVariant:
    """What is structural about springs and dampers between two places.

    ``first`` tells whether the visit's body has the first place, ``grounded`` whether the other is on the ground,
    ``damped`` whether rates count.
    """

    first: bool
    grounded: bool
    damped: bool


@dataclass(frozen=True, slots=True)
class Stood:
    """A place in the world: its axes and origin, those of its body, and where rates count its twist (v; omega)."""

    axes: Matrix
    origin: Vector
    body: Matrix
    offset: Vector
    twist: Vector


def _stood(constants: Mapping[str, Scalar], reads: Reads, prefix: str, names: tuple[Sequence[str], ...]) -> Stood:
    offset, axes = ([constants[name] for name in place] for place in names)
    body = matrix_from(reads[f"{prefix}orientation"])
    origin = add(reads[f"{prefix}stand"], times(body, offset))
    twist: Vector = []
    if f"{prefix}twist" in reads:
        velocity, omega = reads[f"{prefix}twist"][:3], reads[f"{prefix}twist"][3:]
        twist = [*times(body, add(velocity, cross(omega, offset))), *times(body, omega)]
    return Stood(product(body, matrix_from(axes)), origin, body, offset, twist)


def _places(variant: PairVariant, constants: Mapping[str, Scalar], reads: Reads) -> tuple[Stood, Stood]:
    """The first place and the second."""
    here = _stood(constants, reads, "", (OFFSET, AXES))
    other = _stood(constants, reads, "other_", (OTHER_OFFSET, OTHER_AXES))
    return (here, other) if variant.first else (other, here)


def bushing(variant: PairVariant, _: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against a bushing, on both bodies."""
    first, second = _places(variant, constants, reads)
    into, apart = transpose(first.axes), subtract(second.origin, first.origin)
    shift = subtract(times(into, apart), [constants[f"translation.{way}"] for way in "xyz"])
    stiff, soft = ([constants[f"{kind}.{way}"] for way in WAYS] for kind in ("stiffness", "damping"))
    needed = [stiffness * x for stiffness, x in zip(stiff[:3], shift, strict=True)]
    moment = _restoring(stiff[3:], product(into, second.axes))
    if variant.damped:
        carried = add(first.twist[:3], cross(first.twist[3:], apart))
        rates = times(into, subtract(second.twist[:3], carried))
        turning = times(into, subtract(second.twist[3:], first.twist[3:]))
        needed = [x + damping * rate for x, damping, rate in zip(needed, soft[:3], rates, strict=True)]
        moment = [x + damping * rate for x, damping, rate in zip(moment, soft[3:], turning, strict=True)]
    return _on_both(variant, first, second, [*times(first.axes, needed), *times(first.axes, moment)])


def _restoring(stiffness: Vector, turned: Matrix) -> Vector:
    """The moment against which a turn R is held: that of R G - G R^T."""
    total = 0.5 * (stiffness[0] + stiffness[1] + stiffness[2])
    weights = [total - k for k in stiffness]
    weighed = [[entry * weight for entry, weight in zip(row, weights, strict=True)] for row in turned]
    return [
        weighed[2][1] - weighed[1][2],
        weighed[0][2] - weighed[2][0],
        weighed[1][0] - weighed[0][1],
    ]


def strut(variant: PairVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads) -> Writes:
    """What motion needs against a strut, on both bodies."""
    first, second = _places(variant, constants, reads)
    apart = subtract(second.origin, first.origin)
    squared = dot(apart, apart)
    # without a length it has no direction: its pull is that of a spring of rest length zero
    squared = algebra.select(algebra.compare("less", 0.0, squared), squared, _ENDLESS)
    inverse = 1.0 / algebra.function("sqrt", squared)
    share = constants["stiffness"] - constants["stiffness"] * constants["length"] * inverse
    if variant.damped:
        rate = dot(apart, subtract(second.twist[:3], first.twist[:3]))
        share = share + constants["damping"] * (inverse * inverse) * rate
    return _on_both(variant, first, second, [*scale(share, apart), 0.0, 0.0, 0.0])


def _on_both(variant: PairVariant, first: Stood, second: Stood, needed: Vector) -> Writes:
    """A wrench in world axes at the second place's origin, that the second body needs and the first does not."""
    arm = subtract(second.origin, first.origin)
    pushed = _on_body(second, needed, [0.0, 0.0, 0.0])
    reaction = _on_body(first, scale(-1.0, needed), arm)
    wrench, other = (reaction, pushed) if variant.first else (pushed, reaction)
    return {"wrench": wrench} if variant.grounded else {"wrench": wrench, "other_wrench": other}


def _on_body(place: Stood, wrench: Vector, arm: Vector) -> Vector:
    """A wrench in world axes, at ``arm`` from a place, about the origin of the place's body in its axes."""
    into = transpose(place.body)
    turned = [*times(into, wrench[:3]), *times(into, wrench[3:])]
    return wrench_at_offset(turned, add(place.offset, times(into, arm)))


def _variant(_: TreePlan, load: BodyLoad) -> PairVariant:
    damping = (value for name, value in load.constants.items() if name.partition(".")[0] == "damping")
    return PairVariant(load.first, load.other < 0, any(value != 0.0 for value in damping))


def _other(_: TreePlan, load: BodyLoad) -> int:
    return load.other


def _between(kernel: object) -> BoundStep:
    return step(
        kernel,
        variant=_variant,
        body=body_of,
        orientation=read(ORIENTATION.own.by(body_of)),
        other_orientation=read(ORIENTATION.own.by(_other)),
        stand=read(STAND.own.by(body_of)),
        other_stand=read(STAND.own.by(_other)),
        twist=read(TWIST.own.by(body_of), when=lambda b: b.damped),
        other_twist=read(TWIST.own.by(_other), when=lambda b: b.damped),
        wrench=add_to(WRENCH.own.by(body_of)),
        other_wrench=add_to(WRENCH.own.by(_other), when=lambda b: not b.grounded),
    )


def _loads(kernel: object, kind: type[Bushing] | type[Strut]) -> Element:
    made = _between(kernel)
    return Element(
        kind.word,
        {
            Gives.WRENCH: lambda tree, field: made.over(
                tree,
                tree.loads.of(kind),
                None,
                lambda _, load: load.constants,
                wrench=field,
                other_wrench=field,
            )
        },
    )


BUSHING, STRUT = _loads(bushing, Bushing), _loads(strut, Strut)
