"""The numbers of each body, over any scalar: baked where they are known, computed from p where they are not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.model.bodies import Body, ModelJoint
from symdyn.model.drives import drive_constants
from symdyn.model.leaves import Numbers, inertial_numbers, load_numbers
from symdyn.model.model import Model
from symdyn.model.rod_matter import factor
from symdyn.model.values import Values
from symdyn.scalars.affine import Affine
from symdyn.scalars.algebra import Algebra, Scalar
from symdyn.spatial.inertia import ZERO, Inertia, inertia_from
from symdyn.spatial.rotations import ROUNDING, General, Identity
from symdyn.spatial.transform import Transform
from symdyn.spatial.vectors import times, transpose

ROTATION = tuple(f"E{row}{column}" for row in range(3) for column in range(3))
TRANSLATION = ("lx", "ly", "lz")
FIRST_MOMENT = ("hx", "hy", "hz")
SECOND_MOMENT = ("Sxx", "Sxy", "Sxz", "Syy", "Syz", "Szz")
INERTIA = ("m", *FIRST_MOMENT, *SECOND_MOMENT)
LOSSES = ("damping", "friction")
DRIVE = ("armature", "stiffness", "spring_damping")
"""Inertia of the rotor at the joint's side of the gear; spring and damper between the motor and the link."""


@dataclass(frozen=True, slots=True)
class BodyConstants:
    """One body's numbers by name: those of TRANSLATION, INERTIA, LOSSES and DRIVE.

    Translation is the joint frame's origin in the parent's aligned frame [m]; inertia is about the body's own origin in
    its aligned axes, all its links lumped. The rotation between the two is ``Body.rotation``, always baked.
    """

    values: dict[str, Scalar]

    @property
    def offset(self) -> list[Scalar]:
        """Those of TRANSLATION."""
        return [self.values[name] for name in TRANSLATION]


def inertia_of(constants: Mapping[str, Scalar]) -> Inertia:
    """A body's own inertia from its constants of INERTIA."""
    return inertia_from([constants[name] for name in INERTIA])


def inertia_constants(inertia: Inertia) -> dict[str, Scalar]:
    """Inverse of :func:`inertia_of`."""
    return dict(zip(INERTIA, inertia.scalars(), strict=True))


def bind_body(model: Model, body: Body, algebra: Algebra, p: Sequence[Scalar]) -> BodyConstants:
    """The constants of a body from run-time parameters p over an algebra."""
    values = Values(model.parameters, model.slots, algebra, p)
    loads = _loads(values.numbers(_load_numbers(model, body.joint), body.joint.joint))
    return BodyConstants(_rigid(values, body) | loads)


def baked_body(model: Model, body: Body) -> BodyConstants | None:
    """The constants as floats with rounding noise removed, or None where geometry or inertia needs a parameter.

    Absent are those of LOSSES and DRIVE that need one (see :func:`baked_loads`).
    """
    values = Values(model.parameters, model.slots)
    if any(map(values.way_depends, (body.way, *(placed.way for placed in body.inertials)))):
        return None
    if any(
        placed.factors or values.depends(inertial_numbers(placed.inertial), placed.link) for placed in body.inertials
    ):
        return None
    loads = {name: value for name, value in baked_loads(model, body).items() if value is not None}
    return BodyConstants(without_noise(_rigid(values, body)) | loads)


def baked_loads(model: Model, body: Body) -> dict[str, float | None]:
    """The constants of LOSSES and DRIVE as floats, None for one that needs a run-time parameter."""
    values, joint = Values(model.parameters, model.slots), body.joint.joint
    known: dict[str, Scalar] = {}
    for name, number in _load_numbers(model, body.joint).items():
        alone = {name: number}
        known |= dict.fromkeys(alone, math.nan) if values.depends(alone, joint) else values.numbers(alone, joint)
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


def _rigid(values: Values, body: Body) -> dict[str, Scalar]:
    """The constants of TRANSLATION and INERTIA."""
    offset, total = times(transpose(body.parent_alignment), values.composed(body.way)[1]), ZERO
    for placed in body.inertials:
        own = values.inertia(placed.link, placed.inertial)
        if placed.factors:
            own = own.times(factor(placed.factors, values))
        rotation, origin = values.composed(placed.way)
        total = total.plus(own.seen_from_parent(Transform(rotation, Identity(), origin)))
    total = total.turned(General(transpose(body.alignment)))
    for straight in body.carried:
        total = total.plus(inertia_from(straight))
    return dict(zip(TRANSLATION, offset, strict=True)) | inertia_constants(total)


def _loads(numbers: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The constants of LOSSES and DRIVE from the numbers that are given for them."""
    return {name: numbers.get(name, 0.0) for name in LOSSES} | drive_constants(numbers)


def _load_numbers(model: Model, joint: ModelJoint) -> Numbers:
    losses = joint.losses if model.joint_losses else None
    return load_numbers(losses, joint.actuator, joint.elastic)
