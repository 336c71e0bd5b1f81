"""Units of parameters: those of SI without prefixes, since a value in another unit would be a wrong number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Number
from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError

_SI: Final = frozenset(
    ("m", "kg", "s", "rad", "N", "Pa", "J", "W", "Hz", "A", "V", "K", "ohm", "1", "Nm", "Nms", "kgm", "Ns", "sr")
)
"""Units whose products symdyn computes in; some with their factors joined, as they are often written."""
_PREFIXES: Final = {"G": "1e9", "M": "1e6", "k": "1000", "c": "1/100", "m": "1/1000", "u": "1e-6", "n": "1e-9"}
_OTHERS: Final = {
    "deg": ("pi/180", "rad"),
    "degree": ("pi/180", "rad"),
    "degrees": ("pi/180", "rad"),
    "rpm": ("pi/30", "rad/s"),
    "g": ("1/1000", "kg"),
    "t": ("1000", "kg"),
    "bar": ("1e5", "Pa"),
    "psi": ("6894.757", "Pa"),
    "in": ("0.0254", "m"),
    "inch": ("0.0254", "m"),
    "ft": ("0.3048", "m"),
    "lb": ("0.45359237", "kg"),
    "lbf": ("4.448222", "N"),
    "min": ("60", "s"),
    "h": ("3600", "s"),
    "L": ("1/1000", "m^3"),
}
"""What one of a unit is in SI."""
_PREFIXED: Final = ("m", "s", "N", "Pa", "J", "W", "Hz", "A", "V", "Nm", "rad", "g", "bar")
_FACTOR: Final = re.compile(r"([^\W\d_]+|1)(?:\s*(?:\^|\*\*)\s*[({]?([-+]?\d+(?:[./]\d+)?)[)}]?|([-+]?\d+))?")
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_GREEK: Final = str.maketrans("µμ·⋅×", "uu***")


def check_unit(unit: str, value: Number | None) -> None:
    """Raise a DescriptionError for a unit that is no product of those of SI, with what to write instead."""
    for name in _names(unit):
        if name in _SI:
            continue
        factor, si = _in_si(name)
        raise DescriptionError(
            f"unit is {shown(unit)}, and values are in SI units without prefixes (m, kg, s, rad, N, Pa and products); "
            f"{_remedy(unit, name, factor, si, value)}"
        )


def _names(unit: str) -> Iterator[str]:
    """Names of a product of powers; what is no such product comes whole."""
    text = unit.replace("°", "deg").translate(_GREEK).translate(_RAISED).strip()
    at = 0
    if text in ("", "-"):
        return
    while at < len(text):
        if text[at] in " */.()":
            at += 1
            continue
        found = _FACTOR.match(text, at)
        if found is None:
            yield unit
            return
        yield found[1]
        at = found.end()


def _in_si(name: str) -> tuple[str, str]:
    """What one of a unit is in SI, and of which unit; empty where that is not known."""
    if name in _OTHERS:
        return _OTHERS[name]
    prefix, rest = name[:1], name[1:]
    if prefix not in _PREFIXES or rest not in _PREFIXED:
        return "", ""
    factor, si = _OTHERS.get(rest, ("", rest))
    number = math.prod(float(_quotient(own)) for own in (_PREFIXES[prefix], factor or "1"))
    return (f"{number:g}" if factor else _PREFIXES[prefix]), si


def _quotient(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def _remedy(unit: str, name: str, factor: str, si: str, value: Number | None) -> str:
    if not factor:
        return "write the value in these, and its unit, or leave unit out"
    if unit.strip() != name or value is None:
        return f"1 {name} is {factor} {si}: write the value in SI"
    given = f"({value.text})" if isinstance(value, Expression) else f"{value:.15g}"
    product = f"{given}{factor[1:]}" if factor.startswith("1/") else f"{given}*{factor}"
    if isinstance(value, Expression) or "pi" in factor:
        return f"write the expression {product}, with unit {si}"
    return f"write {value * _quotient(factor):.15g}, or the expression {product}, with unit {si}"
