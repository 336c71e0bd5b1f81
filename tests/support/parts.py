"""Functions of the catalogue by the parts of robots that they need."""

from __future__ import annotations

from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.parts import ELASTIC_JOINTS, SOFT_LINKS, Part


def _of(*parts: Part | None) -> tuple[str, ...]:
    return tuple(name for name, entry in CATALOGUE.items() if entry.needs in parts)


OF_EVERY_ROBOT = _of(None)
OF_RIGID_ROBOTS = _of(None, ELASTIC_JOINTS)
"""Those that robots without soft links may have."""
OF_SOFT_LINKS = _of(SOFT_LINKS)
