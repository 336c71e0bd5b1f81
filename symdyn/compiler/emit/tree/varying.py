"""Which values differ from state to state in a batch: all that rests on inputs other than run-time parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.compiler.tape.program import BufferKind, Call, Program
from symdyn.compiler.tape.tape import Tape


@dataclass(frozen=True, slots=True)
class Spread:
    """Per input and output port of one call, whether its buffer holds a value per lane."""

    inputs: tuple[bool, ...]
    outputs: tuple[bool, ...]


def varying_ops(tape: Tape, inputs: Sequence[bool]) -> list[bool]:
    """One flag per instruction, given one per input port.

    The flags of the tape itself tell lanes within one call, and here each lane is a call of its own.
    """
    varying: list[bool] = []
    for op in tape.ops:
        if op.code == "input":
            varying.append(inputs[op.source[0]])
        else:
            varying.append(any(varying[argument] for argument in op.args))
    return varying


def varying_buffers(program: Program) -> frozenset[str]:
    """Names of the buffers with a value per lane: inputs, outputs, and the workspace that is written from them."""
    varying = {buffer.name for buffer in program.buffers_of(BufferKind.IN, BufferKind.OUT)}
    if not program.buffers_of(BufferKind.WORKSPACE):
        return frozenset(varying)
    tapes = {tape.name: tape for tape in program.tapes}
    calls = list(dict.fromkeys(call for call, _ in program.calls()))
    found = -1
    while found != len(varying):  # a loop of the program may read early what it writes late
        found = len(varying)
        for call in calls:
            tape = tapes[call.tape]
            flags = varying_ops(tape, spread_of(call, varying).inputs)
            for address, results in zip(call.outputs, tape.results, strict=True):
                if any(flags[result] for result in results):
                    varying.add(address.buffer)
    return frozenset(varying)


def spread_of(call: Call, varying: frozenset[str] | set[str]) -> Spread:
    """The ports of a call that hold a value per lane."""
    return Spread(
        tuple(address.buffer in varying for address in call.inputs),
        tuple(address.buffer in varying for address in call.outputs),
    )
