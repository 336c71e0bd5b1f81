"""What reaches the terminal: results on stdout, warnings and errors on stderr, names from robot files made harmless."""

from __future__ import annotations

import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TextIO

from symdyn.errors import SymdynWarning, one_line

harmless = one_line
"""Names from robot files may hold anything; a terminal shows what is printable."""


def line(text: object = "") -> None:
    """One line of the result."""
    print(harmless(text))


def block(text: str) -> None:
    """Several lines of the result."""
    for each in text.split("\n"):
        line(each)


def note(text: object, hang: str = "") -> None:
    """Prose of the result: wraps at blanks to the terminal, or to 80 columns when piped; further lines begin so."""
    width = max(shutil.get_terminal_size((80, 24)).columns, 20)
    for each in textwrap.wrap(
        harmless(text), width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
    ):
        print(each)


def title(text: str) -> None:
    """Head of a section, after an empty line."""
    line()
    note(text)


def counted(number: int, noun: str) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


_quiet = False


def silence(quiet: bool) -> None:
    """Let stderr show errors alone, or warnings and progress too; results and exit codes stay as they are."""
    global _quiet
    _quiet = quiet


def warn(text: object) -> None:
    """One warning, but for ``--quiet``."""
    if not _quiet:
        print(f"warning: {harmless(text)}", file=sys.stderr)


def aside(text: object) -> None:
    """One line beside the result, but for ``--quiet``."""
    if not _quiet:
        print(harmless(text), file=sys.stderr)


def fail(text: object) -> None:
    """The one line that says what went wrong."""
    print(f"error: {harmless(text)}", file=sys.stderr)


def prepare() -> None:
    """Let Python's warnings and any character reach the terminal as single readable lines."""
    silence(False)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    warnings.showwarning = _show_warning
    # Each time, and not only the first time that a line of code warns.
    warnings.simplefilter("always", SymdynWarning)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    # Other packages' deprecations are no news to whoever runs a command.
    if not issubclass(category, DeprecationWarning | PendingDeprecationWarning):
        warn(message)


def table(titles: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()) -> None:
    """A table; ``numbers`` are the columns set flush right. A column in which no row has an entry is left out.

    Wraps to the terminal, or to 80 columns when piped.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from .column_widths import broken, column_widths

    cells = [[harmless(cell) for cell in row] for row in rows]
    shown = [place for place in range(len(titles)) if not cells or any(row[place] for row in cells)]
    heads = [harmless(titles[place]) for place in shown]
    body = [[row[place] for place in shown] for row in cells]
    console = Console(markup=False, highlight=False, emoji=False)
    widths = column_widths(heads, body, console.width)
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="")
    for place, head, width in zip(shown, heads, widths, strict=True):
        justify: Literal["left", "right"] = "right" if place in numbers else "left"
        grid.add_column(Text(head), justify=justify, overflow="fold", width=width)
    for row in body:
        grid.add_row(*(Text(broken(cell, width)) for cell, width in zip(row, widths, strict=True)))
    with console.capture() as captured:
        console.print(grid)
    for each in captured.get().splitlines():
        print(each.rstrip())


@contextmanager
def working(on: str) -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal that work goes on and for how long; silent for ``--quiet`` and where stderr is no terminal.

    Yields what may be told how much is done, and of how much; until then the bar only shows that work goes on.
    """
    with working_on(on) as tell:
        yield lambda done, total: tell(on, done, total)


@contextmanager
def working_on(on: str) -> Iterator[Callable[[str, int, int], None]]:
    """As :func:`working`, for steps with names: yields what is told the step, how much is done, and of how much."""
    if _quiet or not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(harmless(on), total=None)
        yield lambda what, done, total: bar.update(task, description=harmless(what), completed=done, total=total)
