"""A motion from its start to its end: steps, events, loops kept closed, and what is said where a solver gives up."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError, SolverError
from symdyn.given_arrays import given_numbers
from symdyn.given_states import given_position, given_velocity
from symdyn.given_words import given_callable, given_positive
from symdyn.loading import as_robot
from symdyn.model.wide_rods import wide_rods
from symdyn.robot import Robot
from symdyn.simulation.closure import Closure
from symdyn.simulation.given import (
    given_events,
    given_inputs,
    given_parameter_law,
    given_prescribed,
    given_times,
)
from symdyn.simulation.methods import Closing, Replaceable, Stepper, chosen
from symdyn.simulation.recording import Recording
from symdyn.simulation.system import Motion, System
from symdyn.simulation.trajectory import Trajectory

Array = NDArray[np.float64]
Progress = Callable[[float, float], None]
_LOOKS = 7
"""Times at which parameters are tried in loops."""


@np.errstate(all="ignore")  # what is not finite ends the motion, with a reason
def simulate(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike | None,
    v: ArrayLike | None,
    t: Any,
    inputs: Any,
    method: str,
    rtol: float,
    atol: float,
    drive: str,
    hold: str,
    prescribed: Mapping[str, Motion] | None,
    p: ArrayLike | Callable[[float], ArrayLike] | None,
    events: Any,
    max_step: float | None,
    progress: Progress | None,
) -> Trajectory:
    """See :func:`symdyn.simulate`."""
    robot = as_robot(robot)
    if progress is not None:
        given_callable("progress", "done, total", progress)
    start, end, samples = given_times(t)
    rtol, atol = given_positive("rtol", rtol), given_positive("atol", atol)
    longest = math.inf if max_step is None else given_positive("max_step", max_step)
    name, kind = chosen(robot, method)
    functions, feedback = given_inputs(robot, inputs, drive, hold, start, end)
    held, watched = given_prescribed(robot, prescribed, start), given_events(events)
    parameters = given_parameter_law(robot, p)
    position = robot.close(robot.neutral(), held, p=parameters(start)) if q is None else given_position(robot.model, q)
    velocity = np.zeros(robot.nv) if v is None else given_velocity(robot.model, v)
    before = time.perf_counter()
    stabilised = kind.closing is Closing.STABILISED
    system = System(robot, functions, feedback, drive, held, parameters, kind.implicit, stabilised)
    built = time.perf_counter() - before
    y = system.unit(system.moved(start, np.concatenate([position, velocity])))
    closure = Closure(system) if robot.constraints else None
    if closure is not None:
        closure.check(start, y)
        y = closure.closed(start, y)
        if callable(p):
            closure.check_parameters(np.linspace(start, end, _LOOKS), y)
    system.force(start, y)
    recording = Recording(system, name, watched)
    recording.add(start, y)
    before = time.perf_counter()
    messages: tuple[str, ...] = ()
    reached, kept = start, (start, y)
    try:
        stepper = kind.make(system, start, y, end, rtol, atol, longest)  # some compile functions of their own
        built, before = built + time.perf_counter() - before, time.perf_counter()
        while reached < end:
            stepper.step()
            old, reached = reached, stepper.t
            stop, said = _watch(system, watched, stepper, old, recording)
            last = reached if stop is None else stop
            times = [last] if samples is None else [own for own in samples if old < own <= last]
            for at in [*times, *([last] if stop is not None else [])]:
                state = stepper.value(at)
                recording.add(at, state if closure is None else closure.closed(at, state))
            if stop is not None:
                messages = (said,)
                break
            if closure is not None and kind.closing is Closing.MOVED:
                cast(Replaceable, stepper).replace(closure.closed(reached, stepper.y))
            kept = (reached, stepper.y)
            if progress is not None:
                progress(reached - start, end - start)
    except (ArithmeticError, np.linalg.LinAlgError) as failure:
        at, y = kept
        recording.add(at, y if closure is None else closure.closed(at, y))
        raise _given_up(system, recording, name, reached, built, before, failure) from failure
    return recording.trajectory({"compile": built, "integrate": time.perf_counter() - before}, messages)


def _watch(
    system: System, events: Mapping[str, Any], stepper: Stepper, old: float, recording: Recording
) -> tuple[float | None, str]:
    """Record the events within the last step; the time of the first one that ends the motion, and what is said."""
    found: list[tuple[float, str, bool]] = []
    for name, event in events.items():

        def height(at: float, name: str = name, event: Any = event) -> float:
            y = system.unit(system.moved(at, stepper.value(at)))
            found = given_numbers(f"event '{name}'", event(at, y[: system.robot.nq], y[system.robot.nq :]))
            if found.ndim:
                raise RequestError(f"event '{name}': expected a number, got shape {found.shape}")
            return float(found)

        first, last, direction = height(old), height(stepper.t), getattr(event, "direction", 0)
        up, down = first < 0.0 <= last, first > 0.0 >= last
        if (up and direction >= 0) or (down and direction <= 0):
            at = float(import_module("scipy.optimize").brentq(height, old, stepper.t, xtol=4e-16 * max(1.0, stepper.t)))
            found.append((at, name, bool(getattr(event, "terminal", False))))
    for at, name, terminal in sorted(found):
        recording.happened[name].append(at)
        if terminal:
            return at, f"event '{name}' ended the motion at t = {at:.6g} s"
    return None, ""


def _given_up(
    system: System, recording: Recording, method: str, t: float, built: float, before: float, failure: Exception
) -> SolverError:
    """The error of a solver, with the motion up to there and the row that moves most violently."""
    timings = {"compile": built, "integrate": time.perf_counter() - before}
    partial = recording.trajectory(timings, (f"{method} gave up: {failure}",))
    a = np.where(np.isfinite(partial.a[-1]), np.abs(partial.a[-1]), math.inf)
    worst = int(np.argmax(a))
    return SolverError(
        f"{method} gave up at t = {t:.6g} s: {failure}; the largest acceleration there is {a[worst]:.3g} in row "
        f"'{system.robot.velocity_names[worst]}', with v = {partial.v[-1][worst]:.6g}; the motion up to "
        f"t = {partial.t[-1]:.6g} s is kept in .partial{wide_rods(system.robot.model, partial.q[-1])}",
        partial,
    )
