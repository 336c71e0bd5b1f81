"""A file that a back end has written, before it touches the disk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceFile:
    """Text with its path relative to the output folder (forward slashes)."""

    path: str
    text: str
