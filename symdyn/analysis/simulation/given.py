"""What users give to a simulation, checked before the first step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs, SmoothInputs
from symdyn.analysis.simulation.system import Inputs, Law
from symdyn.analysis.simulation.table_inputs import TableInputs
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_numbers, given_rows
from symdyn.interface.argument_words import given_choice, named_row
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import check_pulling, given_parameters

Array = NDArray[np.float64]
Check = Callable[..., None]
"""Refuses inputs (..., n), with words that say when."""


def given_times(t: Any) -> tuple[float, float, Array | None]:
    """First time, last time, and times of output, None where every step is one.

    Raises
    ------
    RequestError
        No finite numbers, or times that do not grow.
    """
    try:
        times = given_numbers("t", t)
    except RequestError as failure:
        raise RequestError(f"t is an end time, (start, end) or an array of times, got {t!r}") from failure
    times = np.array([0.0, float(times)]) if times.ndim == 0 else times
    if times.ndim != 1 or times.size < 2:
        raise RequestError(f"t: expected an end time, (start, end) or times of shape (n,), got shape {times.shape}")
    if not np.isfinite(times).all():
        raise RequestError("t holds a number that is not finite; expected finite times")
    _check_growing("t", times)
    return float(times[0]), float(times[-1]), times if times.size > 2 else None


def _check_growing(name: str, times: Array) -> None:
    late = np.flatnonzero(~(np.diff(times) > 0.0))
    if late.size:
        before, after = times[late[0] : late[0] + 2]
        raise RequestError(f"{name}: times must grow; got {after:.6g} s after {before:.6g} s")


def input_names(robot: Robot, drive: str) -> tuple[str, ...]:
    """Names of the rows of inputs.

    Raises
    ------
    RequestError
        An unknown word for ``drive``, or actuators of a robot that has none.
    """
    if given_choice("drive", drive, ("forces", "actuators")) == "forces":
        return robot.velocity_names
    if not robot.model.actuator_inputs:
        raise RequestError(f"robot '{robot.name}' has no actuators; take drive='forces'")
    return tuple(own.name for own in robot.model.actuator_inputs)


def given_inputs(robot: Robot, inputs: Any, drive: str, hold: str, start: float, end: float) -> tuple[Inputs, bool]:
    """Inputs as a function of t, q and v, and whether they depend on q or v.

    Raises
    ------
    RequestError
        Wrong shapes, numbers that are not finite, tensions or pressures below 0, times of a table that do not grow or
        do not cover the motion. What functions give is refused when they give it.
    """
    size, owner = len(input_names(robot, drive)), f"robot '{robot.name}'"
    given_choice("hold", hold, ("zero", "linear"))

    def check(found: Array, when: str = "") -> None:
        if not np.isfinite(found).all():
            raise RequestError(f"inputs of {owner} hold a number that is not finite{when}")
        if drive == "actuators":
            check_pulling(robot.model, found, when)

    if isinstance(inputs, Mapping):
        _check_drive(robot, drive, inputs)
        inputs = _by_names(owner, input_names(robot, drive), inputs)
    if isinstance(inputs, SmoothInputs):
        return SmoothLaw(inputs, owner, size, check), False
    if callable(inputs):
        alone = _takes_time_alone(inputs)
        return _checked((lambda t, q, v: inputs(t)) if alone else inputs, owner, size, check), not alone
    if isinstance(inputs, tuple) and len(inputs) == 2 and _is_table(inputs[1]):
        return _table(owner, size, inputs, hold, start, end, check), False
    constant = np.zeros(size) if inputs is None else given_rows("inputs", owner, inputs, size)
    if constant.ndim != 1:
        raise RequestError(
            f"inputs of {owner}: expected shape ({size},), got {constant.shape}; a table is (times, rows)"
        )
    check(constant)
    return PolynomialInputs(constant[None, :]), False


def _check_drive(robot: Robot, drive: str, inputs: Mapping[str, Any]) -> None:
    """Refuse forces that are named as actuators are."""
    actuators = {own.name for own in robot.model.actuator_inputs} - set(robot.velocity_names)
    meant = [name for name in inputs if name in actuators]
    if drive == "forces" and meant:
        raise RequestError(f"input '{meant[0]}' of robot '{robot.name}' is one of an actuator; say drive='actuators'")


def _by_names(owner: str, names: tuple[str, ...], inputs: Mapping[str, Any]) -> Any:
    """Rows of inputs by names, 0 for the others: an array, or a function of t where one of them is a function."""
    constant, laws = np.zeros(len(names)), dict[int, Any]()
    for name, own in inputs.items():
        row = named_row(owner, name, names)
        if callable(own):
            laws[row] = own
        elif np.ndim(own):
            raise RequestError(f"input '{name}' of {owner}: expected a number or a function of t, got {own!r}")
        else:
            constant[row] = given_rows(f"input '{name}'", owner, [own], 1)[0]
    if not laws:
        return constant

    def found(t: float) -> Array:
        values = constant.copy()
        for row, law in laws.items():
            values[row] = given_rows(f"input '{names[row]}' at t = {t:.6g} s", owner, [law(t)], 1)[0]
        return values

    return found


class SmoothLaw:
    """Inputs of a user that tell their derivatives, checked at each call."""

    def __init__(self, inputs: SmoothInputs, owner: str, size: int, check: Check) -> None:
        self._inputs, self._owner, self._size, self._check = inputs, owner, size, check

    def derivatives(self, t: float, order: int) -> Array:
        """The inputs at t and their time derivatives up to an order, (order + 1, n)."""
        found = given_numbers(f"derivatives(t, {order}) of inputs of {self._owner}", self._inputs.derivatives(t, order))
        if found.shape != (order + 1, self._size):
            raise RequestError(
                f"derivatives(t, {order}) of inputs of {self._owner}: expected shape ({order + 1}, {self._size}), got "
                f"{found.shape}"
            )
        if not np.isfinite(found).all():
            raise RequestError(f"derivatives of inputs of {self._owner} are not all finite at t = {t:.6g} s")
        self._check(found[0], f" at t = {t:.6g} s")
        return found

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs at t."""
        found: Array = self.derivatives(t, 0)[0]
        return found


