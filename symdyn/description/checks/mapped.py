"""Whether a body given by its map can be as it is described, and be computed with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from symdyn.description.checks.inertia import LARGEST, SMALLEST_MASS
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.map_values import Array, MapValues
from symdyn.description.checks.parameters import check_parameter_name
from symdyn.description.mapped import COORDINATE_UNITS, MATERIAL, MOST_COORDINATES, MOST_POINTS, Mapped
from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.robot import Number, RobotDescription
from symdyn.description.text.position import at, hint, shown
from symdyn.description.text.validation import Path
from symdyn.errors import DescriptionError

Fault = tuple[Path, str]
"""Keys of the YAML format below ``deformable``, and what to say after naming the place."""

_ROUNDING = 1e-9
_SINGULAR = 1e12
_STATES = 3


def check_mapped(description: RobotDescription) -> None:
    """Raise a DescriptionError for a body given by its map that has a fault, or that bends in another way too."""
    known = known_values(description)
    for link in description.links:
        if link.deformable is None:
            continue
        place = f"{at(description.source, link.line)}: link {shown(link.name)}"
        if link.flexible is not None or link.soft is not None:
            other = "flexible" if link.flexible is not None else "soft"
            raise DescriptionError(f"{place}: {other} and deformable both say how it deforms; keep one")
        for keys, words in faults(_at_defaults(link.deformable, known, place)):
            raise DescriptionError(f"{place}: {'.'.join(map(str, ('deformable', *keys)))}{words}")


def _at_defaults(body: Mapped, known: dict[str, float], place: str) -> Mapped:
    """The body with numbers for what of its matter and energies has one before run time."""

    def value(number: Number, key: str) -> Number:
        found = value_of(number, known, f"{place}: deformable.{key}")
        return number if found is None else found

    numbers = {name: known[name] for name in body.parameters if name in known}
    left = tuple(name for name in body.parameters if name not in known)
    free = (*MATERIAL, *body.rows, *left)
    energy, held = (
        MapExpression(text).bound(numbers, free).text if text and numbers else text for text in body.energies
    )
    damping = tuple(value(own, f"damping.{name}") for name, own in zip(body.rows, body.damping, strict=False))
    if len(damping) < len(body.damping):
        damping = body.damping  # there are too many, which is told of
    return replace(
        body,
        density=value(body.density, "density"),
        damping=damping,
        energy=energy,
        energy_density=held,
        parameters=left,
    )


def faults(body: Mapped) -> Iterator[Fault]:
    """What is wrong with a body, the first things first; whatever follows may rest on what came before."""
    for kind in (coordinate_faults, _number_faults, _expression_faults):
        if found := list(kind(body)):
            yield from found
            return
    yield from _map_faults(body, MapValues(body))


def coordinate_faults(body: Mapped) -> Iterator[Fault]:
    """What is wrong with the names and units of its coordinates."""
    if not 1 <= len(body.coordinates) <= MOST_COORDINATES:
        yield ("coordinates",), f" are {len(body.coordinates)}; expected 1 to {MOST_COORDINATES}"
    seen: set[str] = set()
    for name, unit in body.coordinates:
        key: Path = ("coordinates", name)
        try:
            check_parameter_name(name)
        except DescriptionError as failure:
            yield key, f": {failure}"
        if name in MATERIAL or name in BEAM_FUNCTIONS:
            yield key, " means something else in expressions; rename the coordinate"
        if name in seen:
            yield key, " is there twice; rename one"
        seen.add(name)
        if unit not in COORDINATE_UNITS:
            yield key, f" has the unit {shown(unit)}; expected m, rad or 1"


def _number_faults(body: Mapped) -> Iterator[Fault]:
    for name, (start, end) in zip(MATERIAL, body.domain, strict=True):
        if not (-LARGEST <= start < end <= LARGEST):
            yield (
                ("domain",),
                f" of {name} is from {start:g} to {end:g}; expected it to end after its start, within {LARGEST:g}",
            )
    if isinstance(body.density, float | int) and not 0.0 < body.density <= LARGEST:
        yield ("density",), f" is {body.density:g}; a body has mass, so that it is above 0, and at most {LARGEST:g}"
    for name, count in zip(MATERIAL, body.quadrature, strict=True):
        if not 1 <= count <= MOST_POINTS:
            yield ("quadrature",), f" along {name} is {count}; expected a whole number from 1 to {MOST_POINTS}"
    if math.prod(body.quadrature) > MOST_POINTS:
        yield ("quadrature",), f" has {math.prod(body.quadrature)} points; expected at most {MOST_POINTS}"
    if body.damping and len(body.damping) != len(body.coordinates):
        yield ("damping",), f" has {len(body.damping)} numbers for {len(body.coordinates)} coordinates"
    for name, value in zip(body.rows, body.damping, strict=False):
        if isinstance(value, float | int) and not 0.0 <= value <= LARGEST:
            wrong = "which would add energy" if value < 0.0 else f"and at most {LARGEST:g} is read"
            yield ("damping", name), f" is {value:g}, {wrong}; it is at least 0"
    for place in body.root:
        if not abs(place) <= LARGEST:
            yield ("root",), f" holds {place:g}; expected numbers up to {LARGEST:g}"
    for name, place, (start, end) in zip(MATERIAL, body.end, body.domain, strict=True):
        if start < end and not start <= place <= end:
            yield ("tip",), f" has {name} = {place:g}, outside the domain; expected {start:g} to {end:g}"


def _expression_faults(body: Mapped) -> Iterator[Fault]:
    everything = (*MATERIAL, *body.rows)
    given: list[tuple[Path, str, tuple[str, ...]]] = [
        (("map", row), text, everything) for row, text in enumerate(body.map)
    ]
    given += [(("energy",), body.energy, (*body.rows, *body.parameters))]
    given += [(("energy_density",), body.energy_density, (*everything, *body.parameters))]
    for keys, text, known in given:
        if not text and keys[0] != "map":
            continue
        try:
            names = MapExpression(text).names
        except DescriptionError as failure:
            yield keys, f" is no expression: {failure}"
            continue
        for name in names:
            if name in MATERIAL and name not in known:
                words = "which tell points apart, and it is that of the whole body; give energy_density [J/m^3]"
                yield keys, f" holds {shown(name)}, {words}"
            elif name not in known:
                options = ", ".join(known)
                yield keys, f" holds the name {shown(name)}, which has no value; expected {options}{hint(name, known)}"


def _map_faults(body: Mapped, values: MapValues) -> Iterator[Fault]:
    points, rest = values.points(), np.zeros(len(body.rows))
    for row, places in enumerate(values.places(points, rest)):
        if not np.all(np.isfinite(places)):
            yield ("map", row), f" has no finite value at {_named(points, ~np.isfinite(places))}, at rest"
            return
    if not np.all(np.isfinite(values.places(np.array([body.end]), rest))):
        yield ("map",), f" has no finite value at the tip, {_at(body.end)}"
        return
    volumes = np.linalg.det(values.slopes(points, rest))
    largest = float(np.max(np.abs(volumes)))
    if not np.all(volumes > _ROUNDING * largest):
        lowest = float(np.min(volumes)) if np.all(np.isfinite(volumes)) else math.nan
        words = "turns the matter inside out" if lowest < -_ROUNDING * largest else "leaves it no volume"
        yield (
            ("map",),
            f" {words} at {_named(points, ~(volumes > _ROUNDING * largest))}: the determinant of its slopes by s1, s2 "
            f"and s3 is {lowest:g} there at rest; expected more than 0, so exchange two of them, or mend the map",
        )
        return
    if isinstance(body.density, float | int):
        mass = body.density * float(values.weights() @ volumes)
        if not SMALLEST_MASS <= mass <= LARGEST:
            yield ("density",), f" makes a mass of {mass:g} kg; expected {SMALLEST_MASS:g} to {LARGEST:g}"
    for key in ("energy", "energy_density"):
        if not body.parameters and not np.all(np.isfinite(values.energies(key, points, rest))):
            yield (key,), " has no finite value at rest"
            return
    yield from _root_faults(body, values)
    yield from tip_faults(body, values)
    yield from _dependence_faults(body, values, points, volumes)


def _root_faults(body: Mapped, values: MapValues) -> Iterator[Fault]:
    root, reach, size = np.array([body.root]), values.reach, values.size
    rest = np.zeros(len(reach))
    place, slopes = values.places(root, rest)[:, 0], values.slopes(root, rest)[0]
    if not np.all(np.isfinite(place)):
        yield ("root",), f": the map has no finite value at {_at(body.root)}; name the point that stays"
        return
    remedy = "take that motion into a joint, or name the point that stays under 'root'"
    shapely = bool(np.all(np.isfinite(slopes))) and abs(np.linalg.det(slopes)) > _ROUNDING * np.abs(slopes).max() ** 3
    for state in values.states(_STATES):
        moved = float(np.max(np.abs(values.places(root, state)[:, 0] - place)))
        if not moved <= _ROUNDING * size:
            yield (
                ("map",),
                f" does not fix the root frame: the point {_at(body.root)} moves by {moved:.3g} m as the coordinates "
                f"change; {remedy}",
            )
            return
        if not shapely:
            continue
        stretch = values.slopes(root, state)[0] @ np.linalg.inv(slopes)
        if not np.max(np.abs(stretch - stretch.T)) <= _ROUNDING * np.max(np.abs(stretch)):
            yield (
                ("map",),
                f" does not fix the root frame: the matter at {_at(body.root)} turns as the coordinates change; "
                f"{remedy}",
            )
            return


def _dependence_faults(body: Mapped, values: MapValues, points: Array, volumes: Array) -> Iterator[Fault]:
    for state in (np.zeros(len(body.rows)), *values.states(1)):
        columns = values.columns(points, state) * values.reach
        sizes = np.sqrt(np.einsum("p,cpi,cpi->i", values.weights() * volumes, columns, columns))
        for name, size in zip(body.rows, sizes, strict=True):
            if not size > 0.0:
                where = "at rest" if not np.any(state) else "in usual states"
                yield (
                    ("coordinates", name),
                    f" moves no point of the body {where}, so that the mass matrix is singular; leave it out, or use "
                    "it in the map",
                )
                return
        scaled = columns / sizes
        mass = np.einsum("p,cpi,cpj->ij", values.weights() * volumes, scaled, scaled)
        found = np.linalg.eigvalsh(mass)
        if found[0] * _SINGULAR < found[-1]:
            yield (
                ("coordinates",),
                " are dependent: together they move the quadrature points in fewer ways, so that the mass matrix is "
                "singular; leave one out, or give more points under 'quadrature'",
            )
            return


def _named(points: Array, wrong: Array) -> str:
    return _at(points[int(np.argmax(wrong))])


def _at(point: object) -> str:
    numbers = ", ".join(f"{float(entry):.6g}" for entry in point)  # type: ignore[attr-defined]
    return f"(s1, s2, s3) = ({numbers})"


_PARALLEL = 1e-9
"""Part of the product of their lengths by which tangents are apart at the least."""


def tip_faults(body: Mapped, values: MapValues) -> Iterator[tuple[Path, str]]:
    """A frame that turns needs two tangents, at rest and in usual states."""
    tip, rest = np.array([body.end]), np.zeros(len(body.rows))
    for state in (rest, *values.states(_STATES)) if body.tip_turns else ():
        first, second = values.slopes(tip, state)[0].T[:2]
        area = float(np.linalg.norm(np.cross(first, second)))
        if not area > _PARALLEL * float(np.linalg.norm(first) * np.linalg.norm(second)):
            where = "at rest" if state is rest else "in usual states"
            yield (
                ("tip_turns",),
                f": the tangents along s1 and s2 vanish or are parallel at the tip, {_at(body.end)}, {where}, so that "
                "its axes follow from nothing; move the tip, name material coordinates otherwise, or leave it out",
            )
            return
