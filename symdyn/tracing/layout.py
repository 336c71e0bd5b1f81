"""Which layout a function gets: unrolled, split, rolled, or whichever the size of the code favours."""

from __future__ import annotations

from collections.abc import Callable

from symdyn.errors import RequestError
from symdyn.plan import Plan
from symdyn.signature import Signature
from symdyn.tape.program import Program
from symdyn.tape.tape import operation_total
from symdyn.tracing.rolled import trace_rolled
from symdyn.tracing.split import trace_split
from symdyn.tracing.unrolled import trace_unrolled

LAYOUTS = ("auto", "unrolled", "split", "rolled")

UNROLLED_UP_TO = 900
"""Operations up to which ``auto`` writes one straight line.

Inverse dynamics in nanoseconds, one line against pieces of 500 operations: 606 operations 110 / 120, 1234 operations
265 / 222, 3706 operations 792 / 639, and half the compile time: pieces keep fewer values alive.
"""

SPLIT_UP_TO = 20000
"""Operations up to which ``auto`` writes pieces; beyond it loops, whose size does not grow with the robot."""


def trace(plan: Plan, signature: Signature, layout: str, optimise: Callable[[Program], Program]) -> Program:
    """A program in a layout.

    Parameters
    ----------
    plan, signature
        What to compute, and its interface.
    layout
        One of LAYOUTS; ``auto`` counts the operations of the rolled program, which is quick to make at any size.
    optimise
        The pass pipeline.

    Raises
    ------
    RequestError
        An unknown layout.
    """
    if layout not in LAYOUTS:
        raise RequestError(f"layout '{layout}' is unknown; choose one of {', '.join(LAYOUTS)}")
    if layout == "unrolled":
        return optimise(trace_unrolled(plan, signature))
    if layout == "split":
        return optimise(trace_split(plan, signature))
    rolled = optimise(trace_rolled(plan, signature))
    if layout == "rolled" or operation_total(rolled.counts()) > SPLIT_UP_TO:
        return rolled
    unrolled_fits = operation_total(rolled.counts()) <= UNROLLED_UP_TO
    return optimise(trace_unrolled(plan, signature) if unrolled_fits else trace_split(plan, signature))
