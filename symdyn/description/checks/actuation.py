"""Whether tendons, chambers and actuators can be as they are described."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from symdyn.description.actuation import Chamber, JointActuator, RestStrain, Strand
from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.inertia import LARGEST
from symdyn.description.joint import DRIVEN, ONE_COORDINATE
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.robot import Joint, JointKind, RobotDescription
from symdyn.description.soft import GREEN_LAGRANGE, TURN, Soft
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

Fault = tuple[Path, str]
"""Keys of the YAML format below a tendon's part or a chamber, and what to say after naming the place."""

_SAMPLES = 32
_CLOSE = 1e-9
"""Of a section's size: what rounding leaves of tendons on its rim."""


def check_actuation(description: RobotDescription) -> Iterator[str]:
    """Warnings about tendons that leave the section.

    Raises
    ------
    DescriptionError
        A tendon or chamber with a fault, a name that two of joints, tendons and chambers share, an actuator that is
        unknown, named twice, or moves nothing of its own.
    """
    driven, source = description.actuation, description.source
    for tendon in driven.tendons:
        place = f"{at(source, tendon.line)}: tendon {shown(tendon.name)}"
        if not tendon.strands:
            raise DescriptionError(f"{place} runs along no soft link; give it one")
        for strand in tendon.strands:
            rod = _rod(description, strand.link, place)
            for keys, words in strand_faults(strand, rod):
                raise DescriptionError(f"{place}: {'.'.join(map(str, keys))}{words}")
            x = _outside(strand, rod)
            if x is not None:
                yield (
                    f"{on_line(tendon.line)}tendon {shown(tendon.name)} leaves the section of {shown(strand.link)} at "
                    f"x = {x:.6g} m; it is taken to be held there"
                )
    for chamber in driven.chambers:
        place = f"{at(source, chamber.line)}: chamber {shown(chamber.name)}"
        for keys, words in chamber_faults(chamber, _rod(description, chamber.link, place)):
            raise DescriptionError(f"{place}: {'.'.join(map(str, keys))}{words}")
    _check_actuators(description)


def strand_faults(strand: Strand, rod: Soft) -> Iterator[Fault]:
    """What is wrong with a part of a tendon along a rod."""
    yield from _span_faults(strand, rod)
    for key in ("y", "z"):
        wrong = expression_fault(getattr(strand, key), strand.start, strand.end, positive=False, largest=LARGEST)
        if wrong is not None:
            yield (key,), f" {wrong}; it is finite all along the tendon"


def chamber_faults(chamber: Chamber, rod: Soft) -> Iterator[Fault]:
    """What is wrong with a chamber inside a rod."""
    yield from _span_faults(chamber, rod)
    yield from _radii_faults(chamber, rod)
    for key in ("area", "moment_y", "moment_z"):
        positive = key == "area"
        wrong = expression_fault(getattr(chamber, key), chamber.start, chamber.end, positive=positive, largest=LARGEST)
        if wrong is not None:
            yield (key,), f" {wrong}; it is {'positive and ' if positive else ''}finite all along the chamber"


def _radii_faults(chamber: Chamber, rod: Soft) -> Iterator[Fault]:
    """What is wrong with where it lies in its sections, which it has to say where they deform."""
    if not chamber.wall:
        if rod.section_shapes:
            yield ("area",), " does not say how it changes as sections deform; give wall and angles"
        return
    first, last = chamber.angles
    if not last - first <= TURN * (1.0 + _CLOSE):
        yield ("angles",), f" span {last - first:g} rad; a section has 2*pi, and angles are in rad"
        return
    for text in chamber.radii(rod.section.radius):
        wrong = expression_fault(text, chamber.start, chamber.end, positive=False, largest=LARGEST)
        if wrong is None and min(BeamExpression(text).at(x) for x in (chamber.start, chamber.end)) < -_CLOSE:
            wrong = "reaches beyond the rod's axis"
        if wrong is not None:
            yield ("wall",), f" {wrong}; it lies between the axis and the outer radius"


def _span_faults(part: Strand | Chamber, rod: Soft) -> Iterator[Fault]:
    if not 0.0 <= part.start <= rod.length:
        yield ("from",), f" is {part.start:g} m, outside the rod; it is from 0 to {rod.length:g}"
    elif not part.start < part.end <= rod.length:
        yield (
            ("to",),
            f" is {part.end:g} m; it is more than {part.start:g} and at most the rod's length, {rod.length:g}",
        )


def _rod(description: RobotDescription, name: str, place: str) -> Soft:
    rods = {link.name: link.soft for link in description.links}
    if name not in rods:
        raise DescriptionError(f"{place}: link {shown(name)} is unknown{hint(name, rods)}")
    if (rod := rods[name]) is None:
        raise DescriptionError(f"{place}: link {shown(name)} is not soft; name a soft link")
    return rod


