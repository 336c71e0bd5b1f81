"""Whether the shapes of a beam suit its ends and its directions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from symdyn.description.checks.along import expression_fault
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.quantities.beam_expression import BeamExpression
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
