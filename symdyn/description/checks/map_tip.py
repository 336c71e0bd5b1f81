"""Whether the tip of a body given by its map can turn with the matter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symdyn.description.checks.map_values import MapValues
from symdyn.description.mapped import Mapped
from symdyn.description.text.validation import Path

_ROUNDING = 1e-9
"""Part of the product of their lengths by which tangents are apart at the least."""
_STATES = 3


def tip_faults(body: Mapped, values: MapValues) -> Iterator[tuple[Path, str]]:
    """A frame that turns needs two tangents, at rest and in usual states."""
    tip, rest = np.array([body.end]), np.zeros(len(body.rows))
    for state in (rest, *values.states(_STATES)) if body.tip_turns else ():
        first, second = values.slopes(tip, state)[0].T[:2]
        area = float(np.linalg.norm(np.cross(first, second)))
        if not area > _ROUNDING * float(np.linalg.norm(first) * np.linalg.norm(second)):
            where = "at rest" if state is rest else "in usual states"
            yield (
                ("tip_turns",),
                f": the tangents along s1 and s2 vanish or are parallel at the tip, {_at(body.end)}, {where}, so that "
                "its axes follow from nothing; move the tip, name material coordinates otherwise, or leave it out",
            )
            return


def _at(point: tuple[float, float, float]) -> str:
    numbers = ", ".join(f"{entry:.6g}" for entry in point)
    return f"(s1, s2, s3) = ({numbers})"
