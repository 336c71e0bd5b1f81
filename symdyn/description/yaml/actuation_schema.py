"""The keys ``tendons``, ``chambers`` and ``actuators`` of a robot, declared as pydantic models."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from symdyn.description.forms import SCALAR, along_of
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.mapping import OrShort, YamlMapping
from symdyn.description.yaml.scalars import Name, Quantities, Quantity, Vector

RADIUS = re.compile(r"\bradius\s*\(\s*x\s*\)")
"""The outer radius of the link's section, as expressions of tendons and chambers may write it."""


def _routed(value: object) -> str:
    if isinstance(value, str):
        along_of(RADIUS.sub("(x)", value), "a number or an expression in x")
        return value.strip()
    along_of(value)
    raise AssertionError(value)


Routed = Annotated[str, PlainValidator(_routed), WithJsonSchema(SCALAR)]


class SpanYaml(YamlMapping):
    """A stretch of a soft link."""

    link: str = Field(description="a soft link")
    start: Quantity | None = Field(None, alias="from", description="[m] from the root; 0 if left out")
    end: Quantity | None = Field(None, alias="to", description="[m] from the root; the rod's length if left out")


class StrandYaml(SpanYaml):
    """The part of a tendon that runs along one soft link."""

    y: Routed = Field("0", description="place in the section, an expression in x and radius(x) [m]")
    z: Routed = Field("0", description="place in the section, an expression in x and radius(x) [m]")


class TendonYaml(StrandYaml):
    """A tendon along one soft link, or along several in turn."""

    link: str | None = Field(None, description="a soft link")  # type: ignore[assignment]
    along: list[StrandYaml] | None = Field(None, min_length=1, description="its parts from its drive to its end")

    @model_validator(mode="after")
    def _said_once(self) -> TendonYaml:
        if (self.along is None) == (self.link is None):
            raise refusal("expected the soft link that it runs along: 'link', or several parts under 'along'")
        if self.along is not None and len(self.model_fields_set) > 1:
            raise refusal("along says it all; leave out link, y, z, from and to, or along")
        return self


class ChamberYaml(SpanYaml):
    """A chamber inside a soft link: part of a wall, or any area with its first moments."""

    wall: Routed | None = Field(
        None, description="its depth below the outer radius, an expression in x and radius(x) [m]"
    )
    skin: Routed | None = Field(None, description="beside wall: how much matter lies outside of it, likewise [m]; 0")
    angles: list[Quantity] | None = Field(
        None, min_length=2, max_length=2, description="where it begins and ends, about x from y [rad]"
    )
    area: Routed | None = Field(None, description="in place of the two: an expression in x [m^2]")
    moment_y: Routed | None = Field(None, description="integral of y over the area, an expression in x [m^3]")
    moment_z: Routed | None = Field(None, description="integral of z over the area, an expression in x [m^3]")

    @model_validator(mode="after")
    def _said_once(self) -> ChamberYaml:
        if (self.wall is None) == (self.area is None):
            raise refusal("expected 'wall' with 'angles', or 'area' with 'moment_y' and 'moment_z'")
        if self.wall is not None and (self.moment_y is not None or self.moment_z is not None):
            raise refusal("the wall tells its moments; leave them out")
        if self.skin is not None and self.wall is None:
            raise refusal("skin goes with wall and angles; give these, or leave it out")
        if (self.wall is None) != (self.angles is None):
            raise refusal("wall and angles go together; give both, or area and its moments")
        return self


class DriverYaml(YamlMapping):
    """What has inputs: the strain at rest of a soft link, or an actuator of joints with a gear and a law."""

    rest: Name | None = Field(None, description="a soft link, or arm.curvature_z, or arm.curvature_z[0]")
    name: Name | None = Field(None, description="of an actuator of joints, and of its input")
    joints: dict[Name, Quantities] | None = Field(
        None, min_length=1, description="its length per unit of each coordinate; of a ball joint three numbers"
    )
    gain: Vector | Quantity = Field(
        1.0,
        description="its force per unit of input; of three numbers: a constant, and more per length and rate",
    )
    bias: Vector = Field((0.0, 0.0, 0.0), description="what its force gains: a constant, and per length and rate")

    @model_validator(mode="after")
    def _one_kind(self) -> DriverYaml:
        if (self.rest is None) == (self.joints is None):
            raise refusal("expected 'rest' with a soft link's strain, or 'name' and 'joints' of an actuator")
        if self.rest is not None and len(self.model_fields_set) > 1:
            raise refusal("rest stands alone; leave out name, joints, gain and bias")
        if self.joints is not None and self.name is None:
            raise refusal("an actuator of joints has a name; give it one under 'name'")
        return self


def _driver(value: object) -> str:
    if isinstance(value, str):
        return value
    raise refusal(
        f"expected a name, {{rest: a soft link's strain}} or {{name: .., joints: {{..}}}}, got {kind_of(value)}"
    )


Driver = Annotated[DriverYaml | str, OrShort(DriverYaml, _driver, {"type": "string"})]


def expression(text: str, radius: BeamExpression | None) -> BeamExpression:
    """What a place in the section says, with the outer radius put in; without one, ``radius(x)`` must not occur."""
    return BeamExpression(text if radius is None else RADIUS.sub(f"({radius.text})", text))
