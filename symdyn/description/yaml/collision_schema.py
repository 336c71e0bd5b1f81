"""The YAML format of shapes for rigid contacts, of obstacles, and of what holds for all such contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.config import JsonDict

from symdyn.description.collision import IMPACTS, LINK_SHAPES, MOST_POINTS, OBSTACLE_SHAPES, ContactOptions
from symdyn.description.forms import FOLDED, VECTOR, each
from symdyn.description.surfaces import surface_forms
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.declared_schema import Formed
from symdyn.description.yaml.mapping import OrientedYaml, YamlMapping, chosen
from symdyn.description.yaml.scalars import Flag, Name, Quantity, Vector, one_of

_TWO = 2
_ORIGIN = (0.0, 0.0, 0.0)
_ENDS: JsonDict = {"minItems": _TWO, "maxItems": _TWO}
FRICTIONS = ("smooth", "dry")
_USUAL = ContactOptions()
SURFACES = surface_forms(VECTOR, FOLDED)
"""Obstacles that are surfaces as contacts have them; their numbers may be run-time parameters."""


class CollisionYaml(OrientedYaml):
    """A shape on a link: one of sphere, capsule, box, cylinder, hull, and a mesh, to which a file fits one."""

    sphere: Quantity | None = Field(None, description="its radius [m]; the centre is at")
    capsule: list[Vector] | None = Field(None, description="the ends of its axis [m]", json_schema_extra=_ENDS)
    box: Vector | None = Field(None, description="its edges [m]; the centre is at, the axes are turned by rpy")
    cylinder: list[Vector] | None = Field(None, description="the ends of its axis [m]", json_schema_extra=_ENDS)
    hull: list[Vector] | None = Field(
        None, description=f"its vertices [m], {MOST_POINTS} at most", json_schema_extra={"minItems": 1}
    )
    mesh: Name | None = Field(None, description="the address of its file; a file of contacts fits a shape to it")
    scale: Vector | None = Field(None, description="of a mesh, along its axes; [1, 1, 1]")
    radius: Quantity | None = Field(None, description="of a capsule or cylinder [m]")
    at: Vector | None = Field(None, description="centre of a sphere or box, origin of a mesh [m]; the link's origin")

    @model_validator(mode="after")
    def _one(self) -> CollisionYaml:
        kind = chosen(self, (*LINK_SHAPES, "mesh"))
        along = kind in ("capsule", "cylinder")
        if along and self.radius is None:
            raise refusal(f"radius of the {kind} is missing; give it in metres")
        if not along and self.radius is not None:
            raise refusal(f"radius is of a capsule or cylinder; leave it out of a {kind}")
        ends = getattr(self, kind) if along else None
        if ends is not None and len(ends) != _TWO:
            raise refusal(f"{kind}: expected the two ends of its axis, got {len(ends)}")
        if self.scale is not None and kind != "mesh":
            raise refusal(f"scale is of a mesh; leave it out of a {kind}")
        if self.at is not None and kind not in ("sphere", "box", "mesh"):
            raise refusal(f"at is of a sphere or box; a {kind} is given by its points")
        if (self.rpy is not None or self.rotation is not None) and kind not in ("box", "mesh"):
            raise refusal(f"rpy and rotation turn a box or mesh; leave them out of a {kind}")
        return self


class BoxYaml(OrientedYaml):
    """A box."""

    size: Vector = Field(description="its edges [m]")
    at: Vector = Field(_ORIGIN, description="its centre [m]")


class CapsuleYaml(YamlMapping):
    """A capsule."""

    ends: Annotated[Any, Formed(each(VECTOR, _TWO, "the two ends of its axis"))] = Field(description="of its axis [m]")
    radius: Quantity = Field(description="[m]")
    inside: Flag = Field(False, description="the robot is in it")


class ObstacleYaml(YamlMapping):
    """A surface in the world, that rests or moves along itself."""

    plane: Annotated[Any, Formed(SURFACES["plane"])] | None = Field(None, description="a plane with matter behind it")
    box: BoxYaml | None = Field(None, description="a box")
    sphere: Annotated[Any, Formed(SURFACES["sphere"])] | None = Field(None, description="inside or outside of a sphere")
    capsule: CapsuleYaml | None = Field(None, description="inside or outside of a capsule")
    cylinder: Annotated[Any, Formed(SURFACES["cylinder"])] | None = Field(
        None, description="inside or outside of a cylinder without ends"
    )
    velocity: Vector | None = Field(None, description="of a plane's surface, along itself, such as a conveyor's [m/s]")

    @model_validator(mode="after")
    def _one(self) -> ObstacleYaml:
        kind = chosen(self, OBSTACLE_SHAPES)
        if self.velocity is not None and self.plane is None:
            raise refusal(f"velocity is that of a plane along itself; leave it out of a {kind}")
        return self


class LimitsYaml(YamlMapping):
    """Whether ranges of joints hold exactly in steps with contacts."""

    rigid: Flag = Field(description="ranges of joints become rows of the contact problem")
    restitution: Quantity = Field(0.0, description="share of a velocity that a limit gives back, from 0 to 1")


Impacts = Annotated[str, PlainValidator(one_of(IMPACTS)), WithJsonSchema({"enum": list(IMPACTS)})]


class ContactOptionsYaml(YamlMapping):
    """Numbers of the law of rigid contact and of its solver."""

    exit_velocity: Quantity = Field(_USUAL.exit_velocity, description="by which a depth is left [m/s]")
    impact_velocity: Quantity = Field(
        _USUAL.impact_velocity, description="the least approach that is given back by restitution [m/s]"
    )
    max_contacts: Quantity = Field(float(_USUAL.max_contacts), description="slots of one step, at most")
    tolerance: Quantity = Field(_USUAL.tolerance, description="of impulses, relative to weight times step")
    impacts: Impacts = Field(
        _USUAL.impacts,
        description="of one step are solved at once, or `sequential`: one pair of bodies after another",
    )
    runtime_slots: Quantity = Field(
        float(_USUAL.runtime_slots), description="slots that are filled at run time, by the input touching"
    )


def empty_mapping(value: object) -> object:
    """A key without a value says as much as one with an empty mapping."""
    return {} if value is None else value


class FittedHullYaml(YamlMapping):
    """Vertices of the convex hull of a link's mesh."""

    hull: Quantity = Field(description=f"how many, {MOST_POINTS} at most")


