"""The figure of a comparison: time per call, error, code size, and seconds to make the code, on logarithmic axes."""

from __future__ import annotations

import importlib
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symdyn.analysis.compare.comparison import Comparison, Point
from symdyn.analysis.compare.exact_results import relative
from symdyn.errors import RequestError
from symdyn.interface.optional_packages import require
from symdyn.verify.base.compare import UNIT_ROUNDOFF

FORMATS = (".pdf", ".png", ".svg")
_SIZE = (7.2, 6.6)
"""In inches: two columns of a paper."""
_MARKERS = "osD^vP<X>*"
_COLOURS = (
    *("#000000", "#0072B2", "#56B4E9", "#D55E00", "#E69F00"),
    *("#CC79A7", "#9B5DA8", "#009E73", "#7F7F7F", "#B8A000"),
)
"""Apart for colour-blind readers too; markers and dashes tell the lines apart without colour."""
_DASHES = ("-", "--", "-.", ":")
_APART = 0.055
"""By which contestants stand beside each other, in orders: curves that coincide are seen to be several."""
_ENDED = {"marker": "x", "markersize": 10, "linestyle": ""}
_LINE_LENGTH = 26
"""Characters of a name at an axis."""

Quantity = Callable[[Point], float | None]


def check_plot(path: Path) -> None:
    """Refuse early what :func:`save_plot` could not do.

    Raises
    ------
    RequestError
        Matplotlib is missing, or the file's ending is not one of ``FORMATS``.
    """
    if path.suffix.lower() not in FORMATS:
        raise RequestError(f"--plot {path}: the file ends in one of {', '.join(FORMATS)}")
    require("--plot", "matplotlib", "plot")


def save_plot(comparison: Comparison, path: Path) -> None:
    """Write the figure; the file's ending decides its format."""
    check_plot(path)
    write_figure(comparison_figure(comparison), path, comparison.function)


def comparison_figure(comparison: Comparison) -> Any:
    """Matplotlib's figure of a comparison.

    Lines over orders where there are several, else one dot per contestant. What a contestant has no figure of, or 0 of,
    is not drawn; where it was not ready in time, its line ends in a cross.
    """
    figure: Any = importlib.import_module("matplotlib.figure").Figure(figsize=_SIZE, layout="constrained")
    panels = figure.subplots(2, 2)
    draw = _lines if len(comparison.orders) > 1 else _dots
    for place, (axes, (title, unit, quantity)) in enumerate(zip(panels.flat, _PANELS, strict=True)):
        draw(axes, comparison, quantity, place)
        label = f"{title} [{unit}]" if unit else title
        (axes.set_ylabel if draw is _lines else axes.set_xlabel)(label, fontsize=9)
        axes.set_title(f"({'abcd'[place]})", loc="left", fontsize=9)
        axes.tick_params(labelsize=8, which="both")
    if draw is _lines:
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    figure.suptitle(f"{_words(comparison.function)}, {_words(comparison.robot)}", fontsize=10)
    return figure


def _words(name: str) -> str:
    return name.replace("_", " ")


def write_figure(figure: Any, path: Path, salt: str) -> None:
    """Write a figure without the software's name, dates and random identifiers: equal figures are equal files."""
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with importlib.import_module("matplotlib").rc_context({"svg.hashsalt": salt}):
        figure.savefig(path, dpi=200, metadata=metadata[path.suffix.lower()])


def _nanoseconds(point: Point) -> float | None:
    return point.figures.nanoseconds if point.figures else None


def _error(point: Point) -> float | None:
    return relative(point.error_in_u) if point.error_in_u is not None else None


def _bytes(point: Point) -> float | None:
    return point.figures.c_bytes if point.figures else None


def _seconds(point: Point) -> float | None:
    return point.figures.generation_s + (point.figures.compile_s or 0.0) if point.figures else None


_PANELS: tuple[tuple[str, str, Quantity], ...] = (
    ("time per call", "ns", _nanoseconds),
    ("largest relative error", "", _error),
    ("machine code and constants", "bytes", _bytes),
    ("generation and compilation", "s", _seconds),
)


def _lines(axes: Any, comparison: Comparison, quantity: Quantity, place: int) -> None:
    middle = (len(comparison.contestants) - 1) / 2
    for number, contestant in enumerate(comparison.contestants):
        points = [comparison.point(contestant.name, order) for order in comparison.orders]
        known = [(point.order, value) for point in points if (value := quantity(point))]
        at = [order + _APART * (number - middle) for order, _ in known]
        values = [value for _, value in known]
        colour = _COLOURS[number % len(_COLOURS)]
        axes.plot(
            at,
            values,
            label=f"{contestant.title} ({contestant.note})" if contestant.note else contestant.title,
            color=colour,
            marker=_MARKERS[number % len(_MARKERS)],
            markerfacecolor="none" if number % 2 else colour,
            linestyle=_DASHES[number % len(_DASHES)],
            markersize=4.5,
            linewidth=2.0 if number == 0 else 1.1,
            zorder=10 if number == 0 else 2,
        )
        if points[-1].missing and known:
            axes.plot(at[-1:], values[-1:], color=colour, zorder=11, **_ENDED)
    if any(point.missing for point in comparison.points):
        axes.plot([], [], color="black", label="not ready in time at the next order", **_ENDED)
    axes.set_yscale("log")
    axes.set_xticks(comparison.orders)
    axes.set_xlabel("order r", fontsize=9)
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
    if _PANELS[place][2] is _error:
        roundoff = UNIT_ROUNDOFF["float64"]
        axes.axhline(roundoff, color="#7F7F7F", linewidth=0.8)
        axes.annotate(
            "$2^{-53}$",
            (1.01, roundoff),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
            color="#7F7F7F",
        )


def _dots(axes: Any, comparison: Comparison, quantity: Quantity, place: int) -> None:
    names = [contestant.name for contestant in reversed(comparison.contestants)]
    values = [quantity(comparison.point(name, comparison.orders[0])) for name in names]
    known = [(row, value) for row, value in enumerate(values) if value]
    if known:
        exponents = [math.log10(value) for _, value in known]
        axes.set_xscale("log")
        # whole decades, with room for the number beside the last dot
        lowest = math.floor(min(exponents))
        highest = math.ceil(max(exponents) + 0.3 * (max(exponents) - lowest))
        axes.set_xlim(10.0**lowest, 10.0 ** max(highest, lowest + 1))
        axes.xaxis.set_minor_formatter(importlib.import_module("matplotlib.ticker").NullFormatter())
    for row, value in known:
        colour = _COLOURS[1] if names[row] == comparison.contestants[0].name else _COLOURS[8]
        axes.plot([value], [row], marker="o", markersize=6, linestyle="", color=colour)
        text = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
        axes.annotate(text, (value, row), (6, 0), textcoords="offset points", va="center", fontsize=8)
    for row, name in enumerate(names):
        if comparison.point(name, comparison.orders[0]).missing:
            axes.annotate("no result", (0.02, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    titles = {contestant.name: contestant.title for contestant in comparison.contestants}
    wrapped = [textwrap.fill(titles[name], _LINE_LENGTH) for name in names]
    axes.set_yticks(range(len(names)), [] if place % 2 else wrapped)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)
