"""Steps of each method: orders, derivatives against differences of whole steps, loops, one result in all layouts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.of_cases import robot_of_case

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.functions.catalogue import requests
from symdyn.interface.signature import Signature
from symdyn.interface.stepping import RK4, SDIRK2, STEP_METHODS
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
SLOW = pytest.mark.slow
TURNING = """
name: turning
floating_base: true
links:
  trunk: {mass: 2.0, com: [0.1, 0.2, 0.05], inertia: {xx: 0.3, yy: 0.4, zz: 0.5, xy: 0.01}}
  arm: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
  hand: {mass: 0.3, com: [0.05, 0.1, 0.02], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
joints:
  wrist: {type: spherical, parent: trunk, child: arm, translation: [0, 0.1, -0.4]}
  slide: {type: planar, parent: trunk, child: hand, translation: [-0.1, 0.2, 0], axis: [0, 0.6, 0.8]}
"""
"""All joints whose v are no rates of coordinates."""
SHIPPED = ("seven_dof_arm", "aerial_manipulator", "five_bar", "four_bar", "flexible_single_link", "elastic_arm")
TEN = (*SHIPPED, "ball", "followers", "rod", "turning")
"""Fixed and free bases, balls, planes, mimic joints, loops, a beam, a rod, elastic joints."""
ORDERS = {"semi_implicit_euler": 1, "implicit_euler": 1, "implicit_midpoint": 2, SDIRK2: 2, RK4: 4}


@cache
def robot_of(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symdyn.SymdynWarning)
        if name == "turning":
            return symdyn.loads(TURNING, "yaml")
        return symdyn.load_example(name) if name in SHIPPED else robot_of_case(name)


def signature(robot: Robot, function: str, **options: Any) -> Signature:
    ((entry, request),) = requests(robot.model, [function], **options)
    return entry.signature(robot.model, request)


def called(robot: Robot, function: str, **options: Any) -> Callable[[dict[str, Any]], dict[str, Array]]:
    own, call = signature(robot, function, **options), api.float_recursion(robot, function, **options)

    def found(given: dict[str, Any]) -> dict[str, Array]:
        made = call({item.name: list(map(float, np.ravel(given[item.name]))) for item in own.inputs})
        return {item.name: np.reshape(made[item.name], item.shape) for item in own.outputs}

    return found


def given_to(robot: Robot, h: float) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    q, v = robot.random_state(rng)
    p = np.nan_to_num(np.asarray(robot.runtime_defaults, float), nan=1.0)
    weights = rng.normal(size=2 * robot.nv)
    return {"q": q, "v": 0.5 * v, "tau": rng.normal(size=robot.nv), "h": [h], "lambda": weights, "p": p}


def stepped(robot: Robot, **options: Any) -> Callable[[dict[str, Any]], tuple[dict[str, Array], Array]]:
    """A whole step, with Newton's method until it stays, and its accelerations."""
    step = called(robot, "step", **options)
    names = {item.name: item.size for item in signature(robot, "step", **options).inputs}

    def taken(given: dict[str, Any]) -> tuple[dict[str, Array], Array]:
        a = np.zeros(names.get("a_guess", 0))
        for _ in range(20):
            found = step({**given, "a_guess": a})
            if not len(a) or np.abs(found["a"] - a).max() <= 1e-12 * (1.0 + np.abs(a).max()):
                break
            a = found["a"]
        return found, found.get("a", a)

    return taken


def _cases() -> list[object]:
    """The new methods on robots that are small at each change; every method on every robot with the slow tests."""
    quick = {("ball", RK4), ("ball", SDIRK2), ("five_bar", "implicit_euler")}
    return [
        pytest.param(name, method, marks=() if (name, method) in quick else SLOW)
        for name in TEN
        for method in STEP_METHODS
    ]


@pytest.mark.parametrize(("name", "method"), _cases())
def test_derivatives_are_those_of_whole_steps(name: str, method: str) -> None:
    """Along one direction of everything, by differences that leave some 1e-9; the gradient exactly."""
    robot, options = robot_of(name), {"step": method}
    nv, given, take = robot.nv, given_to(robot, 2e-3), stepped(robot, **options)
    start, a = take(given)
    at = {**given, "a": a}
    matrices = called(robot, "step_matrices", **options)(at)
    A, B = matrices["A"], matrices["B"]
    d = np.random.default_rng(3).normal(size=3 * nv)

    def off(e: float) -> Array:
        moved = {"q": robot.integrate(given["q"], e * d[:nv]), "v": given["v"] + e * d[nv : 2 * nv]}
        end, _ = take({**given, **moved, "tau": given["tau"] + e * d[2 * nv :]})
        return np.concatenate([robot.difference(start["q_next"], end["q_next"]), end["v_next"] - start["v_next"]])

    e = 1e-4
    slope = (8.0 * (off(e) - off(-e)) - (off(2 * e) - off(-2 * e))) / (12.0 * e)
    exact = A @ d[: 2 * nv] + B @ d[2 * nv :]
    assert np.abs(slope - exact).max() <= 1e-7 * np.abs(exact).max()

    back = called(robot, "step_adjoint", **options)(at)
    by_x, by_u = A.T @ given["lambda"], B.T @ given["lambda"]
    assert np.abs(np.concatenate([back["g_q"], back["g_v"]]) - by_x).max() <= 1e-12 * np.abs(by_x).max()
    assert np.abs(back["g_u"] - by_u).max() <= 1e-12 * np.abs(by_u).max()

    rows = called(robot, "step_partials", **options)(at)
    assert np.abs(rows["dv_next_dx"] - A[nv:]).max() <= 1e-13 * np.abs(A).max()
    assert np.abs(rows["dv_next_du"] - B[nv:]).max() <= 1e-13 * np.abs(B).max()
    for end in ("q_next", "v_next"):
        assert np.abs(rows[end] - start[end]).max() <= 1e-12 * np.abs(start[end]).max()


@pytest.mark.parametrize("method", [pytest.param(own, marks=() if own == RK4 else SLOW) for own in ORDERS])
def test_errors_fall_with_the_order(method: str) -> None:
    """By halving h on a robot whose joints turn, against many short steps of rk4: moves are those of groups."""
    robot = robot_of("turning")
    given, T = given_to(robot, 0.1), 0.1
    q, v, u = given["q"], given["v"], given["tau"]

    def end(n: int, own: str) -> tuple[Array, Array]:
        found = symdyn.rollout(robot, q, v, np.tile(u, (n, 1)), h=T / n, method=own, target="python")
        return found.q[-1], found.v[-1]

    exact = end(64, RK4)
    errors = []
    for n in (4, 8):
        q_end, v_end = end(n, method)
        errors.append(max(np.abs(robot.difference(exact[0], q_end)).max(), np.abs(v_end - exact[1]).max()))
    assert abs(np.log2(errors[0] / errors[1]) - ORDERS[method]) < 0.3


def test_errors_of_loops_vanish_in_the_time_that_is_asked_for() -> None:
    """e'' + 2 e' / T + e / T^2 = 0 holds at the end of each step of implicit Euler; without T errors stay."""
    robot = robot_of("five_bar")
    given = given_to(robot, 0.01)
    q = robot.integrate(robot.close(given["q"]), np.full(robot.nv, 1e-3))
    error = called(robot, "constraint_error")
    state = {**given, "q": q, "v": np.zeros(robot.nv)}
    start = np.abs(error(state)["e"]).max()
    take = stepped(robot, step="implicit_euler", stabilisation=1e-4)
    for _ in range(3):
        found, _ = take(state)
        state |= {"q": found["q_next"], "v": found["v_next"]}
    assert np.abs(error(state)["e"]).max() <= 1e-2 * start


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize(("name", "method"), [("turning", RK4), ("turning", SDIRK2), ("five_bar", SDIRK2)])
def test_layouts_have_one_result(name: str, method: str, layout: str) -> None:
    """Evaluator and recursion, to rounding."""
    robot = robot_of(name)
    given = given_to(robot, 1e-3)
    for function in ("step", "step_partials", "step_matrices", "step_adjoint"):
        (program,) = api.programs(robot, [function], layout=layout, step=method)
        own = signature(robot, function, step=method)
        at = {**given, **{item.name: np.full(item.size, 0.1) for item in own.inputs if item.name in ("a", "a_guess")}}
        at = {item.name: list(map(float, np.ravel(at[item.name]))) for item in own.inputs}
        found, wanted = (
            evaluate_program(program, FloatAlgebra(), at),
            api.float_recursion(robot, function, step=method)(at),
        )
        for output in own.outputs:
            size = 1.0 + np.abs(wanted[output.name]).max(initial=0.0)
            assert np.abs(np.subtract(found[output.name], wanted[output.name])).max(initial=0.0) <= 1e-9 * size


@pytest.mark.parametrize(
    ("method", "functions"),
    [
        ("implicit_euler", ("step_matrices",)),
        pytest.param("implicit_midpoint", ("step_adjoint",), marks=SLOW),
        pytest.param(SDIRK2, ("step_matrices", "step_adjoint", "step_weighted_hessian"), marks=SLOW),
    ],
)
def test_implicit_steps_of_loops_that_may_be_open(method: str, functions: tuple[str, ...]) -> None:
    """Held, they are those of the robot; let go, those of the robot without its loop, and multipliers vanish."""
    robot, options = robot_of("five_bar"), {"step": method, "switched": ["hand"]}
    acting = tuple(own for own in robot.description.acting if getattr(own, "name", "") != "hand")
    cut, given = api.from_description(replace(robot.description, acting=acting)), given_to(robot, 0.01)
    for switch, other in ((1.0, robot), (0.0, cut)):
        at = {**given, "active": [switch]}
        (found, a), (wanted, a_other) = stepped(robot, **options)(at), stepped(other, step=method)(given)
        for name in ("q_next", "v_next"):
            assert found[name] == pytest.approx(wanted[name], abs=1e-14)
        if not switch:
            _, *rows = np.split(a, range(robot.nv, len(a), len(a) // (2 if method == SDIRK2 else 1)))
            assert not np.any(rows[0][: len(robot.model.loop_row_names)])
            rough = called(robot, "step", **options)({**at, "a_guess": a + 3.0})  # any guess of multipliers
            assert rough["a"][robot.nv] == pytest.approx(0.0, abs=1e-13)
        for function in functions:
            own = called(robot, function, **options)({**at, "a": a})
            same = called(other, function, step=method)({**given, "a": a_other})
            for name, values in own.items():
                assert values == pytest.approx(same[name], abs=1e-13 * (1.0 + np.abs(same[name]).max())), name
    nothing = called(robot, "step_matrices", **options)({**given, "active": [0.5], "a": a})
    assert np.isnan(nothing["A"]).any()


def test_programs_of_switched_implicit_steps() -> None:
    robot, options = robot_of("five_bar"), {"step": "implicit_euler", "switched": ["hand"]}
    own = signature(robot, "step_adjoint", **options)
    given = given_to(robot, 0.01) | {"active": [0.0], "a": np.full(robot.nv + len(robot.model.loop_row_names), 0.1)}
    at = {item.name: list(map(float, np.ravel(given[item.name]))) for item in own.inputs}
    wanted = api.float_recursion(robot, "step_adjoint", **options)(at)
    for layout in ("unrolled", "rolled"):
        (program,) = api.programs(robot, ["step_adjoint"], layout=layout, **options)
        found = evaluate_program(program, FloatAlgebra(), at)
        for name, values in wanted.items():
            assert found[name] == pytest.approx(values, abs=1e-11 * (1.0 + np.abs(values).max())), (layout, name)
