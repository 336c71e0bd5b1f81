"""``symdyn compare``: a function beside automatic differentiation and other rivals, measured here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, terminal, written
from .groups import Without

if TYPE_CHECKING:
    from symdyn.analysis.compare.comparison import Comparison, Point

_DIGITS = 4
"""More than any order has."""
_TITLES = ("contestant", "ops", "C bytes", "make s", "cc s", "ns/call", "x ours", "error/u")


def run(
    *,
    robot: options.RobotName,
    function: Annotated[
        str,
        typer.Option(
            "--function", "-f", metavar="NAME", help="Dynamics, their derivatives, a mass matrix or its inverse."
        ),
    ] = "inverse_dynamics",
    orders: Annotated[
        str | None, typer.Option("--orders", metavar="A:B", help="Time derivatives of orders A to B, or of one.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="NAMES", help="Rivals, parted by commas; repeatable. All by default."),
    ] = None,
    layouts: Annotated[
        bool,
        typer.Option("--layouts", help="symdyn's layouts beside each other; rivals only where --against names them."),
    ] = False,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="Time for each rival and order.")] = 60.0,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw a .png, .pdf or .svg.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all figures.")] = None,
    load: Annotated[options.Loading, Without(("runtime",))],
) -> None:
    """Compare a function with its rivals. Operations, code size, times and errors, each point in its own process.

    With --orders, time derivatives of the function are compared. A rival that fails at an order (too slow, out of
    memory) is not tried at higher ones, and the table says so. Compare times only within one run.
    """
    import symdyn.api
    from symdyn.analysis.compare.contestants import LAYOUTS
    from symdyn.analysis.compare.plot import save_plot

    written.check_written(plot)
    if csv is not None:
        written.check_folder("--csv", csv)
    asked, names = _orders(orders), _names(against)
    if layouts:
        names = [*LAYOUTS, *(names or ())]
    loaded = load.load(robot)
    with terminal.working_on(f"comparing {function}") as progress:
        found = symdyn.api.compare(loaded, function, asked, names, budget, progress)
    _show(found)
    if csv is not None:
        from symdyn.analysis.compare.figure_table import csv_text

        csv.write_text(csv_text(found), encoding="utf-8")
        terminal.line(f"wrote {csv}")
    if plot is not None:
        save_plot(found, plot)
        terminal.line(f"wrote {plot}")


def _orders(text: str | None) -> range | None:
    """The orders of ``A:B``, both included, or of a single number."""
    from symdyn.errors import RequestError

    if text is None:
        return None
    first, separator, last = text.partition(":")
    numbers = (first, last) if separator else (first, first)
    written = all(number.isascii() and number.isdigit() and len(number) <= _DIGITS for number in numbers)
    if not written or int(numbers[0]) > int(numbers[1]):
        raise RequestError(f"--orders {text}: expected one order or a range A:B with A <= B, such as 0:5")
    return range(int(numbers[0]), int(numbers[1]) + 1)


def _names(texts: list[str] | None) -> list[str] | None:
    if not texts:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _show(found: Comparison) -> None:
    terminal.line(f"{found.function} of {found.robot}, budget {found.budget_s:g} s per point")
    for order in found.orders:
        terminal.title(f"order r = {order}" if found.has_orders else "per call")
        _show_order([found.point(contestant.name, order) for contestant in found.contestants])
    if len(found.orders) > 1:
        _show_times(found)
    terminal.line()
    terminal.table(
        ("contestant", "what it is"), ((contestant.name, contestant.sentence) for contestant in found.contestants)
    )
    for text in found.left_out:
        terminal.line(text)
    terminal.line()
    terminal.line("ops: operations per call (CasADi: instructions); make s, cc s: generate, compile")
    terminal.line("ns/call: thread CPU time; error/u: largest against 50 digits, u = 2^-53")


def _show_order(points: Sequence[Point]) -> None:
    """A table of those that were measured, and a line on each of the others."""
    terminal.table(
        _TITLES,
        [_cells(point, points[0]) for point in points if point.figures is not None],
        numbers=range(1, len(_TITLES)),
    )
    for point in points:
        if point.missing:
            terminal.line(f"{point.contestant}: {point.missing}")


def _show_times(found: Comparison) -> None:
    terminal.title("time per call [ns] by order r, and p where it grows like (r + 1)^p")
    rows = []
    for contestant in found.contestants:
        points = [found.point(contestant.name, order) for order in found.orders]
        times = [f"{point.figures.nanoseconds:.0f}" if point.figures else "-" for point in points]
        growth = found.growth(contestant.name)
        rows.append((contestant.name, *times, "-" if growth is None else f"{growth:.1f}"))
    titles = ("contestant", *(f"r = {order}" for order in found.orders), "p")
    terminal.table(titles, rows, numbers=range(1, len(titles)))


def _cells(point: Point, ours: Point) -> tuple[str, ...]:
    figures = point.figures
    assert figures is not None and point.error_in_u is not None
    ratio = f"{figures.nanoseconds / ours.figures.nanoseconds:.2f}" if ours.figures else "-"
    return (
        point.contestant,
        "-" if figures.operations is None else str(figures.operations),
        "-" if figures.c_bytes is None else str(figures.c_bytes),
        f"{figures.generation_s:.2f}",
        "-" if figures.compile_s is None else f"{figures.compile_s:.2f}",
        f"{figures.nanoseconds:.0f}",
        ratio,
        f"{point.error_in_u:.1f}" if point.error_in_u < 1e4 else f"{point.error_in_u:.0e}",
    )
