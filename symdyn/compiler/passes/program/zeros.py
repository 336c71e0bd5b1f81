"""Which scalars of a program's buffers may be other than zero, found by one run over truth values."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.tape.evaluate import run_calls
from symdyn.compiler.tape.program import BufferKind, Program
from symdyn.compiler.tape.tape import Op, Tape

_PRODUCTS = frozenset({"mul", "product"})
_FUSED = frozenset({"fma", "fms", "fnma"})
_OF_FIRST = frozenset(
    {"neg", "abs", "sign", "sqrt", "sin", "tan", "asin", "atan", "sinh", "tanh", "div", "sincos", "sin_of"}
    | {"lane_sum"}
)
"""Codes whose value is zero where their first operand is; a pair stands for its sine."""
_SUMS = frozenset({"add", "sub", "min", "max"})


def may_be_nonzero(program: Program) -> dict[str, list[bool]]:
    """Per output buffer, whether each of its scalars may be other than zero.

    A product is zero where a factor is, a sum where all its terms are. Inputs count as not zero, and factors as finite.
    """
    memory: dict[str, list[bool]] = {}
    for buffer in program.buffers:
        match buffer.kind:
            case BufferKind.IN | BufferKind.PARAM:
                memory[buffer.name] = [True] * buffer.size
            case BufferKind.TABLE:
                memory[buffer.name] = [value != 0.0 for value in buffer.values]
            case BufferKind.INDEX:
                memory[buffer.name] = list(buffer.values)  # type: ignore[arg-type]
            case _:
                memory[buffer.name] = [False] * buffer.size
    known: dict[tuple[str, tuple[tuple[bool, ...], ...]], list[list[bool]]] = {}

    def run(tape: Tape, arguments: list[list[bool]]) -> list[list[bool]]:
        key = tape.name, tuple(map(tuple, arguments))
        if key not in known:
            known[key] = _through(tape, arguments)
        return known[key]

    run_calls(program, memory, run, lambda total, value: total or value)
    return {buffer.name: memory[buffer.name] for buffer in program.buffers_of(BufferKind.OUT)}


def _through(tape: Tape, arguments: Sequence[Sequence[bool]]) -> list[list[bool]]:
    values: list[bool] = []
    for op in tape.ops:
        values.append(_value(op, values, arguments))
    return [[values[result] for result in results] for results in tape.results]


def _value(op: Op, values: Sequence[bool], arguments: Sequence[Sequence[bool]]) -> bool:
    code, args = op.code, op.args
    if code == "input":
        return arguments[op.source[0]][op.source[1]]
    if code == "constant":
        return op.literal != 0.0
    if code in _PRODUCTS:
        return values[args[0]] and values[args[1]]
    if code in _FUSED:
        return (values[args[0]] and values[args[1]]) or values[args[2]]
    if code in _SUMS:
        return values[args[0]] or values[args[1]]
    if code in _OF_FIRST:
        return values[args[0]]
    if code == "select":
        return values[args[1]] or values[args[2]]
    return True
