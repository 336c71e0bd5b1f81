"""Random inputs of a robot's functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot


def random_inputs(robot: Robot, signature: Signature, rng: np.random.Generator) -> dict[str, list[float]]:
    """One flat list per input: q within limits, standard normal elsewhere, run-time parameters near their defaults.

    Of q a function takes the rows that it names: all of them, or those of the links alone.
    """
    q, _ = robot.random_state(rng)
    inputs: dict[str, list[float]] = {}
    for argument in signature.inputs:
        if argument.name == "q":
            drawn = dict(zip(robot.coordinate_names, q, strict=True))
            inputs["q"] = [float(drawn[name]) for name in argument.element_names]
        elif argument.name == "y":
            inputs["y"] = [float(value) for value in (*q, *rng.standard_normal(robot.nv))]
        elif argument.name == "h":
            inputs["h"] = [float(rng.uniform(1e-3, 1e-2))]
        elif argument.name == "p":
            defaults = np.nan_to_num(robot.runtime_defaults, nan=1.0)
            inputs["p"] = [float(value) for value in defaults * rng.uniform(0.8, 1.2, len(defaults))]
        elif argument.name == "touching":
            inputs["touching"] = [x for _ in range(argument.shape[0]) for x in touching_row(robot, rng)]
        else:
            inputs[argument.name] = [float(value) for value in rng.standard_normal(argument.size)]
    return inputs


def touching_row(robot: Robot, rng: np.random.Generator) -> list[float]:
    """A contact of two different bodies, or of one with the ground: an open one, or a depth, of up to a millimetre."""
    a, b = rng.choice(len(robot.body_names) + 1, 2, replace=False) - 1
    a, b = max(a, b), min(a, b)
    normal = rng.standard_normal(3)
    normal /= np.linalg.norm(normal)
    return [float(x) for x in (a, b, *rng.standard_normal(3), *normal, rng.uniform(-1e-3, 1e-3), rng.uniform(0, 1))]


def relative_error(value: Sequence[float], reference: Sequence[float]) -> float:
    """Norm of the difference over the norm of the reference (absolute below one)."""
    difference = np.asarray(value, dtype=float) - np.asarray(reference, dtype=float)
    return float(np.linalg.norm(difference) / max(1.0, float(np.linalg.norm(np.asarray(reference, dtype=float)))))
