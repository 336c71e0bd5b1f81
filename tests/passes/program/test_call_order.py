"""Calls of one kind next to each other: only where no scalar finds another value for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from support.tapes import call, program_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.program.order_calls import ordered_by_kind
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop, Program
from symdyn.compiler.tape.tape import Port
from symdyn.compiler.tape.verify import verify_program

NEG = tape_of(("x", 0), ("neg", 0), width=1, name="neg")
ADD_TO = replace(NEG, name="add_to", outputs=(Port("y", 1, accumulate=True),))
X = [1.0, 1e8, -0.3, 3e-9]


def program_with(body: Sequence[Call | Loop], y: int = 2, work: int = 4) -> Program:
    buffers = [Buffer("w", BufferKind.WORKSPACE, 1, work), Buffer("i", BufferKind.INDEX, 1, 2, values=(3, 0))]
    return program_of([NEG, ADD_TO], body, len(X), y, buffers)


def copy(source: str, place: int, target: str, to: int) -> Call:
    return call("neg", Affine(source, place), Affine(target, to))


def order(kinds: str, *body: Call | Loop) -> list[int]:
    """Which statement comes when."""
    found = ordered_by_kind(program_with(body), kinds)
    return [next(number for number, item in enumerate(body) if item is statement) for statement in found]


def test_calls_that_touch_nothing_of_each_other_are_sorted() -> None:
    body = [copy("x", place, "w", place) for place in range(4)]
    assert order("abab", *body) == [0, 2, 1, 3]
    assert order("abca", *body) == [0, 3, 1, 2]


def test_a_read_stays_after_its_write() -> None:
    assert order("aba", copy("x", 0, "w", 0), copy("w", 0, "w", 1), copy("w", 1, "y", 0)) == [0, 1, 2]


def test_a_write_stays_after_the_reads_before_it() -> None:
    body = [copy("x", 0, "w", 0), copy("w", 0, "y", 0), copy("w", 0, "y", 1), copy("x", 1, "w", 0)]
    assert order("abca", *body) == [0, 1, 2, 3]


def test_a_write_stays_after_an_earlier_write() -> None:
    body = [copy("x", 0, "y", 0), copy("x", 1, "w", 0), copy("x", 2, "w", 0), copy("w", 0, "y", 1)]
    assert order("abab", *body) == [0, 1, 2, 3]


def test_additions_stay_between_the_first_write_and_the_reads() -> None:
    def adds(place: int) -> Call:
        return call("add_to", Affine("x", place), Affine("w", 0))

    body = [copy("x", 0, "w", 0), adds(1), adds(2), copy("w", 0, "y", 0), adds(3), copy("w", 0, "y", 1)]
    assert order("ababab", *body) == [0, 1, 2, 3, 4, 5]
    assert order("abbaba", *body) == [0, 1, 2, 3, 4, 5]


def test_every_run_of_a_loop_counts() -> None:
    """The second run reads what one call writes; by its table of indices in the second case."""
    straight = Loop(2, (call("neg", Affine("w", 0, (1,)), Affine("w", 2, (1,))),))
    gathered = Loop(2, (call("neg", Gather("w", "i", 0, (1,)), Affine("y", 0, (1,))),))
    body = [copy("x", 0, "w", 0), copy("x", 1, "w", 1), straight, gathered, copy("x", 2, "w", 0)]
    assert order("aabca", *body) == [0, 1, 2, 3, 4]
    assert order("aabba", *body[:3], copy("w", 0, "y", 0), copy("x", 2, "w", 3)) == [0, 1, 2, 3, 4]
    assert order("aabca", *body[:3], copy("w", 3, "y", 0), copy("x", 2, "y", 1)) == [0, 1, 4, 2, 3]


def test_a_call_that_reads_and_writes_one_place_waits_for_nothing_of_its_own() -> None:
    body = [copy("x", 0, "w", 0), copy("w", 0, "w", 0), copy("w", 0, "y", 0)]
    assert order("aab", *body) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(12))
def test_random_calls_give_the_same_in_their_new_order(seed: int) -> None:
    rng = random.Random(seed)
    body: list[Call | Loop] = [copy("x", place, "w", place) for place in range(4)]
    for _ in range(40):
        tape, target = rng.choice(("neg", "add_to")), rng.randrange(4)
        source = Affine(rng.choice("xw"), rng.randrange(4))
        body.append(call(tape, source, Affine("w", target)))
    body += [copy("w", 0, "y", 0), copy("w", 1, "y", 1)]
    program = verify_program(program_with(body))
    kinds = [rng.choice("abc") for _ in body]
    ordered = ordered_by_kind(program, kinds)
    found = verify_program(replace(program, body=ordered))
    expected = evaluate_program(program, FloatAlgebra(), {"x": X})
    assert evaluate_program(found, FloatAlgebra(), {"x": X}) == expected
    kind = {id(statement): name for statement, name in zip(body, kinds, strict=True)}
    assert _changes([kind[id(statement)] for statement in ordered]) <= _changes(kinds)
    assert sorted(map(id, ordered)) == sorted(map(id, body))


def _changes(kinds: Sequence[str]) -> int:
    return sum(left != right for left, right in pairwise(kinds))
