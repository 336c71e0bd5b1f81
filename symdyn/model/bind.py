"""The numbers of each body, over any scalar: baked where they are known, computed from p where they are not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.description.robot import Number, Placement
from symdyn.model.drives import drive_constants, drive_numbers
from symdyn.model.model import Body, Model
from symdyn.model.values import Values
from symdyn.scalars.affine import Affine
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.scalars.floats import FloatAlgebra
from symdyn.spatial.inertia import ZERO, Inertia, from_center_of_mass, inertia_from
from symdyn.spatial.rotations import IDENTITY, ROUNDING, General, Identity
from symdyn.spatial.symmetric import packed, unpacked
from symdyn.spatial.transform import Transform
from symdyn.spatial.vectors import add, product, times, transpose

ROTATION = tuple(f"E{row}{column}" for row in range(3) for column in range(3))
TRANSLATION = ("lx", "ly", "lz")
FIRST_MOMENT = ("hx", "hy", "hz")
SECOND_MOMENT = ("Sxx", "Sxy", "Sxz", "Syy", "Syz", "Szz")
INERTIA = ("m", *FIRST_MOMENT, *SECOND_MOMENT)
LOSSES = ("damping", "friction")
DRIVE = ("armature", "stiffness", "spring_damping")
"""Inertia of the rotor at the joint's side of the gear; spring and damper between the motor and the link."""
SPRING = ("spring_stiffness", "spring_rest")
"""Of the spring between a joint's two links."""


@dataclass(frozen=True, slots=True)
class BodyConstants:
    """One body's numbers by name: those of TRANSLATION, INERTIA, LOSSES, DRIVE and SPRING.

    Translation is the joint frame's origin in the parent's aligned frame [m]; inertia is about the body's own origin in
    its aligned axes, all its links lumped. The rotation between the two is ``Body.rotation``, always baked.
    """

    values: dict[str, Scalar]


def inertia_of(constants: Mapping[str, Scalar]) -> Inertia:
    """A body's own inertia from its constants of INERTIA."""
    return inertia_from([constants[name] for name in INERTIA])


def bind_body(model: Model, body: Body, algebra: Algebra, p: Sequence[Scalar]) -> BodyConstants:
    """The constants of a body from run-time parameters p over an algebra."""
    values = Values(model.parameters, model.slots, algebra, p)
    loads = _loads({name: values.number(*pair) for name, pair in _load_numbers(model, body).items()})
    return BodyConstants(_rigid(values, body) | loads)


def baked_body(model: Model, body: Body) -> BodyConstants | None:
    """The constants as floats with rounding noise removed, or None where geometry or inertia needs a parameter.

    Absent are those of LOSSES, DRIVE and SPRING that need one (see :func:`baked_loads`).
    """
    values = Values(model.parameters, model.slots, FloatAlgebra(), ())
    if values.depends(_rigid_numbers(body)):
        return None
    loads = {name: value for name, value in baked_loads(model, body).items() if value is not None}
    return BodyConstants(without_noise(_rigid(values, body)) | loads)


def baked_loads(model: Model, body: Body) -> dict[str, float | None]:
    """The constants of LOSSES, DRIVE and SPRING as floats, None for one that needs a run-time parameter."""
    values = Values(model.parameters, model.slots, FloatAlgebra(), ())
    known = {
        name: math.nan if values.depends([pair]) else values.number(*pair)
        for name, pair in _load_numbers(model, body).items()
    }
    return {name: None if math.isnan(value) else value for name, value in _loads(known).items()}


