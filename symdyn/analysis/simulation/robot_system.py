"""A robot as an implicit system: residual, errors of loops and slopes from its compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.advance import advance_of
from symdyn.errors import RequestError
from symdyn.generation.generate import compile as compiled
from symdyn.interface.argument_arrays import given_numbers
from symdyn.model.coordinates import rate_rows
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters

Array = NDArray[np.float64]
Law = Callable[[float, Array, Array], ArrayLike]
DriveLaw = Callable[[float], float | Sequence[float]]
"""Position of a coordinate at a time, or (position, velocity, acceleration)."""

_DIFFERENCE = 1e-3
"""Step of differences of positions that are prescribed without their rates [s]."""


class RobotSystem:
    """What an implicit integrator asks of a robot.

    Parameters
    ----------
    robot
        A robot of any joints, soft links and loops; loops that hold velocities alone are refused.
    inputs
        u (na,) of the file's actuators from t, q and v; zero by default.
    forces
        Generalised forces (nv,) from t, q and v besides; zero by default.
    prescribed
        Positions of coordinates over time, by the names of their rows of v: ``{"hinge": lambda t: math.sin(t)}``, or
        positions, velocities and accelerations; without these they are found by differences. Each is one more
        constraint, after those of the loops; its multiplier is the force that the drive exerts.
    p
        Run-time parameters (np,), or a function of t that gives them; their usual values by default.

    Raises
    ------
    RequestError
        A loop on velocities, inputs for a robot without actuators, an unknown or turning coordinate to prescribe.
    """

    def __init__(
        self,
        robot: Robot,
        inputs: Law | None = None,
        forces: Law | None = None,
        prescribed: Mapping[str, DriveLaw] | None = None,
        p: ArrayLike | Callable[[float], Array] | None = None,
    ) -> None:
        model = robot.model
        rolling = [loop.constraint.name for loop in model.loops if loop.velocity_rows]
        if rolling:
            raise RequestError(
                f"'{rolling[0]}' of robot '{robot.name}' holds velocities alone; generalised-alpha and ida take loops "
                "that hold positions; take dop853, radau, bdf or cvode"
            )
        if inputs is not None and not model.actuator_inputs:
            raise RequestError(f"robot '{robot.name}' has no actuators that take inputs; give forces")
        self.nv, self._loops = robot.nv, len(model.loop_row_names)
        self.row_names: Sequence[str] = robot.velocity_names
        self._drives = _drives(robot, prescribed or {})
        self.m = self._loops + len(self._drives)
        self.row_sizes = self._row_sizes(robot)
        self._inputs, self._forces, self._still = inputs, forces, np.zeros(self.nv)
        constant = None if callable(p) else given_parameters(model, p)
        self._law = p if callable(p) else lambda t: constant
        self._has_parameters = bool(model.slots.names)
        names = ["implicit_residual", "implicit_jacobian"]
        names += ["constraint_error", "constraint_jacobian"] if self._loops else []
        self._module = compiled(robot, names, inputs="forces" if inputs is None else "actuators")
        self._residual, self._jacobian = self._module.implicit_residual, self._module.implicit_jacobian
        self.advance = advance_of(model)
        self._driven = np.zeros((len(self._drives), self.nv))
        for number, (_, column, _) in enumerate(self._drives):
            self._driven[number, column] = 1.0

    def _row_sizes(self, robot: Robot) -> Array:
        """The sizes of rows of loops, and of coordinates that are prescribed."""
        if not self.m:
            return np.ones(0)
        sizes = robot.loop_closure.sizes
        return np.concatenate([sizes.rows, sizes.columns[[column for _, column, _ in self._drives]]])

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """Forces that a motion needs and does not have."""
        found: Array = self._residual(q, v, a, *self._acting(t, q, v, lam))
        if self._inputs is not None and self._forces is not None:
            found -= np.asarray(self._forces(t, q, v), dtype=np.float64)
        if self._drives:
            found -= lam[self._loops :] @ self._driven
        return found

    def _acting(self, t: float, q: Array, v: Array, lam: Array) -> tuple[Any, ...]:
        """Inputs or forces, multipliers of the loops, and run-time parameters, as compiled functions take them."""
        law = self._inputs or self._forces
        given = self._still if law is None else law(t, q, v)
        return (given, lam[: self._loops], *self._p(t)) if self._loops else (given, *self._p(t))

    def _p(self, t: float) -> tuple[Any, ...]:
        return (self._law(t),) if self._has_parameters else ()

    def error(self, t: float, q: Array) -> Array:
        """Errors of the loops, then how far prescribed coordinates are from where they should be."""
        own: Array = self._module.constraint_error(q, *self._p(t)) if self._loops else np.zeros(0)
        if self._drives:
            own = np.concatenate([own, [q[row] - self._told(column, law, t)[0] for row, column, law in self._drives]])
        return own

    @property
    def driven_rows(self) -> tuple[Sequence[int], Sequence[int]]:
        """Rows of q and of v of prescribed coordinates."""
        return [row for row, _, _ in self._drives], [row for _, row, _ in self._drives]

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations of prescribed coordinates."""
        place, speed, push = np.array([self._motion(column, law, t) for _, column, law in self._drives]).T
        return place, speed, push

    def _motion(self, column: int, law: DriveLaw, t: float) -> Array:
        """Position, velocity and acceleration, the latter by differences of fourth order where they are not told."""
        value = self._told(column, law, t)
        if value.size == 3:
            return value
        h, q = _DIFFERENCE, value[0]
        near, far = [[self._told(column, law, t + side * k * h)[0] for side in (1.0, -1.0)] for k in (1, 2)]
        v = (8.0 * (near[0] - near[1]) - (far[0] - far[1])) / (12.0 * h)
        return np.array([q, v, (16.0 * sum(near) - sum(far) - 30.0 * q) / (12.0 * h * h)])

    def _told(self, column: int, law: DriveLaw, t: float) -> Array:
        """What a law gives: a position (1,), or position, velocity and acceleration (3,)."""
        owner = f"the law of prescribed '{self.row_names[column]}' at t = {t:.6g} s"
        value = given_numbers(owner, law(t))
        if value.ndim and value.size != 3:
            raise RequestError(
                f"{owner}: expected a position, or (position, velocity, acceleration), got {value.size} numbers of "
                f"shape {value.shape}"
            )
        return value.reshape(-1)

    def slopes(self, t: float, q: Array) -> Array:
        """Slopes of the loops' errors, then a 1 for each prescribed coordinate."""
        if not self._loops:
            return self._driven
        own: Array = self._module.constraint_jacobian(q, *self._p(t))
        return np.concatenate([own, self._driven]) if self._drives else own

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        """The matrix of Newton's method at fixed inputs and forces: how feedback changes these is left out of it."""
        given, *rest = self._acting(t, q, v, lam)
        count = int(self._has_parameters)
        multipliers, parameters = rest[: len(rest) - count], rest[len(rest) - count :]
        found = self._jacobian(q, v, a, given, *multipliers, np.array([c_q, c_v, c_a]), *parameters)
        if not self.m:
            return found, self._driven
        slopes = np.concatenate([found[self.nv :, : self.nv], self._driven])
        return found[: self.nv, : self.nv], slopes


def _drives(robot: Robot, prescribed: Mapping[str, DriveLaw]) -> list[tuple[int, int, DriveLaw]]:
    """Row of q, row of v and motion of each prescribed coordinate."""
    places = rate_rows(robot.model)
    for name in prescribed:
        if name not in places:
            raise RequestError(
                f"prescribed '{name}' of robot '{robot.name}': expected a row of v that is the rate of a coordinate, "
                f"one of {', '.join(places)}"
            )
    return [(*places[name], law) for name, law in prescribed.items()]
