"""Floats with errors: values are those of floats, and errors cover what fifty digits show that rounding has left."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from symdyn.algebra.scalars.algebra import Algebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.algebra.scalars.rounded import Rounded, RoundedAlgebra

EXPRESSIONS: dict[str, Callable[[Algebra, Any, Any], Any]] = {
    "cancelling sum": lambda _, x, y: (x + y) - x - y,
    "turned about": lambda of, x, y: of.sin_cos(x)[0] * of.sin_cos(x)[0] + of.sin_cos(x)[1] * of.sin_cos(x)[1] - 1.0,
    "quotient": lambda _, x, y: (x / y) * y - x + 3.0 / (1.0 / y) - 3.0 * y,
    "root": lambda of, x, y: of.function("sqrt", x) * of.function("sqrt", x) - x,
    "tangent": lambda of, x, y: of.function("tan", y) - of.function("sin", y) / of.function("cos", y),
    "negative": lambda _, x, y: -(x * y) + y * x * 1.5 - 0.5 * (x * y) + (2.0 - x) - 2.0 + x,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_errors_cover_what_rounding_leaves(name: str) -> None:
    """Errors are like deviations: three are not exceeded here. Where all cancels, the size is that of the terms."""
    expression, rng, exact = EXPRESSIONS[name], np.random.default_rng(3), MpmathAlgebra()
    for _ in range(100):
        x, y = rng.uniform(0.3, 1.4, 2).tolist()
        found = expression(RoundedAlgebra(), Rounded(x, 0.0), Rounded(y, 0.0))
        assert found.value == expression(FloatAlgebra(), x, y)
        with mp.workdps(50):
            miss = abs(found.value - float(expression(exact, mp.mpf(x), mp.mpf(y))))
        assert miss <= 3.0 * found.error * 2.0**-53
        assert 0.3 < found.size < 60.0


def test_a_rotation_keeps_errors() -> None:
    """Errors of a vector do not grow when it is turned many times, but for one rounding each time."""
    of = RoundedAlgebra()
    x, y = Rounded(0.6, 1.0), Rounded(0.8, 1.0)
    for _ in range(50):
        s, c = of.sin_cos(Rounded(0.7, 0.0))
        x, y = c * x - s * y, s * x + c * y
    assert math.hypot(x.error, y.error) < 25.0


def test_signs_and_choices() -> None:
    of = RoundedAlgebra()
    assert of.function("sign", Rounded(-2.0, 5.0)).size == 1.0
    assert of.function("sqrt", Rounded(0.0, 4.0)).size == 2.0
    assert of.select(of.compare("less", 1.0, Rounded(2.0, 9.0)), Rounded(3.0, 1.0), 0.0).value == 3.0
    assert of.constant(-2.0).size == 2.0