def without_noise(constants: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Constants with those entries of a vector or matrix set to zero that are rounding errors of its largest.

    Of affine scalars offsets are compared with offsets, and gains with those of the same atom.
    """
    cleaned = dict(constants)
    for group in (TRANSLATION, FIRST_MOMENT, SECOND_MOMENT):
        largest = max(abs(_offset(constants[name])) for name in group)
        gains: dict[int, float] = {}
        for value in (constants[name] for name in group):
            if isinstance(value, Affine):
                gains[value.atom] = max(gains.get(value.atom, 0.0), abs(value.gain))
        for name in group:
            cleaned[name] = _cleaned(constants[name], ROUNDING * largest, gains)
    return cleaned


def _offset(value: Scalar) -> float:
    return value.offset if isinstance(value, Affine) else float(value)


def _cleaned(value: Scalar, floor: float, gains: Mapping[int, float]) -> Scalar:
    offset = _offset(value)
    offset = 0.0 if abs(offset) <= floor else offset
    if not isinstance(value, Affine) or abs(value.gain) <= ROUNDING * gains[value.atom]:
        return offset
    return Affine(value.algebra, offset, value.gain, value.atom)


def composed(
    values: Values, steps: Sequence[Placement], leaves: Sequence[str]
) -> tuple[Sequence[Sequence[float]], list[Scalar]]:
    """Rotation and translation of a chain of placements."""
    rotation: Sequence[Sequence[float]] = IDENTITY
    translation: list[Scalar] = [0.0, 0.0, 0.0]
    for step, leaf in zip(steps, leaves, strict=True):
        translation = add(translation, times(rotation, values.translation(step, leaf)))
        rotation = product(rotation, step.rotation)
    return rotation, translation


def _lumped(values: Values, body: Body) -> Inertia:
    """Inertia of all rigid links of a body, in its aligned frame."""
    total = ZERO
    for placed in body.inertials:
        mass, center, moments = values.inertial(placed.link, placed.inertial)
        turn = placed.inertial.placement.rotation
        about = packed(product(product(turn, unpacked(moments, 3)), transpose(turn)))
        rotation, translation = composed(values, placed.steps, placed.leaves)
        total = total.plus(
            from_center_of_mass(mass, center, about).seen_from_parent(Transform(rotation, Identity(), translation))
        )
    return total.turned(General(transpose(body.alignment)))


def _rigid(values: Values, body: Body) -> dict[str, Scalar]:
    """The constants of TRANSLATION and INERTIA."""
    origin = times(transpose(body.parent_alignment), composed(values, body.steps, body.leaves)[1])
    inertia = _lumped(values, body)
    for straight in body.carried:
        inertia = inertia.plus(inertia_from(straight))
    constants = dict(zip(TRANSLATION, origin, strict=True))
    return constants | dict(zip(INERTIA, inertia.scalars(), strict=True))


def _loads(numbers: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The constants of LOSSES, DRIVE and SPRING from the numbers that are given for them."""
    return {name: numbers.get(name, 0.0) for name in LOSSES} | drive_constants(numbers)


def _load_numbers(model: Model, body: Body) -> dict[str, tuple[Number, str]]:
    """Numbers of the joint's losses, rotor and springs, with their leaves."""
    found = drive_numbers(body.joint.actuator, body.joint.elastic, body.joint.spring)
    losses = body.joint.losses
    if losses is not None and model.joint_losses:
        found |= {"damping": losses.damping, "friction": losses.friction}
    return {name: (number, f"{body.joint.joint}.{name}") for name, number in found.items()}


def _rigid_numbers(body: Body) -> list[tuple[Number, str]]:
    """Every (number, leaf) on which translation and inertia rest."""
    found: list[tuple[Number, str]] = []
    chains = [(body.steps, body.leaves), *((placed.steps, placed.leaves) for placed in body.inertials)]
    for steps, leaves in chains:
        for step, leaf in zip(steps, leaves, strict=True):
            names = (f"{leaf}.translation.{axis}" if leaf else "" for axis in "xyz")
            found += list(zip(step.translation, names, strict=True))
    for placed in body.inertials:
        inertial = placed.inertial
        found.append((inertial.mass, f"{placed.link}.mass"))
        for axis, number in zip("xyz", inertial.placement.translation, strict=True):
            found.append((number, f"{placed.link}.com.{axis}"))
        for pair, number in zip(("xx", "xy", "xz", "yy", "yz", "zz"), inertial.moments, strict=True):
            found.append((number, f"{placed.link}.inertia.{pair}"))
    return found
