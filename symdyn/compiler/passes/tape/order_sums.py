"""Sums are added up in the order in which their terms become available.

A recursion along a chain of bodies is a long path of instructions, each of which waits for the one before: short
functions take the time of that path, not of all their instructions. In a sum of several terms the latest should come
last. The terms stay in one chain, because a product that is added to a sum is one fused instruction, and a tree of
partial sums would have fewer of them. Operations are as many as before; roundings fall in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from symdyn.compiler.passes.tape.cycles import cycles
from symdyn.compiler.tape.builder import TapeBuilder
from symdyn.compiler.tape.tape import Op, Tape

_SUMS = frozenset({"add", "sub"})
_SUM, _PRODUCT = cycles(Op("add")), cycles(Op("mul"))

_WORTH_WAITING = 8
"""Cycles by which a term that is no product may come after the first product and still begin the sum: beginning with
it, every product is fused."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a sum: its sign, its position in the new tape, and when a sum can take it up."""

    sign: int
    position: int
    ready: int
    fused: bool


def order_sums(tape: Tape) -> Tape:
    """Reorder the terms of sums whose partial sums nothing else reads."""
    uses = Counter(argument for op in tape.ops for argument in op.args)
    uses.update(result for results in tape.results for result in results)
    partial = {
        argument
        for op in tape.ops
        if op.code in _SUMS
        for argument in op.args
        if tape.ops[argument].code in _SUMS and uses[argument] == 1
    }
    builder, moved, ready, place = TapeBuilder(), [-1] * len(tape.ops), list[int](), list[int]()
    for position, op in enumerate(tape.ops):
        if position in partial:
            continue
        if op.code in _SUMS:
            terms = [
                _term(tape, argument, sign, moved[argument], ready, uses[argument] == 1)
                for argument, sign in _terms(tape, position, partial)
            ]
            moved[position] = _added(builder, terms, ready, place)
            continue
        args = tuple([moved[argument] for argument in op.args])
        moved[position] = builder.append(op.with_args(args))
        ready.append(max((ready[argument] for argument in args), default=0) + cycles(op))
        place.append(position)
    results = tuple(tuple(moved[result] for result in results) for results in tape.results)
    return _in_order(replace(tape, ops=tuple(builder.ops), results=results), place)


def _in_order(tape: Tape, place: list[int]) -> Tape:
    """The instructions sorted by their places, so that partial sums stand where their last term does."""
    order = sorted(range(len(place)), key=lambda position: (place[position], position))
    moved = {old: new for new, old in enumerate(order)}
    ops = [tape.ops[old] for old in order]
    return replace(
        tape,
        ops=tuple(op.with_args(tuple([moved[argument] for argument in op.args])) for op in ops),
        results=tuple(tuple(moved[result] for result in results) for results in tape.results),
    )


def _terms(tape: Tape, root: int, partial: set[int]) -> Iterator[tuple[int, int]]:
    """Terms of a sum with their signs, from left to right."""
    pending = [(root, 1)]
    while pending:
        position, sign = pending.pop()
        op = tape.ops[position]
        if position == root or position in partial:
            left, right = op.args
            pending += [(right, sign if op.code == "add" else -sign), (left, sign)]
        else:
            yield position, sign


def _term(tape: Tape, argument: int, sign: int, position: int, ready: list[int], own: bool) -> _Term:
    fused = own and tape.ops[argument].code == "mul"
    return _Term(sign, position, ready[position] - (_PRODUCT if fused else 0), fused)


def _added(builder: TapeBuilder, terms: list[_Term], ready: list[int], place: list[int]) -> int:
    """The position of the sum; one term at least has a plus sign, since a tape's sums begin with their first term."""
    order = sorted(terms, key=lambda term: term.ready)
    products = [term for term in order if term.fused]
    plain = [term for term in order if not term.fused]
    if products and plain and plain[0].ready <= products[0].ready + _WORTH_WAITING:
        order.remove(plain[0])
        order.insert(0, plain[0])
    total, sign = order[0].position, order[0].sign
    known = ready[total]
    for term in order[1:]:
        if sign == term.sign:
            total = builder.emit("add", total, term.position)
        elif sign > 0:
            total = builder.emit("sub", total, term.position)
        else:
            total, sign = builder.emit("sub", term.position, total), 1
        known = max(known, term.ready) + _SUM
        ready.append(known)
        place.append(max(place[argument] for argument in builder.ops[total].args))
    return total
