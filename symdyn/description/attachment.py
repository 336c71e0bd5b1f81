"""Where on a link that deforms something is fixed."""

from __future__ import annotations

from enum import Enum

from symdyn.description.forms import quantity, scalar
from symdyn.description.quantities.number import is_number
from symdyn.description.quantities.written import number
from symdyn.description.text.validation import kind_of, refusal


class Attachment(Enum):
    """Where on a link that deforms something is fixed, and from where its place is counted.

    What is fixed to the tip moves with it. With ``TIP`` its place is counted from the link's frame, the link being at
    rest. With ``END`` it is counted from the tip's own frame, with ``ROOT`` from the link's frame.
    """

    TIP = "tip"
    END = "end"
    ROOT = "root"

    @property
    def moves(self) -> bool:
        """Whether it moves with the tip."""
        return self is not Attachment.ROOT


ATTACHMENTS = tuple(place.value for place in Attachment)
WORDS = f"{', '.join(ATTACHMENTS[:-1])} or {ATTACHMENTS[-1]}"


def along(value: object) -> Attachment | float:
    """Where on a link that deforms, or how far along a soft one [m]."""
    if isinstance(value, str) and value in ATTACHMENTS:
        return Attachment(value)
    found = quantity(value) if isinstance(value, str) and is_number(value) else None
    if not isinstance(found, int | float):
        raise refusal(f"expected {WORDS}, got {kind_of(value)}; on a soft link also a number of metres along the rod")
    return float(found)


def written_attachment(at: Attachment | float) -> str:
    """As files have it."""
    return at.value if isinstance(at, Attachment) else number(at)


PLACES: dict[str, object] = {"anyOf": [{"enum": list(ATTACHMENTS)}, {"type": "number", "exclusiveMinimum": 0}]}
AT = scalar(along, PLACES, written_attachment)
"""Where on a link that deforms."""
