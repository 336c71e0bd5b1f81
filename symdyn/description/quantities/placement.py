"""Numbers and frames as a file gives them."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.description.quantities.expression import Expression

Number = float | Expression
"""A finite number, or an expression over the robot's parameters."""
Vector3 = tuple[Number, Number, Number]
Matrix3 = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Placement:
    """A frame in its parent frame: position [m] and rotation matrix (parent_R_child, numbers only)."""

    translation: Vector3 = (0.0, 0.0, 0.0)
    rotation: Matrix3 = IDENTITY
