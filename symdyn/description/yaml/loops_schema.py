"""The YAML format of closed loops and couplings, in a robot's file or in one beside it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator

from symdyn.description.loops import LoopKind
from symdyn.description.pfaffian import UNITS
from symdyn.description.text.position import hint
from symdyn.description.text.validation import kind_of
from symdyn.description.yaml.acting_schema import EndYaml
from symdyn.description.yaml.mapping import OrShort, YamlMapping
from symdyn.description.yaml.scalars import Flag, Quantity, Vector, one_of, refusal
from symdyn.description.yaml.words import COUPLING, PFAFFIAN

KINDS = (*(kind.value for kind in LoopKind), COUPLING, PFAFFIAN)
_TWO = 2
_OF_PLACES = ("between", "axis", "axes", "distance", "close")
_OF_COUPLINGS = ("terms", "offset")
_OF_PFAFFIANS = ("rows", "equals", "coordinates", "unit")


def _kind(value: object) -> str:
    if value not in KINDS:
        close = hint(value, KINDS) if isinstance(value, str) else ""
        raise refusal(f"expected one of {', '.join(KINDS)}, got {kind_of(value)}{close}")
    return str(value)


Kind = Annotated[str, PlainValidator(_kind), WithJsonSchema({"enum": list(KINDS)})]


def _coordinates(value: object) -> dict[str, str]:
    named = dict.fromkeys(value) if isinstance(value, list) and all(isinstance(own, str) for own in value) else value
    if not isinstance(named, dict) or not all(isinstance(own, str | None) for own in named.values()):
        raise refusal(f"expected a list of names, or a mapping of names to names, got {kind_of(value)}")
    if isinstance(value, list) and len(named) < len(value):
        raise refusal(f"a name is there twice: {', '.join(value)}; keep one")
    return {str(name): str(name if own is None else own) for name, own in named.items()}


Unit = Annotated[str, PlainValidator(one_of(UNITS)), WithJsonSchema({"enum": list(UNITS)})]
_NAMES = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}]}
Coordinates = Annotated[dict[str, str], PlainValidator(_coordinates), WithJsonSchema(_NAMES)]


class HeldEndYaml(EndYaml):
    """A place on a link, an extra frame, or a point of the world; text is the name of a link, a frame or a tip."""

    world: Vector | None = Field(None, description="a point of the world [m], in place of the others")

    @model_validator(mode="after")
    def _said_once(self) -> HeldEndYaml:
        if self.world is None:
            return super()._said_once()  # type: ignore[operator, no-any-return]
        if len(self.model_fields_set) > 1:
            raise refusal("world is a place already; leave out the rest")
        return self


def _short_end(value: object) -> HeldEndYaml:
    if not isinstance(value, str):
        raise refusal(f"expected a place: the name of a link, a frame or a tip, or a mapping, got {kind_of(value)}")
    return HeldEndYaml.model_construct(place=value)


HeldEnd = Annotated[HeldEndYaml, OrShort(HeldEndYaml, _short_end, {"type": "string"})]


class LoopYaml(YamlMapping):
    """What holds two places to each other, or a linear relation of coordinates or of velocities."""

    kind: Kind = Field(description="what the first place can still do against the second, coupling, or pfaffian")
    between: list[HeldEnd] | None = Field(
        None, description="two places on different bodies", json_schema_extra={"minItems": _TWO, "maxItems": _TWO}
    )
    axis: Vector | None = Field(None, description="in the axes of both places, of any length; z if left out")
    axes: list[Vector] | None = Field(
        None,
        description="one in the axes of each place, in place of axis",
        json_schema_extra={"minItems": _TWO, "maxItems": _TWO},
    )
    distance: Quantity | None = Field(None, description="of the two origins [m], above 0")
    close: Flag = Field(False, description="true: the places may be apart where all coordinates are zero")
    terms: dict[str, Quantity] | None = Field(None, description="of a coupling: factors by joint")
    offset: Quantity | None = Field(None, description="of a coupling: what the sum of the terms is; 0 if left out")
    rows: list[dict[str, Quantity]] | None = Field(
        None, description="of a pfaffian: per row of A its entries by names of rows of v, numbers or expressions"
    )
    equals: list[Quantity] | None = Field(None, description="of a pfaffian: the entries of A v; 0 if left out")
    coordinates: Coordinates | None = Field(
        None, description="of a pfaffian: names of rows of q that expressions use, or other names for them"
    )
    unit: Unit = Field(UNITS[0], description="of a pfaffian: m where A v is in m/s, rad where it is in rad/s")

    @model_validator(mode="after")
    def _fits(self) -> LoopYaml:
        said = self.model_fields_set
        self._check_kind(COUPLING, _OF_COUPLINGS, "name joints with their factors, such as {motor: 1, wheel: -2}")
        self._check_kind(PFAFFIAN, _OF_PFAFFIANS, "give a list of mappings, such as [{x: sin(yaw), y: -cos(yaw)}]")
        if self.kind in (COUPLING, PFAFFIAN):
            strange = [name for name in _OF_PLACES if name in said]
            if strange:
                raise refusal(f"{strange[0]} means nothing on a {self.kind}, which holds no places; leave it out")
            return self
        if self.between is None:
            raise refusal("between is missing; give the two places, such as [coupler_end, rocker_end]")
        if len(self.between) != _TWO:
            raise refusal(f"between: expected two places, got {len(self.between)}")
        self._check_numbers(LoopKind(self.kind))
        return self

    def _check_kind(self, kind: str, keys: tuple[str, ...], such: str) -> None:
        """Keys of a kind are its own, and it has the first of them."""
        if self.kind == kind and getattr(self, keys[0]) is None:
            raise refusal(f"{keys[0]} is missing; {such}")
        strange = next((name for name in keys if name in self.model_fields_set), None)
        if self.kind != kind and strange is not None:
            raise refusal(f"{strange} is for kind: {kind}; leave it out of a {self.kind} loop")

    def _check_numbers(self, kind: LoopKind) -> None:
        if kind is LoopKind.DISTANCE and self.distance is None:
            raise refusal("distance is missing; give that of the two origins, above 0 m")
        if kind is not LoopKind.DISTANCE and self.distance is not None:
            raise refusal(f"distance is for kind: distance; leave it out of a {kind.value} loop")
        axes = "axis" if self.axis is not None else "axes" if self.axes is not None else ""
        if axes and not kind.has_axis:
            raise refusal(f"{axes} means nothing on a {kind.value} loop; leave it out")
        if self.axis is not None and self.axes is not None:
            raise refusal("axis and axes say the same thing twice; keep one")
        if kind is LoopKind.UNIVERSAL and self.axes is None:
            raise refusal("a universal loop turns about two axes; give axes, one for each place")
        if self.axes is not None and len(self.axes) != _TWO:
            raise refusal(f"axes: expected two vectors, one for each place, got {len(self.axes)}")


def empty_mapping(value: object) -> object:
    """A key without a value says as much as one with an empty mapping."""
    return {} if value is None else value


Loops = Annotated[dict[str, LoopYaml], BeforeValidator(empty_mapping)]
