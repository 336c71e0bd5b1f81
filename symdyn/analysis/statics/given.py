"""What users give to statics, checked before anything is solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.statics.problem import Load
from symdyn.errors import RequestError
from symdyn.interface.argument_arrays import given_rows
from symdyn.interface.argument_words import given_choice, given_names, named_row
from symdyn.interface.guesses import hint, some_of
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import check_pulling, given_parameters, given_position, warn_beyond_limits

Array = NDArray[np.float64]
Inputs = ArrayLike | Mapping[str, float] | None
Wrenches = ArrayLike | Mapping[str, ArrayLike] | None


def chosen_inputs(robot: Robot, inputs: str | None) -> str:
    """``actuators`` where the robot has some and nobody says otherwise, else ``forces``."""
    if inputs is not None:
        return given_choice("inputs", inputs, ("actuators", "forces"))
    return "actuators" if robot.model.actuation.actuators else "forces"


def given_load(robot: Robot, inputs: str, u: Inputs, f_ext: Wrenches, p: ArrayLike | None) -> Load:
    """The load that was given: zeros where nothing was.

    Raises
    ------
    RequestError
        Wrong names, shapes, numbers that are not finite, tensions or pressures below 0.
    """
    owner = f"robot '{robot.name}'"
    own = robot.model.actuator_inputs
    names = [one.name for one in own] if inputs == "actuators" else list(robot.velocity_names)
    if isinstance(u, Mapping):
        values = np.zeros(len(names))
        for name, value in u.items():
            values[named_row(owner, name, names)] = given_rows(f"input '{name}'", owner, [value], 1)[0]
    else:
        try:
            values = _single("u", owner, np.zeros(len(names)) if u is None else u, len(names))
        except RequestError as error:
            raise RequestError(f"{error}; its rows are {', '.join(names)}") from None
    if inputs == "actuators":
        check_pulling(robot.model, values)
    bodies = len(robot.body_names)
    wrenches = np.zeros((bodies, 6))
    if isinstance(f_ext, Mapping):
        for name, wrench in f_ext.items():
            if name not in robot.body_names:
                known = f"{some_of(name, robot.body_names)}{hint(name, robot.body_names)}"
                raise RequestError(f"f_ext of {owner}: body '{name}' does not exist; there are {known}")
            wrenches[robot.body_names.index(name)] = _single(f"f_ext of '{name}'", owner, wrench, 6)
    elif f_ext is not None:
        wrenches = given_rows("f_ext", owner, f_ext, 6)
        if wrenches.shape != (bodies, 6):
            raise RequestError(f"f_ext of {owner}: expected shape ({bodies}, 6), got {wrenches.shape}")
    return Load(values, wrenches, given_parameters(robot.model, p))


def given_axes(f_ext: Wrenches, axes: str) -> str:
    """The axes of wrenches, empty where there are none."""
    axes = given_choice("external_wrenches", axes, ("world", "body"))
    return "" if f_ext is None else axes


def given_start(robot: Robot, q0: ArrayLike | None, p: Array, prescribed: Sequence[str]) -> Array:
    """Where the search starts: the neutral position by default, with loops closed, by least squares if need be."""
    from symdyn.description.loops import MET
    from symdyn.robot.loop_closure.close import close
    from symdyn.robot.state_checks import named_rows

    prescribed = given_names("prescribed", prescribed, robot.velocity_names[0])
    q = robot.neutral() if q0 is None else given_position(robot.model, q0, "q0")
    if q0 is not None:
        warn_beyond_limits(robot.model, "q0", q)
    return close(robot.loop_closure, q, p, named_rows(robot.model, prescribed) if prescribed else (), MET)


def _single(name: str, owner: str, value: ArrayLike, size: int) -> Array:
    found = given_rows(name, owner, value, size)
    if found.ndim != 1:
        raise RequestError(f"{name} of {owner}: expected shape ({size},), got {found.shape}")
    return found
