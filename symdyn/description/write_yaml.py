"""RobotDescription to symdyn's YAML: the resolved robot beside generated code, read back to the last bit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from symdyn.description.expression import Expression
from symdyn.description.robot import (
    IDENTITY,
    Actuator,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Losses,
    Matrix3,
    Number,
    Parameter,
    Placement,
    RobotDescription,
)

_HEAD = "# Robot in symdyn's YAML. SI units, angles in radians."
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ORIGIN = (0.0, 0.0, 0.0)
_WITHOUT_AXIS = (JointKind.FIXED, JointKind.SPHERICAL, JointKind.FLOATING)


def write_yaml(description: RobotDescription) -> str:
    """Text of a robot file that :func:`parse_yaml` reads back as the same robot.

    Every float is written by ``repr`` and returns exactly; rotations are written as matrices. Left out are
    ``source``, ``warnings`` and line numbers, which belong to the file that was read, and properties that a joint's
    kind does not have. The text is ASCII and depends on nothing but the description.
    """
    return "\n".join(_lines(description)) + "\n"


def _lines(robot: RobotDescription) -> Iterator[str]:
    yield _HEAD
    yield "format: 1"
    yield f"name: {_text(robot.name)}"
    yield f"floating_base: {_flag(robot.floating_base)}"
    if robot.gravity is not None:
        yield f"gravity: {_list(robot.gravity)}"
    if robot.parameters:
        yield "parameters:"
        for parameter in robot.parameters:
            yield f"  {parameter.name}: {_parameter(parameter)}"
    yield "links:"
    for link in robot.links:
        entries = [] if link.inertial is None else list(_inertial(link.inertial))
        yield from _block(link.name, entries)
    if robot.joints:
        yield "joints:"
        for joint in robot.joints:
            yield from _block(joint.name, _joint(joint))
    if robot.frames:
        yield "frames:"
        for frame in robot.frames:
            yield from _block(frame.name, [f"link: {_text(frame.link)}", *_placement(frame.placement)])


def _block(name: str, entries: Iterable[str]) -> Iterator[str]:
    listed = [f"    {entry}" for entry in entries]
    yield f"  {_text(name)}:" if listed else f"  {_text(name)}: {{}}"
    yield from listed


def _parameter(parameter: Parameter) -> str:
    entries: dict[str, str] = {}
    if parameter.value is not None:
        entries["value"] = _number(parameter.value)
    if parameter.unit:
        entries["unit"] = _text(parameter.unit)
    if parameter.runtime:
        entries["runtime"] = "true"
    return _mapping(entries)


def _inertial(inertial: Inertial) -> Iterator[str]:
    yield f"mass: {_number(inertial.mass)}"
    placement = inertial.placement
    if placement.translation != _ORIGIN:
        yield f"com: {_list(placement.translation)}"
    if any(entry != 0.0 for entry in inertial.moments) or placement.rotation != IDENTITY:
        names = ("xx", "xy", "xz", "yy", "yz", "zz")
        entries = {name: _number(entry) for name, entry in zip(names, inertial.moments, strict=True)}
        if placement.rotation != IDENTITY:
            entries["rotation"] = _matrix(placement.rotation)
        yield f"inertia: {_mapping(entries)}"


def _joint(joint: Joint) -> Iterator[str]:
    yield f"type: {joint.kind.value}"
    yield f"parent: {_text(joint.parent)}"
    yield f"child: {_text(joint.child)}"
    yield from _placement(joint.placement)
    if joint.kind not in _WITHOUT_AXIS:
        yield f"axis: {_list(joint.axis)}"
    if joint.kind is JointKind.UNIVERSAL:
        yield f"second_axis: {_list(joint.second_axis)}"
    if joint.kind is JointKind.HELICAL:
        yield f"pitch: {_number(joint.pitch)}"
    if joint.limits is not None:
        yield f"limits: {_mapping(_differing(joint.limits, Limits()))}"
    if joint.losses != Losses() and joint.kind is not JointKind.FIXED:
        yield f"losses: {_mapping(_differing(joint.losses, Losses()))}"
    if joint.mimic is not None:
        multiplier, offset = _number(joint.mimic.multiplier), _number(joint.mimic.offset)
        yield f"mimic: {_mapping({'joint': _text(joint.mimic.joint), 'multiplier': multiplier, 'offset': offset})}"
    if joint.actuator is not None:
        yield f"actuator: {_mapping(_actuator(joint.actuator))}"
    if joint.elastic is not None:
        spring = {"stiffness": _number(joint.elastic.stiffness), "damping": _number(joint.elastic.damping)}
        yield f"elastic: {_mapping(spring | _actuator(joint.elastic.actuator))}"


def _actuator(actuator: Actuator) -> dict[str, str]:
    if actuator.armature is not None:
        return {"armature": _number(actuator.armature)}
    return {"rotor_inertia": _number(actuator.rotor_inertia), "gear_ratio": _number(actuator.gear_ratio)}


def _placement(placement: Placement) -> Iterator[str]:
    if placement.translation != _ORIGIN:
        yield f"translation: {_list(placement.translation)}"
    if placement.rotation != IDENTITY:
        yield f"rotation: {_matrix(placement.rotation)}"


def _differing(values: Any, defaults: Any) -> dict[str, str]:
    names: tuple[str, ...] = type(values).__slots__
    return {name: _number(getattr(values, name)) for name in names if getattr(values, name) != getattr(defaults, name)}


def _mapping(entries: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in entries.items()) + "}"


def _matrix(rows: Matrix3) -> str:
    return "[" + ", ".join(_list(row) for row in rows) + "]"


def _list(numbers: Iterable[Number]) -> str:
    return "[" + ", ".join(_number(number) for number in numbers) + "]"


def _number(number: Number) -> str:
    return f'"{number.text}"' if isinstance(number, Expression) else repr(float(number))


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _text(text: str) -> str:
    """A scalar that every YAML reader takes for this text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if " " <= character <= "~":
        return character
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
