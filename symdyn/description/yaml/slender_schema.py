"""What the keys ``flexible`` and ``soft`` share: expressions in x, and where the root section stands."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from symdyn.description.text.validation import refusal
from symdyn.description.yaml.mapping import OrientedYaml
from symdyn.description.yaml.scalars import Quantity, Vector


class SlenderYaml(OrientedYaml):
    """A slender body that is fixed to its link at one end."""

    thing: ClassVar[str]
    """Its word in messages."""

    length: Quantity = Field(description="[m]")
    start: Vector = Field((0.0, 0.0, 0.0), description="centre of the root section in the link frame [m]")
    axis: Vector | None = Field(None, description="direction of its x axis in link axes; x if left out")

    @model_validator(mode="after")
    def _one_direction(self) -> SlenderYaml:
        if self.axis is not None and (self.rpy is not None or self.rotation is not None):
            raise refusal(f"axis and rpy or rotation both orient the {self.thing}; keep one")
        return self
