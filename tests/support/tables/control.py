"""Costs of optimal-control problems, on joints of all kinds, free bases, beams and rods."""

from __future__ import annotations

from support.cases import Case, rows
from support.parts import OF_CONTROL

ROWS: tuple[Case, ...] = rows(
    ("steered tree", "steered ball", "steered fork", "steered thrown", "steered beam", "steered rod"), OF_CONTROL
)