def _outside(strand: Strand, rod: Soft) -> float | None:
    """Where [m] a tendon is outside the section, if the section says how large it is."""
    y, z, section = BeamExpression(strand.y), BeamExpression(strand.z), rod.section
    for k in range(_SAMPLES + 1):
        x = strand.start + (strand.end - strand.start) * k / _SAMPLES
        if section.radius:
            reached = [((y.at(x) ** 2 + z.at(x) ** 2) ** 0.5, BeamExpression(section.radius).at(x))]
        elif section.width:
            sides = ((y, section.width), (z, section.height))
            reached = [(abs(place.at(x)), BeamExpression(side).at(x) / 2) for place, side in sides]
        else:
            return None
        if any(distance > most * (1.0 + _CLOSE) for distance, most in reached):
            return x
    return None


def _check_actuators(description: RobotDescription) -> None:
    driven, source = description.actuation, description.source
    joints = {joint.name: joint for joint in description.joints}
    known = [("tendon", tendon.name) for tendon in driven.tendons]
    known += [("chamber", chamber.name) for chamber in driven.chambers]
    taken = dict.fromkeys(joints, "joint")
    for kind, name in known:
        if name in taken:
            raise DescriptionError(
                f"{source}: {kind} {shown(name)} has the name of a {taken[name]}, so that actuators cannot tell them "
                "apart; rename one"
            )
        taken[name] = kind
    seen: set[str] = set()
    for own in driven.actuators:
        if isinstance(own, RestStrain):
            _check_rest_strain(description, own, seen)
            continue
        if isinstance(own, JointActuator):
            _check_joint_actuator(description, own, joints, {kind for kind in taken if kind not in joints} | seen)
            seen.add(own.name)
            continue
        name = own
        place = f"{source}: actuator {shown(name)}"
        if name not in taken:
            raise DescriptionError(f"{place} is no joint, tendon or chamber{hint(name, taken)}")
        if name in seen:
            raise DescriptionError(f"{place} is named twice; keep one")
        seen.add(name)
        if name in joints and joints[name].kind is JointKind.FIXED:
            raise DescriptionError(f"{place} is a fixed joint, which nothing drives; leave it out")
        if name in joints and joints[name].mimic is not None:
            raise DescriptionError(f"{place} is a joint that follows others; name those")


def _check_joint_actuator(
    description: RobotDescription, own: JointActuator, joints: Mapping[str, Joint], taken: Collection[str]
) -> None:
    """Refuse an actuator whose name is ``taken``, or that drives what it cannot."""
    place = f"{at(description.source, own.line)}: actuator {shown(own.name)}"
    if own.name in taken:
        raise DescriptionError(f"{place} has the name of another actuator, tendon or chamber; rename it")
    if not own.joints:
        raise DescriptionError(f"{place} drives no joint; name one")
    for name, factors in own.joints:
        if name not in joints:
            raise DescriptionError(f"{place}: joint {shown(name)} is unknown{hint(name, joints)}")
        kind = joints[name].kind
        if kind not in DRIVEN["actuator"]:
            raise DescriptionError(
                f"{place}: joint {shown(name)} is {kind.value}; actuators with factors drive joints with one "
                "coordinate and spherical ones, so name it alone under 'actuators'"
            )
        count = 1 if kind in ONE_COORDINATE else 3
        if len(factors) != count:
            raise DescriptionError(
                f"{place}: joint {shown(name)} is {kind.value}; expected {count} factor{'s' * (count > 1)}, got "
                f"{len(factors)}"
            )
        for what, numbers in (("bias", own.bias), ("gain", own.gain)):
            if count > 1 and numbers[1]:
                raise DescriptionError(
                    f"{place}: its force depends on its length, which a spherical joint does not have; leave out the "
                    f"second number of {what}"
                )


def _check_rest_strain(description: RobotDescription, rest: RestStrain, seen: set[str]) -> None:
    """Refuse what is none; ``seen`` are coordinates that have been named, to which it adds its own."""
    place = f"{description.source}: actuator rest: {shown(rest.of)}"
    rods = {link.name: link.soft for link in description.links if link.soft is not None}
    rows = {f"{link}.{row}": link for link, rod in rods.items() for row in rod.rows}
    found = [row for row, link in rows.items() if rest.names(row, link)]
    if not found:
        known = dict.fromkeys((*rods, *(row.partition("[")[0] for row in rows), *rows))
        raise DescriptionError(f"{place} is no soft link, strain of one or coordinate{hint(rest.of, known)}")
    bent = next((rows[row] for row in found if rods[rows[row]].section_law == GREEN_LAGRANGE), None)
    if bent is not None:
        raise DescriptionError(
            f"{place}: the energy of soft link {shown(bent)}, by section_law {GREEN_LAGRANGE}, has no strain at rest "
            "that could be moved; choose winkler"
        )
    twice = next((row for row in found if f"rest {row}" in seen), None)
    if twice is not None:
        raise DescriptionError(f"{place}: the rest strain of {shown(twice)} is named twice; keep one")
    seen.update(f"rest {row}" for row in found)
