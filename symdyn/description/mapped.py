"""What the user said about a body given by its map: where each of its points is, as expressions of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from symdyn.description.declared import Key, family
from symdyn.description.forms import (
    FLAG,
    FOLDED,
    POINT,
    SCALAR,
    expression_of,
    quantity,
    scalar,
    three,
    whole,
)
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import along, flow_key, listed, mapping
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of, refusal

MATERIAL = ("s1", "s2", "s3")
"""Names of the material coordinates in expressions."""
MOST_COORDINATES = 24
MOST_POINTS = 1024
"""Of all three quadratures together, and of one of them."""
COORDINATE_UNITS = ("m", "rad", "1")


def _map_expression(value: object) -> MapExpression:
    return expression_of(value, "s1, s2, s3 and coordinates")


def _ends(pair: object) -> tuple[Number, Number]:
    if not isinstance(pair, list) or len(pair) != 2:
        got = f"{len(pair)} entries" if isinstance(pair, list) else kind_of(pair)
        raise refusal(f"expected the two ends of each of s1, s2 and s3, got {got}")
    return quantity(pair[0]), quantity(pair[1])


_COUNT = whole("a number of points", 1, MOST_POINTS)


def _counts(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return (_COUNT.read(value),) * 3
    return three(value, _COUNT.read, "numbers of points, along s1, s2 and s3")


def _coordinates(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        value = dict.fromkeys(value, "1")
    if not isinstance(value, dict) or not value:
        raise refusal(f"expected a mapping of names to units, such as {{bend: rad}}, got {kind_of(value)}")
    for name, unit in value.items():
        if unit not in COORDINATE_UNITS:
            close = hint(unit, COORDINATE_UNITS) if isinstance(unit, str) else ""
            raise refusal(
                f"expected the unit of '{name}', one of {', '.join(COORDINATE_UNITS)}, got {kind_of(unit)}{close}"
            )
    return tuple(value.items())


def _damping(value: object) -> Number | dict[str, Number]:
    if isinstance(value, dict):
        return {str(name): quantity(entry) for name, entry in value.items()}
    return quantity(value)


_THREE: dict[str, Any] = {"type": "array", "minItems": 3, "maxItems": 3}
_ENDS: dict[str, Any] = {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}
_UNITS = {"type": "object", "minProperties": 1, "additionalProperties": {"enum": [*COORDINATE_UNITS, 1]}}
_NUMBERS = {"anyOf": [SCALAR, {"type": "object", "additionalProperties": SCALAR}]}
_ENERGY = scalar(_map_expression, SCALAR, along, lambda raw, given, path: given.energy(raw, path))
_COORDINATES = scalar(_coordinates, _UNITS, lambda value: mapping({flow_key(name): unit for name, unit in value}))
_DOMAIN = scalar(
    lambda value: three(value, _ends, "pairs, the ends of s1, s2 and s3"),
    {**_THREE, "items": _ENDS},
    lambda value: f"[{', '.join(map(listed, value))}]",
    lambda raw, given, path: tuple(tuple(given.fixed(end, path) for end in ends) for ends in raw),
)
_MAP = scalar(
    lambda value: three(value, _map_expression, "expressions, x, y and z"),
    {**_THREE, "items": SCALAR},
    lambda value: "".join(f"\n  - {along(own)}" for own in value),
    lambda raw, given, path: tuple(given.place(own, (*path, row)) for row, own in enumerate(raw)),
)
_POINTS = scalar(
    _counts, {"anyOf": [_COUNT.json, {**_THREE, "items": _COUNT.json}]}, lambda value: f"[{', '.join(map(str, value))}]"
)
_DAMPING = scalar(_damping, _NUMBERS, listed, lambda raw, given, path: given.damping(raw, path))


@dataclass(frozen=True, slots=True)
class Mapped:
    """A body whose points are where a map puts them (Pustina et al., section II).

    Expressions are plain text that was checked. They may hold ``s1``, ``s2`` and ``s3``, which say which point of the
    matter is meant, and the ``coordinates``. ``map`` gives the place of that point in the link's frame [m]. At rest all
    coordinates are 0. ``domain`` are the ends of s1, s2 and s3. They need not be lengths: the volume at rest is the
    integral of the determinant of the map's slopes by them.

    ``density`` [kg/m^3] is that at rest. ``quadrature`` are numbers of Gauss points along s1, s2 and s3. The model is
    the body as these points see it: all its mass sits there.

    ``energy`` [J] is an expression of the coordinates, and ``energy_density`` [J/m^3], per volume at rest, one of s1,
    s2 and s3 too; it is summed over the same points. Both may be empty. ``damping`` has a number per coordinate: its
    force by its rate. Density and damping may rest on run-time parameters, and so may energies: these hold the names in
    ``parameters`` too.

    The map fixes the point ``root``, and does not turn the matter there. ``tip`` is the point that carries the link's
    children, in a frame that stays parallel to the link's. If ``tip_turns``, it follows the tangents of the matter
    along s1 and s2 there: one axis is that of s1, one in the plane of both. At rest it is parallel to the link's.
    """

    coordinates: Annotated[
        tuple[tuple[str, str], ...],
        Key(_COORDINATES, "names with their units, `m`, `rad` or `1`; in a plain list all units are 1; at most 24"),
    ]
    """Names, with their units m, rad or 1."""
    domain: Annotated[
        tuple[tuple[float, float], tuple[float, float], tuple[float, float]],
        Key(_DOMAIN, "the ends of `s1`, `s2` and `s3`, which say which point is meant"),
    ]
    map: Annotated[tuple[str, str, str], Key(_MAP, "x, y and z of that point [m], each a number or an expression")]
    density: Annotated[Number, Key(FOLDED, "[kg/m^3] at rest, above 0", unit="kg/m^3")]
    quadrature: Annotated[
        tuple[int, int, int],
        Key(_POINTS, "Gauss points along `s1`, `s2` and `s3`, or one for all; at most 1024 together", always=True),
    ] = (4, 4, 4)
    energy: Annotated[str, Key(_ENERGY, "[J], of the coordinates and of run-time parameters")] = ""
    energy_density: Annotated[str, Key(_ENERGY, "[J/m^3] at rest, of these and of `s1`, `s2`, `s3`")] = ""
    damping: Annotated[
        tuple[Number, ...],
        Key(_DAMPING, "force by rate of each coordinate by name, or one for all; 0 if left out"),
    ] = ()
    """Nothing, or one for each coordinate."""
    root: Annotated[tuple[float, float, float], Key(POINT, "[s1, s2, s3] of the point that the map fixes")] = (0.0,) * 3
    tip: Annotated[
        tuple[float, float, float] | None,
        Key(POINT, "[s1, s2, s3] of the point that carries children; the middle if left out"),
    ] = None
    """The middle of the domain if left out."""
    tip_turns: Annotated[bool, Key(FLAG, "whether its frame turns as the tangents along s1 and s2 do")] = False
    """Whether the tip's frame turns with the matter."""
    parameters: tuple[str, ...] = ()
    """Names of run-time parameters of the robot that energies hold."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(name for name, _ in self.coordinates)

    @property
    def energies(self) -> tuple[str, str]:
        """That of the whole body, and that of its points."""
        return self.energy, self.energy_density

    @property
    def end(self) -> tuple[float, float, float]:
        """The material coordinates of the tip."""
        if self.tip is not None:
            return self.tip
        a, b, c = ((start + end) / 2 for start, end in self.domain)
        return a, b, c


MAPS = family(Mapped)
"""The key ``deformable`` of a link."""
