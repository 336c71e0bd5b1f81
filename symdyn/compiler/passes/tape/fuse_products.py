"""Products become part of the sums that they are added to: fused multiply-adds, chosen here and nowhere else.

Compilers that fuse as they please give every build other last digits. Here the choice is made once, in the tape, and
every back end and the evaluator follow it. A product is fused that one sum alone reads. Of two such products in one
sum, the one that is ready last is fused, since it then waits for one instruction and not for two. The other stays.
A product that only an accumulating result takes up is fused with that addition (code ``product``).

Products that several sums read stay as they are. Fusing them all would save one instruction each, at the price of
operations that are counted twice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from symdyn.compiler.passes.tape.cycles import cycles
from symdyn.compiler.tape.tape import Op, Tape

_CODES = {("add", 0): "fma", ("add", 1): "fma", ("sub", 0): "fms", ("sub", 1): "fnma"}
"""What a sum becomes, by the place of the product in it."""


def fuse_products(tape: Tape) -> Tape:
    """Spell sums with products as fused multiply-adds; every value keeps its place in the order."""
    uses = Counter(argument for op in tape.ops for argument in op.args)
    uses.update(result for results in tape.results for result in results)
    chosen = _chosen(tape, uses)
    dropped = {op.args[chosen[at]] for at, op in enumerate(tape.ops) if at in chosen}
    added = {
        result
        for port, results in zip(tape.outputs, tape.results, strict=True)
        for result in results
        if port.accumulate and tape.ops[result].code == "mul" and uses[result] == 1
    }
    ops: list[Op] = []
    moved = [-1] * len(tape.ops)
    for position, op in enumerate(tape.ops):
        if position in dropped:
            continue
        if position in chosen:
            place = chosen[position]
            factors, other = tape.ops[op.args[place]].args, op.args[1 - place]
            op = op._replace(code=_CODES[op.code, place], args=(*factors, other))
        elif position in added:
            op = op._replace(code="product")
        moved[position] = len(ops)
        ops.append(op.with_args(tuple([moved[argument] for argument in op.args])))
    results = tuple(tuple(moved[result] for result in results) for results in tape.results)
    return replace(tape, ops=tuple(ops), results=results)


def _chosen(tape: Tape, uses: Counter[int]) -> dict[int, int]:
    """Per sum that takes up a product, the place of that product among its operands."""
    chosen: dict[int, int] = {}
    ready: list[int] = []
    for position, op in enumerate(tape.ops):
        found = [place for place, argument in enumerate(op.args) if _fits(tape, op, argument, uses)]
        if found:
            place = max(found, key=lambda place: (ready[op.args[place]], place))
            chosen[position] = place
            factors = tape.ops[op.args[place]].args
            start = max(ready[argument] for argument in (*factors, op.args[1 - place]))
        else:
            start = max((ready[argument] for argument in op.args), default=0)
        ready.append(start + cycles(op))
    return chosen


def _fits(tape: Tape, op: Op, argument: int, uses: Counter[int]) -> bool:
    product = tape.ops[argument]
    return op.code in ("add", "sub") and product.code == "mul" and uses[argument] == 1 and product.varying <= op.varying
