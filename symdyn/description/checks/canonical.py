"""Every description as a file would give it: axes of length one, exact rotations, numbers that can be written.

Files are read so. What is made in Python goes through here, so that whatever is written is read back as the same robot.

Expressions in x as a robot file gives them: one spelling for each, so that what is written is read as the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from symdyn.description.actuation import Actuation, JointActuator
from symdyn.description.checks.external_loads import acting_place, ordered
from symdyn.description.checks.loops import spelt_loop
from symdyn.description.checks.pfaffian import spelt_pfaffian
from symdyn.description.checks.rotation import dot, perpendicular, rotation_from_matrix, unit_vector
from symdyn.description.collision import Shape
from symdyn.description.external_loads import Acting
from symdyn.description.flexible import Flexible, Profile
from symdyn.description.loops import Loop
from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.number import SMALLEST
from symdyn.description.quantities.placement import IDENTITY, Placement
from symdyn.description.robot import Frame, Joint, JointKind, Limits, Link, RobotDescription
from symdyn.description.soft import SECTION_KEYS, Soft, Strain
from symdyn.description.text.position import at, shown
from symdyn.errors import DescriptionError


def spelt_beam(beam: Flexible) -> Flexible:
    """A sound beam with all expressions in the reader's spelling."""
    inertia = beam.section_inertia
    return replace(
        beam,
        mass_per_length=_profile(beam.mass_per_length),
        modes=tuple(
            replace(modes, stiffness=_profile(modes.stiffness), functions=_all(modes.functions)) for modes in beam.modes
        ),
        section_inertia=None if inertia is None else (_profile(inertia[0]), _profile(inertia[1])),
    )


def spelt_rod(rod: Soft) -> Soft:
    """A sound rod with all expressions in the reader's spelling."""
    section = rod.section
    spelt: dict[str, Any] = {key: _one(getattr(section, key)) for key in SECTION_KEYS[section.shape]}
    return replace(
        rod,
        section=replace(section, **spelt),
        strains=tuple(replace(own, functions=_all(own.functions)) for own in rod.strains),
        coupled=tuple(replace(own, functions=_by_strain(own.functions)) for own in rod.coupled),
        reference=_by_strain(rod.reference),
    )


def spelt_mapped(body: Mapped) -> Mapped:
    """A sound body given by its map with all expressions in the reader's spelling."""
    free = (*MATERIAL, *body.rows, *body.parameters)
    x, y, z, energy, density = (
        MapExpression(text).bound({}, free).text if text else ""
        for text in (*body.map, body.energy, body.energy_density)
    )
    return replace(body, map=(x, y, z), energy=energy, energy_density=density)


def spelt_actuation(actuation: Actuation) -> Actuation:
    """Sound tendons and chambers with all expressions in the reader's spelling."""
    return replace(
        actuation,
        tendons=tuple(
            replace(tendon, strands=tuple(replace(own, y=_one(own.y), z=_one(own.z)) for own in tendon.strands))
            for tendon in actuation.tendons
        ),
        chambers=tuple(
            replace(own, area=_one(own.area), moment_y=_one(own.moment_y), moment_z=_one(own.moment_z))
            for own in actuation.chambers
        ),
    )


def _profile(profile: Profile) -> Profile:
    return replace(profile, values=_all(profile.values))


def _by_strain(functions: Iterable[tuple[Strain, str]]) -> tuple[tuple[Strain, str], ...]:
    return tuple((strain, _one(text)) for strain, text in functions)


def _all(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_one, texts))


def _one(text: str) -> str:
    return BeamExpression(text).bound({}).text


RIGHT_ANGLE = 1e-15
"""Cosine up to which two axes are at right angles to rounding."""


def canonical(description: RobotDescription) -> RobotDescription:
    """The description with axes and rotations exact to rounding, and each expression in x in its one spelling.

    Nothing changes where they are so already.

    Raises
    ------
    DescriptionError
        A rotation that is none, a number that is not finite or nearer to zero than ``SMALLEST``.
    """
    source = description.source
    return replace(
        description,
        links=tuple(_link(link, f"{at(source, link.line)}: link {shown(link.name)}") for link in description.links),
        joints=tuple(
            _joint(joint, f"{at(source, joint.line)}: joint {shown(joint.name)}") for joint in description.joints
        ),
        frames=tuple(
            _frame(frame, f"{at(source, frame.line)}: frame {shown(frame.name)}") for frame in description.frames
        ),
        actuation=spelt_actuation(description.actuation),
        acting=tuple(map(_acting, ordered(description.acting))),
        contact=replace(
            description.contact,
            obstacles=tuple(
                replace(own, shape=_shape(own.shape, f"{at(source, own.line)}: obstacle {shown(own.name)}"))
                for own in description.contact.obstacles
            ),
        ),
    )


