"""Counted scalars against hand counts, and against what is generated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import symdyn
from symdyn import api
from symdyn.algebra.scalars.counted import CountingAlgebra, CountLimitError
from symdyn.algebra.scalars.taylor import Series
from symdyn.compiler.tape.tape import operation_total
from symdyn.functions.catalogue import requests
from symdyn.plan.plan import FieldKind
from symdyn.plan.run import run_plan


@pytest.mark.parametrize(
    ("expression", "operations"),
    [
        (lambda x, y, c: x * 1.0 + 0.0 * y - 0.0, 0),
        (lambda x, y, c: x * y + y * x, 2),
        (lambda x, y, c: x + y - (y + x), 0),
        (lambda x, y, c: (x + y) * (y + x), 2),
        (lambda x, y, c: (x - y) + -x * -1.0, 2),
        (lambda x, y, c: x + -y, 1),
        (lambda x, y, c: -x + y, 1),
        (lambda x, y, c: x - -y, 1),
        (lambda x, y, c: -x - y + x, 2),
        (lambda x, y, c: x * x - (-x) * y, 3),
        (lambda x, y, c: (-x) * 3.0 + y, 2),
        (lambda x, y, c: -(x - y), 1),
        (lambda x, y, c: -(2.0 - x), 2),
        (lambda x, y, c: (-x) * -1.0, 0),
        (lambda x, y, c: 0.0 - x, 1),
        (lambda x, y, c: 2.0 - x / 1.0, 1),
        (lambda x, y, c: 0.0 / x + 2.0 / x, 1),
        (lambda x, y, c: c.sin_cos(x)[0] * c.sin_cos(x)[1], 3),
        (lambda x, y, c: c.function("sqrt", x) + c.function("sqrt", x), 2),
        (lambda x, y, c: c.select(c.compare("less", x, y), x, y), 2),
        (lambda x, y, c: c.constant(3) * x, 1),
    ],
)
def test_counts(expression: Callable[[Any, Any, CountingAlgebra], Any], operations: int) -> None:
    algebra = CountingAlgebra()
    assert algebra.total([expression(*algebra.variables(2), algebra)]) == operations


def test_only_what_results_need() -> None:
    algebra = CountingAlgebra()
    x, y = algebra.variables(2)
    kept, left = x * y + 1.0, x * x
    assert (algebra.total([kept, 5.0]), algebra.total([kept, left]), algebra.total([])) == (2, 3, 0)


def test_scalars_of_other_kinds_do_their_own_arithmetic() -> None:
    algebra = CountingAlgebra()
    x, y, z = algebra.variables(3)
    for value in (x * Series([y, z]), Series([y, z]) * x):
        assert isinstance(value, Series) and algebra.total(value.coefficients) == 2


def test_there_is_an_end_to_it() -> None:
    algebra = CountingAlgebra(limit=5)
    x, y = algebra.variables(2)
    assert algebra.total([x * y + x - y]) == 3
    with pytest.raises(CountLimitError, match="more than 5 operations"):
        x / y


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_partials"])
def test_close_to_what_is_generated(function: str) -> None:
    robot = symdyn.load_example("seven_dof_arm")
    ((entry, request),) = requests(robot.model, [function])
    plan, algebra = entry.plan(robot.model, request), CountingAlgebra()
    results = run_plan(
        plan, algebra, {field.name: algebra.variables(field.size) for field in plan.fields_of(FieldKind.INPUT)}
    )
    counted = algebra.total(value for values in results.values() for value in values)
    (program,) = api.programs(robot, [function], layout="unrolled")
    assert 0.99 <= counted / operation_total(program.counts()) <= 1.04
