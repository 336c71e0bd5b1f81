"""Scheduling changes the order of instructions and nothing else: shorter on a model processor, few values held."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.random_tapes import INPUTS, tapes
from support.tapes import Line, lines_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.tape import schedule as scheduling
from symdyn.compiler.passes.tape.cycles import cycles
from symdyn.compiler.passes.tape.schedule import schedule
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.tape import Tape
from symdyn.compiler.tape.verify import verify_tape


def cycles_in_order(tape: Tape) -> int:
    """Cycles of a processor that begins one instruction per cycle, in order, each once its operands are there."""
    done: list[int] = []
    now = 0
    for op in tape.ops:
        start = max([now, *(done[argument] for argument in op.args)]) if op.args else 0
        done.append(start + cycles(op))
        now = start + 1 if op.args else now
    return max(done)


def most_held(tape: Tape) -> int:
    """The most values, other than leaves, that are made already and still to be used."""
    last = {argument: at for at, op in enumerate(tape.ops) for argument in op.args if tape.ops[argument].args}
    held = [sum(made <= at < used for made, used in last.items()) for at in range(len(tape.ops))]
    return max(held)


def chains(count: int, length: int) -> Tape:
    """Independent chains, one after the other, as tracing from the outputs leaves them."""
    lines: list[Line] = []
    results = []
    for chain in range(count):
        lines.append(("x", chain))
        first = len(lines) - 1
        for _ in range(length):
            lines.append(("mul", len(lines) - 1, first))
        results.append(len(lines) - 1)
    return tape_of(*lines, width=count, results=results)


def wide(products: int) -> Tape:
    """A sum of squares of roots: all roots could be taken first, and would then be waiting."""
    lines: list[Line] = [("x", index) for index in range(products)]
    for index in range(products):
        lines += [("sqrt", index), ("atan", len(lines)), ("exp", len(lines) + 1)]
    total = len(lines) - 1
    for index in range(products - 1):
        lines.append(("min", total, products + 3 * index + 2))
        total = len(lines) - 1
    return tape_of(*lines, width=products)


@settings(max_examples=120, deadline=None)
@given(tapes(), st.lists(st.floats(-3.0, 3.0), min_size=INPUTS, max_size=INPUTS))
def test_values_and_instructions_stay(tape: Tape, x: list[float]) -> None:
    scheduled = verify_tape(schedule(tape))
    found, expected = (repr(evaluate_tape(item, FloatAlgebra(), [x])) for item in (scheduled, tape))
    assert found == expected
    assert sorted(op[:1] + op[2:] for op in scheduled.ops) == sorted(op[:1] + op[2:] for op in tape.ops)


def test_independent_chains_run_side_by_side() -> None:
    tape = chains(6, 8)
    assert cycles_in_order(tape) > 150
    assert cycles_in_order(schedule(tape)) <= 60


def test_no_more_values_are_held_than_there_are_registers() -> None:
    tape = wide(80)
    assert most_held(tape) >= 79
    assert most_held(schedule(tape)) <= scheduling._WAITING + 2


def test_a_product_stays_before_the_sum_that_takes_it_up() -> None:
    lines: list[Line] = [("x", 0), ("x", 1), ("mul", 0, 1), ("sqrt", 0), ("sqrt", 3), ("add", 4, 2)]
    assert lines_of(schedule(tape_of(*lines))) == [
        ("x", 0),
        ("sqrt", 0),
        ("sqrt", 1),
        ("x", 1),
        ("mul", 0, 3),
        ("add", 2, 4),
    ]


def test_the_longest_path_goes_first() -> None:
    lines: list[Line] = [("x", 0), ("neg", 0), ("sqrt", 0), ("sqrt", 2), ("add", 1, 3)]
    assert [op.code for op in schedule(tape_of(*lines)).ops] == ["input", "sqrt", "neg", "sqrt", "add"]


@pytest.mark.parametrize("reach", [10, 40])
def test_nothing_moves_further_than_allowed(monkeypatch: pytest.MonkeyPatch, reach: int) -> None:
    monkeypatch.setattr(scheduling, "_AHEAD", reach)
    tape = chains(12, 20)
    scheduled = schedule(tape)
    rng = random.Random(3)
    x = [rng.uniform(0.5, 1.0) for _ in range(12)]
    values = [evaluate_tape(tape_of_all(item), FloatAlgebra(), [x])[0] for item in (tape, scheduled)]
    before = [value for value, op in zip(values[0], tape.ops, strict=True) if op.args]
    after = [value for value, op in zip(values[1], scheduled.ops, strict=True) if op.args]
    left = list(range(len(before)))
    for value in after:
        place = before.index(value)
        assert place - left[0] < reach
        left.remove(place)


def tape_of_all(tape: Tape) -> Tape:
    """The tape with every value as a result."""
    lines = lines_of(tape)
    return tape_of(*lines, width=12, results=range(len(lines)))


def test_long_tapes_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "_LONGEST", 40)
    assert schedule(chains(6, 8)) == chains(6, 8)
    assert schedule(chains(5, 8)) != chains(5, 8)
