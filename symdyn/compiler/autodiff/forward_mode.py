"""Forward mode: derivatives along given directions travel with the values, from the inputs to the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symdyn.compiler.autodiff.local_derivatives import CHOICES, CONSTANT_CODES, slopes
from symdyn.compiler.tape.builder import ArithmeticBuilder
from symdyn.compiler.tape.tape import Op

Tangent = dict[int, int]
"""Per direction the position of a derivative; a direction that is absent has a derivative that is structurally 0."""


def push_tangents(builder: ArithmeticBuilder, ops: Sequence[Op], seeds: Mapping[int, Tangent]) -> list[Tangent]:
    """Differentiate along all directions at once.

    Parameters
    ----------
    builder
        Holds the values; the derivatives are appended to it.
    ops
        The instructions to differentiate, at the same positions as in the builder.
    seeds
        Per position of an input, its derivatives.

    Returns
    -------
    The derivatives of every instruction, by the chain rule: y' = sum of (slope by operand) * (operand)'. Where a
    derivative is structurally zero nothing is appended.
    """
    tangents: list[Tangent] = []
    for position, op in enumerate(ops):
        if op.code == "input":
            tangents.append(dict(seeds.get(position, {})))
        elif op.code in CONSTANT_CODES or not any(tangents[argument] for argument in op.args):
            tangents.append({})
        elif op.code in CHOICES:
            tangents.append(_chosen(builder, op, tangents))
        else:
            tangents.append(_combined(builder, position, op, tangents))
    return tangents


def _combined(builder: ArithmeticBuilder, position: int, op: Op, tangents: Sequence[Tangent]) -> Tangent:
    active = {place for place, argument in enumerate(op.args) if tangents[argument]}
    found: Tangent = {}
    for operand, slope in slopes(builder, op.code, position, op.args, active):
        for direction, rate in tangents[operand].items():
            term = builder.product(slope, rate)
            found[direction] = builder.sum(found[direction], term) if direction in found else term
    return {direction: rate for direction, rate in found.items() if builder.literal(rate) != 0.0}


def _chosen(builder: ArithmeticBuilder, op: Op, tangents: Sequence[Tangent]) -> Tangent:
    condition, if_true, if_false = CHOICES[op.code](builder, op.args)
    left, right = tangents[op.args[if_true]], tangents[op.args[if_false]]
    zero = builder.constant(0.0)
    return {
        direction: builder.choice(condition, left.get(direction, zero), right.get(direction, zero))
        for direction in sorted({*left, *right})
    }
