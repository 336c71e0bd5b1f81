"""Where something stands: the keys of a file that make a placement together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from symdyn.description.declared import Check, Group, Part, Said, all_of, apart
from symdyn.description.forms import POINT, TRIPLE, matrix_of, scalar, vector
from symdyn.description.quantities.placement import IDENTITY, Matrix3, Placement
from symdyn.description.quantities.written import listed, matrix
from symdyn.description.text.validation import Path

ORIGIN = (0.0, 0.0, 0.0)
_ROWS = {"type": "array", "items": TRIPLE, "minItems": 3, "maxItems": 3}
ORIENTED = (
    Part(
        "rpy",
        scalar(vector, TRIPLE, listed, lambda raw, given, path: given.turned(raw, path)),
        "roll, pitch, yaw about fixed axes [rad]: Rz(yaw) Ry(pitch) Rx(roll)",
    ),
    Part(
        "rotation",
        scalar(matrix_of, _ROWS, matrix, lambda raw, given, path: given.rotated(raw, path)),
        "rows of the rotation matrix, instead of rpy",
    ),
)
"""An orientation, given one way or the other."""
ONE_WAY: Check = apart("rpy and rotation say the same thing twice; keep one", ("rpy",), ("rotation",))


def rotation_of(said: Said) -> Matrix3:
    """The rotation that keys give; the identity where none does."""
    found: Matrix3 = next((said[key] for key in ("rpy", "rotation", "axis") if key in said), IDENTITY)
    return found


def slender(thing: str) -> Group:
    """The keys that place a slender body in its link; ``thing`` is its word in messages."""

    def make(said: Said, given: Any, path: Path) -> dict[str, Any]:
        return {"placement": Placement(said.get("start", ORIGIN), rotation_of(said))}

    def write(own: Any, deforming: Collection[str]) -> dict[str, str]:
        placed = own.placement
        start = {} if placed.translation == ORIGIN else {"start": listed(placed.translation)}
        return start | ({} if placed.rotation == IDENTITY else {"rotation": matrix(placed.rotation)})

    along = scalar(vector, TRIPLE, listed, lambda raw, given, path: given.along_x(raw, path))
    return Group(
        (
            Part("start", POINT, "centre of the root section in the link frame [m]; its origin if left out"),
            Part("axis", along, f"direction of the {thing}'s x axis at the root, in link axes; x if left out"),
            *ORIENTED,
        ),
        make,
        write,
        all_of(
            ONE_WAY,
            apart(f"axis and rpy or rotation both orient the {thing}; keep one", ("axis",), ("rpy", "rotation")),
        ),
        after="length",
    )
