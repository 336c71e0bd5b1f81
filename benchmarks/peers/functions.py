"""The functions that are measured: what goes in, what comes out, and their values by Pinocchio's Python bindings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from peers.robots import RobotStates, frame_index

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BenchmarkFunction:
    """A function of the catalogue.

    ``outputs`` names the axes of each output: ``v`` (rows of v), ``frame`` (the robot's frames), ``twist`` (six rows).
    ``tolerance`` bounds a subject's error relative to the largest element of an output; with M inverted, the
    conditioning of M leaves less. ``reference`` makes the outputs from (model, data, states, row of q, v, u).
    """

    name: str
    outputs: tuple[tuple[str, ...], ...]
    reference: Callable[[Any, Any, RobotStates, Array, Array, Array], tuple[Array, ...]]
    tolerance: float = 1e-12

    def shapes(self, model: Any, states: RobotStates) -> list[tuple[int, ...]]:
        """Shape of each output."""
        sizes = {"v": model.nv, "frame": len(states.frames), "twist": 6}
        return [tuple(sizes[axis] for axis in axes) for axes in self.outputs]

    def begins(self, model: Any, states: RobotStates) -> list[int]:
        """Where each output begins in a row of results, and where the last one ends."""
        return list(accumulate((prod(shape) for shape in self.shapes(model, states)), initial=0))

    def expected(self, model: Any, states: RobotStates) -> list[Array]:
        """Each output for all states, rows of v in Pinocchio's order."""
        data, cuts = model.createData(), [model.nq, model.nq + model.nv]
        made = [self.reference(model, data, states, *np.split(row, cuts)) for row in states.pinocchio]
        return [np.array(output) for output in zip(*made, strict=True)]

    def split(self, model: Any, states: RobotStates, results: Array) -> list[Array]:
        """Each output of a subject's results."""
        parts = np.split(results, self.begins(model, states)[1:-1], axis=1)
        shapes = self.shapes(model, states)
        return [part.reshape(-1, *shape) for part, shape in zip(parts, shapes, strict=True)]

    def reordered(self, outputs: list[Array], rows: list[int]) -> list[Array]:
        """Outputs with the rows of v in another order."""
        found = []
        for part, axes in zip(outputs, self.outputs, strict=True):
            for place, axis in enumerate(axes, 1):
                part = np.take(part, rows, axis=place) if axis == "v" else part
            found.append(part)
        return found


def largest_error(found: list[Array], expected: list[Array]) -> float:
    """Largest error of any output relative to that output's largest element."""
    pairs = zip(found, expected, strict=True)
    return max(float(np.abs(part - wanted).max() / np.abs(wanted).max()) for part, wanted in pairs)


def _symmetric(m: Array) -> Array:
    """From the upper triangle, which is all that some of Pinocchio's algorithms fill."""
    upper = np.triu(m)
    return upper + np.triu(m, 1).T


def _rnea(model: Any, data: Any, _states: RobotStates, q: Array, v: Array, a: Array) -> tuple[Array, ...]:
    return (pin.rnea(model, data, q, v, a).copy(),)


def _aba(model: Any, data: Any, _states: RobotStates, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
    return (pin.aba(model, data, q, v, tau).copy(),)


def _crba(model: Any, data: Any, _states: RobotStates, q: Array, _v: Array, _u: Array) -> tuple[Array, ...]:
    return (_symmetric(pin.crba(model, data, q)),)


def _minverse(model: Any, data: Any, _states: RobotStates, q: Array, _v: Array, _u: Array) -> tuple[Array, ...]:
    return (_symmetric(pin.computeMinverse(model, data, q)),)


def _coriolis(model: Any, data: Any, _states: RobotStates, q: Array, v: Array, _u: Array) -> tuple[Array, ...]:
    return (pin.computeCoriolisMatrix(model, data, q, v).copy(),)


def _frame_jacobians(model: Any, data: Any, states: RobotStates, q: Array, _v: Array, _u: Array) -> tuple[Array, ...]:
    pin.computeJointJacobians(model, data, q)
    axes = pin.LOCAL_WORLD_ALIGNED
    found = [pin.getFrameJacobian(model, data, frame_index(model, name), axes) for name in states.frames]
    return (np.array(found),)


def _centroidal_map(model: Any, data: Any, _states: RobotStates, q: Array, _v: Array, _u: Array) -> tuple[Array, ...]:
    return (pin.computeCentroidalMap(model, data, q).copy(),)


def _rnea_derivatives(model: Any, data: Any, _states: RobotStates, q: Array, v: Array, a: Array) -> tuple[Array, ...]:
    dq, dv, da = pin.computeRNEADerivatives(model, data, q, v, a)
    return dq.copy(), dv.copy(), _symmetric(da)


def _aba_derivatives(model: Any, data: Any, _states: RobotStates, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
    dq, dv, dtau = pin.computeABADerivatives(model, data, q, v, tau)
    return dq.copy(), dv.copy(), _symmetric(dtau)


VECTOR = (("v",),)
MATRIX = (("v", "v"),)
FUNCTIONS = {
    function.name: function
    for function in (
        BenchmarkFunction("inverse_dynamics", VECTOR, _rnea),
        BenchmarkFunction("forward_dynamics", VECTOR, _aba, 1e-9),
        BenchmarkFunction("mass_matrix", MATRIX, _crba),
        BenchmarkFunction("mass_matrix_inverse", MATRIX, _minverse, 1e-9),
        BenchmarkFunction("coriolis_matrix", MATRIX, _coriolis),
        BenchmarkFunction("jacobians", (("frame", "twist", "v"),), _frame_jacobians),
        BenchmarkFunction("centroidal_momentum_matrix", (("twist", "v"),), _centroidal_map),
        BenchmarkFunction("inverse_dynamics_partials", MATRIX * 3, _rnea_derivatives, 1e-11),
        BenchmarkFunction("forward_dynamics_partials", MATRIX * 3, _aba_derivatives, 1e-8),
    )
}
