"""Derivatives of derivatives: each of the two ways in each other, for every operation, against SymPy's.

A constant rests on an input, so that scalars of the outer derivative enter kernels of the inner one beside its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.sympy_expr import SympyAlgebra
from symdyn.plan.plan import Access, Field, FieldKind, Mode, Plan, Port, Step, Sweep, Visit
from symdyn.plan.run import run_plan
from symdyn.plan.transforms.adjoint import adjoint_sweeps
from symdyn.plan.transforms.tangent import tangent_sweeps
from symdyn.plan.transforms.taylor import lifted

FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "abs", "sign")
Operation = Callable[[Any, Any, Any, Any], Any]
OPERATIONS: dict[str, Operation] = {
    "k + x": lambda _, x, y, k: (k + x) * y * x,
    "x + k": lambda _, x, y, k: (x + k) * y * x,
    "k - x": lambda _, x, y, k: (k - x) * y * x,
    "x - k": lambda _, x, y, k: (x - k) * y * x,
    "k x": lambda _, x, y, k: k * x * y * x,
    "x k": lambda _, x, y, k: x * k * y * x,
    "k / x": lambda _, x, y, k: k / x * y,
    "x / k": lambda _, x, y, k: x / k * y,
    "-k": lambda _, x, y, k: -k * -x * y,
    "numbers": lambda _, x, y, k: (2.0 - k) * (k + 3.0) / (1.0 + k * x) + (4.0 / y - k / 5.0) * (x - 6.0),
    "k alone": lambda _, x, y, k: k,
    "sine and cosine": lambda algebra, x, y, k: algebra.sin_cos(k * x)[0] * algebra.sin_cos(y + k)[1],
    "sine of k": lambda algebra, x, y, k: algebra.sin_cos(k)[0] * algebra.sin_cos(k)[1] * x,
    "choice": lambda algebra, x, y, k: algebra.select(algebra.compare("less", x, k), k * x * y, x * x),
    "choice of k": lambda algebra, x, y, k: y * algebra.select(algebra.compare("less", k, x), x * x, k),
    "max": lambda algebra, x, y, k: y * algebra.function("max", k, x) * algebra.function("max", x * y, k * y),
    "min": lambda algebra, x, y, k: y * algebra.function("min", k, x) * algebra.function("min", x * y, k * y),
    **{name: lambda algebra, x, y, k, name=name: algebra.function(name, k * x + y) * y * k for name in FUNCTIONS},
    **{
        f"{name} of k": lambda algebra, x, y, k, name=name: x * algebra.function(name, k)
        for name in ("sqrt", "cos", "abs")
    },
}
"""Of two scalars that are read and a constant. With these inputs x < k."""
X, P = (0.7, 1.3, 1.9), (0.8,)
WEIGHT = 1.7


def operate(variant: str, algebra: Any, constants: Mapping[str, Any], reads: Mapping[str, Sequence[Any]]) -> Any:
    if variant == "product":
        return {"out": [constants.get("gain", 1.0) * reads["in"][0] * reads["in"][0]]}
    return {"out": [OPERATIONS[variant](algebra, *reads["in"], constants["gain"])]}


STEP = Step("operate", operate, (Port("in", Mode.READ), Port("out", Mode.WRITE)))
INPUTS = (Field("x", FieldKind.INPUT, 3), Field("p", FieldKind.INPUT, 1))


def plan_of(name: str, lanes: int = 1) -> Plan:
    """``y = operation(x_0, x_1, k)`` with ``k = p x_2^2``."""
    gain = Visit(-1, "product", {"gain": Access("p", 0, 1)}, {"in": Access("x", 2, 1), "out": Access("k", 0, 1)})
    places = {"in": Access("s", 0, 2, lanes, 1), "out": Access("y", 0, 1, lanes, 1)}
    visit = Visit(-1, name, {"gain": Access("k", 0, 1)}, places, lanes)
    copies = [
        Visit(-1, "product", {}, {"in": Access("x", place, 1), "out": Access("s", place * lanes + lane, 1)})
        for place in range(2)
        for lane in range(lanes)
    ]
    fields = (Field("k", FieldKind.STATE, 1), Field("s", FieldKind.STATE, 2, lanes=lanes))
    sweeps = (Sweep(STEP, (gain, *copies)), Sweep(STEP, (visit,)))
    return Plan("plan", (*INPUTS, *fields, Field("y", FieldKind.OUTPUT, lanes)), sweeps, (), ())


@cache
def expression(name: str) -> Any:
    x, (p,) = sympy.symbols("x:3", real=True), sympy.symbols("p:1", real=True)
    return OPERATIONS[name](SympyAlgebra(), x[0] * x[0], x[1] * x[1], p * x[2] * x[2]), x, (p,)


@cache
def truth(name: str, first: str, second: str) -> np.ndarray[Any, Any]:
    """Second derivatives of the operation, by SymPy with 30 digits."""
    value, x, p = expression(name)
    at = dict(zip((*x, *p), (sympy.Rational(str(own)) for own in (*X, *P)), strict=True))
    by = {"x": x, "p": p}
    found = [[sympy.diff(value, a, b).subs(at).doit().evalf(30) for b in by[second]] for a in by[first]]
    return np.array(found, dtype=float)


def tangent(plan: Plan, along: str, name: str, of: str, few: int | None) -> Plan:
    """A plan that gives the derivatives of an output by an input."""
    fields, sweeps = tangent_sweeps(plan, along, {of: name}, few=few)
    size = plan.field(of).size * plan.field(along).size
    given = plan.fields_of(FieldKind.INPUT)
    return Plan(f"{plan.name}_t", (*given, Field(name, FieldKind.OUTPUT, size), *fields), tuple(sweeps), (), ())


def adjoint(plan: Plan, along: str, name: str, of: str, few: int | None) -> Plan:
    """A plan that gives the gradient of a weighted output by an input."""
    fields, sweeps = adjoint_sweeps(plan, {of: f"w_{of}"}, {along: name})
    size, given = plan.field(along).size, plan.fields_of(FieldKind.INPUT)
    weights = Field(f"w_{of}", FieldKind.INPUT, plan.field(of).size)
    return Plan(
        f"{plan.name}_a", (*given, weights, Field(name, FieldKind.OUTPUT, size), *fields), tuple(sweeps), (), ()
    )


def found_by(plan: Plan, inner: Any, outer: Any, first: str, second: str, few: int | None) -> np.ndarray[Any, Any]:
    """Second derivatives by a derivative of a derivative, those of y at equal weights added up."""
    made = outer(inner(plan, first, "slope", "y", few), second, "curve", "slope", few)
    lanes, sizes = plan.field("y").size, {"x": len(X), "p": len(P)}
    given: dict[str, Sequence[float]] = {"x": X, "p": P, "w_y": (WEIGHT,) * lanes}
    rows = lanes * sizes[first] if inner is tangent else sizes[first]
    if outer is tangent:
        found = np.reshape(run_plan(made, FloatAlgebra(), _known(made, given))["curve"], (rows, sizes[second]))
    else:
        found = np.array(
            [run_plan(made, FloatAlgebra(), _known(made, {**given, "w_slope": row}))["curve"] for row in np.eye(rows)]
        )
    return WEIGHT * found.reshape(lanes, sizes[first], -1).sum(axis=0) if inner is tangent else found


def _known(plan: Plan, given: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    return {field.name: given[field.name] for field in plan.fields_of(FieldKind.INPUT)}


WAYS = {"tangent": tangent, "adjoint": adjoint}
PAIRS = (("x", "x"), ("x", "p"), ("p", "x"), ("p", "p"))
LIMIT = {"rtol": 1e-13, "atol": 1e-14}
"""A few hundred roundings of numbers of size 1 to 100."""


@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize("inner", WAYS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_second_derivatives(name: str, inner: str, outer: str) -> None:
    for first, second in PAIRS:
        wanted = WEIGHT * truth(name, first, second)
        found = found_by(plan_of(name), WAYS[inner], WAYS[outer], first, second, None)
        np.testing.assert_allclose(found, wanted, **LIMIT, err_msg=f"by {first} and {second}")


@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize("inner", WAYS)
@pytest.mark.parametrize("few", [1, 8], ids=["in lanes", "one by one"])
def test_second_derivatives_of_what_has_lanes(few: int, inner: str, outer: str) -> None:
    for first, second in PAIRS:
        wanted = 3 * WEIGHT * truth("numbers", first, second)
        found = found_by(plan_of("numbers", 3), WAYS[inner], WAYS[outer], first, second, few)
        np.testing.assert_allclose(found, wanted, **LIMIT, err_msg=f"by {first} and {second}")


@pytest.mark.parametrize("name", ["numbers", "sine of k", "tanh"])
def test_third_derivatives(name: str) -> None:
    by_x = tangent(plan_of(name), "x", "slope", "y", None)
    by_p = tangent(by_x, "p", "curve", "slope", None)
    made = tangent(by_p, "x", "third", "curve", None)
    found = np.reshape(run_plan(made, FloatAlgebra(), {"x": X, "p": P})["third"], (3, 3))
    value, x, (p,) = expression(name)
    at = dict(zip((*x, p), (sympy.Rational(str(own)) for own in (*X, *P)), strict=True))
    wanted = [[sympy.diff(value, a, p, b).subs(at).evalf(30) for b in x] for a in x]
    np.testing.assert_allclose(found, np.array(wanted, dtype=float), **LIMIT)


def from_time(_: Any, algebra: Any, __: Any, reads: Mapping[str, Sequence[Any]]) -> Any:
    return {"out": [algebra.from_derivatives(reads["in"][place::3]) for place in range(3)]}


def in_time(_: Any, algebra: Any, __: Any, reads: Mapping[str, Sequence[Any]]) -> Any:
    return {"out": algebra.derivatives(reads["in"][0])}


def rates_plan(name: str) -> Plan:
    """Value, first and second time derivative of the operation where x is given with its derivatives."""
    plain = plan_of(name)
    inner = (Field("given", FieldKind.STATE, 3), Field("result", FieldKind.STATE, 1))
    moved = {"x": "given", "y": "result"}
    sweeps = [
        Sweep(
            own.step,
            tuple(
                Visit(
                    -1,
                    visit.variant,
                    visit.constants,
                    {port: Access(moved.get(at.field, at.field), at.offset, at.count) for port, at in _places(visit)},
                )
                for visit in own.visits
            ),
        )
        for own in plain.sweeps
    ]
    given = Visit(-1, "", {}, {"in": Access("motion", 0, 9), "out": Access("given", 0, 3)})
    result = Visit(-1, "", {}, {"in": Access("result", 0, 1), "out": Access("rates", 0, 3)})
    ports = (Port("in", Mode.READ), Port("out", Mode.WRITE))
    first, last = Sweep(Step("given", from_time, ports), (given,)), Sweep(Step("in_time", in_time, ports), (result,))
    fields = (Field("motion", FieldKind.INPUT, 9), INPUTS[1], *plain.fields_of(FieldKind.STATE), *inner)
    made, over = lifted((*fields, Field("rates", FieldKind.OUTPUT, 3)), [first, *sweeps, last], 2, ("motion",), {})
    return Plan("rates", tuple(made), tuple(over), (), ())


def _places(visit: Visit) -> list[tuple[str, Access]]:
    return [(port, at) for port, at in visit.bindings.items() if isinstance(at, Access)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["k - x", "x k", "numbers", "sine of k", "choice of k", "max", "tanh"])
def test_derivatives_of_time_derivatives_by_constants(name: str, way: str) -> None:
    motion, h = (*X, 0.3, -0.2, 0.1, 0.05, 0.02, -0.04), 1e-3
    plan = rates_plan(name)
    made = WAYS[way](plan, "p", "slope", "rates", None)
    given: dict[str, Sequence[float]] = {"motion": motion, "p": P}
    rows = [{}] if way == "tangent" else [{"w_rates": row} for row in np.eye(3)]
    found = np.concatenate([run_plan(made, FloatAlgebra(), {**given, **row})["slope"] for row in rows])

    def at(step: float) -> np.ndarray[Any, Any]:
        return np.array(run_plan(plan, FloatAlgebra(), {"motion": motion, "p": (P[0] + step,)})["rates"])

    near, far = (at(h) - at(-h)) / (2 * h), (at(2 * h) - at(-2 * h)) / (4 * h)
    # Differences of fourth order leave h^4 = 1e-12 of derivatives of up to 1e3, and roundings of 1e-13 / h.
    np.testing.assert_allclose(found, (4 * near - far) / 3, rtol=1e-8, atol=1e-8)
