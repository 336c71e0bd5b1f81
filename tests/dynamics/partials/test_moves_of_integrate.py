"""Derivatives by q are along ``robot.integrate``, in its order, in every convention: each function by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn.analysis.simulation.coordinate_speeds import CoordinateSpeeds
from symdyn.api import float_recursion
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot
from symdyn.toolchain.frameworks.moves import moves

Array = NDArray[np.float64]
State = dict[str, list[float]]

BASE = """
format: 1
name: bench
floating_base: true
links:
  trunk: {mass: 2.0, com: [0.1, 0.2, 0.05], inertia: {xx: 0.03, yy: 0.04, zz: 0.05, xy: 0.01}}
  arm: {mass: 0.5, com: [0, 0.1, -0.2], inertia: {xx: 0.02, yy: 0.02, zz: 0.01}}
  hand: {mass: 0.3, com: [0.05, 0.1, 0.02], inertia: {xx: 0.002, yy: 0.003, zz: 0.004}}
joints:
  hip: {type: continuous, parent: trunk, child: arm, translation: [0.1, 0, -0.1], axis: [0.6, 0.8, 0]}
"""
PLANAR = "  slide: {type: planar, parent: trunk, child: hand, translation: [-0.1, 0.2, 0], axis: [0, 0.6, 0.8]}"
PINNED = """
  wrist: {type: spherical, parent: arm, child: hand, translation: [0, 0.1, -0.4]}
bushings:
  mount: {between: [trunk, hand], stiffness: [20, 30, 40, 1, 2, 3], damping: [1, 2, 1, 0.1, 0.2, 0.1]}
loops:
  grip: {kind: fixed, close: true, between: [hand, {world: [0.2, 0.1, -0.4]}]}
