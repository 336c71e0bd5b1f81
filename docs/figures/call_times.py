"""Draw the README's picture from a table that benchmarks/inverse_dynamics.py has printed.

Usage: python benchmarks/inverse_dynamics.py > docs/figures/call_times.txt
       python docs/figures/call_times.py            (needs the extra `plot`)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from figure_style import FOLDER, GREY, panels, save

_ROW = re.compile(r"(?P<robot>\S+) +(?P<nv>\d+)  (?P<subject>\S.*?) +(?P<ns>[\d.]+) +[\d.]+")
_SUBJECTS = {
    "symdyn unrolled": ("symdyn,\nin line", "o", "#1b6ca8"),
    "symdyn split-lanes": ("symdyn,\nin lanes", "D", "#0b7a6b"),
    "CasADi C": ("CasADi\nC", "s", "#b8620b"),
    "Pinocchio C++": ("Pinocchio\nC++", "^", "#6b6b6b"),
}
"""What heads the column of numbers, and the marker."""


def read_table(path: Path) -> dict[str, dict[str, float]]:
    """Nanoseconds per robot (with its number of velocities) and subject."""
    times: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = _ROW.match(line)
        if row is not None and row["subject"] in _SUBJECTS:
            name = f"{row['robot'].replace('_', ' ')}, nv = {row['nv']}"
            times.setdefault(name, {})[row["subject"]] = float(row["ns"])
    return times


def draw(dots: Any, table: Any, times: dict[str, dict[str, float]]) -> None:
    """A row per robot: a marker per subject, and beside it the numbers, in a column under the subject's name."""
    for place, row in enumerate(times.values()):
        dots.plot([min(row.values()), max(row.values())], [place, place], color=GREY, linewidth=0.8, zorder=1)
    for column, (subject, (head, marker, colour)) in enumerate(_SUBJECTS.items()):
        # Two symbols of one size would hide each other where times are the same.
        large = subject == "symdyn split-lanes"
        style = {"color": colour, "markersize": 8 if large else 5.5, "markerfacecolor": "none" if large else colour}
        table.annotate(head, (column, -1.2), color=colour, ha="center", va="bottom", fontsize=8.5)
        table.plot([column], [-0.85], marker, **style)
        for place, row in enumerate(times.values()):
            if subject in row:
                dots.plot([row[subject]], [place], marker, zorder=3, **style)
                table.annotate(f"{row[subject]:.0f}", (column + 0.2, place), color=colour, ha="right", va="center")


def main() -> None:
    """Write call_times.svg beside this file."""
    times = read_table(FOLDER / "call_times.txt")
    figure, (dots, table) = panels(2, 3.0, ratios=(1.25, 1.0))
    draw(dots, table, times)
    dots.set_xscale("log")
    dots.set_xticks([50, 100, 200, 500, 1000, 2000], ["50", "100", "200", "500", "1000", "2000"])
    dots.minorticks_off()
    dots.set_yticks(range(len(times)), times)
    dots.tick_params(axis="y", length=0)
    dots.spines["left"].set_visible(False)
    dots.set_xlabel("ns per call (logarithmic)")
    dots.set_title("inverse dynamics of one state [ns], one core", loc="left")
    table.set_axis_off()
    table.set_xlim(-0.5, len(_SUBJECTS) - 0.5)
    for axes in (dots, table):
        axes.set_ylim(len(times) - 0.5, -1.2)
    save(figure, "call_times")


if __name__ == "__main__":
    main()
