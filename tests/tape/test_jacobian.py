"""Jacobians by both modes against 50-digit differences: every code, random tapes, chosen ports and directions."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from mpmath import mp
from support.random_tapes import INPUTS, tapes
from support.tapes import Line, tape_of

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.compiler.autodiff.jacobian import MODES, jacobian
from symdyn.compiler.autodiff.local_derivatives import CHOICES, CONSTANT_CODES, SLOPES
from symdyn.compiler.passes.pipeline import optimise_tape
from symdyn.compiler.tape.evaluate import evaluate_tape
from symdyn.compiler.tape.ops import OPS
from symdyn.compiler.tape.tape import Op, Port, Tape
from symdyn.compiler.tape.verify import verify_tape
from symdyn.errors import RequestError

DIGITS = 60
STEP = mp.mpf(10) ** -20
"""Of a central difference: its error is some 1e-40."""

X = (0.7, -0.4, 1.3, 0.2)
"""Inside the domain of every function below, away from every kink."""

OF_ONE = ("neg", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "abs")
OF_TWO = ("add", "sub", "mul", "div", "atan2", "min", "max")
CASES: dict[str, list[Line]] = {
    **{code: [("x", 0), (code, 0)] for code in (*OF_ONE, "sign", "lane_sum")},
    "abs of a negative": [("x", 1), ("abs", 0)],
    **{code: [("x", 0), ("x", 1), (code, 0, 1)] for code in OF_TWO},
    **{f"{code} turned": [("x", 1), ("x", 0), (code, 0, 1)] for code in OF_TWO},
    **{f"{code} of one": [("x", 0), (code, 0, 0)] for code in OF_TWO},
    **{f"{code} with a constant": [("x", 0), (0.3,), (code, 0, 1)] for code in OF_TWO},
    **{f"{code} on a constant": [(0.3,), ("x", 0), (code, 0, 1)] for code in OF_TWO},
    "pow": [("x", 0), ("x", 1), ("pow", 0, 1)],
    "pow on a constant": [(1.7,), ("x", 0), ("pow", 0, 1)],
    "pow of itself": [("x", 0), ("pow", 0, 0)],
    **{f"pow {power}": [("x", 1), (power,), ("pow", 0, 1)] for power in (-2.0, 0.0, 1.0, 2.0, 3.0)},
    "fma": [("x", 0), ("x", 1), ("x", 2), ("fma", 0, 1, 2)],
    "fms": [("x", 0), ("x", 1), ("x", 2), ("fms", 0, 1, 2)],
    "fnma": [("x", 0), ("x", 1), ("x", 2), ("fnma", 0, 1, 2)],
    "fma of one": [("x", 0), ("fma", 0, 0, 0)],
    "sincos": [("x", 0), ("sincos", 0), ("sin_of", 1), ("cos_of", 1), ("mul", 3, 3), ("add", 4, 2)],
    "select true": [("x", 1), ("x", 0), ("less", 0, 1), ("mul", 0, 1), ("sin", 0), ("select", 2, 3, 4)],
    "select false": [("x", 1), ("x", 0), ("less_equal", 1, 0), ("mul", 0, 1), ("sin", 0), ("select", 2, 3, 4)],
    "select on logic": [
        *(("x", 0), ("x", 1), ("less", 0, 1), ("equal", 0, 1), ("not", 2), ("or", 2, 3), ("and", 4, 5)),
        *(("exp", 0), ("sin", 1), ("select", 6, 7, 8)),
    ],
    "select of one": [("x", 0), ("x", 1), ("less", 0, 1), ("sin", 0), ("select", 2, 3, 3)],
    "a condition alone": [("x", 0), ("x", 1), ("less", 0, 1), (1.0,), (2.0,), ("select", 2, 3, 4)],
}


def differences(tape: Tape, x: list[Any]) -> list[Any]:
    """The Jacobian of the output y by central differences, row-major."""

    def value(element: int, step: Any) -> list[Any]:
        moved = [entry + step if place == element else entry for place, entry in enumerate(x)]
        return list(evaluate_tape(tape, MpmathAlgebra(DIGITS), [moved])[0])

    columns = [
        [(high - low) / (2 * STEP) for high, low in zip(value(k, STEP), value(k, -STEP), strict=True)]
        for k in range(len(x))
    ]
    return [column[row] for row in range(len(columns[0])) for column in columns]


def check(tape: Tape, x: tuple[float, ...], mode: str, optimised: bool = False) -> None:
    found = verify_tape(jacobian(tape, ["y"], ["x"], mode))
    if optimised:
        found = verify_tape(optimise_tape(found))
    with mp.workdps(DIGITS):
        algebra = MpmathAlgebra(DIGITS)
        exact = [algebra.constant(value) for value in x]
        expected = differences(tape, exact)
        (value,) = evaluate_tape(found, algebra, [exact])
        # an optimised tape folds constants in doubles
        tolerance = mp.mpf(10) ** (-11 if optimised else -35)
        for entry, truth in zip(value, expected, strict=True):
            assert abs(entry - truth) <= tolerance * (1 + abs(truth)), (mode, entry, truth)


def test_the_tables_know_every_code() -> None:
    assert set(OPS) == {*SLOPES, *CHOICES, *CONSTANT_CODES, "input", "product"}
    assert all(len(slopes) == OPS[code].operands for code, slopes in SLOPES.items())
    assert set(OPS) <= {line[0] for lines in CASES.values() for line in lines} | {"input", "constant", "product"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
def test_each_code(case: str, mode: str) -> None:
    check(tape_of(*CASES[case]), X, mode)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=60)
@given(tapes())
def test_random_tapes(mode: str, tape: Tape) -> None:
    rng = random.Random(len(tape.ops))
    x = tuple(rng.choice((-1, 1)) * rng.uniform(0.2, 2.0) for _ in range(INPUTS))
    check(tape, x, mode)
    check(tape, x, mode, optimised=True)


@pytest.mark.parametrize("mode", MODES)
def test_conventions_where_there_is_no_derivative(mode: str) -> None:
    lines: list[Line] = [("x", 0), ("x", 1), ("abs", 0), ("min", 0, 1), ("max", 0, 1)]
    found = jacobian(tape_of(*lines, width=2, results=[2, 3, 4]), ["y"], ["x"], mode)
    (value,) = evaluate_tape(found, FloatAlgebra(), [[0.0, 0.0]])
    assert value == [0.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_a_branch_not_taken_spreads_no_infinity() -> None:
    # y = sqrt(x) where 0 < x, else 0: at 0 the slope of the root is infinite, and it is not taken.
    lines: list[Line] = [("x", 0), (0.0,), ("less", 1, 0), ("sqrt", 0), ("select", 2, 3, 1)]
    found = jacobian(tape_of(*lines, width=1), ["y"], ["x"], "forward")
    assert evaluate_tape(found, FloatAlgebra(), [[0.0]]) == [[0.0]]
    assert evaluate_tape(found, FloatAlgebra(), [[0.25]]) == [[1.0]]


def two_ports() -> Tape:
    """u = (a0 b0, sin a1), w = a0 + b1 on the ports a and b."""
    ops = [Op("input", source=(port, place)) for port in (0, 1) for place in (0, 1)]
    ops += [Op("mul", (0, 2)), Op("sin", (1,)), Op("add", (0, 3))]
    return Tape("two", (Port("a", 2), Port("b", 2)), (Port("u", 2), Port("w", 1)), tuple(ops), ((4, 5), (6,)))


@pytest.mark.parametrize("mode", MODES)
def test_ports_are_chosen_by_name_and_values_kept(mode: str) -> None:
    found = verify_tape(jacobian(two_ports(), ["w", "u"], ["b", "a"], mode, keep_outputs=True))
    assert [port.name for port in found.outputs] == ["u", "w", "dw_db", "dw_da", "du_db", "du_da"]
    values = evaluate_tape(found, FloatAlgebra(), [[3.0, 0.5], [5.0, 7.0]])
    assert values == [
        *([15.0, math.sin(0.5)], [10.0]),
        *([0.0, 1.0], [1.0, 0.0], [3.0, 0.0, 0.0, 0.0], [5.0, 0.0, 0.0, math.cos(0.5)]),
    ]
    assert [port.name for port in jacobian(two_ports(), ["u"], ["a"], mode).outputs] == ["du_da"]


@pytest.mark.parametrize("mode", MODES)
def test_directions_multiply_from_the_right(mode: str) -> None:
    # N(b) = [b0 0 1; 0 b1 0], so that du/da N = [b0 b0, 0, b0; 0, cos(a1) b1, 0].
    ops = (Op("input", source=(0, 0)), Op("input", source=(0, 1)), *(Op("constant", literal=k) for k in (0.0, 1.0)))
    rates = Tape("rates", (Port("b", 2),), (Port("n", 6),), ops, ((0, 2, 3, 2, 1, 2),))
    found = verify_tape(jacobian(two_ports(), ["u"], ["a"], mode, {"a": rates}))
    (value,) = evaluate_tape(found, FloatAlgebra(), [[3.0, 0.5], [5.0, 7.0]])
    assert value == [25.0, 0.0, 5.0, 0.0, math.cos(0.5) * 7.0, 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_zeros_cost_nothing(mode: str) -> None:
    optimised = optimise_tape(jacobian(two_ports(), ["u", "w"], ["a", "b"], mode))
    assert dict(optimised.counts()) == {"cos": 1}
    # y_k = sin(x_k) cos(x_k): a diagonal Jacobian is as cheap as its diagonal
    lines: list[Line] = [("x", place) for place in range(4)]
    for place in range(4):
        lines += [("sin", place), ("cos", place), ("mul", len(lines), len(lines) + 1)]
    counts = optimise_tape(jacobian(tape_of(*lines, results=(6, 9, 12, 15)), ["y"], ["x"], mode)).counts()
    assert dict(counts) == {"sincos": 4, "mul": 8, "sub": 4}


def test_wrong_names_are_refused() -> None:
    with pytest.raises(RequestError, match="mode of differentiation is 'forward' or 'reverse', got 'sideways'"):
        jacobian(two_ports(), ["u"], ["a"], "sideways")
    with pytest.raises(RequestError, match="'two' has no output 'z'; it has u, w"):
        jacobian(two_ports(), ["z"], ["a"], "forward")
    with pytest.raises(RequestError, match="'two' has no input 'u'; it has a, b"):
        jacobian(two_ports(), ["u"], ["u"], "reverse")
