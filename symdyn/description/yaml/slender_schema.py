"""What the keys ``flexible`` and ``soft`` share: expressions in x, and where the root section stands."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from symdyn.description.declared import NOT_FINITE, quantity
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.number import is_number
from symdyn.description.text.validation import kind_of, refusal
from symdyn.description.yaml.mapping import OrientedYaml
from symdyn.description.yaml.scalars import Quantity, Vector
from symdyn.errors import DescriptionError


def along(value: object, wanted: str = "a number or an expression in x") -> BeamExpression:
    """A quantity along the centre line; ``wanted`` is what to say of anything else."""
    if not isinstance(value, str):
        raise refusal(f"expected {wanted}, got {kind_of(value)}")
    if is_number(value) or value.strip().lower().lstrip("+-.") in NOT_FINITE:
        return BeamExpression(repr(quantity(value)))
    try:
        return BeamExpression(value.strip())
    except DescriptionError as failure:
        raise refusal(str(failure)) from failure


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
