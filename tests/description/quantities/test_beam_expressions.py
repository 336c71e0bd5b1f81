"""Expressions in x: their spelling, their values and slopes, and proofs that they stay positive along a beam."""

from __future__ import annotations

import math
import random
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS, BeamExpression
from symdyn.description.quantities.interval import EVERYTHING
from symdyn.description.quantities.map_expression import MapExpression
from symdyn.errors import DescriptionError

leaves = st.one_of(st.sampled_from(["x", "x", "k", "pi"]), st.floats(1e-2, 1e2).map(repr), st.integers(0, 9).map(str))


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner)
    power = st.builds("({})**{}".format, inner, st.integers(0, 4))
    call = st.builds("{}({})".format, st.sampled_from(BEAM_FUNCTIONS), inner)
    sign = st.builds("-({})".format, inner)
    return st.one_of(binary, power, call, sign)


expressions = st.recursive(leaves, _compound, max_leaves=6).filter(lambda text: len(text) <= 400)


@given(expressions, st.floats(-9.0, 9.0))
def test_bound_text_has_the_same_values_and_one_spelling(text: str, k: float) -> None:
    try:
        bound = BeamExpression(text).bound({"k": k})
        value = bound.at(0.7)
    except DescriptionError:
        assume(False)
    scope: dict[str, Any] = {name: getattr(math, name) for name in (*BEAM_FUNCTIONS, "pi")}
    expected = float(eval(text, {"__builtins__": {}}, scope | {"x": 0.7, "k": k}))
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-6) or abs(expected) > 1e9
    assert bound.names == ()
    assert bound.bound({}).text == bound.text


@given(expressions, st.floats(0.0, 3.0), st.floats(1e-3, 2.0))
def test_bounds_hold_every_value(text: str, start: float, width: float) -> None:
    try:
        expression = BeamExpression(text).bound({"k": 1.5})
    except DescriptionError:
        assume(False)
    bounds = expression.between(start, start + width)
    generator = random.Random(3)
    for _ in range(20):
        try:
            value = expression.at(start + width * generator.random())
        except DescriptionError:
            assert bounds == EVERYTHING or bounds.high == math.inf or bounds.low == -math.inf or math.isnan(bounds.low)
            continue
        slack = 1e-9 * (abs(value) + 1.0)
        assert bounds.low - slack <= value <= bounds.high + slack


@pytest.mark.parametrize("text", ["x**3*cosh(x/2)", "exp(-x)*tan(x)/(1 + x)", "sqrt(1 + x)*log(2 + x) - sinh(x)"])
def test_slopes_are_exact(text: str) -> None:
    functions: dict[str, Any] = {name: getattr(mpmath, name) for name in BEAM_FUNCTIONS}
    with mpmath.workdps(40):
        slope = mpmath.diff(lambda x: eval(text, {"__builtins__": {}}, functions | {"x": x}), mpmath.mpf("0.3"))
        assert BeamExpression(text).slope(0.3) == pytest.approx(float(slope), rel=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        "(x - 1.9)**2 + 1e-40",
        "2.5",
        "1 - x/7",
        "2 + cos(20*x) - 0.99*sin(3*x)",
        "(x - 0.3)**2 + 1e-5",
        "exp(-9*x)",
        "1/(1e-3 + x)",
        "log(1.001 + x)",
    ],
)
def test_positive_all_along(text: str) -> None:
    assert BeamExpression(text).fault(0.0, 6.0, positive=True) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1", "is -1 at x = 0"),
        ("1 - x/6", "is 0 at x = 6"),
        ("(x - 2)**2 - 1e-6", "is -"),  # negative over two millimetres of six metres
        ("1/(x - 1.9)", "is -"),
        ("1/(x - 1.9)**2", "has no finite value at x = 1.9"),
        ("(x - 1.9)**2", "is 0 at x = 1.9"),
        ("sin(x)**2 + cos(x)**2 - 0.99999999", "cannot be shown to stay positive near x = "),
        ("log(x)", "has no finite value at x = 0"),
        ("exp(999*x)", "has no finite value"),
    ],
)
def test_not_positive_somewhere(text: str, words: str) -> None:
    fault = BeamExpression(text).fault(0.0, 6.0, positive=True)
    assert fault is not None and words in fault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("abs(x)", "is not allowed"),
        ("x.real", "is not allowed"),
        ("x**0.5", "is not allowed"),
        ("exp(x, 2)", "is not allowed"),
    ],
)
def test_refused(text: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        BeamExpression(text)


def test_a_parameter_may_be_called_as_a_function_of_beams_is() -> None:
    assert BeamExpression("exp*exp(x)").bound({"exp": 2.0}).text == "2.0 * exp(x)"
    assert BeamExpression("a*x").bound({"a": -2.0}).text == "-2.0 * x"


def test_unknown_names_are_named() -> None:
    with pytest.raises(DescriptionError, match=r"unknown name 'X'.*did you mean 'x'"):
        BeamExpression("2*X").bound({"L": 1.0})


@pytest.mark.parametrize(
    ("outer", "inner", "words"),
    [
        ("1 + x", "x", None),
        ("2 - x/7", "1.9 - x/7", None),
        ("exp(-x)", "0.99*exp(-x)", None),
        ("1", "x/6", "is 0 at x = 6"),
        ("1 + x", "2", "is -1 at x = 0"),
        ("(x - 2)**2 + 1", "1 + 1e-6", "is -"),
        ("1", "log(x)", "has no finite value at x = 0"),
        ("x + 1", "1 + x - 1e-12", "cannot be shown to stay positive"),
    ],
)
def test_one_above_another(outer: str, inner: str, words: str | None) -> None:
    fault = BeamExpression(outer).fault_above(BeamExpression(inner), 0.0, 6.0)
    assert fault is None if words is None else fault is not None and words in fault


def test_the_largest_magnitude_and_its_place() -> None:
    assert BeamExpression("x - 4").largest(0.0, 6.0) == (4.0, 0.0)
    assert BeamExpression("x - 2").largest(0.0, 6.0) == (4.0, 6.0)


def test_the_remedy_of_an_undecided_proof_is_the_callers() -> None:
    undecided = BeamExpression("sin(x)**2 + cos(x)**2 - 0.99999999")
    fault = undecided.fault(0.0, 6.0, positive=True, remedy=", or in steps")
    assert fault is not None and fault.endswith("write it with fewer terms that cancel, or in steps")


def test_one_text_is_bound_to_the_values_of_each_robot() -> None:
    """Trees of texts are kept; numbers of one robot must not stay in them."""
    for value in (1.0, 2.0):
        assert BeamExpression("radius * (1 + x)").bound({"radius": value}).at(1.0) == 2.0 * value
        assert MapExpression("radius * s1").bound({"radius": value}, ["s1"]).text == f"{value} * s1"
    assert BeamExpression("radius * (1 + x)").names == ("radius",)
