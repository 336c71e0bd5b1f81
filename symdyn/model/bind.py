"""The numbers of each body, over any scalar: baked where they are known, computed from p where they are not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symdyn.algebra.scalars.affine import Affine
from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.inertia import ZERO, Inertia, inertia_from
from symdyn.algebra.spatial.rotations import ROUNDING, General, Identity, Matrix3
from symdyn.algebra.spatial.transform import Transform
from symdyn.algebra.spatial.vectors import Matrix, times, transpose
from symdyn.model.bodies import Body, ModelJoint
from symdyn.model.drives import drive_constants
from symdyn.model.model import Model
from symdyn.model.parameter_names import Numbers, inertial_numbers, load_numbers
from symdyn.model.rod_matter import factor
from symdyn.model.values import Values

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


def summed_of(inertia: Inertia, placed: Transform) -> dict[str, Scalar] | None:
    """Sizes of what the constants of an inertia are summed of that is seen from elsewhere; None if p is in it."""
    if any(isinstance(x, Affine) for x in (*inertia.scalars(), *placed.origin)):
        return None
    origin = [abs(x) for x in placed.origin]
    return inertia_constants(inertia.sizes().seen_from_parent(Transform(sizes_of(placed.fixed), Identity(), origin)))


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
    constants, sizes = _rigid(values, body), _inertia(values, body, of_sizes=True)
    return BodyConstants(without_noise(constants, inertia_constants(sizes)) | loads)


def baked_loads(model: Model, body: Body) -> dict[str, float | None]:
    """The constants of LOSSES and DRIVE as floats, None for one that needs a run-time parameter."""
    values, joint = Values(model.parameters, model.slots), body.joint.joint
    known: dict[str, Scalar] = {}
    for name, number in _load_numbers(model, body.joint).items():
        alone = {name: number}
        known |= dict.fromkeys(alone, math.nan) if values.depends(alone, joint) else values.numbers(alone, joint)
    return {name: None if math.isnan(value) else value for name, value in _loads(known).items()}


def without_noise(constants: Mapping[str, Scalar], summed: Mapping[str, Scalar] | None = None) -> dict[str, Scalar]:
    """Constants with those entries of a vector or matrix set to zero that are rounding errors of its largest.

    Of affine scalars offsets are compared with offsets, and gains with those of the same atom.

    Parameters
    ----------
    constants
        Constants by name.
    summed
        Sizes of what second moments were summed of, where known. One on the diagonal is kept then that is above the
        rounding of that sum, if a moment of inertia would change without it: a thin rod has one about its axis.
    """
    cleaned = dict(constants)
    for group in (TRANSLATION, FIRST_MOMENT, SECOND_MOMENT):
        largest = max(abs(_offset(constants[name])) for name in group)
        gains: dict[int, float] = {}
        for value in (constants[name] for name in group):
            if isinstance(value, Affine):
                gains[value.atom] = max(gains.get(value.atom, 0.0), abs(value.gain))
        for name in group:
            floor = ROUNDING * largest
            if summed is not None and name in _DIAGONAL:
                others = (abs(_offset(constants[own])) for own in _DIAGONAL if own != name)
                beside = min((size for size in others if size), default=0.0)
                floor = min(floor, max(ROUNDING * _offset(summed[name]), _FELT * beside))
            cleaned[name] = _cleaned(constants[name], floor, gains)
    return cleaned


_DIAGONAL = ("Sxx", "Syy", "Szz")
_FELT = 1e-12
"""Of the least other second moment: what a moment of inertia, their sum, does not change by."""


def sizes_of(matrix: Matrix) -> Matrix3:
    """The sizes of the entries of a constant rotation."""
    (a, b, c), (d, e, f), (g, h, i) = ([abs(entry) for entry in row] for row in matrix)
    return (a, b, c), (d, e, f), (g, h, i)


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
    offset = times(transpose(body.parent_alignment), values.composed(body.way)[1])
    return dict(zip(TRANSLATION, offset, strict=True)) | inertia_constants(_inertia(values, body))


def _inertia(values: Values, body: Body, of_sizes: bool = False) -> Inertia:
    """The inertia of all links of a body; or the sizes of what its entries are summed of, where all are numbers."""
    total = ZERO
    for placed in body.inertials:
        own = values.inertia(placed.link, placed.inertial)
        if placed.factors:
            own = own.times(factor(placed.factors, values))
        rotation, origin = values.composed(placed.way)
        if of_sizes:
            own, rotation, origin = own.sizes(), sizes_of(rotation), [abs(x) for x in origin]
        total = total.plus(own.seen_from_parent(Transform(rotation, Identity(), origin)))
    turn = transpose(body.alignment)
    total = total.turned(General(sizes_of(turn) if of_sizes else turn))
    for straight in body.carried:
        more = inertia_from(straight)
        total = total.plus(more.sizes() if of_sizes else more)
    return total


def _loads(numbers: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The constants of LOSSES and DRIVE from the numbers that are given for them."""
    return {name: numbers.get(name, 0.0) for name in LOSSES} | drive_constants(numbers)


def _load_numbers(model: Model, joint: ModelJoint) -> Numbers:
    losses = joint.losses if model.joint_losses else None
    return load_numbers(losses, joint.actuator, joint.elastic)
