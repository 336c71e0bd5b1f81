"""The key ``deformable`` of a link, declared as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from symdyn.description.forms import NOT_FINITE, SCALAR, quantity
from symdyn.description.mapped import COORDINATE_UNITS, MOST_POINTS
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.description.quantities.number import is_number
from symdyn.description.robot import Number
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.mapping import YamlMapping
from symdyn.description.yaml.scalars import Flag, Quantity, Vector
from symdyn.errors import DescriptionError


def _expression(value: object) -> MapExpression:
    if not isinstance(value, str):
        raise refusal(f"expected a number or an expression in s1, s2, s3 and coordinates, got {kind_of(value)}")
    if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
        return MapExpression(repr(quantity(value)))
    try:
        return MapExpression(value.strip())
    except DescriptionError as failure:
        raise refusal(str(failure)) from failure


def _three(value: object, what: str) -> list[object]:
    if not isinstance(value, list) or len(value) != 3:
        got = f"{len(value)} entries" if isinstance(value, list) else kind_of(value)
        raise refusal(f"expected a list of three {what}, got {got}")
    return value


def _map(value: object) -> tuple[MapExpression, ...]:
    return tuple(_expression(entry) for entry in _three(value, "expressions, x, y and z"))


def _domain(value: object) -> tuple[tuple[Number, Number], ...]:
    found = []
    for pair in _three(value, "pairs, the ends of s1, s2 and s3"):
        if not isinstance(pair, list) or len(pair) != 2:
            got = f"{len(pair)} entries" if isinstance(pair, list) else kind_of(pair)
            raise refusal(f"expected the two ends of each of s1, s2 and s3, got {got}")
        found.append((quantity(pair[0]), quantity(pair[1])))
    return tuple(found)


def _count(value: object) -> int:
    digits = value.strip() if isinstance(value, str) else ""
    if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= MOST_POINTS):
        raise refusal(f"expected a number of points from 1 to {MOST_POINTS}, got {kind_of(value)}")
    return int(digits)


def _counts(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return (_count(value),) * 3
    return tuple(_count(entry) for entry in _three(value, "numbers of points, along s1, s2 and s3"))


def _coordinates(value: object) -> tuple[tuple[str, str], ...]:
    if isinstance(value, list):
        value = {str(name) if isinstance(name, str) else name: "1" for name in value}
    if not isinstance(value, dict) or not value:
        raise refusal(f"expected a mapping of names to units, such as {{bend: rad}}, got {kind_of(value)}")
    for name, unit in value.items():
        if not isinstance(name, str):
            raise refusal(f"expected a name, got {kind_of(name)}")
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


_TEXTS: dict[str, Any] = {"type": "array", "items": SCALAR, "minItems": 3, "maxItems": 3}
_PAIR: dict[str, Any] = {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": MOST_POINTS}

Expressions = Annotated[tuple[MapExpression, ...], PlainValidator(_map), WithJsonSchema(_TEXTS)]
OneExpression = Annotated[MapExpression, PlainValidator(_expression), WithJsonSchema(SCALAR)]
Domain = Annotated[
    tuple[tuple[Number, Number], ...],
    PlainValidator(_domain),
    WithJsonSchema({"type": "array", "items": _PAIR, "minItems": 3, "maxItems": 3}),
]
Counts = Annotated[
    tuple[int, ...],
    PlainValidator(_counts),
    WithJsonSchema({"anyOf": [_COUNT, {"type": "array", "items": _COUNT, "minItems": 3, "maxItems": 3}]}),
]
Coordinates = Annotated[
    tuple[tuple[str, str], ...],
    PlainValidator(_coordinates),
    WithJsonSchema(
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"enum": [*COORDINATE_UNITS, 1]},
        }
    ),
]
Damping = Annotated[
    Number | dict[str, Number],
    PlainValidator(_damping),
    WithJsonSchema({"anyOf": [SCALAR, {"type": "object", "additionalProperties": SCALAR}]}),
]


class MappedYaml(YamlMapping):
    """A body given by its map: where each of its points is in the link's frame."""

    coordinates: Coordinates = Field(description="names, with their units m, rad or 1; the body is at rest at 0")
    domain: Domain = Field(description="ends of s1, s2 and s3, which say which point is meant")
    map: Expressions = Field(description="x, y and z of that point [m], of s1, s2, s3 and the coordinates")
    density: Quantity = Field(description="[kg/m^3] at rest, above 0")
    quadrature: Counts = Field((4, 4, 4), description="Gauss points along s1, s2 and s3, or one number for all")
    energy: OneExpression | None = Field(None, description="[J], of the coordinates")
    energy_density: OneExpression | None = Field(None, description="[J/m^3] at rest, of s1, s2, s3 and the coordinates")
    damping: Damping | None = Field(None, description="force by rate of each coordinate, or one number for all")
    root: Vector = Field((0.0, 0.0, 0.0), description="(s1, s2, s3) of a point that the map fixes")
    tip: Vector | None = Field(
        None, description="(s1, s2, s3) of the point that carries children; the middle if left out"
    )
    tip_turns: Flag = Field(False, description="its frame turns as the tangents along s1 and s2 do")
