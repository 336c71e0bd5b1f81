"""Names are data: anything printable, of bounded length, and unique in its kind."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from symdyn.description.actuation import JointActuator
from symdyn.description.checks.parameters import check_parameter_name
from symdyn.description.checks.units import check_unit
from symdyn.description.loops import Holding
from symdyn.description.robot import Link, RobotDescription
from symdyn.description.text.position import at, shown
from symdyn.errors import DescriptionError

MAX_NAME = 200
"""Longest name, in characters."""

_LINE_BREAKING = ("Cc", "Zl", "Zp", "Cs")


def check_names(description: RobotDescription) -> None:
    """Raise a DescriptionError for a name that is empty, too long or repeated, or holds control characters."""
    source = description.source
    _check(description.name, "robot", None, source)
    _check_kind("link", ((link.name, link.line) for link in description.links), source)
    _check_kind("joint", ((joint.name, joint.line) for joint in description.joints), source)
    _check_kind("frame", ((frame.name, frame.line) for frame in description.frames), source)
    driven = description.actuation
    _check_kind("tendon", ((tendon.name, tendon.line) for tendon in driven.tendons), source)
    _check_kind("chamber", ((chamber.name, chamber.line) for chamber in driven.chambers), source)
    drivers = (own for own in driven.actuators if isinstance(own, JointActuator))
    _check_kind("actuator", ((own.name, own.line) for own in drivers), source)
    for kind, holds in (("load", False), ("loop", True)):
        acting = (own for own in description.acting if isinstance(own, Holding) is holds)
        _check_kind(kind, ((own.name, own.line) for own in acting), source)
    links = {link.name for link in description.links}
    seen: set[str] = set()
    for parameter in description.parameters:
        place = f"{source}: parameter {shown(parameter.name)}"
        try:
            check_parameter_name(parameter.name)
            check_unit(parameter.unit, parameter.value)
        except DescriptionError as failure:
            raise DescriptionError(f"{place}: {failure}") from None
        if parameter.name in seen:
            raise DescriptionError(f"{place} is declared twice; rename one")
        seen.add(parameter.name)
    _check_reserved(description)
    for frame in description.frames:
        if frame.name in links:
            raise DescriptionError(
                f"{at(source, frame.line)}: frame {shown(frame.name)} has the name of a link, which is a frame "
                "already; rename it"
            )


def _check_reserved(description: RobotDescription) -> None:
    """Refuse names that the tip and the coordinates of a flexible or soft link have."""
    source = description.source
    owners = {link.name: f"{_kind_of(link)} link {shown(link.name)}" for link in description.links if link.deforms}
    tips = {f"{name}.tip": owner for name, owner in owners.items()}
    taken = [("link", link.name, link.line) for link in description.links]
    taken += [("joint", joint.name, joint.line) for joint in description.joints]
    taken += [("frame", frame.name, None) for frame in description.frames]
    for kind, name, line in taken:
        if name in tips:
            raise DescriptionError(
                f"{at(source, line)}: {kind} {shown(name)} has the name of the tip of the {tips[name]}; rename it"
            )
    rows = {f"{link.name}.{row}": owners[link.name] for link in description.links for row in _rows(link)}
    for joint in description.joints:
        if joint.name in rows:
            raise DescriptionError(
                f"{at(source, joint.line)}: joint {shown(joint.name)} has the name of a coordinate of the "
                f"{rows[joint.name]}; rename it"
            )


def _kind_of(link: Link) -> str:
    if link.deformable is not None:
        return "deformable"
    return "soft" if link.flexible is None else "flexible"


def _rows(link: Link) -> Iterator[str]:
    if link.flexible is not None:
        for modes in link.flexible.modes:
            yield from (f"{modes.direction.value}[{number}]" for number in range(modes.count))
    if link.soft is not None:
        yield from link.soft.rows
    if link.deformable is not None:
        yield from link.deformable.rows


def _check_kind(kind: str, named: Iterable[tuple[str, int | None]], source: str) -> None:
    seen: dict[str, int | None] = {}
    for name, line in named:
        _check(name, kind, line, source)
        if name in seen:
            first = "" if seen[name] is None else f", first in line {seen[name]}"
            raise DescriptionError(f"{at(source, line)}: two {kind}s are named {shown(name)}{first}; rename one")
        seen[name] = line


def _check(name: str, kind: str, line: int | None, source: str) -> None:
    place = f"{at(source, line)}: {kind} {shown(name)}"
    if not name.strip():
        raise DescriptionError(f"{place}: the name is empty; give the {kind} a name")
    if len(name) > MAX_NAME:
        raise DescriptionError(f"{place}: the name has {len(name)} characters; at most {MAX_NAME} are read")
    for character in name:
        if unicodedata.category(character) in _LINE_BREAKING:
            raise DescriptionError(
                f"{place}: the name holds the control character U+{ord(character):04X}; use printable characters"
            )
