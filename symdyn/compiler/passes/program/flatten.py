"""One straight-line tape for a whole program: loops run out, tables baked in, workspace gone."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.evaluate import run_calls
from symdyn.compiler.tape.program import BufferKind, Program
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.interface.signature import Argument


def argument_port(argument: Argument) -> Port:
    """The port of an argument, with the user's names of its scalars."""
    units = set(argument.units)
    return Port(argument.name, argument.size, units.pop() if len(units) == 1 else "", argument.element_names)


def flatten(program: Program) -> Tape:
    """The tape that computes the signature's outputs from its inputs, in the order in which the program runs.

    Numbers of tables become constants and equal instructions become one. The meaning is that of one lane: a
    ``lane_sum`` is its argument.

    Parameters
    ----------
    program
        A legal program (``verify_program``) of any layout.

    Returns
    -------
    A tape before any further pass; its ports are the signature's arguments.
    """
    inputs = tuple(argument_port(argument) for argument in program.signature.inputs)
    outputs = tuple(argument_port(argument) for argument in program.signature.outputs)
    builder = TapeBuilder(share=True)
    memory: dict[str, list[int]] = {}
    for port, input_port in enumerate(inputs):
        places = range(input_port.width)
        memory[input_port.name] = [builder.append(Op("input", source=(port, place))) for place in places]
    for buffer in program.buffers:
        match buffer.kind:
            case BufferKind.TABLE:
                memory[buffer.name] = [builder.constant(float(value)) for value in buffer.values]
            case BufferKind.INDEX:
                memory[buffer.name] = [int(value) for value in buffer.values]
            case BufferKind.OUT | BufferKind.WORKSPACE:
                memory[buffer.name] = [-1] * buffer.size  # a legal program reads nothing before it writes it
    run_calls(
        program,
        memory,
        lambda tape, arguments: inline(builder, tape, arguments),
        lambda total, result: _added(builder, total, result),
    )
    return Tape(
        program.signature.function,
        inputs,
        outputs,
        tuple(builder.ops),
        tuple(tuple(memory[port.name]) for port in outputs),
        program.dtype,
        program.signature.description,
    )


def _added(builder: TapeBuilder, total: int, result: int) -> int:
    op = builder.ops[result]
    return builder.emit("fma", *op.args, total) if op.code == "product" else builder.emit("add", total, result)


def inline(builder: TapeBuilder, tape: Tape, arguments: Sequence[Sequence[int]]) -> list[list[int]]:
    """Append a tape's instructions to a builder; ``arguments`` holds a position per scalar of each input port.

    Returns
    -------
    The positions of the tape's results, per output port.
    """
    moved: list[int] = []
    for op in tape.ops:
        if op.code == "input":
            moved.append(arguments[op.source[0]][op.source[1]])
        elif op.code == "constant":
            moved.append(builder.constant(op.literal))
        elif op.code == "lane_sum":
            moved.append(moved[op.args[0]])
        else:
            moved.append(builder.emit(op.code, *(moved[argument] for argument in op.args)))
    return [[moved[result] for result in results] for results in tape.results]
