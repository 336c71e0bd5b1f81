"""Sine-cosine pairs come together, so that a back end evaluates several angles at once.

A pair is some hundred instructions, short functions spend half of their time on theirs, and four in a vector take about
as long as one. The first of eight calls the others to its place. Long kernels have several such places, since what has
to wait for its use takes a register. This is no pass of the pipeline, but the order in which C for single states is
written: where each lane is another state, pairs are vectors already, and best stay where they are used.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from symdyn.compiler.tape.tape import Op, Tape

TOGETHER = 8
"""Pairs that come together: two vectors of 32 bytes, of which the processor works on both at once."""


def gather_pairs(tape: Tape) -> Tape:
    """Move up to ``TOGETHER`` pairs side by side, with what their angles rest on before them."""
    group = _groups(tape)
    if not group:
        return tape
    order: list[int] = []
    placed = bytearray(len(tape.ops))
    for position in range(len(tape.ops)):
        _place(tape, position, group, order, placed)
    moved = {old: new for new, old in enumerate(order)}
    return replace(
        tape,
        ops=tuple(_moved(tape.ops[old], moved) for old in order),
        results=tuple(tuple(moved[result] for result in results) for results in tape.results),
    )


def _groups(tape: Tape) -> dict[int, tuple[int, ...]]:
    """Per pair that has company, all members of its group; no angle in a group rests on another one's sine."""
    rank: list[int] = []
    ranked: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for position, op in enumerate(tape.ops):
        before = max((rank[argument] for argument in op.args), default=0)
        rank.append(before + (op.code == "sincos"))
        if op.code == "sincos":
            ranked[before, op.varying].append(position)
    group: dict[int, tuple[int, ...]] = {}
    for members in ranked.values():
        for first in range(0, len(members), TOGETHER):
            together = tuple(members[first : first + TOGETHER])
            if len(together) > 1:
                group.update(dict.fromkeys(together, together))
    return group


def _place(tape: Tape, root: int, group: dict[int, tuple[int, ...]], order: list[int], placed: bytearray) -> None:
    """Append an instruction after all that it rests on; a pair brings its group."""
    pending = [root]
    while pending:
        position = pending[-1]
        if placed[position]:
            pending.pop()
            continue
        members = group.get(position, (position,))
        waiting = [argument for member in members for argument in tape.ops[member].args if not placed[argument]]
        if waiting:
            pending += reversed(waiting)
            continue
        for member in members:
            order.append(member)
            placed[member] = 1


def _moved(op: Op, moved: dict[int, int]) -> Op:
    return op.with_args(tuple([moved[argument] for argument in op.args]))
