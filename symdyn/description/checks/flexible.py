"""Whether a beam can be as it is described, and be computed with."""

from __future__ import annotations

import math
from collections.abc import Iterator

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.external_loads import acting_place
from symdyn.description.checks.flexible_shapes import basis_faults
from symdyn.description.checks.inertia import LARGEST
from symdyn.description.flexible import MOST_MODES, STIFFNESS_KEYS, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Attachment, Link, RobotDescription
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

Fault = tuple[Path, str]
"""Keys of the YAML format below ``flexible``, and what to say after naming the place."""


def check_flexible(description: RobotDescription) -> Iterator[str]:
    """Warnings about flexible links.

    Raises
    ------
    DescriptionError
        A beam with a fault, or something fixed to the root of a link that does not bend.
    """
    source = description.source
    deforming = {link.name for link in description.links if link.deforms}
    attached: list[tuple[str, str, Attachment | float]] = []
    attached += [(f"{at(source, j.line)}: joint {shown(j.name)}", j.parent, j.at) for j in description.joints]
    attached += [(f"{source}: frame {shown(frame.name)}", frame.link, frame.at) for frame in description.frames]
    for acting in description.acting:
        place = f"{at(source, acting.line)}: {acting_place(acting)}"
        attached += [(place, site.link, site.at) for site in acting.stands if site.link]
    for place, link_name, where in attached:
        if where in (Attachment.ROOT, Attachment.END) and link_name not in deforming:
            raise DescriptionError(
                f"{place}: link {shown(link_name)} is rigid; only flexible and soft links have a root and an end"
            )
    rods = {link.name: link.soft for link in description.links if link.soft is not None}
    for place, link_name, where in attached:
        if isinstance(where, Attachment):
            continue
        if link_name not in rods:
            raise DescriptionError(
                f"{place}: at is {where:g}, a place along a rod, and link {shown(link_name)} is not soft; delete it"
            )
        if not 0.0 < where <= rods[link_name].length:
            raise DescriptionError(
                f"{place}: at is {where:g}; expected more than 0 m and at most the length of link {shown(link_name)}, "
                f"{rods[link_name].length:g} m, or end, tip, root"
            )
    loaded = {joint.parent for joint in description.joints if joint.at.moves}
    for link in description.links:
        if link.flexible is None:
            continue
        for keys, words in faults(link.flexible):
            key = ".".join(map(str, ("flexible", *keys)))
            raise DescriptionError(f"{at(source, link.line)}: link {shown(link.name)}: {key}{words}")
        yield from _doubts(link, link.flexible, link.name in loaded)


def faults(beam: Flexible) -> Iterator[Fault]:
    """What is wrong with a beam, the first things first; whatever follows may rest on what came before."""
    if not 0.0 < beam.length <= LARGEST:
        yield ("length",), f" is {beam.length:g}; a beam is longer than 0 m"
        return
    for entry in beam.placement.translation:
        if not isinstance(entry, float | int) or not abs(entry) <= LARGEST:
            yield ("start",), f" holds {shown(entry)}; expected numbers [m] up to {LARGEST:g}"
    yield from _profile_faults(beam.mass_per_length, ("mass_per_length",), beam.length)
    for axis, profile in zip("yz", beam.section_inertia or (), strict=False):
        yield from _profile_faults(profile, ("section_inertia", axis), beam.length)
    yield from _direction_faults(beam)
    for modes in beam.modes:
        yield from _profile_faults(modes.stiffness, STIFFNESS_KEYS[modes.direction], beam.length)
        yield from _damping_faults(modes)
    yield from basis_faults(beam)
    if beam.stiffening and all(modes.direction is Direction.AXIAL for modes in beam.modes):
        yield ("stiffening",), " means nothing without bend_y, bend_z or torsion; give modes of one, or delete it"


def _profile_faults(profile: Profile, key: Path, length: float) -> Iterator[Fault]:
    if len(profile.ends) != len(profile.values) or not profile.ends:
        yield key, f" has {len(profile.ends)} ends of stretches and {len(profile.values)} values; expected one each"
        return
    start = 0.0
    single = len(profile.ends) == 1
    for number, (end, text) in enumerate(zip(profile.ends, profile.values, strict=True)):
        step: Path = key if single else (*key, "steps", number)
        if not start < end <= length:
            yield (*step, "to"), f" is {end:g}; expected more than {start:g} and at most length, {length:g}"
            return
        if number == len(profile.ends) - 1 and end != length:
            yield (*step, "to"), f" is {end:g}, and the beam ends at length, {length:g}; describe it to its end"
            return
        wrong = expression_fault(text, start, end, positive=True, remedy=", or in steps")
        if wrong is not None:
            yield step if single else (*step, "value"), f" {wrong}; it is positive and finite all along the beam"
            return
        start = end


def _direction_faults(beam: Flexible) -> Iterator[Fault]:
    directions = [modes.direction for modes in beam.modes]
    if not directions:
        yield (), ": expected at least one mode; give modes, such as {bend_y: 2}, or delete flexible"
    if directions != [direction for direction in Direction if direction in directions]:
        listed = ", ".join(direction.value for direction in directions)
        yield ("modes",), f": {listed}: expected each direction once, in the order of Direction"
    for modes in beam.modes:
        if not 1 <= modes.count <= MOST_MODES:
            yield ("modes", modes.direction.value), f" is {modes.count}; expected 1 to {MOST_MODES} where it bends"
    if Direction.TORSION in directions and beam.section_inertia is None:
        yield (), ": section_inertia is missing, and torsion turns the sections; give its y and z [kg m]"


def _damping_faults(modes: Modes) -> Iterator[Fault]:
    name = modes.direction.value
    if modes.damping_ratios and modes.retardation_time != 0.0:
        yield ("damping",), f": {name} has ratios and a retardation_time; keep one"
    if modes.damping_ratios and len(modes.damping_ratios) != modes.count:
        given, wanted = len(modes.damping_ratios), modes.count
        yield ("damping", "ratio", name), f": {name} has {wanted} modes and the list {given} ratios; give one for each"
    for ratio in modes.damping_ratios:
        if not 0.0 <= ratio < math.inf:
            yield ("damping", "ratio", name), f" is {ratio:g}, which would add energy; a damping ratio is at least 0"
    if not 0.0 <= modes.retardation_time < math.inf:
        time = modes.retardation_time
        yield ("damping", "retardation_time", name), f" is {time:g} s, which would add energy; it is at least 0"


def _doubts(link: Link, beam: Flexible, loaded: bool) -> Iterator[str]:
    place = f"{on_line(link.line)}link {shown(link.name)}"
    if any(ratio >= 1.0 for modes in beam.modes for ratio in modes.damping_ratios):
        yield f"{place}: a damping ratio of 1 and more does not let a mode swing; 0.01 is one per cent"
    if (beam.tip_mass > 0.0 or beam.tip_inertia > 0.0) and not loaded:
        yield (
            f"{place}: tip_mass and tip_inertia shape the modes and are no load themselves, and no joint hangs a link "
            "on the tip; add it"
        )
