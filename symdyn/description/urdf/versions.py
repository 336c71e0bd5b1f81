"""Versions of URDF, and what depends on them."""

from __future__ import annotations

import re

from symdyn.description.text.notice import doubt
from symdyn.description.text.position import on_line, shown

Version = tuple[int, int]
FIRST: Version = (1, 0)
WITH_QUATERNIONS: Version = (1, 1)
WITH_FULL_LIMITS: Version = (1, 2)
"""From here on ``effort`` and ``velocity`` may be left out, and a limited joint has both ``lower`` and ``upper``."""


def version_of(text: str | None, line: int | None, warnings: list[str]) -> Version:
    """The version that ``<robot version="..">`` tells, 1.0 where it tells none that is known."""
    if text is None:
        return FIRST
    found = re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})", text.strip())
    version = (int(found[1]), int(found[2])) if found else FIRST
    if not found or not FIRST <= version <= WITH_FULL_LIMITS:
        known = f"known are {spelt(FIRST)} to {spelt(WITH_FULL_LIMITS)}"
        said = f"{on_line(line)}<robot> has version {shown(text)}; {known}, and it is read as {spelt(version)}"
        warnings.append(doubt(said, "version of {file}"))
    return version


def spelt(version: Version) -> str:
    """As files have it."""
    return f"{version[0]}.{version[1]}"
