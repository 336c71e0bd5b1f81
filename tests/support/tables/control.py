"""Costs of optimal-control problems, on joints of all kinds, free bases, beams and rods."""

from __future__ import annotations

from support.cases import Case, rows
from support.parts import OF_CONTROL

STEERED = tuple(f"steered {name}" for name in ("tree", "ball", "fork", "thrown", "beam", "rod"))
WEIGHED = tuple(f"weighed {name}" for name in ("tree", "thrown", "beam", "rod"))
CURVED = tuple(f"curved {name}" for name in ("thrown", "fork", "arm"))
SLOPES = ("stage_cost_derivatives", "end_cost_derivatives")

ROWS: tuple[Case, ...] = (
    *rows(STEERED, OF_CONTROL),
    *rows(WEIGHED, ("stage_cost", *SLOPES)),
    *rows(CURVED, ("stage_cost", "end_cost_derivatives")),  # truths of second derivatives take long
    *rows("curved arm", ("stage_cost_derivatives",)),
)
