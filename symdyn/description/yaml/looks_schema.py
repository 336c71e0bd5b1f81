"""The YAML format of how links look."""

from __future__ import annotations

from pydantic import Field, model_validator
from pydantic.config import JsonDict

from symdyn.description.text.validation import refusal
from symdyn.description.yaml.mapping import OrientedYaml, chosen
from symdyn.description.yaml.scalars import Name, Quantity, Vector

LOOKS = ("sphere", "box", "cylinder", "ellipsoid", "mesh")
_TWO: JsonDict = {"minItems": 2, "maxItems": 2}
_COLOUR: JsonDict = {"minItems": 3, "maxItems": 4}


class VisualYaml(OrientedYaml):
    """A shape by which a link is shown: one of sphere, box, cylinder, ellipsoid and mesh."""

    sphere: Quantity | None = Field(None, description="its radius [m]")
    box: Vector | None = Field(None, description="its edges [m]")
    cylinder: list[Quantity] | None = Field(None, description="radius and length along z [m]", json_schema_extra=_TWO)
    ellipsoid: Vector | None = Field(None, description="its half axes [m]")
    mesh: Name | None = Field(None, description="the address of its file, which viewers open in folders that they name")
    scale: Vector | None = Field(None, description="of a mesh, along its axes; [1, 1, 1]")
    colour: list[float] | None = Field(
        None,
        description="red, green, blue and, if not 1, opacity, from 0 to 1; viewers choose one",
        json_schema_extra=_COLOUR,
    )
    at: Vector | None = Field(None, description="its centre, or the origin of the mesh [m]; the link's origin")

    @model_validator(mode="after")
    def _one(self) -> VisualYaml:
        kind = chosen(self, LOOKS)
        if self.scale is not None and kind != "mesh":
            raise refusal(f"scale is of a mesh; leave it out of a {kind}")
        if self.cylinder is not None and len(self.cylinder) != _TWO["minItems"]:
            raise refusal(f"cylinder: expected its radius and its length, got {len(self.cylinder)}")
        if self.colour is not None and (
            len(self.colour) not in (3, 4) or not all(0.0 <= own <= 1.0 for own in self.colour)
        ):
            raise refusal(f"colour: expected 3 or 4 numbers from 0 to 1, got {self.colour}")
        return self
