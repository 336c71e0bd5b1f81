"""Hessians of weighted accelerations and multipliers where loops are closed: differences of partials, and code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from support.robots.loop_files import FOUR_BAR
from support.robots.looped import five_bar, four_bar, standing
from support.robots.rolling import SLEIGH
from support.robots.soft_looped import bent_rod
from support.second_order import derivative, exactly
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.scalars.mpmath_real import MpmathAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.loops import Coupling
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.functions.catalogue import requests
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
FUNCTION, PARTIALS = "constrained_forward_dynamics_weighted_hessian", "constrained_forward_dynamics_partials"
ROUNDED = 1e-14
"""M is of numbers that are rounded to doubles once more than those of inverse dynamics, and S divides by little."""


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


def drawn(robot: Robot, seed: int, inputs: str = "forces") -> dict[str, list[float]]:
    """All inputs at a random state, where loops are open."""
    rng = np.random.default_rng(seed)
    third = {"forces": ("tau", robot.nv), "actuators": ("u", len(robot.model.actuator_inputs))}[inputs]
    sizes = dict([third, ("lambda", robot.nv), ("kappa", len(robot.model.loop_row_names))])
    q, v = robot.random_state(rng)
    return {"q": list(q), "v": list(v), **{name: list(rng.standard_normal(size)) for name, size in sizes.items()}}


def check(robot: Robot, columns: Sequence[int] | None = None, **options: Any) -> None:
    """Blocks against differences of weighted partials with forty digits, all columns or some."""
    ((_, request), (_, same)) = requests(robot.model, [FUNCTION, PARTIALS], **options)
    plans = [entry.plan(robot.model, own) for entry, own in requests(robot.model, [FUNCTION, PARTIALS], **options)]
    assert request == same
    third = "u" if request.inputs == "actuators" else "tau"
    with mp.workdps(40):
        inputs = exactly(robot, drawn(robot, 3, request.inputs))
        found, nv = run_plan(plans[0], MpmathAlgebra(), inputs), robot.nv
        weights = {"a": inputs.pop("lambda"), "lambda": inputs.pop("kappa")}
        for first, second in (("q", "q"), ("q", "v"), ("v", "v"), ("q", third)):
            block, width = found[f"H_{first}{second}"], len(inputs[third]) if second == third else nv
            largest = max([mp.mpf(1), *map(abs, block)])
            for column in range(width) if columns is None else columns:
                rates = derivative(robot, plans[1], inputs, second, column)
                for row in range(nv):
                    parts = (mp.fdot(own, rates[f"d{of}_d{first}"][row::nv]) for of, own in weights.items())
                    error = abs(block[row * width + column] - mp.fsum(parts))
                    assert error <= ROUNDED * largest, (first, second, row, column)


@pytest.mark.parametrize(
    ("made", "columns", "options"),
    [
        (four_bar, None, {}),
        (five_bar, (1,), {"stabilisation": 0.5}),
        (sleigh, None, {}),
        (driven, (1,), {"inputs": "actuators"}),
        pytest.param(five_bar, None, {"stabilisation": 0.5}, marks=pytest.mark.slow),
        pytest.param(geared, None, {"stabilisation": 0.2}, marks=pytest.mark.slow),
        pytest.param(bent_rod, (0, 2), {"stabilisation": 0.5}, marks=pytest.mark.slow),
        pytest.param(lambda: standing(1), (1, 4, 7), {}, marks=pytest.mark.slow),
    ],
)
def test_hessians_are_differences_of_partials(
    made: Callable[[], RobotDescription], columns: Sequence[int] | None, options: dict[str, Any]
) -> None:
    check(api.from_description(made()), columns, **options)


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_a_free_base_differs_by_the_bracket_of_its_rows(convention: str) -> None:
    robot = api.from_description(standing(1), convention=convention)
    given = drawn(robot, 5)
    H = call(robot, FUNCTION, **given)[0].reshape(robot.nv, robot.nv)
    slopes = call(robot, PARTIALS, **{name: x for name, x in given.items() if name not in ("lambda", "kappa")})
    g = np.array(given["lambda"]) @ slopes[0].reshape(-1, robot.nv)
    g += np.array(given["kappa"]) @ slopes[3].reshape(-1, robot.nv)
    (base,) = robot.model.free_bases
    joint = robot.model.bodies[base].joint
    others, units = list(range(6, robot.nv)), np.eye(6).tolist()
    assert (H[others] == H.T[others]).all()
    for i in range(6):
        for j in range(6):
            bracket = np.array(joint.kind.bracket(units[j], units[i])) @ g[joint.v_rows]
            assert H[i, j] - H[j, i] == pytest.approx(bracket, abs=1e-11 * np.abs(H).max())


def test_hessians_are_linear_in_the_weights() -> None:
    robot = api.from_description(five_bar())
    one, other = drawn(robot, 1), drawn(robot, 1)
    other |= {name: drawn(robot, 2)[name] for name in ("lambda", "kappa")}
    both = one | {
        name: [2.0 * x - 3.0 * y for x, y in zip(one[name], other[name], strict=True)] for name in ("lambda", "kappa")
    }
    for first, second, combined in zip(*(call(robot, FUNCTION, **own) for own in (one, other, both)), strict=True):
        assert combined == pytest.approx(2.0 * first - 3.0 * second, abs=1e-12 * np.abs(first).max())


@pytest.mark.parametrize("holds", [(1, 0), (1, 1)])
def test_a_loop_that_does_not_hold_is_as_if_left_out(holds: tuple[int, int]) -> None:
    own, given = api.from_description(geared()), drawn(api.from_description(geared()), 4)
    left = own if holds[1] else api.from_description(five_bar())
    count = len(left.model.loop_row_names)
    wanted = call(left, FUNCTION, **{**given, "kappa": given["kappa"][:count]})
    names = [loop.constraint.name for loop in own.model.loops]
    found = call(own, FUNCTION, **given, active=holds, switched=names)
    for kept, expected in zip(found, wanted, strict=True):
        assert kept == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled", "auto"])
@pytest.mark.parametrize("target", ["c", "python"])
def test_compiled_code_agrees(target: str, layout: str) -> None:
    """C to the last bit; Python before 3.13 has no product that is rounded with its sum."""
    robot = api.from_description(parse_yaml(FOUR_BAR.encode(), "four_bar.yaml"))
    given = drawn(robot, 6)
    module = symdyn.compile(robot, [FUNCTION], layout=layout, target=target)
    found = getattr(module, FUNCTION)(*given.values())
    (program,) = api.programs(robot, [FUNCTION], layout=layout)
    evaluated = evaluate_program(program, FloatAlgebra(), given)
    for argument, own in zip(module.signature(FUNCTION).outputs, found, strict=True):
        expected = np.array(evaluated[argument.name])
        if target == "c":
            assert np.ravel(own).tolist() == expected.tolist()
        assert np.ravel(own) == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())
