"""Where something stands: keys of a file that make a placement together, and where on a link it is fixed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from symdyn.description.attachment import Attachment, written_attachment
from symdyn.description.declared import Check, Group, Part, Said, all_of, apart
from symdyn.description.forms import POINT, TRIPLE, VECTOR, Form, matrix_of, or_absent, scalar, vector
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


def rotation_of(said: Said, *more: str) -> Matrix3:
    """The rotation that the keys of an orientation give, or ``more`` keys; the identity where none does."""
    found: Matrix3 = next((said[key] for key in ("rpy", "rotation", *more) if key in said), IDENTITY)
    return found


def placement_texts(placement: Placement, origin: str, counted: bool = False) -> dict[str, str]:
    """Where a frame is, with ``origin`` as the key of its place; that is written at any rate where it is counted."""
    found = {origin: listed(placement.translation)} if counted or placement.translation != ORIGIN else {}
    return found | ({} if placement.rotation == IDENTITY else {"rotation": matrix(placement.rotation)})


def placed(link: str, doc: str) -> Group:
    """The keys that place a frame in the link of a key ``link``; ``doc`` says where its origin is."""

    def make(said: Said, given: Any, path: Path) -> dict[str, Any]:
        return {"placement": Placement(said.get("translation", ORIGIN), rotation_of(said))}

    def write(own: Any, deforming: Collection[str]) -> dict[str, str]:
        return placement_texts(
            own.placement, "translation", own.at is Attachment.TIP and getattr(own, link) in deforming
        )

    oriented = (replace(part, form=or_absent(part.form)) for part in ORIENTED)
    return Group((Part("translation", VECTOR, doc), *oriented), make, write, ONE_WAY)


def fixed_at(link: str, form: Form, doc: str, after: str = "") -> Group:
    """The key that says where on the link of a key ``link`` something with a translation is fixed."""

    def make(said: Said, given: Any, path: Path) -> dict[str, Any]:
        missing = "" if "translation" in said else "translation"
        return {"at": given.standing(said.get("at"), said[link], path, missing)}

    def write(own: Any, deforming: Collection[str]) -> dict[str, str]:
        return {} if own.at is Attachment.TIP else {"at": written_attachment(own.at)}

    return Group((Part("at", or_absent(form), doc),), make, write, after=after)


def slender(thing: str) -> Group:
    """The keys that place a slender body in its link; ``thing`` is its word in messages."""

    def make(said: Said, given: Any, path: Path) -> dict[str, Any]:
        return {"placement": Placement(said.get("start", ORIGIN), rotation_of(said, "axis"))}

    def write(own: Any, deforming: Collection[str]) -> dict[str, str]:
        return placement_texts(own.placement, "start")

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
