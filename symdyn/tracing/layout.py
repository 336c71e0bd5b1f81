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
"""Operations up to which ``auto`` takes straight-line code (``benchmarks/rolled_scaling.py``).

Below it straight-line code is 5 to 60 % faster, most for small robots whose kernels would hardly repeat. Beyond it the
code outgrows every first-level cache and compile time grows faster than the code: at 7500 operations (101 bodies) it is
still 20 % faster, but takes 3.7 s to compile and 110 kB against 0.2 s and 11 kB for the loops.
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
