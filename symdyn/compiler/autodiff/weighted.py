"""A weighted sum of a tape's outputs, of which reverse mode finds the gradient in one go."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.compiler.passes.program.flatten import inline
from symdyn.compiler.tape.builder import ArithmeticBuilder
from symdyn.compiler.tape.tape import Op, Port, Tape


def weighted_sum(tape: Tape, weights: Mapping[str, str], name: str) -> Tape:
    """The tape of one output ``name``: the sum of all outputs, each scalar by its weight.

    ``weights`` names per output the further input that holds its weights.
    """
    builder = ArithmeticBuilder()
    ports = (*tape.inputs, *(Port(weights[port.name], port.width) for port in tape.outputs))
    places = [
        [builder.append(Op("input", source=(number, element))) for element in range(port.width)]
        for number, port in enumerate(ports)
    ]
    total = builder.constant(0.0)
    values = inline(builder, tape, places[: len(tape.inputs)])
    for given, found in zip(places[len(tape.inputs) :], values, strict=True):
        for weight, value in zip(given, found, strict=True):
            total = builder.sum(total, builder.product(weight, value))
    return Tape(f"{tape.name}_{name}", ports, (Port(name, 1),), tuple(builder.ops), ((total,),), tape.dtype)
