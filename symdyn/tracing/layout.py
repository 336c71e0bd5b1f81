"""Which layout a function gets: unrolled, split, rolled, or whichever the size of the code favours."""

from __future__ import annotations

from collections.abc import Callable

from symdyn.errors import RequestError
from symdyn.plan import Plan
from symdyn.signature import Signature
from symdyn.tape.cut import in_pieces
from symdyn.tape.flatten import flatten
from symdyn.tape.program import Affine, BufferKind, Call, Loop, Program
from symdyn.tape.tape import operation_total
from symdyn.tracing.rolled import trace_rolled
from symdyn.tracing.split import trace_split
from symdyn.tracing.unrolled import trace_unrolled

LAYOUTS = ("auto", "unrolled", "split", "rolled")

UNROLLED_UP_TO = 1200
"""Operations up to which ``auto`` writes one straight line of functions with many outputs."""

NARROW = 40
"""Operations per output from which a function is written in the order of its sweeps at any length.

One line is ordered from the outputs backwards, pieces go along the robot. In nanoseconds, one line against pieces:
inverse dynamics of a 7-DoF arm (99 per output) 128 / 111, of a quadruped (64) 254 / 215, of a 38-DoF humanoid
(97) 809 / 627; forward dynamics of a quadruped (138) 428 / 378; but mass matrix of an arm (10) 94 / 106, its Jacobians
(7) 176 / 184, the inverse of its mass matrix (20) 144 / 151.
"""

PIECE_LENGTH = 1000
"""Operations of a piece of the split layout.

By length 500, 700, 1000 and 1400: forward dynamics of a quadruped 396, 394, 380, 374 ns; of a 38-DoF humanoid 1343,
1316, 1311, 1296; its inverse dynamics 676, 637, 627, 635. Pieces compile in a third of the time of one line.
"""

SPLIT_UP_TO = 15000
"""Operations up to which ``auto`` writes pieces; beyond it loops, whose size does not grow with the robot.

Loops do more: they know nothing of the zeros of single bodies, and share nothing between kernels. Forward dynamics with
five derivatives of 7 bodies is 10841 operations in pieces and 1585 ns, in loops 16386 and 2344 ns.
"""

_ROLLED_EXCESS = 2
"""By how much the operations of loops may exceed those of pieces."""


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
        return _split(plan, signature, optimise)
    rolled = optimise(trace_rolled(plan, signature))
    operations = operation_total(rolled.counts())
    if layout == "rolled" or operations > _ROLLED_EXCESS * SPLIT_UP_TO:
        return rolled
    split = _split(plan, signature, optimise)
    operations = operation_total(split.counts())
    if operations > SPLIT_UP_TO:
        return rolled
    outputs = sum(argument.size for argument in signature.outputs)
    if operations > NARROW * outputs or operations > UNROLLED_UP_TO:
        return split
    return optimise(trace_unrolled(plan, signature))


def _split(plan: Plan, signature: Signature, optimise: Callable[[Program], Program]) -> Program:
    """Pieces and loops; where there are only pieces, they are optimised as one line, and cut anew."""
    program = trace_split(plan, signature)
    if any(isinstance(statement, Loop) for statement in program.body):
        return optimise(program)
    tape = flatten(program)
    arguments = program.buffers_of(BufferKind.IN, BufferKind.PARAM, BufferKind.OUT)
    call = Call(
        tape.name,
        tuple(Affine(port.name, 0) for port in tape.inputs),
        tuple(Affine(port.name, 0) for port in tape.outputs),
    )
    whole = Program(signature, arguments, (tape,), (call,), layout=program.layout)
    return in_pieces(optimise(whole), PIECE_LENGTH)
