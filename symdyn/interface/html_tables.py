"""Tables as HTML for notebooks. Names from files are data: nothing in them is markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from symdyn.errors import one_line


def text(shown: str) -> str:
    """One line of text, escaped."""
    return escape(one_line(shown))


def row(tag: str, cells: Iterable[str]) -> str:
    """A row of cells of one tag, ``th`` or ``td``."""
    return f"<tr>{''.join(f'<{tag}>{text(cell)}</{tag}>' for cell in cells)}</tr>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with heads of columns."""
    return f"<table><thead>{row('th', heads)}</thead><tbody>{''.join(row('td', own) for own in rows)}</tbody></table>"


def titled(name: str, about: str, content: str) -> str:
    """A paragraph with a name in bold and what is said of it, then the content, which is HTML."""
    return f"<div><p><b>{text(name)}</b>: {text(about)}</p>{content}</div>"
