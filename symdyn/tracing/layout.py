"""Which layout a function gets: unrolled, rolled, or whichever the size of the code favours."""

from __future__ import annotations

from collections.abc import Callable

from symdyn.errors import RequestError
from symdyn.plan import Plan
from symdyn.signature import Signature
from symdyn.tape.program import Program
from symdyn.tape.tape import operation_total
from symdyn.tracing.rolled import trace_rolled
from symdyn.tracing.unrolled import trace_unrolled

LAYOUTS = ("auto", "unrolled", "rolled")

UNROLLED_UP_TO = 6000
"""Operations up to which straight-line code wins, by ``benchmarks/rolled_scaling.py``.

One operation is about 7 bytes of x86-64 code, so 32 KB of instruction cache hold some 4500. Beyond it straight-line
code runs from the second-level cache; the loops' loads and lost zeros cost about as much at this size.
"""


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
    rolled = optimise(trace_rolled(plan, signature))
    if layout == "auto" and operation_total(rolled.counts()) <= UNROLLED_UP_TO:
        return optimise(trace_unrolled(plan, signature))
    return rolled
