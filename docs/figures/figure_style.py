"""What all figures have in common: sizes, colours, and a file that is the same for the same data."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).resolve().parent
WIDTH = 7.2
"""In inches."""
LAYOUT_COLOURS = {"unrolled": "#1b6ca8", "split": "#3a9d8f", "rolled": "#d98324"}
LAYOUT_MARKERS = {"unrolled": "o", "split": "s", "rolled": "^"}
GREY = "#8a8a8a"


def panels(count: int, height: float) -> tuple[Any, Any]:
    """A figure with panels side by side; text stays text, and nothing in the file is random."""
    plt.rcParams.update({"svg.hashsalt": "symdyn", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, count, figsize=(WIDTH, height), layout="constrained", squeeze=False)
    for each in axes[0]:
        each.spines[["top", "right"]].set_visible(False)
        each.grid(True, which="major", linewidth=0.4, alpha=0.5)
        each.set_axisbelow(True)
        each.title.set_fontsize(9)
    return figure, axes[0]


def save(figure: Any, name: str) -> None:
    """Write <name>.svg beside this file: no date, no program, no blanks at line ends."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"
    (HERE / f"{name}.svg").write_text(text, encoding="utf-8")


def read_rows(name: str) -> list[dict[str, str]]:
    """The rows of <name>.csv beside this file."""
    with (HERE / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
