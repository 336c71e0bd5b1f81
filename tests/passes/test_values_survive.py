"""Passes keep the value of random tapes, stay legal, and never make them more expensive."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from support.random_tapes import INPUTS, tapes
from support.tapes import Line, call, program_of, tape_of

from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.compiler.passes.pipeline import PIPELINE, PROGRAM_PIPELINE, optimise, optimise_tape
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.passes.tape.fold_constants import fold_constants
from symdyn.compiler.passes.tape.reduce_strength import reduce_strength
from symdyn.compiler.passes.tape.share_subexpressions import share_subexpressions
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.program import Affine
from symdyn.compiler.tape.tape import Tape, operation_total
from symdyn.compiler.tape.verify import verify_tape


def values_of(tape: Tape, x: list[float]) -> list[Any]:
    algebra = MpmathAlgebra(50)
    return list(evaluate_tape(tape, algebra, [[algebra.constant(value) for value in x]])[0])


def close(left: list[Any], right: list[Any], digits: int) -> bool:
    tolerance = mp.mpf(10) ** -digits
    return all(abs(a - b) <= tolerance * (1 + abs(b)) for a, b in zip(left, right, strict=True))


VALUES = st.floats(-3.0, 3.0, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-3 else 0.0)
STATES = st.lists(VALUES, min_size=INPUTS, max_size=INPUTS)


@settings(max_examples=150)
@given(tapes(), STATES)
def test_every_pass_keeps_the_value(tape: Tape, x: list[float]) -> None:
    with mp.workdps(50):
        expected = values_of(verify_tape(tape), x)
        for item in PIPELINE:
            before, tape = tape, verify_tape(item.run(tape))
            # A folded constant is a double, so folding is right to a double's accuracy only.
            assert close(values_of(tape, x), expected, 11), item.name
            assert tape.inputs == before.inputs and tape.outputs == before.outputs


@settings(max_examples=150)
@given(tapes())
def test_signs_are_moved_and_divisions_shared_without_other_new_cost(tape: Tape) -> None:
    plain = drop_unused(share_subexpressions(reduce_strength(fold_constants(tape))))
    done = optimise_tape(tape, verify_tape)
    # A product with a negative constant, needed with both signs, may leave one sign.
    negative = sum(op.code == "constant" and op.literal < 0.0 for op in plain.ops)
    # A reciprocal costs one operation more than the quotients that share it.
    reciprocals = sum(op.code == "div" and plain.ops[op.args[1]].code != "constant" for op in plain.ops) // 2
    assert operation_total(done.counts()) <= operation_total(plain.counts()) + negative + reciprocals
    assert done.counts()["div"] <= plain.counts()["div"]
    assert done.counts()["sin"] + done.counts()["sincos"] <= plain.counts()["sin"]


@settings(max_examples=50)
@given(tapes())
def test_a_second_run_changes_the_cost_no_more(tape: Tape) -> None:
    once = optimise_tape(tape, verify_tape)
    assert operation_total(optimise_tape(once, verify_tape).counts()) <= operation_total(once.counts())


@settings(max_examples=50)
@given(tapes())
def test_no_constant_is_infinite_and_nothing_is_unused_or_doubled(tape: Tape) -> None:
    ops = optimise_tape(tape).ops
    assert all(math.isfinite(op.literal) for op in ops)
    used = {argument for op in ops for argument in op.args}
    results = set(optimise_tape(tape).results[0])
    assert all(position in used | results for position in range(len(ops)))
    spelled = [(op.code, op.args, math.copysign(1.0, op.literal), op.literal, op.source) for op in ops]
    assert len(set(spelled)) == len(spelled)


def test_the_pipeline_tells_what_it_does() -> None:
    names = [item.name for item in PIPELINE]
    assert len(set(names)) == len(names) and names[-3:] == ["order_sums", "pair_sincos", "schedule"]
    for item in (*PROGRAM_PIPELINE, *PIPELINE):
        assert item.sentence[0].isupper() and item.sentence.endswith(".") and 15 < len(item.sentence) < 90
        assert item.run.__name__ == item.name


def test_after_each_sees_every_tape() -> None:
    seen: list[Tape] = []

    def note(tape: Tape) -> Tape:
        seen.append(tape)
        return tape

    tape = tape_of(("x", 0), (0.0,), ("add", 0, 1), ("sin", 2), ("cos", 0), ("mul", 3, 4))
    assert optimise_tape(tape, note) == seen[-1] and len(seen) == len(PIPELINE)
    assert [op.code for op in seen[-1].ops] == ["input", "sincos", "sin_of", "cos_of", "mul"]


def test_a_program_is_optimised_tape_by_tape() -> None:
    wasteful = [tape_of(("x", 0), (0.0,), ("add", 0, 1), width=1, name=name) for name in ("one", "two")]
    body = [call(name, Affine("x", 0), Affine("y", row)) for row, name in enumerate(("one", "two"))]
    done = optimise(program_of(wasteful, body, 1, 2))
    assert [[op.code for op in tape.ops] for tape in done.tapes] == [["input"], ["input"]]
    assert done.body == tuple(body)


@pytest.mark.parametrize("order", [1, -1])
def test_signed_zeros_stay_apart_where_they_can_be_told(order: int) -> None:
    zeros: list[Line] = [(0.0 * order,), (-0.0 * order,)]
    tape = optimise_tape(tape_of(*zeros, results=(0, 1)))
    assert [math.copysign(1.0, tape.ops[result].literal) for result in tape.results[0]] == [order, -order]
