"""Scalars walked back: gradients of expressions equal the slopes that dual numbers find, for every operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.recorded import RecordingAlgebra
from symdyn.errors import InternalError

AT = (0.7, -1.3, 0.4)
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "abs", "sign")

Expression = Callable[[Any, Sequence[Any]], Any]
EXPRESSIONS: dict[str, Expression] = {
    "sums": lambda _, x: (x[0] + x[1]) + (2.0 - x[2]) - (x[0] - 1.5) + (3.0 + x[1]),
    "products": lambda _, x: x[0] * x[1] * x[2] + 2.0 * x[0] * x[0] - x[1] * 3.0,
    "quotients": lambda _, x: x[0] / x[1] + 1.0 / x[2] + x[0] / 4.0,
    "signs": lambda _, x: -(x[0] * x[1]) - (-x[2]),
    "circle": lambda algebra, x: sum(part * x[2] for part in algebra.sin_cos(x[0] * x[1])),
    **{
        name: lambda algebra, x, name=name: (
            algebra.function(name, x[0] * x[2], x[1] * x[2]) * x[0] + algebra.function(name, x[1], 0.1)
        )
        for name in ("max", "min")
    },
    "choice": lambda algebra, x: algebra.select(algebra.compare("less", x[0], x[1]), x[0] * x[2], x[1] * x[1]),
    "choice of a number": lambda algebra, x: algebra.select(algebra.compare("less", x[1], 0.0), x[0] * x[2], 5.0),
    **{name: lambda algebra, x, name=name: algebra.function(name, x[0] * x[2] + 0.3) * x[1] for name in FUNCTIONS},
}


def by_duals(expression: Expression) -> list[float]:
    algebra = DualAlgebra(FloatAlgebra())
    found = expression(algebra, [algebra.dual(value, {k: 1.0}) for k, value in enumerate(AT)])
    return [float(found.slope(k)) for k in range(len(AT))]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_walk_back_gives_the_gradient(name: str) -> None:
    algebra = RecordingAlgebra(FloatAlgebra())
    x = [algebra.variable(value) for value in AT]
    result = EXPRESSIONS[name](algebra, x)
    adjoints = algebra.adjoints([(result, 2.0)])
    found = [adjoints.get(own.place, 0.0) for own in x]
    assert found == pytest.approx([2.0 * slope for slope in by_duals(EXPRESSIONS[name])], rel=1e-14, abs=1e-15)


def test_several_results_add_up_what_they_owe() -> None:
    algebra = RecordingAlgebra(FloatAlgebra())
    x = algebra.variable(3.0)
    y = x * x
    adjoints = algebra.adjoints([(y, 1.0), (y, 2.0), (x, 5.0), (7.0, 1.0)])
    assert adjoints[x.place] == 3.0 * 6.0 + 5.0


def test_what_rests_on_no_variable_is_not_recorded() -> None:
    algebra = RecordingAlgebra(FloatAlgebra())
    passive, x = algebra.passive(2.0 + 1j), algebra.variable(3.0)
    assert (passive * passive + 1.0).place < 0
    assert algebra.passive(4.0) == 4.0
    assert (x * passive).place >= 0
    assert algebra.function("sign", x).place < 0


def test_factors_zero_and_one_cost_nothing() -> None:
    algebra = RecordingAlgebra(FloatAlgebra())
    x = algebra.variable(3.0)
    assert algebra.adjoints([(x * 0.0, 1.0)]).keys() == {1}
    assert algebra.adjoints([(x * 1.0, 4.0)])[x.place] == 4.0


def test_a_function_without_a_rule_is_refused() -> None:
    algebra = RecordingAlgebra(FloatAlgebra())
    with pytest.raises(InternalError, match="'atan' has no derivative"):
        algebra.function("atan", algebra.variable(0.5))
