"""Sine-cosine pairs come together in front of their first use, and everything keeps its value."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.random_tapes import INPUTS, tapes
from support.tapes import Line, lines_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.tape.gather_pairs import TOGETHER, gather_pairs
from symdyn.compiler.passes.tape.pair_sincos import pair_sincos
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.tape import Tape
from symdyn.compiler.tape.verify import verify_tape


def arm(joints: int) -> Tape:
    """Each joint's angle is used only after the sine of the one before."""
    lines: list[Line] = [("x", 0)]
    for joint in range(joints):
        total = len(lines) - 1
        lines += [("x", joint), ("sincos", len(lines)), ("sin_of", len(lines) + 1), ("add", total, len(lines) + 2)]
    return tape_of(*lines, width=joints)


def runs(tape: Tape) -> list[int]:
    """Lengths of runs of pairs with nothing between."""
    found, last = [0], ""
    for op in tape.ops:
        if op.code == "sincos":
            if last != "sincos":
                found.append(0)
            found[-1] += 1
        last = op.code
    return found[1:]


def test_pairs_come_together_up_to_a_number() -> None:
    tape = arm(2 * TOGETHER + 3)
    assert runs(tape) == [1] * (2 * TOGETHER + 3)
    assert runs(verify_tape(gather_pairs(tape))) == [TOGETHER, TOGETHER, 3]


def test_what_an_angle_rests_on_stands_before_the_pairs() -> None:
    tape = tape_of(
        ("x", 0), ("sincos", 0), ("sin_of", 1), ("x", 1), ("neg", 3), ("sincos", 4), ("cos_of", 5), ("add", 2, 6)
    )
    assert lines_of(gather_pairs(tape)) == [
        ("x", 0),
        ("x", 1),
        ("neg", 1),
        ("sincos", 0),
        ("sincos", 2),
        ("sin_of", 3),
        ("cos_of", 4),
        ("add", 5, 6),
    ]


def test_an_angle_that_rests_on_a_sine_waits_for_it() -> None:
    lines: list[Line] = [("x", 0), ("sincos", 0), ("sin_of", 1), ("sincos", 2), ("cos_of", 3)]
    lines += [("x", 1), ("sincos", 5), ("sin_of", 6), ("add", 4, 7)]
    gathered = verify_tape(gather_pairs(tape_of(*lines)))
    assert runs(gathered) == [2, 1]
    assert gather_pairs(tape_of(*lines[:5])) == tape_of(*lines[:5])


@settings(max_examples=100, deadline=None)
@given(tapes(), st.lists(st.floats(-3.0, 3.0), min_size=INPUTS, max_size=INPUTS))
def test_values_and_instructions_stay(tape: Tape, x: list[float]) -> None:
    paired = pair_sincos(tape)
    gathered = verify_tape(gather_pairs(paired))
    assert evaluate_tape(gathered, FloatAlgebra(), [x]) == evaluate_tape(paired, FloatAlgebra(), [x])
    assert sorted(op.code for op in gathered.ops) == sorted(op.code for op in paired.ops)
