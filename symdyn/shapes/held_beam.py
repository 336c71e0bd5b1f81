"""What the ends of a beam allow, on top of the displacements of strains from a clamped root."""

from __future__ import annotations

from typing import Any

import numpy as np

from symdyn.shapes.strain_panels import StrainPanels

Array = np.ndarray[Any, Any]


class HeldBeam:
    """The operator of :class:`StrainPanels` under other ends; ``clamped-free`` ends leave it as it is.

    ``held`` keeps deflection and slope of the tip at zero, ``hinged`` the deflection at both ends, and ``turns`` takes
    the rigid rotation out of a beam that is free to turn.
    """

    def __init__(self, panels: StrainPanels, *, held: bool, hinged: bool, turns: bool) -> None:
        self._panels = panels
        self._turns, self._hinged = turns, hinged
        self._rotation = panels.rotation()
        self._reach = float(np.linalg.norm(self._rotation))
        rows = panels.tip_rows()
        self._tip = rows[:, 0]
        self._held = np.linalg.qr(rows)[0] if held else np.zeros((len(rows), 0))

    def allowed(self, strains: Array) -> Array:
        """The part of strains that leaves a held tip in place."""
        return np.asarray(strains - self._held @ (self._held.T @ strains))

    def root_slope(self, strains: Array) -> Array:
        """Slope at the root, (columns,)."""
        if self._hinged:
            return -self._tip @ strains
        if self._turns:
            return -(self._rotation @ self._panels.displaced(strains)) / self._reach**2
        return np.zeros(strains.shape[-1])

    def displaced(self, strains: Array) -> Array:
        """Weighed displacements, (displacements, columns)."""
        strains = self.allowed(strains)
        moved = self._panels.displaced(strains)
        if self._turns:
            return self._without_rotation(moved)
        return moved - np.outer(self._rotation, self._tip @ strains) if self._hinged else moved

    def strained(self, forces: Array) -> Array:
        """The transpose of :meth:`displaced`."""
        found = self._panels.strained(self._without_rotation(forces) if self._turns else forces)
        if self._hinged:
            found = found - np.outer(self._tip, self._rotation @ forces)
        return self.allowed(found)

    def _without_rotation(self, moved: Array) -> Array:
        direction = self._rotation / self._reach
        return np.asarray(moved - np.outer(direction, direction @ moved))
