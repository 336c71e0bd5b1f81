"""Joints of symdyn's YAML as pydantic models, but for what loads them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from symdyn.description.declared import family
from symdyn.description.robot import Actuator, Elastic, Limits, Losses, Mimic
from symdyn.description.text.validation import refusal
from symdyn.description.yaml.declared_schema import Lazily
from symdyn.description.yaml.mapping import OrientedYaml
from symdyn.description.yaml.scalars import AttachedAt, JointType, Quantity, Vector


class DescribedJointYaml(OrientedYaml):
    """A joint: child frame = parent frame * (translation, rotation) * motion."""

    type: JointType = Field(description="how the child moves against the parent")
    parent: str = Field(description="link")
    child: str = Field(description="link")
    translation: Vector = Field((0.0, 0.0, 0.0), description="origin of the joint's frame in the parent's [m]")
    axis: Vector | None = Field(None, description="of motion, in the joint's frame; the normal of a planar joint")
    second_axis: Vector | None = Field(None, description="universal joints only")
    pitch: Quantity | None = Field(None, description="helical joints only [m/rad]")
    limits: Annotated[Any, Lazily(family(Limits))] | None = Field(
        None, description="bounds of coordinate, speed, effort"
    )
    losses: Annotated[Any, Lazily(family(Losses))] | None = Field(None, description="damping and friction")
    mimic: Annotated[Any, Lazily(family(Mimic))] | None = Field(None, description="the coordinate follows others")
    actuator: Annotated[Any, Lazily(family(Actuator))] | None = Field(
        None, description="the rotor that drives the joint"
    )
    elastic: Annotated[Any, Lazily(family(Elastic))] | None = Field(None, description="a spring between motor and link")
    at: AttachedAt | None = Field(None, description="on a flexible or soft parent only: its tip (default) or its root")

    @model_validator(mode="after")
    def _one_rotor(self) -> DescribedJointYaml:
        if self.actuator is not None and self.elastic is not None:
            raise refusal("actuator and elastic both describe the motor; give its rotor inside elastic")
        return self
