"""Stepped beams by transfer matrices, span by span, in mpmath numbers."""

from __future__ import annotations

from typing import Any

import mpmath

TIP_MASS, TIP_INERTIA, HUB = 0.6, 0.05, 0.3


def stepped(omega: Any, spans: list[tuple[float, float, float]], root: str, tip: str) -> Any:
    """Determinant of a beam of uniform spans (length, E I, mass per length): what the root lets pass, at the tip."""
    states = {"clamped": [(0, 0, 1, 0), (0, 0, 0, 1)], "pinned": [(0, 1, 0, 0), (0, 0, 0, 1)]}
    states["hub"] = [(0, 1, -HUB * omega**2, 0), (0, 0, 0, 1)]  # deflection, slope, moment, shear
    columns = []
    for state in states[root]:
        w, slope, moment, shear = (mpmath.mpf(value) for value in state)
        for length, stiffness, mass in spans:
            b = (mass * omega**2 / stiffness) ** mpmath.mpf(0.25)
            ch, sh, co, si = (f(b * length) for f in (mpmath.cosh, mpmath.sinh, mpmath.cos, mpmath.sin))
            k0, k1, k2, k3 = (ch + co) / 2, (sh + si) / (2 * b), (ch - co) / (2 * b**2), (sh - si) / (2 * b**3)
            bend, third = moment / stiffness, shear / stiffness
            w, slope, bend, third = (
                k0 * w + k1 * slope + k2 * bend + k3 * third,
                b**4 * k3 * w + k0 * slope + k1 * bend + k2 * third,
                b**4 * (k2 * w + k3 * slope) + k0 * bend + k1 * third,
                b**4 * (k1 * w + k2 * slope + k3 * bend) + k0 * third,
            )
            moment, shear = bend * stiffness, third * stiffness
        bonds = {
            "free": (moment, shear),
            "mass": (moment - TIP_INERTIA * omega**2 * slope, shear + TIP_MASS * omega**2 * w),
            "clamped": (w, slope),
            "pinned": (w, moment),
        }
        columns.append(bonds[tip])
    return columns[0][0] * columns[1][1] - columns[0][1] * columns[1][0]
