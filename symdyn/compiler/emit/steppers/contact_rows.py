"""What the C that finds impulses of rows in sets needs: numbers by the type of scalars, and its workspace."""

from __future__ import annotations

from typing import Any

from symdyn.compiler.emit.steppers.spelling import number
from symdyn.interface.contact_solving import NUMBERS, SolverNumbers

_TYPES = {"double": "float64", "float": "float32"}
_SCALARS = ("compliance", "proximal", "singular", "decrease", "thousand", "unequal", "change", "rounding", "slack")
_COUNTS = (
    "iterations",
    "stage_iterations",
    "bursts",
    "burst",
    "burst_iterations",
    "trials",
    "first_trials",
    "sweeps",
    "leaps",
)

BLOCK = 4
"""Columns of which sums are made at once."""


ENDLESS = {"double": "HUGE_VAL", "float": "HUGE_VALF"}
"""Infinity by types of C, because ``INFINITY`` is a float."""


def numbers_of(scalar: str) -> SolverNumbers:
    """Bounds and numbers of the solver for a type of C."""
    return NUMBERS[_TYPES[scalar]]


def rows_context(scalar: str, effort: str) -> dict[str, Any]:
    """What ``contact_rows`` needs beside the spelling of numbers and functions."""
    numbers = numbers_of(scalar)
    return {
        **{name: number(getattr(numbers, name), scalar) for name in _SCALARS},
        **{name: getattr(numbers, name) for name in _COUNTS},
        "stages": [number(stage, scalar) for stage in numbers.stages],
        "penalties": [number(penalty, scalar) for penalty in numbers.penalties],
        "block": BLOCK,
        "endless": ENDLESS[scalar],
        "newton_vectors": "5",
        "fallbacks": effort == "full",
    }


def rows_work(rows: int) -> int:
    """Scalars of workspace for so many rows, beside their matrix."""
    return 12 * rows + rows * rows


def problem_work(rows: int, nv: int) -> int:
    """The same for the problem of a robot's rows, with the matrix."""
    return rows * rows + 3 * rows + max(rows_work(rows), nv * (rows + BLOCK - 1))


def bounds_text(scalar: str, effort: str, rounds: int) -> list[str]:
    """What the header says of the most that a step takes, which solves at most ``rounds`` problems."""
    numbers = numbers_of(scalar)
    first = (
        f"A step solves at most {rounds} problems, each by at most {numbers.iterations} iterations of Newton's method"
    )
    if effort != "full":
        return [f"{first},", f"each followed by {numbers.sweeps} Gauss-Seidel sweeps where it does not help."]
    return [
        f"{first};",
        f"where these fail, {len(numbers.stages)} times {numbers.stage_iterations} with compliance that falls, then "
        f"{numbers.bursts} times {numbers.burst} iterations of ADMM",
        f"and {numbers.burst_iterations} of Newton's method. One of Newton's that does not help is followed by "
        f"{numbers.sweeps} Gauss-Seidel sweeps.",
    ]
