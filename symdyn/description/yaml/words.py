"""Words of the YAML format that are read and written; what writes them needs no schema."""

from __future__ import annotations

from symdyn.description.pfaffian import Pfaffian

SECTION = "section"
"""A radius that is that of the sections."""
COUPLING, PFAFFIAN = "coupling", Pfaffian.kind
"""The kinds of loops that hold no places: what relates coordinates, and what relates velocities."""
WORLD = "world"
"""The place that is the world's origin, where no link and no frame has this name."""
