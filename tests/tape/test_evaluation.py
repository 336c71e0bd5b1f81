"""The meaning of every operation and of loops, over floats and over other algebras."""

from __future__ import annotations

import math

import pytest
from mpmath import mp
from support.tapes import Line, call, program_of, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.sympy_expr import SympyAlgebra
from symdyn.compiler.tape.evaluate import evaluate_op, evaluate_program, evaluate_tape, flat_calls
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.program import Affine, Buffer, BufferKind, Call, Gather, Loop
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_program, verify_tape

FLOATS = FloatAlgebra()
THREE: tuple[Line, ...] = (("x", 0), ("x", 1), ("x", 2))
VALUES = [0.75, -0.5, 2.0]
A, B, C = VALUES

NUMBERS: dict[str, tuple[tuple[int, ...], float]] = {
    "add": ((0, 1), A + B),
    "sub": ((0, 1), A - B),
    "mul": ((0, 1), A * B),
    "div": ((0, 1), A / B),
    "neg": ((0,), -A),
    "sqrt": ((2,), math.sqrt(C)),
    "fma": ((0, 1, 2), A * B + C),
    "fms": ((0, 1, 2), A * B - C),
    "fnma": ((0, 1, 2), C - A * B),
    "sin": ((1,), math.sin(B)),
    "cos": ((1,), math.cos(B)),
    "tan": ((1,), math.tan(B)),
    "asin": ((1,), math.asin(B)),
    "acos": ((1,), math.acos(B)),
    "atan": ((2,), math.atan(C)),
    "atan2": ((1, 2), math.atan2(B, C)),
    "sinh": ((1,), math.sinh(B)),
    "cosh": ((1,), math.cosh(B)),
    "tanh": ((1,), math.tanh(B)),
    "exp": ((1,), math.exp(B)),
    "log": ((2,), math.log(C)),
    "pow": ((0, 1), A**B),
    "abs": ((1,), 0.5),
    "sign": ((1,), -1.0),
    "min": ((0, 1), B),
    "max": ((0, 1), A),
    "lane_sum": ((0,), A),
}
TRUTHS: dict[str, tuple[tuple[int, ...], bool]] = {
    "less": ((1, 0), True),
    "less_equal": ((0, 0), True),
    "equal": ((0, 1), False),
}


def evaluate(tape: Tape, values: list[float] | None = None) -> list[float]:
    return list(evaluate_tape(verify_tape(tape), FLOATS, [VALUES if values is None else values])[0])


@pytest.mark.parametrize("code", NUMBERS)
def test_numbers(code: str) -> None:
    arguments, expected = NUMBERS[code]
    assert evaluate(tape_of(*THREE, (code, *arguments))) == [expected]


def test_every_code_is_tested_here() -> None:
    others = {"input", "constant", "sincos", "sin_of", "cos_of", "select", "not", "and", "or", "product"}
    assert {*NUMBERS, *TRUTHS, *others} == set(OPS)


@pytest.mark.parametrize("code", TRUTHS)
def test_truths(code: str) -> None:
    arguments, expected = TRUTHS[code]
    chosen = tape_of(*THREE, (code, *arguments), ("select", 3, 0, 1))
    assert evaluate(chosen) == [A if expected else B]
    swapped = tape_of(*THREE, (code, *arguments), ("not", 3), ("select", 4, 0, 1))
    assert evaluate(swapped) == [B if expected else A]


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_logic(left: bool, right: bool) -> None:
    truths: dict[bool, Line] = {True: ("less", 1, 0), False: ("less", 0, 1)}
    lines: list[Line] = [*THREE, truths[left], truths[right]]
    for code, expected in (("and", left and right), ("or", left or right)):
        assert evaluate(tape_of(*lines, (code, 3, 4), ("select", 5, 0, 1))) == [A if expected else B]


def test_pairs_and_constants() -> None:
    tape = tape_of(("x", 0), ("sincos", 0), ("sin_of", 1), ("cos_of", 1), (0.1,), width=1, results=(3, 2, 4))
    assert evaluate(tape, [0.4]) == [math.cos(0.4), math.sin(0.4), 0.1]


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        (2.0, 0.0, math.inf),
        (-2.0, 0.0, -math.inf),
        (2.0, -0.0, -math.inf),
        (-2.0, -0.0, math.inf),
        (0.0, 0.0, math.nan),
        (0.0, -0.0, math.nan),
        (math.nan, 0.0, math.nan),
        (math.inf, 0.0, math.inf),
        (1.0, math.inf, 0.0),
    ],
)
def test_division_by_zero_is_that_of_c(numerator: float, denominator: float, expected: float) -> None:
    tape = tape_of(("x", 0), ("x", 1), ("div", 0, 1), width=2)
    assert evaluate(tape, [numerator, denominator]) == pytest.approx([expected], nan_ok=True)


def test_other_algebras() -> None:
    lines: tuple[Line, ...] = (*THREE, ("div", 0, 2), ("sin", 3), (0.1,), ("fma", 4, 5, 1))
    with mp.workdps(40):
        algebra = MpmathAlgebra(40)
        (value,) = evaluate_tape(tape_of(*lines), algebra, [[mp.mpf(value) for value in VALUES]])[0]
        assert value == mp.sin(mp.mpf(3) / 8) * mp.mpf(0.1) - mp.mpf("0.5")
    expressions = SympyAlgebra()
    x = [expressions.symbol(name) for name in "abc"]
    ((made,),) = evaluate_tape(tape_of(*lines), expressions, [x])
    assert float(made.subs(dict(zip(x, VALUES, strict=True)))) == pytest.approx(math.sin(0.375) * 0.1 - 0.5)


