"""Draw the shapes of a beam: clamped-free, and with a payload at the tip as heavy as the beam.

Usage: python docs/figures/flexible_modes.py                 (needs the extra `plot`)
"""

from __future__ import annotations

import numpy as np
from figure_style import GREY, panels, save

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.shapes.modes import beam_modes

COLOURS = ("#1b6ca8", "#3a9d8f", "#d98324")
ONE = Profile((1.0,), ("1.0",))
TAPERED = Profile((1.0,), ("1.2 - 0.9*x",))
STIFF = Profile((1.0,), ("(1.2 - 0.9*x)**3",))
BEAMS = {
    "clamped-free,\nuniform": (Basis.CLAMPED_FREE, ONE, ONE, 0.0),
    "clamped-tip-mass,\nas heavy as the beam": (Basis.CLAMPED_TIP_MASS, ONE, ONE, 1.0),
    "clamped-free,\ntapered to a quarter": (Basis.CLAMPED_FREE, TAPERED, STIFF, 0.0),
}


def main() -> None:
    """Write flexible_modes.svg beside this file."""
    figure, places = panels(len(BEAMS), 3.0)
    x = np.linspace(0.0, 1.0, 201)
    for axes, (title, (basis, density, stiffness, tip_mass)) in zip(places, BEAMS.items(), strict=True):
        modes = (Modes(Direction.BEND_Y, basis, 3, stiffness),)
        (found,) = beam_modes(Flexible(1.0, density, modes, tip_mass=tip_mass))
        axes.axhline(0.0, color=GREY, linewidth=0.8)
        for shape, frequency, colour in zip(found.shapes, found.frequencies, COLOURS, strict=True):
            axes.plot(x, shape(x, 0), color=colour, label=f"{frequency:.2f}")
        axes.set_title(title)
        axes.set_xlabel("x / L")
        words = {"title": "frequency / root of E I / (rho A L^4)", "title_fontsize": 8, "fontsize": 8, "frameon": False}
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.24), "ncols": 3}
        axes.legend(**words, **below, handlelength=1.2, columnspacing=1.0)
    places[0].set_ylabel("shape")
    save(figure, "flexible_modes")


if __name__ == "__main__":
    main()
