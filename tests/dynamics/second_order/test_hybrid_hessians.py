"""Hessians of weighted forces and accelerations of hybrid dynamics: differences of partials, the oracle, and code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.driven import SMALL
from support.robots.looped import five_bar, four_bar, standing
from support.robots.rolling import SLEIGH
from support.robots.soft_looped import bent_rod
from support.robots.soft_trees import soft_arm
from support.second_order import derivative, exactly

import symdyn
from symdyn import api
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.description.loops import Coupling
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import requests
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
EXACT = 1e-17
"""Of forty digits differences leave twenty-four; M by composite bodies and by inverse dynamics differ by 3e-18."""
ROUNDED = 1e-14
"""M of loops and rods is of numbers that are rounded to doubles once more than those of inverse dynamics."""


def geared() -> RobotDescription:
    """A five-bar with a gear in place of one drive."""
    described = five_bar()
    return replace(described, acting=(*described.acting, Coupling("gear", (("a", 1.0), ("d", 0.5)), 0.2)))


def driven() -> RobotDescription:
    """A four-bar with two motors."""
    described = four_bar()
    return replace(described, actuation=replace(described.actuation, actuators=("input", "output")))


def sleigh() -> RobotDescription:
    """A blade that glides and does not slip sideways."""
    return parse_yaml(SLEIGH.encode(), "sleigh.yaml")


def small() -> RobotDescription:
    """A slanted tendon, a motor, a chamber and a strain at rest."""
    return parse_yaml(SMALL.encode(), "small.yaml")


def of_dynamics(robot: Robot) -> str:
    """The dynamics with the loops that a robot has."""
    return "constrained_hybrid_dynamics" if robot.model.loops else "hybrid_dynamics"


def drawn(robot: Robot, signature: Any, seed: int) -> dict[str, list[float]]:
    """All inputs at a random state, where loops are open."""
    rng = np.random.default_rng(seed)
    given = {argument.name: rng.standard_normal(argument.size).tolist() for argument in signature.inputs}
    return given | dict(zip("qv", map(list, robot.random_state(rng)), strict=True))


def check(robot: Robot, rows: Sequence[int], columns: Sequence[int] | None, exact: float, **options: Any) -> None:
    """Blocks against differences of weighted partials with forty digits, all columns or some."""
    asked = {**options, "prescribed": [robot.velocity_names[row] for row in rows]}
    names = [f"{of_dynamics(robot)}_{operator}" for operator in ("weighted_hessian", "partials")]
    (hessian, request), (partials, same) = requests(robot.model, names, **asked)
    assert request == same
    signature, nv = hessian.signature(robot.model, request), robot.nv
    by_given = [own.name.removeprefix("H_q") for own in signature.outputs[3:]]
    slopes = partials.plan(robot.model, request)
    with mp.workdps(40):
        inputs = exactly(robot, drawn(robot, signature, 3))
        found = run_plan(hessian.plan(robot.model, request), MpmathAlgebra(), inputs)
        weights = {"w": inputs.pop("lambda"), "lambda": inputs.pop("kappa", [])}
        for first, second in (("q", "q"), ("q", "v"), ("v", "v"), *(("q", by) for by in by_given)):
            block, width = found[f"H_{first}{second}"], len(inputs[second]) if second in by_given else nv
            largest = max([mp.mpf(1), *map(abs, block)])
            for column in range(width) if columns is None else columns:
                rates = derivative(robot, slopes, inputs, second, column)
                for row in range(nv):
                    parts = (mp.fdot(own, rates[f"d{of}_d{first}"][row::nv]) for of, own in weights.items() if own)
                    error = abs(block[row * width + column] - mp.fsum(parts))
                    assert error <= exact * largest, (first, second, row, column)


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
@pytest.mark.parametrize(("name", "rows"), [("double_pendulum", [0]), ("elastic_arm", [1]), ("aerial_tree", [2, 6])])
def test_hessians_of_trees_are_differences_of_partials(name: str, rows: Sequence[int], convention: str) -> None:
    options = {"bodies_per_branch": 1, "branches": 1} if name == "aerial_tree" else {}
    check(symdyn.load_example(name, convention=convention, **options), rows, None, EXACT)


@pytest.mark.parametrize(
    ("made", "rows", "columns", "options"),
    [
        (four_bar, [0], None, {}),
        (five_bar, [0], (1,), {"stabilisation": 0.5}),
        (sleigh, [2], None, {}),
        (small, [0], (1,), {"inputs": "actuators"}),
        (driven, [1], (1,), {"inputs": "actuators"}),
        pytest.param(geared, [3], None, {"stabilisation": 0.2}, marks=pytest.mark.slow),
        pytest.param(soft_arm, [1], (0, 2), {}, marks=pytest.mark.slow),
        pytest.param(bent_rod, [1], (0, 2), {"stabilisation": 0.5}, marks=pytest.mark.slow),
        pytest.param(lambda: standing(1), [6, 7], (1, 4, 7), {}, marks=pytest.mark.slow),
    ],
)
def test_hessians_of_loops_and_inputs_are_differences_of_partials(
    made: Callable[[], RobotDescription], rows: Sequence[int], columns: Sequence[int] | None, options: dict[str, Any]
) -> None:
    check(api.from_description(made()), rows, columns, ROUNDED, **options)


def test_compiled_code_and_run_time_parameters() -> None:
    """C, Python, the evaluator and the recursion against fifty digits, where a mass is a run-time parameter."""
    robot = symdyn.load_example("double_pendulum")
    name = robot.body_names[-1]
    robot = symdyn.load_example("double_pendulum", runtime=[f"{name}.mass"])
    for dtype in ("float64", "float32"):
        made = symdyn.compile(
            robot, ["hybrid_dynamics_weighted_hessian"], prescribed=[robot.velocity_names[0]], dtype=dtype
        )
        rng = np.random.default_rng(2)
        q, v, u, weights = rng.standard_normal((4, 2))
        found = made.hybrid_dynamics_weighted_hessian(q, v, u, weights, robot.runtime_defaults)
        recursion = api.float_recursion(
            robot, "hybrid_dynamics_weighted_hessian", prescribed=[robot.velocity_names[0]]
        )({"q": list(q), "v": list(v), "u": list(u), "lambda": list(weights), "p": list(robot.runtime_defaults)})
        for own, wanted in zip(found, recursion.values(), strict=True):
            tolerance = (1e-13 if dtype == "float64" else 1e-5) * np.abs(wanted).max()
            assert np.asarray(own).ravel() == pytest.approx(wanted, abs=tolerance)