FIT_SPHERE = "fit sphere"
MeshFit = str | FittedHullYaml
Fitting = MeshFit | dict[str, CollisionYaml]


def _fitting(value: object, inner: ValidatorFunctionWrapHandler) -> Fitting:
    if value == FIT_SPHERE:
        return FIT_SPHERE
    if isinstance(value, dict) and isinstance(value.get("hull"), str):
        return FittedHullYaml.model_validate(value)
    if not isinstance(value, dict):
        raise refusal(f"expected '{FIT_SPHERE}', {{hull: 16}}, or shapes by name, got {kind_of(value)}")
    fitted: dict[str, CollisionYaml] = inner(value)
    return fitted


def _mesh_fit(value: object) -> MeshFit:
    if value == FIT_SPHERE:
        return FIT_SPHERE
    if isinstance(value, dict):
        return FittedHullYaml.model_validate(value)
    raise refusal(f"expected '{FIT_SPHERE}' or {{hull: 16}}, got {kind_of(value)}")


if TYPE_CHECKING:
    LinkFitting = Fitting
    LinkMeshes = MeshFit
else:
    LinkMeshes = Annotated[
        FittedHullYaml,
        PlainValidator(_mesh_fit, json_schema_input_type=FittedHullYaml),
    ]
    LinkFitting = Annotated[dict[str, CollisionYaml], WrapValidator(_fitting)]


Obstacles = Annotated[dict[str, ObstacleYaml], BeforeValidator(empty_mapping)]
LinkShapes = Annotated[dict[str, CollisionYaml], BeforeValidator(empty_mapping)]
Friction = Annotated[str, PlainValidator(one_of(FRICTIONS)), WithJsonSchema({"enum": list(FRICTIONS)})]
