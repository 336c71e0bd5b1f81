"""Equilibrium of soft robots by Newton's method on inverse dynamics at rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symdyn import api
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
SMALL = 1e-7
ITERATIONS = 30


def holding(robot: Robot, axes: str = "world", compiled: bool = False) -> Callable[[Array, Array], Array]:
    """``(q, wrench)`` to what the rows must hold. The wrench (f; n) acts on the last body, in ``axes``."""
    if compiled:
        module = api.compile(robot, ["inverse_dynamics"], external_wrenches=axes)
        still, f_ext = np.zeros(robot.nv), np.zeros((len(robot.body_names), 6))

        def called(q: Array, wrench: Array) -> Array:
            f_ext[-1] = wrench
            return np.array(module.inverse_dynamics(q, still, still, f_ext))

        return called
    recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches=axes)
    rest, others = [0.0] * robot.nv, [0.0] * (6 * (len(robot.body_names) - 1))

    def tau(q: Array, wrench: Array) -> Array:
        inputs = {"q": list(q), "v": rest, "a": rest, "f_ext": [*others, *wrench]}
        return np.array(recursion(inputs)["tau"])

    return tau


def equilibrium(robot: Robot, wrench: Array, *, axes: str = "world", steps: int = 1, compiled: bool = False) -> Array:
    """Where a robot rests under a wrench on its last body, which grows in equal ``steps``; from its neutral state.

    Difference quotients stand for the derivatives. They bear on the number of iterations, not on what is found.
    """
    tau = holding(robot, axes, compiled)
    q = np.array(robot.neutral())
    for step in range(1, steps + 1):
        load = wrench * step / steps
        for _ in range(ITERATIONS):
            left = tau(q, load)
            slopes = [(tau(q + SMALL * row, load) - left) / SMALL for row in np.eye(len(q))]
            move = np.linalg.solve(np.array(slopes).T, -left)
            q = q + move
            if np.abs(move).max() < 1e-13 * max(1.0, np.abs(q).max()):
                break
        else:
            raise AssertionError(f"no equilibrium within {ITERATIONS} iterations; the last move was {move}")
    return q


def tip_pose(robot: Robot, q: Array) -> Array:
    """The pose (4, 4) of the last body's frame in the world."""
    return np.asarray(robot_poses(robot, q)[-1])


def robot_poses(robot: Robot, q: Array) -> Array:
    """Poses (frames, 4, 4) in the world."""
    (found,) = api.float_recursion(robot, "forward_kinematics")({"q": list(q)}).values()
    return np.array(found).reshape(-1, 4, 4)
