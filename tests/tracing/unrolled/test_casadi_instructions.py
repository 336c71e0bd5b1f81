"""From CasADi expressions to tapes: every instruction, truth values beside numbers, ports, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import casadi
import pytest
from support.tapes import lines_of

from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.tape import Port, Tape
from symdyn.compiler.tape.verify import verify_tape
from symdyn.errors import InternalError
from symdyn.tracing.unrolled.from_casadi import trace_casadi

ALGEBRA = CasadiAlgebra()
A, B, C = 0.75, -0.5, 2.0
Made = Callable[[Any, Any, Any], Any]


def traced(make: Made, *more: Made) -> Tape:
    symbols = ALGEBRA.symbols("x", 3)
    made = [item(*symbols) for item in (make, *more)]
    return verify_tape(trace_casadi("t", [(Port("x", 3), symbols)], [(Port("y", len(made)), made)]))


def value(tape: Tape, x: Sequence[float] = (A, B, C)) -> list[float]:
    return list(evaluate_tape(tape, FloatAlgebra(), [x])[0])


SAME_CODE = ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "abs", "sign"]


@pytest.mark.parametrize("code", SAME_CODE)
def test_functions_of_one_argument(code: str) -> None:
    tape = traced(lambda a, b, c: ALGEBRA.function(code, a))
    assert lines_of(tape)[-1] == (code, 0)
    assert value(tape) == [FloatAlgebra().function(code, A)]


@pytest.mark.parametrize("code", ["atan2", "min", "max", "pow"])
def test_functions_of_two_arguments(code: str) -> None:
    tape = traced(lambda a, b, c: ALGEBRA.function(code, a, b))
    assert lines_of(tape)[-1] == (code, 0, 1)
    assert value(tape) == [FloatAlgebra().function(code, A, B)]


OTHERS: list[tuple[str, Made, float]] = [
    ("add", lambda a, b, c: a + b, A + B),
    ("sub", lambda a, b, c: a - b, A - B),
    ("mul", lambda a, b, c: a * b, A * B),
    ("div", lambda a, b, c: a / b, A / B),
    ("neg", lambda a, b, c: -a, -A),
    ("mul", lambda a, b, c: a * a, A * A),
    ("add", lambda a, b, c: a + a, A + A),
    ("div", lambda a, b, c: 1.0 / c, 1.0 / C),
    ("pow", lambda a, b, c: a**2.5, A**2.5),
    ("pow", lambda a, b, c: ALGEBRA.function("pow", ALGEBRA.constant(2.0), c), 4.0),
    ("add", lambda a, b, c: ALGEBRA.function("fma", a, b, c), A * B + C),
]


@pytest.mark.parametrize(("code", "make", "expected"), OTHERS)
def test_arithmetic(code: str, make: Made, expected: float) -> None:
    tape = traced(make)
    assert tape.ops[-1].code == code
    assert value(tape) == [expected]


@pytest.mark.parametrize("left", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("right", [0.0, 1.0, 2.0])
def test_comparisons_and_logic_as_numbers(left: float, right: float) -> None:
    tape = traced(
        lambda a, b, c: a < b,
        lambda a, b, c: a <= b,
        lambda a, b, c: a == b,
        lambda a, b, c: a != b,
        lambda a, b, c: casadi.logic_and(a, b),
        lambda a, b, c: casadi.logic_or(a, b),
        lambda a, b, c: casadi.logic_not(a),
        lambda a, b, c: casadi.logic_and(a < b, casadi.logic_not(b)),
        lambda a, b, c: (a < b) + 2.0 * (b < a),
        lambda a, b, c: (a < b) == (b < a),
        lambda a, b, c: -(a <= b),
    )
    expected = [
        left < right,
        left <= right,
        left == right,
        left != right,
        bool(left and right),
        bool(left or right),
        not left,
        left < right and not right,
        (left < right) + 2 * (right < left),
        (left < right) == (right < left),
        -(left <= right),
    ]
    assert value(tape, [left, right, 0.0]) == [float(item) for item in expected]


@pytest.mark.parametrize("a", [-1.0, 0.0, 3.0])
def test_selections(a: float) -> None:
    tape = traced(
        lambda a, b, c: ALGEBRA.select(ALGEBRA.compare("less", a, b), b + c, b * c),
        lambda a, b, c: ALGEBRA.select(a, b, c),  # a number as a condition: true unless zero
        lambda a, b, c: casadi.if_else(a < b, a < c, 5.0),
    )
    assert value(tape, [a, 1.0, 7.0]) == [8.0 if a < 1.0 else 7.0, 1.0 if a else 7.0, 1.0 if a < 1.0 else 5.0]


def test_every_code_that_casadi_gives_is_in_the_table() -> None:
    made = [lambda a, b, c, name=name: ALGEBRA.function(name, a) for name in SAME_CODE]
    assert {op.code for op in traced(made[0], *made[1:]).ops} == {"input", *SAME_CODE}
    assert set(OPS) > set(SAME_CODE)


def test_constants_are_uniform_and_exact() -> None:
    tape = traced(lambda a, b, c: a + 0.1, lambda a, b, c: casadi.SX(-0.25), lambda a, b, c: 7.0)
    assert [(op.literal, op.varying) for op in tape.ops if op.code == "constant"] == [
        (0.1, False),
        (-0.25, False),
        (7.0, False),
    ]
    assert value(tape) == [A + 0.1, -0.25, 7.0]


def test_uniform_ports_make_uniform_instructions() -> None:
    x, t = ALGEBRA.symbols("x", 1), ALGEBRA.symbols("t", 1)
    ports = [(Port("x", 1), x), (Port("t", 1, varying=False), t)]
    tape = verify_tape(trace_casadi("t", ports, [(Port("y", 1), [casadi.sin(t[0]) * x[0]])]))
    assert {op.code: op.varying for op in tape.ops} == {"input": True, "sin": False, "mul": True}


def test_ports_keep_names_order_and_structural_zeros() -> None:
    q, p = ALGEBRA.symbols("q", 2), ALGEBRA.symbols("p", 1)
    inputs = [(Port("q", 2, "rad", ("elbow", "wrist")), q), (Port("p", 1), p)]
    y, z = Port("y", 3), Port("z", 1, accumulate=True)
    outputs: list[tuple[Port, list[Any]]] = [(y, [q[1], 0.0, q[1] * 0.0]), (z, [p[0] * q[0]])]
    tape = verify_tape(trace_casadi("name", inputs, outputs, "a kernel"))
    assert (tape.name, tape.description) == ("name", "a kernel")
    assert tape.inputs == tuple(port for port, _ in inputs) and tape.outputs == tuple(port for port, _ in outputs)
    assert evaluate_tape(tape, FloatAlgebra(), [[2.0, 3.0], [5.0]]) == [[3.0, 0.0, 0.0], [10.0]]


def test_an_unknown_instruction_is_our_fault() -> None:
    with pytest.raises(InternalError, match=r"CasADi instruction \d+ has no tape code; please report the function"):
        traced(lambda a, b, c: casadi.floor(a))


def test_nan_free_domain_edges_survive() -> None:
    tape = traced(lambda a, b, c: ALGEBRA.function("sqrt", b))
    assert math.isnan(value(tape)[0])
