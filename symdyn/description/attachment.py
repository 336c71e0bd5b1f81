"""Where on a link that deforms something is fixed."""

from __future__ import annotations

from enum import Enum


class Attachment(Enum):
    """Where on a flexible link something is fixed: what is fixed to its tip moves as the beam bends."""

    TIP = "tip"
    ROOT = "root"
