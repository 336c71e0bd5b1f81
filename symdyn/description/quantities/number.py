"""The one grammar of numbers in robot files: decimal digits, a point, an exponent; the same in every locale."""

from __future__ import annotations

import math
import re

from symdyn.description.text.position import shown

SMALLEST = 1e-300
"""Numbers nearer to zero than this (zero excepted) are refused: their products are subnormal and lose digits."""

PATTERN = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""An unsigned number, as a regular expression over ASCII."""

_NUMBER = re.compile(rf"[+-]?{PATTERN}")
_WORDS = frozenset({"nan", "inf", "infinity"})
_XML_SPACE = " \t\r\n"


def is_number(text: str) -> bool:
    """Whether ``text`` is spelt as a number; its value may still be too large or too small."""
    return _NUMBER.fullmatch(text.strip(_XML_SPACE)) is not None


def read_number(text: str) -> float:
    """Value of a decimal number such as ``-1.5e-3``.

    Raises
    ------
    ValueError
        Not a number in this grammar, not finite, beyond the range of doubles, or nearer to zero than ``SMALLEST``.
    """
    token = text.strip(_XML_SPACE)
    if not _NUMBER.fullmatch(token):
        if token.lower().lstrip("+-.") in _WORDS:
            raise ValueError(f"expected a finite number, got {shown(token)}")
        raise ValueError(f"expected a decimal number such as 1.5, got {shown(token)}{comma_remedy(token)}")
    value = float(token)
    if not math.isfinite(value):
        raise ValueError(f"{shown(token)} is beyond the largest double (1.8e308)")
    mantissa = re.split("[eE]", token)[0]
    if abs(value) < SMALLEST and mantissa.strip("+-0."):
        raise ValueError(f"{shown(token)} is nearer to zero than {SMALLEST:g}; write 0, or check the unit")
    return value


def comma_remedy(text: str) -> str:
    """What to do about commas: one between digits is a decimal mark, others part numbers or end them."""
    if "," not in text:
        return ""
    if "," not in text.strip(_XML_SPACE + ","):
        return "; delete the stray comma"
    if text.count(",") == 1 and re.search("[0-9],[0-9]", text):
        return "; write the decimal mark as a point"
    return "; this is to be one number: write several as a list, and the decimal mark as a point"


def unit_remedy(text: str) -> str:
    """What to do about a unit that is joined to a number."""
    return "; write no units: values are in SI" if re.match(rf"{PATTERN}[A-Za-z%]+(?![A-Za-z0-9_.])", text) else ""


def read_vector(text: str) -> tuple[float, float, float]:
    """Three numbers parted by white space, as in URDF's ``xyz`` and ``rpy``.

    Raises
    ------
    ValueError
        Not three numbers, or one of them refused by :func:`read_number`.
    """
    x, y, z = _read_numbers(text, 3, "three")
    return x, y, z


def read_quaternion(text: str) -> tuple[float, float, float, float]:
    """Four numbers parted by white space, as in URDF's ``quat_xyzw``; errors as for :func:`read_vector`."""
    x, y, z, w = _read_numbers(text, 4, "four")
    return x, y, z, w


def _read_numbers(text: str, count: int, word: str) -> list[float]:
    # Not by the other blanks of Unicode: other readers of URDF stumble over them.
    tokens = re.findall(rf"[^{_XML_SPACE}]+", text)
    if len(tokens) != count:
        raise ValueError(f"expected {word} numbers parted by spaces, got {shown(text)}")
    return [read_number(token) for token in tokens]
