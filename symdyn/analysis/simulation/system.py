"""A robot as solvers see it: one compiled module, and rates of the state y = (q, v) with what drives the robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.generation.generate import compile as compiled
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
Inputs = Callable[[float, Array, Array], Array]
Law = Callable[[float], Array]
"""Run-time parameters (np,) at a time."""
Motion = Callable[[float], tuple[float, float, float]]
"""Position, velocity and acceleration of a prescribed joint at a time."""

_SHIFT = 1e-7
"""Shift of a row for differences of inputs: about the root of the rounding error."""
_STABILISATION = 0.01
"""Time in which accelerations lead errors of loops back [s]; as these are errors of steps, it changes little."""


def differences(value: Callable[[Array], Array], y: Array, shift: float) -> Array:
    """The derivative of a function of y (ny,) by central differences, whose shift is in units of |y_i|, or of 1."""
    moves = shift * np.diag(np.maximum(1.0, np.abs(y)))
    columns = [(value(y + move) - value(y - move)) / (2.0 * move.sum()) for move in moves]
    return np.stack(columns, axis=1)


@dataclass
class Counters:
    """How often a solver did what costs time."""

    function_calls: int = 0
    jacobians: int = 0
    factorisations: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Prescribed:
    """A prescribed joint: its rows of q and v, and its motion."""

    q_row: int
    v_row: int
    motion: Motion


@dataclass
class System:
    """A robot, its compiled functions, and what drives it.

    Attributes
    ----------
    inputs
        (t, q, v) -> generalised forces (nv,), or inputs of actuators (na,).
    feedback
        Whether these depend on q or v.
    drive
        ``"forces"`` or ``"actuators"``.
    stabilised
        Whether accelerations lead errors of loops back.
    """

    robot: Robot
    inputs: Inputs
    feedback: bool
    drive: str
    prescribed: Mapping[str, Prescribed]
    p: Law
    stabilised: bool = False
    counters: Counters = field(default_factory=Counters)

    def __post_init__(self) -> None:
        """Compile what is needed."""
        loops, held = bool(self.robot.constraints), bool(self.prescribed)
        names = ["state_derivative", "kinetic_energy", "potential_energy"]
        names += ["constraint_error", "constraint_jacobian"] if loops else []
        names += ["contact_gaps"] if self.robot.model.touches else []
        dynamics = f"{'constrained_' if loops else ''}{'hybrid' if held else 'forward'}_dynamics"
        asked: dict[str, Any] = {"inputs": self.drive}
        if loops and self.stabilised:
            asked["stabilisation"] = _STABILISATION
        if held:
            asked["prescribed"] = list(self.prescribed)
        self._asked = asked
        self.module = compiled(self.robot, [*names, dynamics], lanes=False, **asked)
        self._derivative = self.module.state_derivative
        self._dynamics = getattr(self.module, dynamics)
        nq = self.robot.nq
        self._rows = [row for own in self.prescribed.values() for row in (own.q_row, nq + own.v_row)]
        self._quaternions = [
            slice(joint.q_rows.stop - 4, joint.q_rows.stop)
            for joint in self.robot.model.independent_joints
            if joint.kind.quaternion
        ]

    def moved(self, t: float, y: Array) -> Array:
        """The state with prescribed rows where they are at time t; y itself where there are none."""
        if not self.prescribed:
            return y
        y = y.copy()
        for own in self.prescribed.values():
            y[own.q_row], y[self.robot.nq + own.v_row], _ = own.motion(t)
        return y

    def unit(self, y: Array) -> Array:
        """The state with quaternions of length one; y itself where there are none."""
        if not self._quaternions:
            return y
        y = y.copy()
        for rows in self._quaternions:
            y[rows] /= np.linalg.norm(y[rows])
        return y

    def force(self, t: float, y: Array) -> Array:
        """The inputs in a state."""
        y = self.unit(y) if self.feedback else y
        return self.inputs(t, y[: self.robot.nq], y[self.robot.nq :])

    def derivative(self, t: float, y: Array) -> Array:
        """The rate of y.

        Raises
        ------
        FloatingPointError
            A time that is not finite: the step of the solver that asks is lost, and with it the end of its loop.
        """
        if not math.isfinite(t):
            raise FloatingPointError("the step is not finite")
        self.counters.function_calls += 1
        y = self.moved(t, y)
        found: Array = self._derivative(y, *self._given(t, self.force(t, y)), *self.parameters(t))
        return found

    @cached_property
    def _slopes(self) -> Callable[..., tuple[Array, ...]]:
        """The compiled Jacobian of rates, for methods that ask for it."""
        module = compiled(self.robot, ["state_jacobian"], lanes=False, **self._asked)
        found: Callable[..., tuple[Array, ...]] = module.state_jacobian
        return found

    def compile_slopes(self) -> None:
        """Compile what :meth:`jacobian` calls, before time is taken."""
        self._slopes  # noqa: B018

    def jacobian(self, t: float, y: Array) -> Array:
        """The Jacobian of :meth:`derivative` by y; that of inputs by differences."""
        self.counters.jacobians += 1
        y = self.moved(t, y)
        force = self.force(t, y)
        by_y, *by_given = self._slopes(y, *self._given(t, force), *self.parameters(t))
        if self.feedback:
            slopes = differences(lambda moved: self.force(t, moved), y, _SHIFT)
            for own in self.prescribed.values() if self.drive == "forces" else ():
                slopes[own.v_row] = 0.0  # accelerations stand there, which are functions of time
            by_y = by_y + by_given[0] @ slopes
        if self._rows:
            by_y = np.array(by_y)
            by_y[:, self._rows] = 0.0
            by_y[self._rows] = 0.0
        found: Array = by_y
        return found

    def acceleration(self, t: float, y: Array) -> tuple[Array, Array]:
        """The accelerations (nv,) and multipliers (m,) in a state."""
        y = self.unit(self.moved(t, y))
        q, v = y[: self.robot.nq], y[self.robot.nq :]
        found = self._dynamics(q, v, *self._given(t, self.force(t, y)), *self.parameters(t))
        many = isinstance(found, tuple)
        a = np.array(found[0] if many else found)
        for own in self.prescribed.values():
            a[own.v_row] = own.motion(t)[2]
        return a, np.array(found[1]) if many and self.robot.constraints else np.zeros(0)

    def parameters(self, t: float) -> tuple[Array, ...]:
        """The run-time parameters at a time as compiled functions take them: nothing where there are none."""
        return (self.p(t),) if self.robot.runtime_parameters else ()

    def energies(self, times: Sequence[float], q: Array, v: Array) -> tuple[Array, Array]:
        """Kinetic and potential energies (n,) of states at times."""
        given = (np.array([self.p(t) for t in times]),) if self.robot.runtime_parameters else ()
        kinetic = self.module.kinetic_energy(q, v, *given)
        potential = self.module.potential_energy(q, *given)
        return np.asarray(kinetic), np.asarray(potential)

    def _given(self, t: float, force: Array) -> tuple[Array, ...]:
        """What acts, as the functions take it: forces, with accelerations in prescribed rows or beside them."""
        if not self.prescribed:
            return (force,)
        given = np.array(force) if self.drive == "forces" else np.zeros(self.robot.nv)
        for own in self.prescribed.values():
            given[own.v_row] = own.motion(t)[2]
        return (given,) if self.drive == "forces" else (force, given)
