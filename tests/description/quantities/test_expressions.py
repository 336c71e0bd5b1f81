"""Expressions mean what Python says they mean, on the arithmetic that is allowed, and nothing else is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from symdyn.description.quantities.expression import FUNCTIONS, Expression
from symdyn.errors import DescriptionError

NAMES = ("a", "b", "rho", "L_2")

leaves = st.one_of(
    st.sampled_from([*NAMES, "pi"]),
    st.floats(1e-3, 1e3).map(repr),
    st.integers(0, 99).map(str),
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner)
    power = st.builds("({})**{}".format, inner, st.integers(0, 4))
    call = st.builds("{}({})".format, st.sampled_from(FUNCTIONS), inner)
    sign = st.builds("{}({})".format, st.sampled_from("+-"), inner)
    return st.one_of(binary, power, call, sign)


expressions = st.recursive(leaves, _compound, max_leaves=8).filter(lambda text: len(text) <= 500)
values = st.fixed_dictionaries({name: st.floats(-10, 10) for name in NAMES})


def _conditioned(name: str) -> Callable[[float], float]:
    """A function of math that rejects arguments whose last bit decides its value."""
    own = abs if name == "abs" else getattr(math, name)
    return lambda x: reject() if abs(x) > 1e6 and name not in ("sqrt", "abs") else own(x)


@given(expressions, values)
def test_agrees_with_python(text: str, numbers: dict[str, float]) -> None:
    scope: dict[str, Any] = {name: _conditioned(name) for name in FUNCTIONS} | {"pi": math.pi}
    try:
        expected = float(eval(text, {"__builtins__": {}}, scope | numbers))
    except (ZeroDivisionError, OverflowError, ValueError):
        with pytest.raises(DescriptionError, match="no finite value"):
            Expression(text).evaluate(numbers)
        return
    got = Expression(text).evaluate(numbers)
    # Powers are repeated products here and pow() there; a final cancellation magnifies their last bit.
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-6) or not math.isfinite(expected) or abs(expected) > 1e12


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        names = Expression(text).names
    except DescriptionError:
        return
    assert all(name.isidentifier() and name.isascii() for name in names)


def test_names_in_order_of_first_use() -> None:
    assert Expression("b*L_2 + sin(pi*b) - a").names == ("b", "L_2", "a")


def test_evaluates_over_other_scalars() -> None:
    class Text(str):
        def __mul__(self, other: object) -> Text:
            return Text(f"{self} * {other}")

    functions: dict[str, Callable[[Any], Any]] = {"sin": lambda x: Text(f"s({x})")}
    assert Expression("sin(a)*b").evaluate({"a": Text("A"), "b": Text("B")}, functions) == "s(A) * B"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not arithmetic"),
        ("a b", "not arithmetic"),
        ("1.0 m", r"'1.0 m' is not arithmetic: invalid syntax; write operations .*, and no units"),
        ("a, b", "is not allowed"),
        ("1,5", "decimal mark as a point"),
        ("1.57,", "',' is not allowed;.*; delete the stray comma"),
        ("a.b", "is not allowed"),
        ("a[0]", "is not allowed"),
        ("0x10", "is not allowed"),
        ("1_000", "is not allowed"),
        ("1e", "is not allowed"),
        ("1e400", "beyond the largest double"),
        ("1" * 400, "beyond the largest double"),
        ("1e-310", "nearer to zero"),
        ("3j", "is not allowed"),
        ("\u0441*2", "is not allowed"),
        ("\ufb01", "is not allowed"),
        ("a if b else L", "is not allowed"),
        ("lambda", "not arithmetic"),
        ("True", "is not allowed"),
        ("None", "is not allowed"),
        ("'a'", "is not allowed"),
        ("a**b", "is not allowed"),
        ("a**-1", "is not allowed"),
        ("a**17", "whole powers from 0 to 16"),
        ("a**2.0", "is not allowed"),
        ("a//b", "is not allowed"),
        ("exp(a)", "is not allowed"),
        ("sin(a)(b)", "is not allowed"),
        ("sin()", "is not allowed"),
        ("not a", "is not allowed"),
        ("+".join(["a"] * 60), "nested deeper"),
        ("a+" * 300 + "a", "longer than 500"),
    ],
)
def test_refused(text: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        Expression(text)


def test_unknown_name_is_named() -> None:
    with pytest.raises(DescriptionError, match=r"unknown name 'Lenght'.*did you mean 'Length'"):
        Expression("2*Lenght").evaluate({"Length": 1.0})


def test_no_syntax_warning_escapes() -> None:
    # Python warns of "1(2)" and the like; the suite turns warnings into errors.
    with pytest.raises(DescriptionError):
        Expression("1(2)")
