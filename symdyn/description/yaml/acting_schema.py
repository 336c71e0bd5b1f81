"""The YAML format of what acts on a robot from outside."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from symdyn.description.forms import SCALAR, quantity
from symdyn.description.robot import Number, Vector3
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.mapping import OrShort, YamlMapping, chosen
from symdyn.description.yaml.scalars import Flag, FrameAt, Quantity, Vector
from symdyn.description.yaml.words import SECTION

_ORIGIN: Vector3 = (0.0, 0.0, 0.0)


class PlaneYaml(YamlMapping):
    """A plane with matter behind it."""

    normal: Vector = Field((0.0, 0.0, 1.0), description="out of the matter, of any length")
    point: Vector = Field(_ORIGIN, description="on the plane [m]")


class CylinderYaml(YamlMapping):
    """A cylinder without ends."""

    axis: Vector = Field(description="along it, of any length")
    point: Vector = Field(_ORIGIN, description="on its axis [m]")
    radius: Quantity = Field(description="[m]")
    inside: Flag = Field(False, description="the robot is in it")


class SphereYaml(YamlMapping):
    """A sphere."""

    center: Vector = Field(_ORIGIN, description="[m]")
    radius: Quantity = Field(description="[m]")
    inside: Flag = Field(False, description="the robot is in it")


class SurfaceYaml(YamlMapping):
    """A surface that rests in the world."""

    plane: PlaneYaml | None = Field(None, description="a plane and its normal")
    cylinder: CylinderYaml | None = Field(None, description="inside or outside of a cylinder")
    sphere: SphereYaml | None = Field(None, description="inside or outside of a sphere")

    @model_validator(mode="after")
    def _one(self) -> SurfaceYaml:
        chosen(self, ("plane", "cylinder", "sphere"))
        return self


class PartYaml(YamlMapping):
    """A shape on a link, both by name."""

    link: str = Field(description="the link")
    shape: str | None = Field(None, description="its shape under collision; all of them if left out")


Part = PartYaml | str
"""A mapping, or text: an obstacle's name, a link's, or link.shape."""


def _part(value: object) -> Part:
    if isinstance(value, dict):
        return PartYaml.model_validate(value)
    if not isinstance(value, str):
        raise refusal(f"expected a name, or a mapping with link and shape, got {kind_of(value)}")
    return value


def _parts(value: object) -> str | tuple[Part, ...]:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return (_part(value),)
    if not isinstance(value, list) or not value:
        raise refusal(f"expected a name, or a list of shapes, got {kind_of(value)}")
    return tuple(map(_part, value))


def _short_against(value: object) -> str | tuple[Part, ...]:
    return _parts(value)


_PART_JSON: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"link": {"type": "string"}, "shape": {"type": "string"}},
            "required": ["link"],
            "additionalProperties": False,
        },
    ]
}
_PARTS_JSON: dict[str, Any] = {"anyOf": [*_PART_JSON["anyOf"], {"type": "array", "items": _PART_JSON, "minItems": 1}]}
PartsOf = Annotated[str | tuple[Part, ...], PlainValidator(_parts), WithJsonSchema(_PARTS_JSON)]
Against = Annotated[
    SurfaceYaml | str | tuple[Part, ...],
    OrShort(SurfaceYaml, _short_against, {"anyOf": [{"type": "string"}, {"type": "array", "items": _PART_JSON}]}),
]
_OF_PENALTIES = ("stiffness", "exponent", "damping", "velocity_scale", "at")


def _radius(value: object) -> Number | None:
    return None if value == SECTION else quantity(value)


Radius = Annotated[Number | None, PlainValidator(_radius), WithJsonSchema(SCALAR)]


class ContactYaml(YamlMapping):
    """Shapes on links, or spheres along a soft one, against surfaces: rigid, or with stiffness a penalty."""

    of: PartsOf = Field(
        description="a soft link, a rigid one, or an extra frame; rigid contacts also take lists of {link: .., shape: "
        "..}, or link.shape"
    )
    at: FrameAt | None = Field(None, description="one place on a soft or flexible link, as for frames; with stiffness")
    point: Vector | None = Field(None, description="the sphere's centre in the link's axes [m]")
    radius: Radius = Field(0.0, description="of the spheres [m], or section: that of the rod's round sections")
    surface: Against = Field(
        alias="with", description="what they touch: a surface, or of rigid contacts obstacles and shapes on links"
    )
    rigid: Flag = Field(False, description="a rigid contact, as is any with an obstacle or a shape and no stiffness")
    restitution: Quantity | None = Field(None, description="of rigid contacts, from 0 to 1")
    compliance: Quantity | None = Field(None, description="of rigid contacts, per point [m/N]")
    stiffness: Quantity | None = Field(None, description="[N/m^exponent], per metre of a soft link")
    exponent: Quantity = Field(1.5, description="of the depth, from 1 to 12 in halves")
    damping: Quantity = Field(0.0, description="factor 1 + damping * rate of depth [s/m]")
    friction: Quantity = Field(0.0, description="tangential force per normal force")
    velocity_scale: Quantity = Field(0.01, description="by which friction is smooth at rest [m/s]")
    start: Quantity | None = Field(None, alias="from", description="of a soft link: [m] from the root; 0 if left out")
    end: Quantity | None = Field(None, alias="to", description="of a soft link: [m]; its length if left out")

    @property
    def is_rigid(self) -> bool:
        """Whether it is exact, and no penalty."""
        return self.rigid or (self.stiffness is None and not isinstance(self.surface, SurfaceYaml))

    @model_validator(mode="after")
    def _one_law(self) -> ContactYaml:
        said = self.model_fields_set
        if self.is_rigid:
            strange = next((key for key in _OF_PENALTIES if key in said), None)
            if strange is not None:
                raise refusal(
                    f"{strange} is of contacts by penalty; leave it out of a rigid contact, or leave out rigid"
                )
            return self
        if not isinstance(self.surface, SurfaceYaml):
            raise refusal(
                "with stiffness it is a penalty against a surface, such as with: {plane: {}}; leave stiffness out for "
                "a rigid contact"
            )
        if not isinstance(self.of, str):
            raise refusal("of: a contact with stiffness is of one link or frame; leave stiffness out for a rigid one")
        strange = next((key for key in ("restitution", "compliance") if key in said), None)
        if strange is not None:
            raise refusal(f"{strange} is of rigid contacts; leave it out, or write rigid: true without stiffness")
        if self.stiffness is None:
            raise refusal("stiffness is missing; give it, or write rigid: true")
        return self
