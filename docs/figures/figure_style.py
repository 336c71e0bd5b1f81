"""What all figures have in common: sizes, colours, and a file that is the same for the same data."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.environ.get("SYMDYN_FIGURES", HERE))
"""Of tables and figures; redraw.py tries scripts in another."""
WIDTH = 7.2
"""In inches."""
LAYOUT_COLOURS = {"unrolled": "#1b6ca8", "split": "#3a9d8f", "rolled": "#d98324"}
LAYOUT_MARKERS = {"unrolled": "o", "split": "s", "rolled": "^"}
GREY = "#8a8a8a"


def as_text() -> None:
    """Text of figures stays text, and nothing in a file is random."""
    plt.rcParams.update({"svg.hashsalt": "symdyn", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 9})


def panels(count: int, height: float, ratios: Sequence[float] | None = None) -> tuple[Any, Any]:
    """A figure with panels side by side, of equal widths or in ``ratios``."""
    as_text()
    figure, axes = plt.subplots(
        1, count, figsize=(WIDTH, height), layout="constrained", squeeze=False, width_ratios=ratios
    )
    for each in axes[0]:
        each.spines[["top", "right"]].set_visible(False)
        each.grid(True, which="major", linewidth=0.4, alpha=0.5)
        each.set_axisbelow(True)
    return figure, axes[0]


def legend_by_parts(figure: Any, dashes: Mapping[str, str]) -> None:
    """One legend below all panels: layouts by colour and marker, then what each kind of line means."""
    own = [
        Line2D([], [], color=colour, marker=LAYOUT_MARKERS[layout], markersize=4, label=layout)
        for layout, colour in LAYOUT_COLOURS.items()
    ]
    own += [Line2D([], [], color="black", linestyle=dash, label=label) for label, dash in dashes.items()]
    figure.legend(handles=own, loc="outside lower center", ncols=len(own), fontsize=8, frameon=False, handlelength=2.6)


def save(figure: Any, name: str) -> None:
    """Write <name>.svg beside this file: no date, no program, no blanks at line ends."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"
    (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


def read_rows(name: str) -> list[dict[str, str]]:
    """The rows of <name>.csv beside this file."""
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
