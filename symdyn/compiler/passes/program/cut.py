"""Cut a long straight line into pieces of bounded length over a workspace.

The line has been optimised as a whole, so that pieces share what they have in common. A piece loads arguments where
they lie, and values of earlier pieces from the workspace, whose places are given out anew once nobody needs them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, count, islice

from symdyn.compiler.passes.program.pieces import Cutter, Store
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.program import (
    Buffer,
    BufferKind,
    Loop,
    Program,
    Statement,
    call_of,
    lane_loops,
    vector_lanes,
)
from symdyn.compiler.tape.tape import Tape
from symdyn.plan.plan import lane_spacing

CARRIED, CARRIED_LANES = "carried", "carried_lanes"
"""The workspace for what later pieces need, where calls run once and where they run in lanes; a number follows where
a program has buffers of these names."""


def in_pieces(program: Program, length: int) -> Program:
    """The program with its long calls, those in loops over lanes too, in pieces of about ``length`` operations."""
    tapes = {tape.name: tape for tape in program.tapes}
    single = Store(_unused(CARRIED, program))
    stores: dict[int, Store] = {}
    for lanes in sorted({loop.lanes for loop in lane_loops(program.body)}):
        name = _unused(CARRIED_LANES, program, len(stores))
        stores[lanes] = Store(name, max(lane_spacing(lanes), vector_lanes(program)), (1,))
    made: list[Tape] = []
    body: list[Statement] = []
    slots = dict.fromkeys((single, *stores.values()), 0)
    cut: set[str] = set()
    pieces = 0
    for statement in program.body:
        if isinstance(statement, Loop) and statement.lanes == 1:
            body.append(statement)
            continue
        call = call_of(statement)
        tape = tapes[call.tape]
        if tape.over_series is not None or sum(OPS[op.code].cost for op in tape.ops) <= length:
            body.append(statement)
            continue
        cut.add(tape.name)
        store = stores[statement.lanes] if isinstance(statement, Loop) else single
        cutter = Cutter(tape, call, length, store, pieces)
        pieces += cutter.count
        for piece, piece_call in cutter.pieces():
            made.append(piece)
            body.append(replace(statement, body=(piece_call,)) if isinstance(statement, Loop) else piece_call)
        slots[store] = max(slots[store], cutter.slots)
    if not cut:
        return program
    carried = [
        Buffer(store.buffer, BufferKind.WORKSPACE, 1, number, program.dtype, store.spacing)
        for store, number in slots.items()
        if number
    ]
    kept = tuple(tape for tape in program.tapes if tape.name not in cut)
    return replace(program, buffers=(*program.buffers, *carried), tapes=(*made, *kept), body=tuple(body))


def _unused(name: str, program: Program, earlier: int = 0) -> str:
    """The name, or with the first number that makes it one of no buffer; ``earlier`` of these are taken."""
    taken = {buffer.name for buffer in program.buffers}
    names = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(islice((item for item in names if item not in taken), earlier, None))
