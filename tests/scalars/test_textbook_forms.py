"""Exact trigonometric sums, and the form in which they are printed."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
import sympy
from mpmath import mp

from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.sympy_expr import textbook_expression
from symdyn.algebra.scalars.textbook_form import textbook_form
from symdyn.algebra.scalars.trigonometric_algebra import TrigonometricAlgebra
from symdyn.algebra.scalars.trigonometric_sum import TrigonometricSum, exact
from symdyn.errors import RequestError

A, B = (sympy.Symbol(name, real=True) for name in "ab")


@pytest.fixture
def algebra() -> TrigonometricAlgebra:
    return TrigonometricAlgebra(10_000)


def shown(total: TrigonometricSum, *leading: str) -> str:
    return str(textbook_expression(total, leading))


def test_squares_of_sine_and_cosine_are_one(algebra: TrigonometricAlgebra) -> None:
    sine, cosine = algebra.sin_cos(algebra.symbol("a"))
    assert sine * sine + cosine * cosine == algebra.constant(1.0)
    assert (cosine * cosine - sine * sine) == algebra.sin_cos(2.0 * algebra.symbol("a"))[1]


def test_sums_of_angles_need_no_search(algebra: TrigonometricAlgebra) -> None:
    a, b = algebra.symbol("a"), algebra.symbol("b")
    (sa, ca), (sb, cb) = algebra.sin_cos(a), algebra.sin_cos(b)
    assert [sa * cb + ca * sb, ca * cb - sa * sb] == list(algebra.sin_cos(a + b))
    assert [sa * cb - ca * sb, ca * cb + sa * sb] == list(algebra.sin_cos(a - b))
    assert algebra.sin_cos(-a) == (-sa, ca)


def test_offsets_of_angles_are_numbers(algebra: TrigonometricAlgebra) -> None:
    sine, cosine = algebra.sin_cos(algebra.constant(0.25))
    assert (sine.number(), cosine.number()) == (exact(math.sin(0.25)), exact(math.cos(0.25)))
    turned = algebra.sin_cos(algebra.symbol("a") + 0.25)[0]
    assert shown(turned) == "sin(a + 1/4)"
    squared = textbook_expression(turned * turned)
    assert float(squared.subs(A, 0.5)) == pytest.approx(math.sin(0.75) ** 2, rel=1e-14)


def test_doubles_mean_the_fraction_that_they_are_nearest_to() -> None:
    assert [exact(value) for value in (0.1, 1 / 3, 5 / 12, 9.81, 2.0)] == [
        *(Fraction(1, 10), Fraction(1, 3), Fraction(5, 12), Fraction(981, 100), 2)
    ]
    assert float(exact(math.pi)) == math.pi and float(exact(1e-300)) == 1e-300
    with pytest.raises(RequestError, match="finite numbers only, got inf"):
        exact(math.inf)


def test_random_expressions_keep_their_value(algebra: TrigonometricAlgebra) -> None:
    rng = random.Random(5)
    names = "abcmn"
    with mp.workdps(40):
        reals = MpmathAlgebra(40)
        for _ in range(20):
            values = {name: reals.constant(rng.uniform(0.3, 2.0)) for name in names}
            state = rng.getstate()
            total = _grown(rng, algebra, {name: algebra.symbol(name) for name in names})
            rng.setstate(state)
            truth = _grown(rng, reals, values)
            form = textbook_expression(total, ["m"])
            value = form.evalf(40, subs={symbol: values[symbol.name] for symbol in form.free_symbols})
            assert abs(mp.mpf(value) - truth) <= mp.mpf(10) ** -12 * (1 + abs(truth)), form


def _grown(rng: random.Random, algebra: Any, symbols: dict[str, Any]) -> Any:
    """Sums, products and quotients of symbols, sines and cosines."""
    pool = list(symbols.values())
    for name in "abc":
        pool += algebra.sin_cos(symbols[name])
    for _ in range(7):
        x, y = rng.sample(pool, 2)
        match rng.randrange(4):
            case 0:
                pool.append(x + y * rng.choice((1.0, -2.0, 0.5)))
            case 1:
                pool.append(x / (4.0 + y))
            case _:
                pool.append(x * y)
    return pool[-1] + pool[-2] * pool[-3]


def test_printed_forms(algebra: TrigonometricAlgebra) -> None:
    a, b, m, n, v = (algebra.symbol(name) for name in "abmnv")
    (sa, ca), (_, cb) = algebra.sin_cos(a), algebra.sin_cos(b)
    assert shown(m * sa * sa + n * ca * ca) == "m*sin(a)**2 + n*cos(a)**2"
    assert shown(m * ca * cb + m * n * ca * cb) == "m*(n + 1)*cos(a)*cos(b)"
    assert shown(m * a * a + m * n * n + 2.0 * m * n * a * cb + b) == "b + m*(a**2 + 2*a*n*cos(b) + n**2)"
    # what multiplies a velocity stands in parentheses, and equal factors are told once
    assert shown(m * n * sa * v * v + 2.0 * m * n * sa * v * b, "v", "b") == "m*n*(2*b*v + v**2)*sin(a)"
    assert shown(v * m + v * n * ca + m, "v") == "m + v*(m + n*cos(a))"
    assert shown(m * 0.1 + n / 3.0 + 0.5) == "0.1*m + n/3 + 1/2"
    assert shown(m - m) == "0"


def test_what_rounding_left_of_a_zero_is_not_printed(algebra: TrigonometricAlgebra) -> None:
    m = algebra.symbol("m")
    sine, cosine = algebra.sin_cos(algebra.symbol("a"))
    assert shown(0.3 * m * sine + 5.551115123125783e-17 * m * cosine) == "0.3*m*sin(a)"
    assert shown(0.3 * m * sine + 1e-9 * m * cosine) != "0.3*m*sin(a)"


def test_quotients_are_cleared(algebra: TrigonometricAlgebra) -> None:
    """The solution of [m c; c n] x = (1, 0) by elimination is n / (m n - c^2), without a trace of the elimination."""
    m, n, c, d = (algebra.symbol(name) for name in "mncd")
    pivot = n + d
    x = 1.0 / (m - c * c / pivot)
    y = -1.0 * c * x / pivot
    assert sympy.simplify(textbook_expression(x) - sympy.sympify("(n + d)/(m*(n + d) - c**2)", _real())) == 0
    assert sympy.simplify(textbook_expression(y) - sympy.sympify("-c/(m*(n + d) - c**2)", _real())) == 0
    assert len(textbook_expression(y).args) <= 3
    assert shown(m / (2.0 * n * n)) == "m/(2*n**2)"
    with pytest.raises(RequestError, match="divides by zero"):
        m / (n - n)


def _real() -> dict[str, sympy.Symbol]:
    return {name: sympy.Symbol(name, real=True) for name in "mncd"}


def test_what_is_no_polynomial_stays_as_it_is(algebra: TrigonometricAlgebra) -> None:
    a, b = algebra.symbol("a"), algebra.symbol("b")
    assert shown(a * algebra.function("tanh", b / 0.05)) == "a*tanh(20*b)"
    assert shown(algebra.sin_cos(a * b)[0]) == "sin(a*b)"
    assert shown(algebra.function("fma", a, b, a)) == "a*(b + 1)"
    assert algebra.function("sin", a) == algebra.sin_cos(a)[0]
    chosen = textbook_expression(algebra.select(algebra.compare("less", a, b), a + 1.0, 2.0 * b))
    assert [chosen.subs({A: 1, B: other}) for other in (2, -3)] == [2, -6]


def test_the_budget_ends() -> None:
    small = TrigonometricAlgebra(10)
    total = small.symbol("a") + small.symbol("b") + small.symbol("c")
    with pytest.raises(RequestError, match="more than 10 products of terms; closed forms are for small robots"):
        total * total * total


def test_a_factor_that_cancels_is_not_among_the_powers(algebra: TrigonometricAlgebra) -> None:
    a, b, c = (algebra.symbol(name) for name in "abc")
    total = 1.0 / (b + c) * (1.0 / (a + 1.0 / (b + c)))
    assert [power for _, power in textbook_form(total).powers] == [-1]
    assert shown(total) == "1/(a*(b + c) + 1)"


def test_pairs_of_terms_are_asked_for_all_that_they_share(algebra: TrigonometricAlgebra) -> None:
    a, d, e, y, z = (algebra.symbol(name) for name in "adeyz")
    # a alone would save one multiplication, y*z saves two
    assert shown(a * y * z + a * e + d * y * z) == "a*e + y*z*(a + d)"


def test_a_factor_of_many_terms_goes_before_one_of_two(algebra: TrigonometricAlgebra) -> None:
    a, b, c, d = (algebra.symbol(name) for name in "abcd")
    # any two of them share a product of two factors, all three share a
    assert shown(a * b * c + a * b * d + a * c * d) == "a*(b*(c + d) + c*d)"
    assert shown(a / b + c / b) == "(a + c)/b"


def test_three_hundred_terms_are_readable_and_no_more(algebra: TrigonometricAlgebra) -> None:
    def of(count: int) -> TrigonometricSum:
        return sum((algebra.symbol(f"m{number}") for number in range(count)), algebra.constant(0.0))

    assert len(textbook_form(of(300)).numerator) == 300
    with pytest.raises(RequestError, match="an entry of a closed form has 301 terms"):
        textbook_form(of(301))
