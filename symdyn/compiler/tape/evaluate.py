"""The slow and obvious meaning of a Tape and of a Program, over any algebra.

Every pass, layout and back end is checked against this file. The algebra may be floats, mpmath reals or expressions;
see :class:`Algebra` for what it must offer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from symdyn.compiler.tape.program import Address, Affine, BufferKind, Call, Loop, Program, Statement, dot, inner_runs
from symdyn.compiler.tape.tape import Op, Tape


class Algebra(Protocol):
    """Functions of a scalar; arithmetic comes from Python's operators."""

    def constant(self, value: float) -> Any:
        """The number itself."""

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine."""

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function by its code."""

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A truth value."""

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two values."""


_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}
_LOGIC: Mapping[str, Callable[..., Any]] = {
    "not": operator.not_,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}


class Product(NamedTuple):
    """The value of a ``product``: its factors, until a place is known to which it is added."""

    left: Any
    right: Any


def evaluate_op(op: Op, arguments: Sequence[Any], algebra: Algebra) -> Any:
    """The value of one instruction that is neither an input nor a constant. One lane: ``lane_sum`` is the identity."""
    match op.code:
        case "add" | "sub" | "mul" | "neg":
            return _OPERATORS[op.code](*arguments)
        case "div":
            return _divide(arguments[0], arguments[1])
        case "sincos":
            return algebra.sin_cos(arguments[0])
        case "sin_of":
            return arguments[0][0]
        case "cos_of":
            return arguments[0][1]
        case "less" | "less_equal" | "equal":
            return algebra.compare(op.code, arguments[0], arguments[1])
        case "select":
            return algebra.select(arguments[0], arguments[1], arguments[2])
        case "not" | "and" | "or":
            return _LOGIC[op.code](*arguments)
        case "lane_sum":
            return arguments[0]
        case "fms":
            return algebra.function("fma", arguments[0], arguments[1], -arguments[2])
        case "fnma":
            return algebra.function("fma", -arguments[0], arguments[1], arguments[2])
        case "product":
            return Product(arguments[0], arguments[1])
    return algebra.function(op.code, *arguments)


def _divide(numerator: Any, denominator: Any) -> Any:
    """Division as C has it: floats by zero give an infinity or NaN."""
    if isinstance(denominator, float) and denominator == 0.0:
        return numerator * float("inf") if str(denominator)[0] != "-" else numerator * float("-inf")
    return numerator / denominator


def evaluate_tape(tape: Tape, algebra: Algebra, inputs: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Outputs of a tape, one list of scalars per output port, for one list per input port."""
    values: list[Any] = []
    for op in tape.ops:
        if op.code == "input":
            values.append(inputs[op.source[0]][op.source[1]])
        elif op.code == "constant":
            values.append(algebra.constant(op.literal))
        else:
            values.append(evaluate_op(op, [values[index] for index in op.args], algebra))
    return [[values[index] for index in indices] for indices in tape.results]


def _added(total: Any, value: Any, algebra: Algebra) -> Any:
    return algebra.function("fma", *value, total) if isinstance(value, Product) else total + value


def flat_calls(
    statements: Sequence[Statement], tables: Mapping[str, Sequence[Any]], indices: tuple[int, ...] = ()
) -> Iterator[tuple[Call, tuple[int, ...]]]:
    """Every call in the order in which it runs, with the indices of its enclosing loops.

    ``tables`` holds the values of the index tables by name.
    """
    for statement in statements:
        if isinstance(statement, Loop):
            for run in inner_runs(statement, tables, [indices]):
                yield from flat_calls(statement.body, tables, run)
        else:
            yield statement, indices


def resolve(address: Address, program_values: Mapping[str, Sequence[Any]], indices: Sequence[int]) -> int:
    """Element that an address means at these loop indices."""
    place = address.base + dot(address.strides, indices)
    if isinstance(address, Affine):
        return place
    return int(program_values[address.index][place]) + address.shift + dot(address.steps, indices)


def run_calls(
    program: Program,
    memory: Mapping[str, list[Any]],
    run: Callable[[Tape, list[list[Any]]], Sequence[Sequence[Any]]],
    added: Callable[[Any, Any], Any],
) -> None:
    """Carry out the calls of a program in their order.

    Parameters
    ----------
    program
        A legal program.
    memory
        Per buffer its scalars, of whatever kind, which calls change; per table of indices its numbers.
    run
        The results of a tape from its arguments, per port.
    added
        A scalar of a buffer with a result that is added to it.
    """
    tapes = {tape.name: tape for tape in program.tapes}
    for call, indices in flat_calls(program.body, memory):
        tape = tapes[call.tape]
        arguments = []
        for port, address in zip(tape.inputs, call.inputs, strict=True):
            start, held = resolve(address, memory, indices), memory[address.buffer]
            arguments.append([held[start + port.place(index)] for index in range(port.width)])
        for port, address, results in zip(tape.outputs, call.outputs, run(tape, arguments), strict=True):
            start, held = resolve(address, memory, indices), memory[address.buffer]
            for index, value in enumerate(results):
                place = start + port.place(index)
                held[place] = added(held[place], value) if port.accumulate else value


def evaluate_program(program: Program, algebra: Algebra, inputs: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Outputs of a program by name, as flat row-major lists, for flat inputs by name."""
    memory: dict[str, list[Any]] = {}
    for buffer in program.buffers:
        match buffer.kind:
            case BufferKind.IN | BufferKind.PARAM:
                memory[buffer.name] = list(inputs[buffer.name])
                assert len(memory[buffer.name]) == buffer.size, (buffer.name, buffer.size)
            case BufferKind.TABLE:
                memory[buffer.name] = [algebra.constant(value) for value in buffer.values]
            case BufferKind.INDEX:
                memory[buffer.name] = list(buffer.values)
            case _:
                memory[buffer.name] = [None] * buffer.size
    run_calls(
        program,
        memory,
        lambda tape, arguments: evaluate_tape(tape, algebra, arguments),
        lambda total, value: _added(total, value, algebra),
    )
    return {buffer.name: memory[buffer.name] for buffer in program.buffers_of(BufferKind.OUT)}
