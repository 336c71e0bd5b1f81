"""Limits of joints along a motion: which rows go beyond them, when first and by how much, and efforts that are clipped.

Nothing holds a joint within its limits but its stops, and nothing limits forces but what is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs
from symdyn.analysis.simulation.system import Inputs, Prescribed
from symdyn.description.actuation import JointActuator
from symdyn.description.loads import Stop
from symdyn.interface.argument_words import given_choice
from symdyn.model.actuation import Input
from symdyn.model.joints import FORCE_UNITS
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
At = Callable[[float], Array]
"""The state (nq + nv,) at a time."""
Derivative = Callable[[float, Array], Array]
"""The rate of a state at a time."""

_SLACK = 10.0
"""How many errors of a step a state may be beyond a limit at which it rests."""
_ROUNDING = 1e-9
"""Of an effort, relative to its limit."""
_NAMED = 5
"""Rows of positions, of speeds, of efforts and of rates of speeds that the summary names."""
_SHIFT = 1e-6
"""Time [s] by which accelerations are compared for jerks."""
_HALVINGS = 40


def effort_bounds(robot: Robot, drive: str, prescribed: Mapping[str, Prescribed]) -> Array:
    """Largest size of each row of inputs, infinite where none is known: of forces, and of inputs that are a joint's.

    A motor with a gear has that of its joint, by its force per unit of input, if nothing else drives the joint.

    Rows of prescribed joints are not read, and have none.
    """
    if drive == "actuators":
        found = np.array([_bound(robot, own) for own in robot.model.actuator_inputs])
    else:
        found = robot.limits.effort.copy()
        found[[own.v_row for own in prescribed.values()]] = math.inf
    return np.where(found >= 0.0, found, math.inf)


def _bound(robot: Robot, own: Input) -> float:
    model = robot.model
    if own.of == "joint":
        return float(robot.limits.effort[own.place])
    shared = [row for other in model.actuator_inputs for row in other.rows]
    driver = model.actuation.actuators[own.place] if own.of == "law" else None
    if not isinstance(driver, JointActuator) or any(driver.bias) or own.slopes or len(own.column) != 1:
        return math.inf
    ((row, entry),) = own.column
    return float(robot.limits.effort[row]) / abs(entry) if shared.count(row) == 1 else math.inf


def given_effort_limits(effort_limits: Any) -> str:
    """The word for what becomes of efforts beyond their limits; empty if they act.

    Raises
    ------
    RequestError
        Another word.
    """
    return "" if effort_limits is None else given_choice("effort_limits", effort_limits, ("clip", "refuse"))


class ClippedInputs:
    """Inputs, cut off at their bounds."""

    def __init__(self, inputs: Inputs, bounds: Array) -> None:
        self._inputs, self._bounds = inputs, bounds

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        found: Array = np.clip(self._inputs(t, q, v), -self._bounds, self._bounds)
        return found


def clipped(inputs: Inputs, bounds: Array, constant: bool) -> Inputs:
    """The inputs, cut off at their bounds; what stays keeps its derivatives."""
    if not np.isfinite(bounds).any():
        return inputs
    if constant:
        return PolynomialInputs(np.clip(inputs(0.0, np.zeros(0), np.zeros(0)), -bounds, bounds)[None, :])
    return ClippedInputs(inputs, bounds)


class EffortError(ArithmeticError):
    """An effort is beyond its limit from a time ``t`` on, where such ones are refused."""

    def __init__(self, said: str, t: float) -> None:
        super().__init__(said)
        self.t = t


@dataclass
class Passed:
    """A limit that was passed: first when, and by how much at most."""

    first: float
    worst: float


class LimitWatch:
    """What of a motion is beyond limits of positions, velocities, efforts, accelerations and jerks.

    Parameters
    ----------
    robot
        The robot.
    inputs
        The inputs as they were asked for, from t, q and v.
    bounds
        Of rows of inputs.
    drive
        What inputs are.
    policy
        ``"clip"``, ``"refuse"``, or empty.
    rtol, atol
        Of the motion's steps: a joint that rests at its limit is beyond it by errors of these.
    derivative
        The rate of the state, as what acts makes it.
    """

    def __init__(
        self,
        robot: Robot,
        inputs: Inputs,
        bounds: Array,
        drive: str,
        policy: str,
        rtol: float,
        atol: float,
        derivative: Derivative,
    ) -> None:
        limits, self._nq, self._inputs, self._bounds, self._policy = robot.limits, robot.nq, inputs, bounds, policy
        rows = robot.model.actuator_inputs if drive == "actuators" else ()
        names = [own.name for own in rows] or robot.velocity_names
        units = [own.unit for own in rows] or [FORCE_UNITS[unit] for unit in robot.velocity_units]
        places = (robot.coordinate_names, robot.coordinate_units)
        moving = (limits.lower, limits.upper, limits.velocity)
        self._words = [
            *_words("{name} below {limit:.6g} {unit}", *places, limits.lower),
            *_words("{name} above {limit:.6g} {unit}", *places, limits.upper),
            *_words(
                "speed of {name} above {limit:.6g} {unit}", robot.velocity_names, robot.velocity_units, limits.velocity
            ),
            *_words("effort of {name} above {limit:.6g} {unit}", names, units, bounds),
        ]
        self._derivative, self._rates = derivative, (limits.acceleration, limits.deceleration, limits.jerk)
        for kind, power, edge in zip(("acceleration", "deceleration", "jerk"), (2, 2, 3), self._rates, strict=True):
            powers = [f"{unit}^{power}" for unit in robot.velocity_units]
            self._words += _words(
                f"{kind} of {{name}} above {{limit:.6g}} {{unit}}", robot.velocity_names, powers, edge
            )
        rigid = "write limits: {rigid: true} in a file of contacts, or " if robot.model.contact_layout else ""
        self._stops = f"{rigid}load with joint_stops=True"
        self._start = math.inf
        self._limits = moving
        self._efforts = sum(map(len, moving))
        self._after_efforts = self._efforts + len(bounds)
        edges = np.concatenate([*moving, bounds, *self._rates])
        size = np.abs(np.where(np.isfinite(edges), edges, 0.0))
        error = _SLACK * (atol + rtol * np.maximum(size, 1.0))
        self._slack = np.where(self._is_effort(np.arange(len(edges))), _ROUNDING * size, error)
        self._known = np.flatnonzero(np.isfinite(edges))
        stops = any(isinstance(own, Stop) for joint in robot.description.joints for own in joint.loads)
        self._stopped = stops or bool(robot.model.contact_layout.limits)
        self._found: dict[int, Passed] = {}

    def excess(self, t: float, y: Array) -> Array:
        """How far a state is beyond each limit."""
        q, v = y[: self._nq], y[self._nq :]
        lower, upper, speed = self._limits
        pushed = np.abs(self._inputs(t, q, v)) if np.isfinite(self._bounds).any() else np.zeros_like(self._bounds)
        return np.concatenate(
            [lower - q, q - upper, np.abs(v) - speed, pushed - self._bounds, *self._excess_of_rates(t, y)]
        )

    def _is_effort(self, place: Any) -> Any:
        return (place >= self._efforts) & (place < self._after_efforts)

    def _excess_of_rates(self, t: float, y: Array) -> list[Array]:
        """How far accelerations and jerks are beyond their limits; those that slow a motion down have their own."""
        faster, slower, jerk = self._rates
        if not any(np.isfinite(edge).any() for edge in self._rates):
            return [np.full_like(edge, -math.inf) for edge in self._rates]
        slope = self._derivative(t, y)
        v, a = y[self._nq :], slope[self._nq :]
        slows, change = a * v < 0.0, np.zeros_like(jerk)
        if np.isfinite(jerk).any():
            shift = -_SHIFT if t - _SHIFT >= self._start else _SHIFT  # laws of time are seen up to a jump, not beyond
            change = (self._derivative(t + shift, y + shift * slope)[self._nq :] - a) / shift
        size = np.abs(a)
        return [
            np.where(slows, -math.inf, size - faster),
            np.where(slows, size - slower, -math.inf),
            np.abs(change) - jerk,
        ]

    def look(self, t: float, y: Array, at: At | None = None, before: float = 0.0) -> None:
        """Note what is beyond limits at the end of a step, which began at ``before`` and has ``at`` within.

        Raises
        ------
        EffortError
            An effort is, where such ones are refused.
        """
        if not self._known.size:
            return
        self._start = min(self._start, t)
        over = self.excess(t, y)
        for place in map(int, self._known[over[self._known] > self._slack[self._known]]):
            amount, known = float(over[place]), self._found.get(place)
            if known is None:
                first = t if at is None else self._crossing(place, at, before, t)
                self._found[place] = Passed(first, amount)
            elif amount > known.worst:
                known.worst = amount
            if self._policy == "refuse" and self._is_effort(place):
                raise EffortError(
                    f"{self._sentence(place)}; effort_limits='refuse' allows none", self._found[place].first
                )

    def _crossing(self, place: int, at: At, before: float, t: float) -> float:
        """The time within a step at which a limit is passed, by halving."""
        low, high = before, t
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if self.excess(middle, at(middle))[place] > self._slack[place]:
                high = middle
            else:
                low = middle
        return high

    @property
    def summary(self) -> str:
        """One line on all that was beyond limits; empty if nothing was."""
        if not self._found:
            return ""
        said = []
        edges = (0, 2 * self._nq, self._efforts, self._after_efforts, len(self._words))
        for first, end in pairwise(edges):
            own = [
                self._sentence(place)
                for place in sorted(self._found, key=lambda place: self._found[place].first)
                if first <= place < end
            ]
            said += [*own[:_NAMED], *([f"{len(own) - _NAMED} more like these"] if len(own) > _NAMED else [])]
        mend = []
        if not self._stopped and min(self._found) < 2 * self._nq:
            mend.append(self._stops)
        if any(map(self._is_effort, self._found)) and not self._policy:
            mend.append("simulate with effort_limits='clip' or 'refuse'")
        remedy = f" (to enforce them: {'; '.join(mend)})" if mend else ""
        return f"beyond limits: {'; '.join(said)}{remedy}"

    def _sentence(self, place: int) -> str:
        own = self._found[place]
        cut = ", clipped" if self._is_effort(place) and self._policy == "clip" else ""
        return f"{self._words[place]} from t = {own.first:.4g} s, by up to {own.worst:.3g}{cut}"


def _words(said: str, names: Sequence[str], units: Sequence[str], limits: Array) -> list[str]:
    rows = zip(names, units, limits, strict=True)
    return [said.format(name=name, unit=unit, limit=limit).strip() for name, unit, limit in rows]
