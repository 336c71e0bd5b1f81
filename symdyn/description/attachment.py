"""Where on a link that deforms something is fixed."""

from __future__ import annotations

from enum import Enum


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
