"""Whether a beam can be as it is described, and be computed with.

That includes whether its shapes suit its ends and its directions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from symdyn.description.checks.along import expression_fault
from symdyn.description.checks.external_loads import acting_place
from symdyn.description.checks.inertia import LARGEST
from symdyn.description.flexible import MOST_MODES, STIFFNESS_KEYS, Basis, Direction, Flexible, Modes, Profile
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.robot import Attachment, Link, RobotDescription
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

_BENDING = (Direction.BEND_Y, Direction.BEND_Z)
_GIVEN = (Basis.EXPRESSIONS, Basis.TABLE)
_BENDING_ALONE = (Basis.PINNED_HUB, Basis.PINNED_PINNED)
_CLAMPED = 1e-9
_FEWEST_STATIONS = 4
_SAMPLES = 17

# Which numbers at an end belong to which basis, and the directions that feel them.
_ENDS = (
    ("tip_mass", Basis.CLAMPED_TIP_MASS, (*_BENDING, Direction.AXIAL)),
    ("tip_inertia", Basis.CLAMPED_TIP_MASS, (*_BENDING, Direction.TORSION)),
    *((f"hub_inertia.{axis}", Basis.PINNED_HUB, _BENDING) for axis in "xyz"),
)


def basis_faults(beam: Flexible) -> Iterator[tuple[Path, str]]:
    """What is wrong with the shapes of each direction, and with the numbers at the beam's ends."""
    for modes in beam.modes:
        name = modes.direction.value
        if modes.basis in _BENDING_ALONE and modes.direction not in _BENDING:
            possible = ", ".join(b.value for b in Basis if b not in (*_BENDING_ALONE, *_GIVEN))
            yield (
                ("basis", name),
                f": {name}: {modes.basis.value} is for bending; expected one of {possible}, or shapes",
            )
        given = {Basis.EXPRESSIONS: len(modes.functions), Basis.TABLE: len(modes.samples)}
        for basis in _GIVEN:
            if given[basis] != (modes.count if basis is modes.basis else 0):
                yield ("shapes", name), f": {name} has {modes.count} modes and {given[basis]} shapes; give one for each"
        if modes.basis is Basis.EXPRESSIONS:
            yield from _function_faults(modes, beam.length)
        if modes.basis is Basis.TABLE:
            yield from _table_faults(modes, beam.length)
    yield from _end_faults(beam)


def _end_faults(beam: Flexible) -> Iterator[tuple[Path, str]]:
    hub = dict(zip("xyz", beam.hub_inertia, strict=True))
    for name, basis, directions in _ENDS:
        key, _, axis = name.partition(".")
        value: float = hub[axis] if axis else getattr(beam, key)
        felt = any(modes.basis is basis and modes.direction in directions for modes in beam.modes)
        if not 0.0 <= value < math.inf:
            yield tuple(name.split(".")), f" is {value:g}; it is at least 0"
        if value != 0.0 and not felt:
            listed = ", ".join(direction.value for direction in directions)
            yield (
                (key,),
                f" means nothing without basis {basis.value} in one of {listed}; delete it, or give that basis",
            )
    if beam.tip_mass == beam.tip_inertia == 0.0:
        for modes in beam.modes:
            if modes.basis is Basis.CLAMPED_TIP_MASS:
                words = "clamped-tip-mass needs tip_mass or tip_inertia; without them it is clamped-free"
                yield ("basis", modes.direction.value), f": {words}"


def _function_faults(modes: Modes, length: float) -> Iterator[tuple[Path, str]]:
    name = modes.direction.value
    for number, text in enumerate(modes.functions):
        key = ("shapes", name, number)
        if (wrong := expression_fault(text, 0.0, length, positive=False)) is not None:
            yield key, f" {wrong}; a shape is finite all along the beam"
            continue
        shape = BeamExpression(text)
        largest = max(abs(shape.at(length * k / _SAMPLES)) for k in range(_SAMPLES + 1))
        if largest == 0.0:
            yield key, " is zero everywhere; delete it"
            continue
        if text in modes.functions[:number]:
            yield key, " is there twice; shapes are independent of each other"
        if abs(shape.at(0.0)) > _CLAMPED * largest:
            yield key, f" is {shape.at(0.0):.6g} at x = 0; a shape is 0 at the root, where the beam is clamped"
        try:
            slope = shape.slope(0.0) if modes.direction in _BENDING else 0.0
        except DescriptionError:
            slope = math.inf
        if abs(slope) * length > _CLAMPED * largest:
            yield key, f" has slope {slope:.6g} at x = 0; expected 0 at the root, where the beam is clamped"


def _table_faults(modes: Modes, length: float) -> Iterator[tuple[Path, str]]:
    key = ("shapes", modes.direction.value)
    stations = modes.stations
    ascending = all(first < second for first, second in pairwise(stations))
    if len(stations) < _FEWEST_STATIONS or not ascending or stations[0] != 0.0 or stations[-1] != length:
        yield (
            (*key, "stations"),
            f": expected at least {_FEWEST_STATIONS} distances that ascend from 0 to length, {length:g}",
        )
        return
    for number, sampled in enumerate(modes.samples):
        row = (*key, "samples", number)
        if len(sampled) != len(stations):
            yield row, f" has {len(sampled)} values for {len(stations)} stations; give one for each"
            continue
        if not all(map(math.isfinite, sampled)):
            yield row, " holds a value that is not finite"
        if not any(sampled):
            yield row, " is zero everywhere; delete it"
        if sampled in modes.samples[:number]:
            yield row, " is there twice; shapes are independent of each other"
        if sampled[0] != 0.0:
            yield row, f" begins with {sampled[0]:g}; a shape is 0 at the root, where the beam is clamped"


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
    attached += [
        (f"{at(source, frame.line)}: frame {shown(frame.name)}", frame.link, frame.at) for frame in description.frames
    ]
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
