"""How a stepper's C spells numbers and functions of the mathematical library, by the type of its scalars."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from symdyn.compiler.emit.printing.literals import double_literal, float_literal

_NUMBERS = {
    "zero": 0.0,
    "one": 1.0,
    "two": 2.0,
    "six": 6.0,
    "half": 0.5,
    "quarter": 0.25,
    "hundred": 100.0,
    "hundredth": 0.01,
    "eighth": 0.125,
    "sixteenth": 0.0625,
    "safety": 0.9,
    "smallest": 0.2,
    "largest": 10.0,
    "slack": 1e-6,
    "margin": exp(-0.7),
}
_FUNCTIONS = ("sqrt", "fabs", "fmax", "fmin", "pow", "ceil", "sin", "cos", "frexp", "ldexp")


def number(value: float, scalar: str) -> str:
    """A literal of a scalar type."""
    return double_literal(value) if scalar == "double" else float_literal(value)


def spelling(scalar: str) -> Mapping[str, str]:
    """Texts by name: numbers that templates need, and functions."""
    suffix = "" if scalar == "double" else "f"
    return {
        **{name: number(value, scalar) for name, value in _NUMBERS.items()},
        **{name: f"{name}{suffix}" for name in _FUNCTIONS},
    }


def block(*lines: str) -> list[str]:
    """Statements with names of their own."""
    return ["{", *(f"  {line}" for line in lines), "}"]
