"""Each pass on tapes small enough to write down what must come out."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from support.tapes import Line, lines_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.tape.absorb_signs import absorb_signs
from symdyn.compiler.passes.tape.builder import TapeBuilder
from symdyn.compiler.passes.tape.drop_unused import drop_unused
from symdyn.compiler.passes.tape.fold_constants import fold_constants
from symdyn.compiler.passes.tape.order_sums import order_sums
from symdyn.compiler.passes.tape.pair_sincos import pair_sincos
from symdyn.compiler.passes.tape.propagate_identities import propagate_identities
from symdyn.compiler.passes.tape.reduce_strength import reduce_strength
from symdyn.compiler.passes.tape.share_divisions import share_divisions
from symdyn.compiler.passes.tape.share_subexpressions import share_subexpressions
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.tape import Op, Tape
from symdyn.compiler.tape.verify import verify_tape

X: Line = ("x", 0)
Y: Line = ("x", 1)


def result(run: Callable[[Tape], Tape], *lines: Line) -> str:
    """The result of a tape after a pass as a nested expression."""
    tape = verify_tape(run(tape_of(*lines)))

    def spelled(position: int) -> str:
        op = tape.ops[position]
        if op.code == "input":
            return "xyzw"[op.source[1]]
        if op.code == "constant":
            return repr(op.literal)
        return f"{op.code}({', '.join(spelled(argument) for argument in op.args)})"

    return spelled(tape.results[0][0])


FOLDED: list[tuple[tuple[Line, ...], str]] = [
    (((2.0,), (3.0,), ("add", 0, 1)), "5.0"),
    (((2.0,), (3.0,), ("sub", 0, 1)), "-1.0"),
    (((2.0,), (3.0,), ("mul", 0, 1)), "6.0"),
    (((3.0,), (2.0,), ("div", 0, 1)), "1.5"),
    (((3.0,), ("neg", 0)), "-3.0"),
    (((0.0,), ("neg", 0)), "-0.0"),
    (((2.25,), ("sqrt", 0)), "1.5"),
    (((0.25,), ("sqrt", 0)), "0.5"),
    (((0.0,), ("sqrt", 0)), "0.0"),
    (((-2.25,), ("abs", 0)), "2.25"),
    (((1.0,), ("atan", 0)), repr(math.atan(1.0))),
    (((0.4,), ("sin", 0)), repr(math.sin(0.4))),
    (((3.0,), (-4.0,), ("atan2", 0, 1)), repr(math.atan2(3.0, -4.0))),
    (((2.0,), ("neg", 0), (5.0,), ("add", 1, 2), ("mul", 3, 3)), "9.0"),
    # Not finite, so left to run time.
    (((1.0,), (0.0,), ("div", 0, 1)), "div(1.0, 0.0)"),
    (((0.0,), (0.0,), ("div", 0, 1)), "div(0.0, 0.0)"),
    (((-1.0,), ("sqrt", 0)), "sqrt(-1.0)"),
    (((1e308,), (10.0,), ("mul", 0, 1)), "mul(1e+308, 10.0)"),
    (((1e4,), ("exp", 0)), "exp(10000.0)"),
    (((2.0,), ("asin", 0)), "asin(2.0)"),
    # Not constant.
    ((X, (2.0,), ("add", 0, 1)), "add(x, 2.0)"),
]


@pytest.mark.parametrize(("lines", "expected"), FOLDED)
def test_fold_constants(lines: tuple[Line, ...], expected: str) -> None:
    assert result(fold_constants, *lines) == expected


STRENGTH: list[tuple[tuple[Line, ...], str]] = [
    ((X, (1.0,), ("pow", 0, 1)), "x"),
    ((X, (0.5,), ("pow", 0, 1)), "sqrt(x)"),
    ((X, (2.0,), ("pow", 0, 1)), "mul(x, x)"),
    ((X, (3.0,), ("pow", 0, 1)), "mul(mul(x, x), x)"),
    ((X, (4.0,), ("pow", 0, 1)), "pow(x, 4.0)"),
    ((X, (-1.0,), ("pow", 0, 1)), "pow(x, -1.0)"),
    ((X, Y, ("pow", 0, 1)), "pow(x, y)"),
    ((X, (4.0,), ("div", 0, 1)), "mul(x, 0.25)"),
    ((X, (-0.5,), ("div", 0, 1)), "mul(x, -2.0)"),
    ((X, (3.0,), ("div", 0, 1)), "div(x, 3.0)"),
    ((X, (0.0,), ("div", 0, 1)), "div(x, 0.0)"),
    ((X, (5e-324,), ("div", 0, 1)), "div(x, 5e-324)"),  # its reciprocal overflows
    ((X, Y, ("div", 0, 1)), "div(x, y)"),
]


@pytest.mark.parametrize(("lines", "expected"), STRENGTH)
def test_reduce_strength(lines: tuple[Line, ...], expected: str) -> None:
    assert result(reduce_strength, *lines) == expected


IDENTITIES: list[tuple[tuple[Line, ...], str]] = [
    ((X, (0.0,), ("add", 0, 1)), "x"),
    (((-0.0,), X, ("add", 0, 1)), "x"),
    ((X, (0.0,), ("sub", 0, 1)), "x"),
    (((0.0,), X, ("sub", 0, 1)), "neg(x)"),
    ((X, ("sub", 0, 0)), "0.0"),
    ((X, (1.0,), ("mul", 0, 1)), "x"),
    (((1.0,), X, ("mul", 0, 1)), "x"),
    ((X, (-1.0,), ("mul", 0, 1)), "neg(x)"),
    (((-0.0,), X, ("mul", 0, 1)), "0.0"),
    ((X, (0.0,), ("mul", 0, 1)), "0.0"),
    (((0.0,), X, ("div", 0, 1)), "0.0"),
    ((X, (1.0,), ("div", 0, 1)), "x"),
    ((X, (-1.0,), ("div", 0, 1)), "neg(x)"),
    ((X, ("neg", 0), ("neg", 1)), "x"),
    ((X, Y, ("sub", 0, 1), ("neg", 2)), "sub(y, x)"),
    (((2.5,), ("neg", 0)), "-2.5"),
    ((X, Y, ("neg", 1), ("add", 0, 2)), "sub(x, y)"),
    ((X, Y, ("neg", 0), ("add", 2, 1)), "sub(y, x)"),
    ((X, Y, ("neg", 1), ("sub", 0, 2)), "add(x, y)"),
    ((X, Y, ("neg", 0), ("neg", 1), ("sub", 2, 3)), "sub(y, x)"),
    ((X, Y, ("neg", 0), ("neg", 1), ("mul", 2, 3)), "mul(x, y)"),
    ((X, Y, ("neg", 0), ("neg", 1), ("div", 2, 3)), "div(x, y)"),
    # A result cannot take a sign for free, so nothing is gained by moving it there.
    ((X, Y, ("neg", 0), ("mul", 2, 1)), "mul(neg(x), y)"),
    ((X, Y, ("neg", 0), ("div", 2, 1)), "div(neg(x), y)"),
    ((X, Y, ("neg", 0), ("sub", 2, 1)), "sub(neg(x), y)"),
    ((X, Y, ("neg", 0), ("neg", 1), ("add", 2, 3)), "sub(neg(x), y)"),
    # In a sum it travels through products and quotients and vanishes.
    ((X, Y, ("neg", 0), ("mul", 2, 1), ("add", 3, 0)), "sub(x, mul(x, y))"),
    ((X, Y, ("neg", 1), ("div", 0, 2), ("sub", 0, 3)), "add(x, div(x, y))"),
    ((X, Y, (-3.0,), ("mul", 1, 2), ("add", 0, 3)), "sub(x, mul(y, 3.0))"),
    ((X, Y, ("neg", 0), ("neg", 1), ("add", 2, 3), ("sub", 0, 4)), "add(x, add(x, y))"),
    ((X, Y, ("neg", 0), ("sub", 2, 1), ("add", 0, 3)), "sub(x, add(x, y))"),
    ((X, (-3.0,), ("mul", 0, 1)), "mul(x, -3.0)"),
    ((X, Y, ("less", 0, 1), ("select", 2, 0, 0)), "x"),
    ((X, Y, ("less", 0, 1), ("select", 2, 0, 1)), "select(less(x, y), x, y)"),
]


@pytest.mark.parametrize(("lines", "expected"), IDENTITIES)
def test_propagate_identities(lines: tuple[Line, ...], expected: str) -> None:
    assert result(propagate_identities, *lines) == expected


def test_one_selection_for_two() -> None:
    """How CasADi writes a selection: x or 0, and 0 or y."""
    said: list[Line] = [X, Y, ("less", 0, 1), ("not", 2), (0.0,)]
    parts: list[Line] = [("select", 2, 0, 4), ("select", 3, 1, 4)]
    for both in (("add", 5, 6), ("add", 6, 5)):
        assert result(propagate_identities, *said, *parts, both) == "select(less(x, y), x, y)"
    other: list[Line] = [("equal", 0, 1), ("not", 5), ("select", 2, 0, 4), ("select", 6, 1, 4), ("add", 7, 8)]
    assert result(propagate_identities, *said, *other).startswith("add(select(less")
    ones: list[Line] = [X, Y, ("less", 0, 1), ("not", 2), (1.0,), *parts, ("add", 5, 6)]
    assert result(propagate_identities, *ones).startswith("add(select(less")


def test_absorb_signs() -> None:
    assert result(absorb_signs, X, (3.0,), ("mul", 0, 1), ("neg", 2)) == "mul(x, -3.0)"
    assert result(absorb_signs, (3.0,), X, ("mul", 0, 1), ("neg", 2)) == "mul(x, -3.0)"
    assert result(absorb_signs, X, Y, ("mul", 0, 1), ("neg", 2)) == "neg(mul(x, y))"
    assert result(absorb_signs, X, ("neg", 0)) == "neg(x)"
    # The product is needed as it is, so a second one would cost what the sign does.
    shared = (X, (3.0,), ("mul", 0, 1), ("neg", 2), ("sin", 2), ("add", 3, 4))
    assert result(absorb_signs, *shared) == "add(neg(mul(x, 3.0)), sin(mul(x, 3.0)))"
    outputs = absorb_signs(tape_of(X, (3.0,), ("mul", 0, 1), ("neg", 2), results=(2, 3)))
    assert lines_of(outputs)[-1] == ("neg", 2)


def test_share_subexpressions() -> None:
    shared = share_subexpressions(
        tape_of(X, Y, X, ("add", 0, 1), ("add", 1, 2), ("sub", 0, 1), ("sub", 1, 0), ("mul", 3, 4), results=(7, 5, 6))
    )
    assert lines_of(shared) == [X, Y, ("add", 0, 1), ("sub", 0, 1), ("sub", 1, 0), ("mul", 2, 2)]
    assert shared.results == ((5, 3, 4),)


def test_share_divisions() -> None:
    x, y = X, Y
    shared = share_divisions(tape_of(x, y, ("div", 0, 1), ("mul", 0, 0), ("div", 3, 1), results=(2, 4)))
    assert lines_of(shared) == [x, y, (1.0,), ("div", 2, 1), ("mul", 0, 3), ("mul", 0, 0), ("mul", 5, 3)]
    assert shared.results == ((4, 6),)
    assert verify_tape(shared) is shared


def test_a_reciprocal_that_is_there_is_the_one_shared() -> None:
    shared = share_divisions(tape_of(X, Y, (1.0,), ("div", 0, 1), ("div", 2, 1), ("mul", 0, 4), results=(3, 4, 5)))
    assert lines_of(shared) == [X, Y, (1.0,), ("div", 2, 1), ("mul", 0, 3)]
    assert shared.results == ((4, 3, 4),)
    signed = share_divisions(tape_of(X, Y, (-1.0,), ("div", 0, 1), ("div", 2, 1), results=(3, 4)))
    assert [line for line in lines_of(signed) if line[0] == "div"] == [("div", 3, 1)]
    assert lines_of(signed)[-1] == ("neg", 4)


@pytest.mark.parametrize(
    ("lines", "results"),
    [
        ((X, Y, ("div", 0, 1)), (2,)),  # one quotient stays correctly rounded
        ((X, Y, ("div", 0, 1), ("div", 1, 0)), (2, 3)),
        ((X, Y, (3.0,), ("div", 0, 2), ("div", 1, 2)), (3, 4)),  # so do those by a constant
    ],
)
def test_divisions_that_stay(lines: tuple[Line, ...], results: tuple[int, ...]) -> None:
    tape = tape_of(*lines, results=results)
    assert share_divisions(tape) == tape


def test_a_quotient_that_nothing_needs_is_not_shared_with() -> None:
    assert lines_of(share_divisions(tape_of(X, Y, ("div", 1, 1), ("div", 0, 1)))) == [X, Y, ("div", 0, 1)]


def test_a_shared_division_is_off_by_one_more_rounding_at_most() -> None:
    tape = tape_of(X, Y, ("div", 0, 1), ("div", 1, 1), results=(2, 3), width=2)
    shared = share_divisions(tape)
    rng = random.Random(5)
    worst = Fraction(0)
    for _ in range(4000):
        x, y = rng.uniform(1.0, 2.0), rng.uniform(1.0, 2.0)
        found = evaluate_tape(shared, FloatAlgebra(), [[x, y]])[0][0]
        exact = Fraction(x) / Fraction(y)
        worst = max(worst, abs(Fraction(found) - exact) / exact * 2**53)
    assert 1 < worst <= 2 + Fraction(1, 2**50)


def test_sharing_tells_the_zeros_apart() -> None:
    shared = share_subexpressions(tape_of((0.0,), (-0.0,), (0.0,), results=(0, 1, 2)))
    assert [math.copysign(1.0, op.literal) for op in shared.ops] == [1.0, -1.0]
    assert shared.results == ((0, 1, 0),)


def test_pair_sincos() -> None:
    paired = pair_sincos(
        tape_of(X, Y, ("sin", 0), ("cos", 1), ("sin", 1), ("add", 2, 3), ("add", 4, 5), ("cos", 1), results=(6, 7))
    )
    assert lines_of(paired) == [
        X,
        Y,
        ("sin", 0),
        ("sincos", 1),
        ("cos_of", 3),
        ("sin_of", 3),
        ("add", 2, 4),
        ("add", 5, 6),
    ]
    assert paired.results == ((7, 4),)
    assert verify_tape(paired) is paired


def test_drop_unused() -> None:
    tape = tape_of(X, Y, (2.0,), ("mul", 0, 2), ("sin", 1), ("add", 3, 0))
    assert lines_of(drop_unused(tape)) == [X, (2.0,), ("mul", 0, 1), ("add", 2, 0)]
    assert drop_unused(tape).inputs == tape.inputs


def test_the_builder_shares_only_when_asked() -> None:
    plain, sharing = TapeBuilder(), TapeBuilder(share=True)
    for builder in (plain, sharing):
        first = builder.append(Op("input", source=(0, 0)))
        again = builder.append(Op("input", source=(0, 0)))
        builder.emit("mul", first, builder.constant(2.0))
        builder.emit("mul", builder.constant(2.0), again)
    assert (len(plain.ops), len(sharing.ops)) == (6, 3)
    assert sharing.literal(1) == 2.0 and sharing.literal(0) is None


def test_uniform_stays_uniform() -> None:
    builder = TapeBuilder()
    uniform = builder.append(Op("input", source=(0, 0), varying=False))
    lane = builder.append(Op("input", source=(1, 0)))
    codes = [builder.emit("neg", uniform), builder.emit("add", uniform, lane), builder.emit("lane_sum", lane)]
    assert [builder.ops[position].varying for position in codes] == [False, True, False]


ORDERED: list[tuple[tuple[Line, ...], str]] = [
    # a late first term goes to the end
    ((X, Y, ("sqrt", 0), ("add", 2, 1), ("add", 3, 0)), "add(add(y, x), sqrt(x))"),
    ((X, Y, ("sqrt", 0), ("sub", 2, 1), ("sub", 3, 0)), "sub(sqrt(x), add(y, x))"),
    ((X, Y, ("sqrt", 0), ("sub", 1, 2), ("add", 3, 0)), "sub(add(y, x), sqrt(x))"),
    # a sum begins with what is no product, so that products are fused
    ((X, Y, ("mul", 0, 1), ("mul", 0, 0), ("add", 2, 3), ("add", 4, 1)), "add(add(y, mul(x, y)), mul(x, x))"),
    # unless that comes too late
    (
        (X, Y, ("sqrt", 0), ("mul", 0, 1), ("mul", 0, 0), ("add", 2, 3), ("add", 5, 4)),
        "add(add(mul(x, y), mul(x, x)), sqrt(x))",
    ),
    # two terms stay as they are
    ((X, Y, ("sqrt", 0), ("sub", 1, 2)), "sub(y, sqrt(x))"),
]


@pytest.mark.parametrize(("lines", "expected"), ORDERED)
def test_sums_wait_for_late_terms_last(lines: tuple[Line, ...], expected: str) -> None:
    assert result(order_sums, *lines) == expected


def test_partial_sums_that_others_read_are_kept() -> None:
    lines: list[Line] = [X, Y, ("sqrt", 0), ("add", 2, 1), ("add", 3, 0), ("mul", 4, 3)]
    assert result(order_sums, *lines) == "mul(add(x, add(y, sqrt(x))), add(y, sqrt(x)))"


def longest_path(tape: Tape) -> int:
    """Dependent instructions one after the other, a square root counted five times."""
    steps: list[int] = []
    for op in tape.ops:
        cost = 5 if op.code == "sqrt" else int(bool(op.args))
        steps.append(cost + max((steps[argument] for argument in op.args), default=0))
    return max(steps)


def test_paths_become_shorter_and_operations_stay() -> None:
    lines: list[Line] = [X, Y]
    for _ in range(10):
        last = len(lines) - 1
        lines += [
            ("sqrt", last),
            ("mul", 0, 1),
            ("add", last + 1, last + 2),
            ("sub", last + 3, 0),
            ("add", last + 4, 1),
        ]
    tape = tape_of(*lines)
    ordered = order_sums(tape)
    assert longest_path(ordered) < longest_path(tape)
    assert ordered.counts().total() == tape.counts().total()
