"""How wide the columns of a table are, and where a cell that is wider than its column breaks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len

_GAP = 3
"""Blanks between two columns, as the terminal's tables have them."""
_PIECE = re.compile(r"[^_./:-]*[_./:-]|[^_./:-]+")
_NUMBER = re.compile(r"\W*[-+]?[\d.]+(e[-+]?\d+)?\W*")
_SHORT = 20
"""A word no wider than this is kept whole as long as the other columns can give way."""


def column_widths(titles: Sequence[str], rows: Sequence[Sequence[str]], available: int) -> list[int]:
    """Widths that together fill at most ``available`` characters, gaps included.

    Every column has the width of its widest cell or title where that fits. Otherwise titles break at blanks first, one
    after the other; then the widest column gives way, down to its longest short word, and at last to nothing.
    """
    columns = [[title, *(row[place] for row in rows)] for place, title in enumerate(titles)]
    widths = [max(map(cell_len, column)) for column in columns]
    room = max(available - _GAP * (len(widths) - 1), len(widths))
    untitled = [max(_longest_word(column[0]), *map(cell_len, column[1:]), 1) for column in columns]
    while sum(widths) > room and any(width > least for width, least in zip(widths, untitled, strict=True)):
        place = max(range(len(widths)), key=lambda place: widths[place] - untitled[place])
        widths[place] = untitled[place]
    floors = [1] * len(widths)
    for keep in (_longest_short_word, _longest_piece):  # names break where nothing else does, numbers never
        kept = [min(width, max(map(keep, column))) for width, column in zip(widths, columns, strict=True)]
        if sum(kept) <= room:
            floors = kept
            break
    while sum(widths) > room:
        place = max((place for place in range(len(widths)) if widths[place] > floors[place]), key=widths.__getitem__)
        widths[place] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def _longest_short_word(text: str) -> int:
    """Width of the widest word, or of the widest piece where a word itself is too wide to be kept whole."""
    pieces = [piece for word in text.split() for piece in ([word] if cell_len(word) <= _SHORT else _pieces(word))]
    return _indent(text) + max((width for piece in pieces if (width := cell_len(piece)) <= _SHORT), default=1)


def _longest_piece(text: str) -> int:
    """Width of the widest piece that no line may part."""
    return _indent(text) + max((cell_len(piece) for word in text.split() for piece in _pieces(word)), default=1)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _pieces(word: str) -> list[str]:
    """Where a word may be parted; a number nowhere."""
    return [word] if _NUMBER.fullmatch(word) else _PIECE.findall(word)


def broken(text: str, width: int) -> str:
    """Text whose words are no wider than a column where they can be parted after one of ``_ . / : -``.

    In a column of ten, ``left_arm_shoulder_joint`` becomes three lines: ``left_arm_``, ``shoulder_``, ``joint``. The
    lines of a text that begins with blanks begin with them, too.
    """
    if cell_len(text) <= width:
        return text
    indent = " " * _indent(text)
    lines = " ".join(_broken_word(word, max(width - len(indent), 1)) for word in text.lstrip().split(" "))
    return indent + lines.replace("\n", f"\n{indent}")


def _broken_word(word: str, width: int) -> str:
    if cell_len(word) <= width:
        return word
    lines = [""]
    for piece in _pieces(word):
        if lines[-1] and cell_len(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)
