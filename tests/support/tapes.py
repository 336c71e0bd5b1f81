"""Tapes and programs written out by hand."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Loop, Program
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.interface.signature import Argument, Signature

Line = tuple[str | float | int, ...]


def tape_of(*lines: Line, width: int = 4, results: Sequence[int] | None = None, name: str = "k") -> Tape:
    """A tape on one input port x and one output port y.

    A line is ``("x", element)``, ``(number,)`` for a constant, or ``(code, argument, ...)``. The last line is the
    result unless ``results`` lists others.
    """
    ops: list[Op] = []
    for line in lines:
        head = line[0]
        if head == "x":
            ops.append(Op("input", source=(0, int(line[1]))))
        elif isinstance(head, float):
            ops.append(Op("constant", literal=head, varying=False))
        else:
            args = tuple(int(argument) for argument in line[1:])
            varying = head != "lane_sum" and any(ops[argument].varying for argument in args)
            ops.append(Op(str(head), args, varying=varying))
    chosen = tuple(results) if results is not None else (len(ops) - 1,)
    return Tape(name, (Port("x", width),), (Port("y", len(chosen)),), tuple(ops), (chosen,))


def lines_of(tape: Tape) -> list[Line]:
    """The instructions of a tape in the form that :func:`tape_of` takes."""
    found: list[Line] = []
    for op in tape.ops:
        if op.code == "input":
            found.append(("x", op.source[1]))
        else:
            found.append((op.literal,) if op.code == "constant" else (op.code, *op.args))
    return found


def vector(name: str, size: int) -> Argument:
    """An argument without names worth telling."""
    return Argument(name, (size,), (tuple(f"{name}{row}" for row in range(size)),), ("1",), name)


def program_of(
    tapes: Sequence[Tape],
    body: Sequence[Call | Loop],
    x: int = 4,
    y: int = 4,
    buffers: Sequence[Buffer] = (),
) -> Program:
    """A program from x to y with further buffers."""
    signature = Signature("bench", "f", (vector("x", x),), (vector("y", y),), "A function")
    own = (Buffer("x", BufferKind.IN, x), Buffer("y", BufferKind.OUT, y))
    return Program(signature, (*own, *buffers), tuple(tapes), tuple(body))


def call(tape: str, source: Affine, target: Affine) -> Call:
    """A call with one input and one output."""
    return Call(tape, (source,), (target,))