DOUBLED = tape_of(("x", 0), ("add", 0, 0), width=1, name="doubled")


def test_one_call_per_element() -> None:
    program = program_of([DOUBLED], [Loop(4, (call("doubled", Affine("x", 0, (1,)), Affine("y", 3, (-1,))),))])
    assert evaluate_program(verify_program(program), FLOATS, {"x": [1.0, 2.0, 3.0, 4.0]}) == {"y": [8.0, 6.0, 4.0, 2.0]}


def test_nested_loops_add_both_strides() -> None:
    # y[i, j] = 2 x[j, i] for a 2 x 3 result.
    inner = Loop(3, (call("doubled", Affine("x", 0, (1, 2)), Affine("y", 0, (3, 1))),))
    program = verify_program(program_of([DOUBLED], [Loop(2, (inner,))], 6, 6))
    x = [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]
    assert evaluate_program(program, FLOATS, {"x": x})["y"] == [0.0, 20.0, 40.0, 2.0, 22.0, 42.0]
    assert [indices for _, indices in flat_calls(program.body, {})] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_a_statement_beside_an_inner_loop_has_one_stride() -> None:
    inner = Loop(2, (call("doubled", Affine("x", 0, (2, 1)), Affine("y", 0, (2, 1))),))
    again = call("doubled", Affine("x", 1, (2,)), Affine("y", 0, (2,)))
    program = verify_program(program_of([DOUBLED], [Loop(2, (inner, again))]))
    assert evaluate_program(program, FLOATS, {"x": [1.0, 2.0, 3.0, 4.0]})["y"] == [4.0, 4.0, 8.0, 8.0]


def test_gather_reads_the_place_from_a_table() -> None:
    index = Buffer("places", BufferKind.INDEX, 1, 4, "index", values=(2, 0, 3, 1))
    gathered = Loop(4, (Call("doubled", (Gather("x", "places", 0, (1,)),), (Affine("y", 0, (1,)),)),))
    program = verify_program(program_of([DOUBLED], [gathered], buffers=[index]))
    assert evaluate_program(program, FLOATS, {"x": [1.0, 2.0, 3.0, 4.0]})["y"] == [6.0, 2.0, 8.0, 4.0]
    scattered = Loop(4, (Call("doubled", (Affine("x", 0, (1,)),), (Gather("y", "places", 0, (1,)),)),))
    program = verify_program(program_of([DOUBLED], [scattered], buffers=[index]))
    assert evaluate_program(program, FLOATS, {"x": [1.0, 2.0, 3.0, 4.0]})["y"] == [4.0, 8.0, 2.0, 6.0]


def test_gather_advances_from_its_entry() -> None:
    index = Buffer("places", BufferKind.INDEX, 1, 2, "index", values=(2, 0))
    backward = Loop(2, (call("doubled", Gather("x", "places", 0, (1, 0), (0, -1), 1), Affine("y", 0, (2, 1))),))
    program = verify_program(program_of([DOUBLED], [Loop(2, (backward,))], buffers=[index]))
    assert evaluate_program(program, FLOATS, {"x": [1.0, 2.0, 3.0, 4.0]})["y"] == [8.0, 6.0, 4.0, 2.0]


def test_accumulation_tables_and_workspace() -> None:
    ops = (Op("input", source=(0, 0)), Op("input", source=(1, 0)), Op("mul", (0, 1)))
    weigh = Tape("weigh", (Port("x", 1), Port("w", 1)), (Port("sum", 1, accumulate=True),), ops, ((2,),))
    copy = tape_of(("x", 0), width=1, name="copy")
    clear = Tape("clear", (), (Port("s", 1),), (Op("constant", varying=False),), ((0,),))
    buffers = [
        Buffer("w", BufferKind.TABLE, 1, 3, values=(0.5, 2.0, -1.0)),
        Buffer("s", BufferKind.WORKSPACE, 1),
    ]
    body: list[Call | Loop] = [
        Call("clear", (), (Affine("s", 0),)),
        Loop(3, (Call("weigh", (Affine("x", 0, (1,)), Affine("w", 0, (1,))), (Affine("s", 0, (0,)),)),)),
        call("copy", Affine("s", 0), Affine("y", 0)),
    ]
    program = verify_program(program_of([weigh, copy, clear], body, 3, 1, buffers))
    assert evaluate_program(program, FLOATS, {"x": [4.0, 5.0, 6.0]})["y"] == [6.0]


def test_inputs_of_the_wrong_size_are_refused() -> None:
    program = program_of([DOUBLED], [call("doubled", Affine("x", 0), Affine("y", 0))], 2, 1)
    with pytest.raises(AssertionError):
        evaluate_program(program, FLOATS, {"x": [1.0]})


def test_a_lane_sum_over_one_lane_is_the_value() -> None:
    assert evaluate_op(Op("lane_sum", (0,), varying=False), [3.5], FLOATS) == 3.5
