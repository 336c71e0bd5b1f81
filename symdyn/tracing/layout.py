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

UNROLLED_UP_TO = 1200
"""Operations up to which ``auto`` writes one straight line.

In nanoseconds, one line against pieces: inverse dynamics of 606 operations 110 / 120, of 1234 operations 265 / 222, of
3706 operations 792 / 639; forward dynamics of 1224 operations 207 / 219, of 2742 operations 477 / 446, of 8238
operations 1440 / 1362. Pieces keep fewer values alive, and compile in half the time.
"""

DENSE_UP_TO = 2700
"""Operations up to which one line is written where pieces would compute much again that they cannot share."""

_SHARED = 1.1
"""What counts as much: partial derivatives of a 6-DoF arm, 1676 operations in one line, are 1962 in pieces, and 281 ns
instead of 237; forward dynamics, 2742 and 2801, are faster in pieces."""

_ROLLED_EXCESS = 2
"""By how much the operations of loops may exceed those of one line, where zeros vanish."""

SPLIT_UP_TO = 15000
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
    operations = operation_total(rolled.counts())
    if layout == "rolled" or operations > SPLIT_UP_TO:
        return rolled
    split = optimise(trace_split(plan, signature))
    if operations > _ROLLED_EXCESS * DENSE_UP_TO:
        return split
    unrolled = optimise(trace_unrolled(plan, signature))
    line = operation_total(unrolled.counts())
    shares = line <= DENSE_UP_TO and _SHARED * line < operation_total(split.counts())
    return unrolled if line <= UNROLLED_UP_TO or shares else split
