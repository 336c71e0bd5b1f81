"""Reverse mode: what each output owes to each value travels back, from the outputs to the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from symdyn.compiler.autodiff.local_derivatives import CHOICES, CONSTANT_CODES, slopes
from symdyn.compiler.tape.builder import ArithmeticBuilder
from symdyn.compiler.tape.tape import Op

Adjoint = dict[int, int]
"""Per output scalar the position of its derivative by a value; an absent one is structurally 0."""


def pull_adjoints(
    builder: ArithmeticBuilder, ops: Sequence[Op], results: Sequence[int], wanted: Sequence[int]
) -> dict[int, Adjoint]:
    """Differentiate all results by all wanted inputs in one sweep back.

    Parameters
    ----------
    builder
        Holds the values; the derivatives are appended to it.
    ops
        The instructions to differentiate, at the same positions as in the builder.
    results
        Positions of the output scalars; their number in this list names them in an :data:`Adjoint`.
    wanted
        Positions of inputs.

    Returns
    -------
    Per wanted input its adjoint. An instruction passes (its adjoint) * (slope by operand) on to each operand. What does
    not rest on a wanted input gets no adjoint, and where one is structurally zero nothing is appended.
    """
    active = _resting_on(ops, wanted)
    adjoints: list[Adjoint] = [{} for _ in ops]
    for number, result in enumerate(results):
        if active[result]:
            adjoints[result][number] = builder.constant(1.0)
    for position in range(len(ops) - 1, -1, -1):
        op, adjoint = ops[position], adjoints[position]
        if not adjoint or op.code == "input":
            continue
        if op.code in CHOICES:
            _pass_to_choice(builder, op, adjoint, adjoints, active)
            continue
        places = {place for place, argument in enumerate(op.args) if active[argument]}
        for operand, slope in slopes(builder, op.code, position, op.args, places):
            for number, share in adjoint.items():
                _accumulate(builder, adjoints[operand], number, builder.product(slope, share))
    return {position: adjoints[position] for position in wanted}


def _resting_on(ops: Sequence[Op], wanted: Sequence[int]) -> list[bool]:
    chosen = set(wanted)
    active: list[bool] = []
    for position, op in enumerate(ops):
        passes = op.code not in CONSTANT_CODES and any(active[argument] for argument in op.args)
        active.append(passes or position in chosen)
    return active


def _accumulate(builder: ArithmeticBuilder, adjoint: Adjoint, number: int, term: int) -> None:
    total = builder.sum(adjoint[number], term) if number in adjoint else term
    if builder.literal(total) == 0.0:
        adjoint.pop(number, None)
    else:
        adjoint[number] = total


def _pass_to_choice(
    builder: ArithmeticBuilder, op: Op, adjoint: Adjoint, adjoints: Sequence[Adjoint], active: Sequence[bool]
) -> None:
    condition, if_true, if_false = CHOICES[op.code](builder, op.args)
    left, right = op.args[if_true], op.args[if_false]
    zero = builder.constant(0.0)
    for number, share in list(adjoint.items()):
        if left == right:
            _accumulate(builder, adjoints[left], number, share)
            continue
        if active[left]:
            _accumulate(builder, adjoints[left], number, builder.choice(condition, share, zero))
        if active[right]:
            _accumulate(builder, adjoints[right], number, builder.choice(condition, zero, share))