def _checked(function: Callable[[float, Array, Array], Any], owner: str, size: int, check: Check) -> Inputs:
    def inputs(t: float, q: Array, v: Array) -> Array:
        found = given_numbers(f"inputs(t, q, v) of {owner}", function(t, q, v))
        if found.shape != (size,):
            raise RequestError(f"inputs(t, q, v) of {owner}: expected shape ({size},), got {found.shape}")
        check(found, f" at t = {t:.6g} s")
        return found

    return inputs


def _takes_time_alone(function: Callable[..., Any]) -> bool:
    """Whether a function takes one argument, as one of t does, and not three, as one of t, q and v."""
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a built-in function that does not tell
        return False
    needed = [one for one in taken if one.default is one.empty and one.kind is not one.KEYWORD_ONLY]
    return len(needed) == 1 and needed[0].kind is not needed[0].VAR_POSITIONAL


def _is_table(rows: Any) -> bool:
    try:
        return np.ndim(rows) == 2
    except ValueError:  # rows of different lengths, which is said of a table
        return True


def _table(
    owner: str, size: int, table: tuple[ArrayLike, ArrayLike], hold: str, start: float, end: float, check: Check
) -> Inputs:
    rows = given_rows("inputs", owner, table[1], size)
    check(rows)
    times = given_rows("times of inputs", owner, table[0], len(rows))
    if times.ndim != 1:
        raise RequestError(f"times of inputs of {owner}: expected shape ({len(rows)},), got {times.shape}")
    _check_growing(f"inputs of {owner}", times)
    if times[0] > start or (hold == "linear" and times[-1] < end):
        raise RequestError(
            f"inputs of {owner} are given from {times[0]:.6g} s to {times[-1]:.6g} s, the motion goes from "
            f"{start:.6g} s to {end:.6g} s"
        )
    return TableInputs(times, rows, hold == "linear")


def given_parameter_law(robot: Robot, p: Any) -> Law:
    """Run-time parameters (np,) as a function of time.

    Raises
    ------
    RequestError
        Wrong shapes, or numbers that are not finite. What a function gives is refused when it gives it.
    """
    if not callable(p):
        constant = given_parameters(robot.model, p)
        return lambda t: constant
    size, owner = len(robot.runtime_parameters), f"robot '{robot.name}'"
    if not size:
        raise RequestError(f"p: {owner} has no run-time parameters; load it with runtime=[..]")

    def law(t: float) -> Array:
        found = given_numbers(f"p(t) of {owner}", p(t))
        if found.shape != (size,) or not np.isfinite(found).all():
            raise RequestError(f"p(t) of {owner}: expected {size} finite numbers at t = {t:.6g} s, got {found!r}")
        return found

    return law


def given_events(events: Any) -> dict[str, Any]:
    """Functions of (t, q, v) by name; a RequestError for what cannot be called, and for what they give then."""
    if events is None:
        return {}
    if callable(events):
        events = [events]
    if not isinstance(events, Iterable):
        raise RequestError(f"events: expected functions of (t, q, v), one, a list or by name, got {events!r}")
    events = events if isinstance(events, Mapping) else list(events)
    named = dict(events) if isinstance(events, Mapping) else {getattr(own, "__name__", "event"): own for own in events}
    if not isinstance(events, Mapping) and len(named) != len(events):
        raise RequestError("events of equal names cannot be told apart; give {name: function}")
    for name, own in named.items():
        if not callable(own):
            raise RequestError(f"event '{name}': expected a function of (t, q, v), got {own!r}")
    return named
