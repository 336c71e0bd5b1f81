"""Gradients and Hessians of weighted shared forces and impulses: forty-digit differences of partials, and code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.looped import five_bar, four_bar, standing
from support.robots.rolling import SLEIGH
from support.robots.soft_looped import parallel_rods
from support.second_order import derivative, exactly

from symdyn import api
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.description.loops import Coupling
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import requests
from symdyn.plan.plan import FieldKind
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SHARED, IMPULSE = "constrained_inverse_dynamics", "impulse_dynamics"
ROUNDED = 1e-14
"""Of the largest entry: what the proximal solution leaves, and constants of the robot that are doubles."""
SYMBOLS = {SHARED: ("tau", "lambda", "a"), IMPULSE: ("v_plus", "impulses", "")}


def geared() -> RobotDescription:
    """A five-bar with a gear in place of one drive."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def sleigh() -> RobotDescription:
    """A blade that glides and does not slip sideways."""
    return parse_yaml(SLEIGH.encode(), "sleigh.yaml")


EVERY = "every row has a force"


def drawn(robot: Robot, sizes: dict[str, int], seed: int) -> dict[str, list[float]]:
    """All inputs at a random state, where loops are open."""
    rng = np.random.default_rng(seed)
    given = {name: list(rng.standard_normal(size)) for name, size in sizes.items()}
    q, v = robot.random_state(rng)
    positive = {name: list(0.5 + rng.random(sizes[name])) for name in ("weights", "restitution") if name in sizes}
    return given | {"q": list(q), "v": list(v)} | positive


def check(robot: Robot, function: str, columns: Sequence[int] | None = None, **options: Any) -> None:
    """The gradient against weighted partials, and blocks against their differences, all columns or some."""
    names = [f"{function}_{what}" for what in ("partials", "adjoint", "weighted_hessian")]
    if options.get("actuated") == EVERY:
        options["actuated"] = tuple(robot.velocity_names)
    asked = (requests(robot.model, [name], **options)[0] for name in names)
    partials, adjoint, hessian = (entry.plan(entry.view(robot.model, own), own) for entry, own in asked)
    solution, exerted, third = SYMBOLS[function]
    sizes = {field.name: field.size for field in adjoint.fields_of(FieldKind.INPUT)}
    with mp.workdps(40):
        inputs = exactly(robot, drawn(robot, sizes, 3))
        weights = {solution: inputs["lambda"], exerted: inputs["kappa"]}
        state = {name: x for name, x in inputs.items() if name not in ("lambda", "kappa")}
        slopes = run_plan(partials, MpmathAlgebra(), state)
        gradient, found = (run_plan(plan, MpmathAlgebra(), inputs) for plan in (adjoint, hessian))
        nv, by = robot.nv, ("q", "v", *([third] if third else []))
        for x in by:
            wanted = [
                mp.fsum(mp.fdot(own, slopes[f"d{of}_d{x}"][k::nv]) for of, own in weights.items()) for k in range(nv)
            ]
            largest = max([mp.mpf(1), *map(abs, wanted)])
            assert max(abs(a - b) for a, b in zip(gradient[f"g_{x}"], wanted, strict=True)) <= ROUNDED * largest
        pairs = [("q", "q"), ("q", "v"), *([("v", "v"), ("q", third)] if third else [])]
        assert set(found) == {f"H_{first}{second}" for first, second in pairs}
        for first, second in pairs:
            block = found[f"H_{first}{second}"]
            largest = max([mp.mpf(1), *map(abs, block)])
            for column in range(nv) if columns is None else columns:
                rates = derivative(robot, partials, state, second, column)
                for row in range(nv):
                    parts = (mp.fdot(own, rates[f"d{of}_d{first}"][row::nv]) for of, own in weights.items())
                    error = abs(block[row * nv + column] - mp.fsum(parts))
                    assert error <= ROUNDED * largest, (first, second, row, column)


@pytest.mark.parametrize(
    ("made", "columns", "options"),
    [
        (four_bar, None, {}),
        (four_bar, None, {"objective": "force"}),
        (five_bar, (1,), {"weights": "input"}),
        (sleigh, None, {"actuated": EVERY}),
        pytest.param(five_bar, None, {"actuated": EVERY}, marks=pytest.mark.slow),
        pytest.param(geared, None, {"objective": "force", "actuated": EVERY}, marks=pytest.mark.slow),
        pytest.param(parallel_rods, (0, 4), {"actuated": EVERY}, marks=pytest.mark.slow),
        pytest.param(lambda: standing(1), (1, 4, 7), {"actuated": EVERY}, marks=pytest.mark.slow),
    ],
)
def test_shared_forces_are_differentiated_twice(
    made: Callable[[], RobotDescription], columns: Sequence[int] | None, options: dict[str, Any]
) -> None:
    check(api.from_description(made()), SHARED, columns, **options)


@pytest.mark.parametrize(
    ("made", "columns", "options"),
    [
        (four_bar, None, {}),
        (sleigh, None, {}),
        (five_bar, (1,), {"restitution": "input"}),
        pytest.param(geared, None, {"restitution": "input"}, marks=pytest.mark.slow),
        pytest.param(lambda: standing(1), (1, 4, 7), {}, marks=pytest.mark.slow),
    ],
)
def test_impulses_are_differentiated_twice(
    made: Callable[[], RobotDescription], columns: Sequence[int] | None, options: dict[str, Any]
) -> None:
    check(api.from_description(made()), IMPULSE, columns, **options)


@pytest.mark.parametrize("function", [SHARED, IMPULSE])
def test_a_loop_that_is_open_is_as_if_left_out(function: str) -> None:
    own, left = api.from_description(geared()), api.from_description(five_bar())
    names = [loop.constraint.name for loop in own.model.loops]
    rows = len(left.model.loop_row_names)
    options: dict[str, Any] = {"actuated": tuple(own.velocity_names)} if function == SHARED else {}
    ((entry, request),) = requests(own.model, [f"{function}_weighted_hessian"], switched=names, **options)
    plan = entry.plan(entry.view(own.model, request), request)
    given = drawn(own, {field.name: field.size for field in plan.fields_of(FieldKind.INPUT)}, 4)
    found = api.float_recursion(own, entry.name, switched=names, **options)({**given, "active": [1.0, 0.0]})
    others = {name: x for name, x in given.items() if name != "active"} | {"kappa": given["kappa"][:rows]}
    for name, wanted in api.float_recursion(left, entry.name, **options)(others).items():
        assert found[name] == pytest.approx(wanted, abs=1e-11 * max(map(abs, wanted)))
