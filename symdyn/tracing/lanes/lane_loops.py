"""Calls of kernels that run once per lane, as loops over lanes around the calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symdyn.compiler.tape.program import Address, Affine, Call, Loop, Statement


@dataclass(frozen=True, slots=True)
class LaneCall:
    """How often a kernel runs side by side, and by how much each address advances from lane to lane."""

    lanes: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def in_lanes(statements: Sequence[Statement], laned: Mapping[str, LaneCall], depth: int = 0) -> tuple[Statement, ...]:
    """Statements inside of ``depth`` loops with a loop over lanes around each call of the ``laned`` kernels."""
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Loop):
            found.append(replace(statement, body=in_lanes(statement.body, laned, depth + 1)))
        elif statement.tape in laned:
            found.append(over_lanes(statement, laned[statement.tape], depth))
        else:
            found.append(statement)
    return tuple(found)


def over_lanes(call: Call, lanes: LaneCall, depth: int = 0) -> Loop:
    """A call in a loop over its lanes."""
    inputs = [_advancing(address, stride, depth) for address, stride in zip(call.inputs, lanes.inputs, strict=True)]
    outputs = [_advancing(address, stride, depth) for address, stride in zip(call.outputs, lanes.outputs, strict=True)]
    return Loop(lanes.lanes, (Call(call.tape, tuple(inputs), tuple(outputs)),), lanes=lanes.lanes)


def _advancing(address: Address, stride: int, depth: int) -> Address:
    if isinstance(address, Affine):
        return replace(address, strides=(*_padded(address.strides, depth), stride))
    return replace(
        address, strides=(*_padded(address.strides, depth), 0), steps=(*_padded(address.steps, depth), stride)
    )


def _padded(strides: tuple[int, ...], depth: int) -> tuple[int, ...]:
    return (*strides, *(0,) * (depth - len(strides)))
