"""Joints of symdyn's YAML as pydantic models, but for what loads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from symdyn.description.declared import family
from symdyn.description.robot import Limits, Losses
from symdyn.description.text.validation import refusal
from symdyn.description.yaml.declared_schema import Lazily
from symdyn.description.yaml.mapping import OrientedYaml, YamlMapping
from symdyn.description.yaml.scalars import AttachedAt, JointType, Quantity, Vector


class ActuatorYaml(YamlMapping):
    """The rotor that drives a joint: it adds gear_ratio**2 * rotor_inertia, or armature, to the joint's inertia."""

    rotor_inertia: Quantity | None = Field(
        None, description="about its own axis [kg m^2, or kg where the joint slides]"
    )
    gear_ratio: Quantity | None = Field(None, description="turns of the rotor per turn of the joint; 1 if left out")
    armature: Quantity | None = Field(None, description="gear_ratio**2 * rotor_inertia, in place of the two")

    @model_validator(mode="after")
    def _said_once(self) -> ActuatorYaml:
        if self.armature is not None and (self.rotor_inertia is not None or self.gear_ratio is not None):
            raise refusal("armature is gear_ratio**2 * rotor_inertia already; keep it, or the two")
        if self.gear_ratio is not None and self.rotor_inertia is None:
            raise refusal("gear_ratio means nothing without rotor_inertia; add it, or give armature")
        return self


class ElasticYaml(ActuatorYaml):
    """A spring and damper between a joint and its motor, and the motor's rotor."""

    stiffness: Quantity = Field(description="[N m/rad or N/m]")
    damping: Quantity = Field(0.0, description="[N m s/rad or N s/m]")


class MimicYaml(YamlMapping):
    """The coordinate is multiplier * q[joint] + offset, or a sum of such products and offset."""

    joint: str | None = Field(None, description="the joint that it follows")
    multiplier: Quantity | None = Field(None, description="1 if left out")
    joints: dict[str, Quantity] | None = Field(None, description="multipliers by joint, in place of the two")
    offset: Quantity = Field(0.0, description="[rad or m]")

    @property
    def terms(self) -> Mapping[str, Quantity]:
        """Multipliers by joint."""
        return self.joints or {self.joint or "": 1.0 if self.multiplier is None else self.multiplier}

    @model_validator(mode="after")
    def _said_once(self) -> MimicYaml:
        if self.joints is not None and (self.joint is not None or self.multiplier is not None):
            raise refusal("joints holds multipliers by joint; keep it, or joint and multiplier")
        if not self.joints and self.joint is None:
            raise refusal("expected the joint that it follows: 'joint' with 'multiplier', or several under 'joints'")
        return self


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
    mimic: MimicYaml | None = Field(None, description="the coordinate follows others")
    actuator: ActuatorYaml | None = Field(None, description="the rotor that drives the joint")
    elastic: ElasticYaml | None = Field(None, description="a spring between motor and link")
    at: AttachedAt | None = Field(None, description="on a flexible or soft parent only: its tip (default) or its root")

    @model_validator(mode="after")
    def _one_rotor(self) -> DescribedJointYaml:
        if self.actuator is not None and self.elastic is not None:
            raise refusal("actuator and elastic both describe the motor; give its rotor inside elastic")
        return self
