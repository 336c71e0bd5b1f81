"""The shipped robots with closed loops: where they close, random closed states, and functions of them on arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.errors import SymdynWarning
from symdyn.functions.catalogue import requests
from symdyn.interface.options import RequestOptions
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

LOOPED = ("four_bar", "slider_crank", "five_bar", "stewart_platform", "quadruped", "andrews_squeezer", "bricard")
GUESSES: dict[str, dict[str, float]] = {
    "four_bar": {"input": 0.5, "elbow": -1.0, "output": -1.0},
    "five_bar": {"left_shoulder": -2.0, "left_elbow": 1.5, "right_shoulder": -1.0, "right_elbow": -1.5},
    "andrews_squeezer": {
        "beta": -0.0617138900142764496358948458001,
        "theta": 0.0,
        "gamma": 0.455279819163070380255912382449,
        "phi": 0.222668390165885884674473185609,
        "delta": 0.487364979543842550225598953530,
        "omega": -0.222668390165885884674473185609,
        "epsilon": 1.23054744454982119249735015568,
    },
}
"""What the files say where to start from; else from zero."""
SPREAD = {"stewart_platform": 0.1, "quadruped": 0.3, "andrews_squeezer": 0.3}
"""How far random positions lie around these starts [rad or m]; else 1."""


@cache
def shipped(name: str, **options: Any) -> Robot:
    """A shipped robot; that rows of planar loops follow from others is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.load_example(name, **options)


def start(name: str) -> Array:
    """The position that the robot's file tells to close from."""
    robot, guess = shipped(name), GUESSES.get(name, {})
    q = robot.neutral()
    for row, coordinate in enumerate(robot.coordinate_names):
        q[row] = guess.get(coordinate, q[row])
    return q


def closed_state(name: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """A random closed position by Newton's method, and a random velocity that keeps it closed."""
    robot = shipped(name)
    while True:
        q = robot.integrate(start(name), SPREAD.get(name, 1.0) * rng.standard_normal(robot.nv))
        for _ in range(40):
            (e,), (A,) = found(robot, "constraint_error", q=q), found(robot, "constraint_jacobian", q=q)
            if np.max(np.abs(e)) < 1e-15:
                break
            move = -np.linalg.pinv(A, 1e-9) @ e
            q = robot.integrate(q, min(1.0, 0.5 / max(np.max(np.abs(move)), 1e-300)) * move)
        if np.max(np.abs(e)) < 1e-12:
            v = rng.standard_normal(robot.nv)
            return q, v - np.linalg.pinv(A, 1e-9) @ (A @ v)


@cache
def _found(robot: Robot, function: str, options: tuple[tuple[str, Any], ...]) -> Callable[..., tuple[Array, ...]]:
    ((entry, request),) = requests(robot.model, [function], **dict(options))
    signature = entry.signature(robot.model, request)
    recursion = api.float_recursion(robot, function, **dict(options))

    def call(given: dict[str, Any]) -> tuple[Array, ...]:
        found = recursion({own.name: [float(x) for x in np.ravel(given[own.name])] for own in signature.inputs})
        return tuple(np.reshape(found[own.name], own.shape) for own in signature.outputs)

    return call


def found(robot: Robot, function: str, **given: Any) -> tuple[Array, ...]:
    """The outputs of a function; ``given`` are its inputs, and its options. It is planned once for several states."""
    asked = {name: given[name] for name in RequestOptions.__annotations__ if name in given}
    options = tuple((name, tuple(own) if isinstance(own, list) else own) for name, own in asked.items())
    return _found(robot, function, options)(given)


def left_over(robot: Robot, state: dict[str, Array], a: Array, multipliers: Array) -> tuple[float, float]:
    """What the equations of motion, and those of the loops, leave of their largest terms; ``state``: q, v, tau."""
    q, v, tau = state["q"], state["v"], state["tau"]
    (A,), (bias,) = found(robot, "constraint_jacobian", q=q), found(robot, "constraint_bias", q=q, v=v)
    (required,), (rest,) = found(robot, "inverse_dynamics", q=q, v=v, a=a), found(robot, "bias", q=q, v=v)
    held = A.T @ multipliers
    size = max(float(np.max(np.abs(own))) for own in (required, rest, tau, held, required - rest))
    motion = float(np.max(np.abs(required - tau - held))) / size
    reach = np.abs(A) @ np.abs(a) + np.abs(bias)
    return motion, float(np.max(np.abs(A @ a + bias))) / max(float(np.max(reach)), 1e-300)


def singular_values(robot: Robot, q: Array) -> Array:
    """Those of A in the metric of M^-1, each row of length one, relative to the largest."""
    (A,), (M,) = found(robot, "constraint_jacobian", q=q), found(robot, "mass_matrix", q=q)
    rows = np.linalg.solve(np.linalg.cholesky(M), A.T).T
    values = np.linalg.svd(rows / np.linalg.norm(rows, axis=1)[:, None], compute_uv=False)
    relative: Array = values / values[0]
    return relative
