"""Words of the YAML format that are read and written; what writes them needs no schema."""

from __future__ import annotations

SECTION = "section"
"""A radius that is that of the sections."""
WORLD = "world"
"""The place that is the world's origin, where no link and no frame has this name."""