def _shape(shape: Shape, place: str) -> Shape:
    """A shape with an axis of length one, and axes exact to rounding."""
    turned = _placement(Placement(rotation=shape.rotation), place).rotation
    return replace(shape, rotation=turned, axis=unit_vector(shape.axis) or shape.axis)


def _acting(own: Acting) -> Acting:
    if isinstance(own, Loop):
        return spelt_loop(own)
    return spelt_pfaffian(own) if isinstance(own, Pfaffian) else own


def check_numbers(description: RobotDescription) -> None:
    """Raise a DescriptionError for a number that a robot file cannot hold; missing limits alone are infinite."""
    source = description.source
    owners: list[tuple[str, Any]] = [
        *((f"{at(source, link.line)}: link {shown(link.name)}", link) for link in description.links),
        *((f"{at(source, joint.line)}: joint {shown(joint.name)}", joint) for joint in description.joints),
        *((f"{at(source, frame.line)}: frame {shown(frame.name)}", frame) for frame in description.frames),
        *((f"{source}: parameter {shown(item.name)}", item) for item in description.parameters),
        (f"{source}: gravity", description.gravity),
        (f"{source}: load", description.load),
        *((f"{at(source, own.line)}: obstacle {shown(own.name)}", own) for own in description.contact.obstacles),
        (f"{source}: contact_options", description.contact.options),
        (f"{source}: limits.restitution", description.contact.limit_restitution),
        *((f"{at(source, item.line)}: tendon {shown(item.name)}", item) for item in description.actuation.tendons),
        *((f"{at(source, item.line)}: {acting_place(item)}", item) for item in description.acting),
        *((f"{at(source, item.line)}: chamber {shown(item.name)}", item) for item in description.actuation.chambers),
        *(
            (f"{at(source, item.line)}: actuator {shown(item.name)}", item)
            for item in description.actuation.actuators
            if isinstance(item, JointActuator)
        ),
    ]
    for place, owner in owners:
        for path, value in _numbers(owner, ""):
            if not (math.isfinite(value) and (value == 0.0 or abs(value) >= SMALLEST)):
                raise DescriptionError(
                    f"{place}{':' if path else ''}{path} is {value:g}; expected 0, or a magnitude from {SMALLEST:g} to "
                    "1.8e308"
                )


def _numbers(value: Any, path: str) -> Iterator[tuple[str, float]]:
    """All numbers of nested dataclasses and tuples, with the names of the fields above them."""
    if isinstance(value, float | int):
        yield path, value
    elif isinstance(value, tuple):
        for item in value:
            yield from _numbers(item, path)
    elif isinstance(value, Limits):
        for name, default in _UNLIMITED.items():
            bound = getattr(value, name)
            if bound != default:
                yield f"{path}.{name}", bound
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _names(type(value)):
            yield from _numbers(getattr(value, name), f"{path}.{name}" if path else f" {name}")


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "line")


_UNLIMITED = {name: getattr(Limits(), name) for name in _names(Limits)}


def _link(link: Link, place: str) -> Link:
    inertial, beam, rod = link.inertial, link.flexible, link.soft
    if inertial is not None:
        turned = _placement(inertial.placement, place)
        if turned is not inertial.placement:
            link = replace(link, inertial=replace(inertial, placement=turned))
    if beam is not None:
        turned = _placement(beam.placement, place)
        if turned is not beam.placement:
            beam = replace(beam, placement=turned)
        link = replace(link, flexible=spelt_beam(beam))
    if rod is not None:
        turned = _placement(rod.placement, place)
        if turned is not rod.placement:
            rod = replace(rod, placement=turned)
        link = replace(link, soft=spelt_rod(rod))
    if link.deformable is not None:
        link = replace(link, deformable=spelt_mapped(link.deformable))
    if link.collision:
        shapes = tuple(replace(own, shape=_shape(own.shape, place)) for own in link.collision)
        link = replace(link, collision=shapes)
    return link


def _joint(joint: Joint, place: str) -> Joint:
    turned = _placement(joint.placement, place)
    axis = unit_vector(joint.axis) or joint.axis
    second = unit_vector(joint.second_axis) or joint.second_axis
    if joint.kind is JointKind.UNIVERSAL and abs(dot(axis, second)) > RIGHT_ANGLE:
        second = perpendicular(second, axis)
    if turned is joint.placement and axis is joint.axis and second is joint.second_axis:
        return joint
    return replace(joint, placement=turned, axis=axis, second_axis=second)


def _frame(frame: Frame, place: str) -> Frame:
    turned = _placement(frame.placement, place)
    return frame if turned is frame.placement else replace(frame, placement=turned)


def _placement(placement: Placement, place: str) -> Placement:
    rotation = placement.rotation
    if rotation is IDENTITY:
        return placement
    try:
        turned = rotation_from_matrix(rotation)
    except ValueError as failure:
        raise DescriptionError(f"{place}: rotation: {failure}") from None
    return placement if turned is rotation else replace(placement, rotation=turned)