"""
FAMILIES = {"tree": BASE + PLANAR, "pinned": BASE + PINNED}
CONVENTIONS = ("pinocchio", "spatial", "mujoco")
PRESCRIBED = ("hip", "root.vx")

# Fourth-order differences with a step of 2e-3 leave about 1e-10 of results whose derivatives grow by ten an order.
TOLERANCE = 1e-8


@cache
def robot_of(family: str, convention: str) -> Robot:
    return symdyn.loads(FAMILIES[family], "yaml", convention=convention)


def options(function: str) -> dict[str, Any]:
    found: dict[str, Any] = {"order": 1} if "time_derivatives" in function else {}
    return found | ({"prescribed": list(PRESCRIBED)} if "hybrid" in function else {})


def signature(robot: Robot, function: str) -> Signature:
    ((entry, request),) = requests(robot.model, [function], **options(function))
    return entry.signature(robot.model, request)


def called(robot: Robot, function: str) -> Callable[[State], dict[str, Array]]:
    outputs = signature(robot, function).outputs
    call = float_recursion(robot, function, **options(function))
    return lambda state: {own.name: np.reshape(call(state)[own.name], own.shape) for own in outputs}


def inputs(robot: Robot, function: str) -> State:
    rng = np.random.default_rng(5)
    found: State = {}
    for own in signature(robot, function).inputs:
        found[own.name] = rng.standard_normal(own.size).tolist()
    q = robot.integrate(robot.neutral(), rng.uniform(-0.8, 0.8, robot.nv))
    return found | {"q": q.tolist()}


def slopes(robot: Robot, state: State, of: Callable[[State], Array], h: float = 2e-3) -> Array:
    """Central differences along ``integrate`` in each of ``DIRECTIONS``, as the last axis; errors fall with h^4."""
    q = np.array(state["q"])

    def at(step: Array) -> Array:
        return of(state | {"q": robot.integrate(q, step).tolist()})

    columns = [
        (8 * (at(h * row) - at(-h * row)) - (at(2 * h * row) - at(-2 * h * row))) / (12 * h)
        for row in directions(robot).T
    ]
    return np.stack(columns, axis=-1)


def directions(robot: Robot) -> Array:
    """Two that have all rows of v, (nv, 2)."""
    return np.random.default_rng(9).uniform(0.3, 1.0, (robot.nv, 2)) * [1.0, -1.0]


def assert_along(robot: Robot, found: Array, truth: Array) -> None:
    assert_close(found @ directions(robot), truth)


def assert_close(found: Array, truth: Array) -> None:
    assert found.shape == truth.shape
    assert np.abs(truth).max() > 1e-3
    assert np.abs(found - truth).max() <= TOLERANCE * max(1.0, float(np.abs(truth).max()))


SOLUTIONS = {
    "forward_dynamics": ("a", "lambda", "tau"),
    "hybrid_dynamics": ("w", "lambda", "u"),
    "inverse_dynamics": ("tau", "lambda", "a"),
    "impulse_dynamics": ("v_plus", "impulses", ""),
}
"""Symbols of what is found, of what loops exert, and of what is given beside q and v."""


def compared(robot: Robot, function: str) -> Iterator[tuple[Array, Array]]:
    """What a function gives and what differences of another give."""
    state = inputs(robot, function)
    found = called(robot, function)(state)
    if function == "step_partials":
        plain = called(robot, "step")
        yield found["dv_next_dx"][:, : robot.nv], slopes(robot, state, lambda s: plain(s)["v_next"])
    elif function == "implicit_residual_partials":
        plain = called(robot, "implicit_residual")
        yield found["R_q"], slopes(robot, state, lambda s: plain(s)["R"][: robot.nv])
    elif function.endswith("_partials"):
        plain = called(robot, function.removesuffix("_partials"))
        for name in [own for own in found if own.endswith("_dq")]:
            of = name.removeprefix("d").removesuffix("_dq")
            step = 5e-4 if function.startswith("hybrid") else 2e-3  # where solutions are steep
            yield found[name], slopes(robot, state, lambda s, of=of: plain(s)[of], step)  # type: ignore[misc]
    elif function == "inverse_dynamics_adjoint":
        plain = called(robot, "inverse_dynamics")
        yield found["g_q"], slopes(robot, state, lambda s: np.array(s["lambda"]) @ plain(s)["tau"])
    elif function == "inverse_dynamics_weighted_hessian":
        plain = called(robot, "inverse_dynamics_adjoint")
        for name, of in (("H_qq", "g_q"), ("H_qv", "g_v"), ("H_qa", "g_a")):
            truth = slopes(robot, state, lambda s, of=of: plain(s)[of])  # type: ignore[misc]
            yield (found[name] if of == "g_q" else found[name].T), truth
    elif function == "step_weighted_hessian":
        plain, along = called(robot, "step_adjoint"), directions(robot)
        varied = along.T @ slopes(robot, state, lambda s: plain(s)["g_q"])
        yield along.T @ found["H_xx"][: robot.nv, : robot.nv], (varied + varied.T) / 2.0  # the rest is by brackets
    elif function.endswith("_weighted_hessian"):
        weights = [name for name in ("lambda", "kappa") if name in state]
        solution, exerted, third = SOLUTIONS[function.removesuffix("_weighted_hessian").removeprefix("constrained_")]
        plain = called(robot, function.replace("_weighted_hessian", "_partials"))
        for name, by in (("H_qq", "q"), ("H_qv", "v"), *([(f"H_q{third}", third)] if third else [])):

            def weighed(s: State, by: str = by, solution: str = solution, exerted: str = exerted) -> Array:
                made = plain(s)
                total = np.array(s[weights[0]]) @ made[f"d{solution}_d{by}"]
                return total + np.array(s[weights[1]]) @ made[f"d{exerted}_d{by}"] if len(weights) > 1 else total

            truth = slopes(robot, state, weighed, 5e-4 if "hybrid" in function else 2e-3)
            yield (found[name] if by == "q" else found[name].T), truth
    elif function == "constraint_jacobian":
        plain = called(robot, "constraint_error")
        ((_, jacobian),) = found.items()
        yield jacobian, slopes(robot, state, lambda s: next(iter(plain(s).values())))
    elif function == "implicit_jacobian":
        state["c"] = [1.0, 0.0, 0.0]
        plain = called(robot, "implicit_residual")
        matrix = called(robot, function)(state)["S"]
        yield matrix[: robot.nv, : robot.nv], slopes(robot, state, lambda s: plain(s)["R"][: robot.nv])
    elif function == "statics_jacobian":
        plain = called(robot, "statics_residual")
        given = state | {name: own for name, own in inputs(robot, "statics_residual").items() if name != "q"}
        given |= state
        for name, own in ((name, own) for name, own in found.items() if name.endswith("_dx")):
            of = name.removeprefix("d").removesuffix("_dx")
            yield own[:, : robot.nv], slopes(robot, given, lambda s, of=of: plain(s)[of])  # type: ignore[misc]
    else:
        raise AssertionError(function)


FUNCTIONS = [
    name
    for name in CATALOGUE
    if name.endswith(("_partials", "_weighted_hessian"))
    or name in ("inverse_dynamics_adjoint", "constraint_jacobian", "implicit_jacobian", "statics_jacobian")
]


def quick(function: str, family: str, convention: str) -> bool:
    """Cases of daily work: first derivatives of the tree in every convention, of the rest those that differ most."""
    if "hessian" in function:
        return (function, family, convention) == ("inverse_dynamics_weighted_hessian", "tree", "spatial")
    return family == "tree" or (convention == "spatial" and "time_derivatives" not in function)


CASES = [
    pytest.param(*case, marks=() if quick(*case) else pytest.mark.slow)
    for case in product(FUNCTIONS, FAMILIES, CONVENTIONS)
]


@pytest.mark.parametrize(("function", "family", "convention"), CASES)
def test_derivatives_by_q_are_along_integrate(function: str, family: str, convention: str) -> None:
    robot = robot_of(family, convention)
    if family == "tree" and ("constrain" in function or "impulse" in function):
        with pytest.raises(ModelError, match="needs closed loops"):
            signature(robot, function)
        return
    count = 0
    for found, truth in compared(robot, function):
        assert_along(robot, found, truth)
        count += 1
    assert count


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_state_moves_by_its_rows(convention: str) -> None:
    """Slopes by the rows of (q, v) themselves, quaternions off the unit sphere among them."""
    robot = robot_of("tree", convention)
    state = inputs(robot, "state_derivative")
    state["y"] = [*(1.1 * np.array(state.pop("q"))).tolist(), *state["y"][robot.nq :]]
    plain, y, h = called(robot, "state_derivative"), np.array(state["y"]), 2e-3

    def at(step: Array) -> Array:
        return next(iter(plain(state | {"y": (y + step).tolist()}).values()))

    rows = h * np.eye(len(y))
    columns = [(8 * (at(row) - at(-row)) - (at(2 * row) - at(-2 * row))) / (12 * h) for row in rows]
    assert_close(called(robot, "state_jacobian")(state)["d_dy"], np.stack(columns, axis=-1))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_signatures_name_rows_of_v(convention: str) -> None:
    robot = robot_of("pinned", convention)
    for function in ("inverse_dynamics_partials", "forward_dynamics_partials", "statics_jacobian"):
        (first, *_) = signature(robot, function).outputs
        assert first.rows[1][: robot.nv] == robot.velocity_names


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_changes_of_rows_are_moves_of_integrate(convention: str) -> None:
    """As chains of JAX and PyTorch and the simulators have them: E (q(h) - q(-h)) / 2h is the velocity."""
    robot, h = robot_of("tree", convention), 1e-5
    rng = np.random.default_rng(3)
    q, v = np.array(inputs(robot, "inverse_dynamics")["q"]), rng.standard_normal(robot.nv)
    change = (robot.integrate(q, h * v) - robot.integrate(q, -h * v)) / (2 * h)
    rows = symdyn.model.coordinates.coordinate_rows(robot.model)
    np.testing.assert_allclose(moves(np, rows, q, change), v, atol=1e-8)
    speeds = CoordinateSpeeds(robot.model)
    np.testing.assert_allclose(speeds.matrix(q) @ v, change, atol=1e-8)
    np.testing.assert_allclose(speeds.moves(q) @ change, v, atol=1e-8)
