"""A motion on its way: steps to each time at which something jumps, events, outputs, and loops kept closed.

Where prescribed velocities jump, the impulse of the drives goes through the robot and changes the other velocities. The
momentum of every free move stays, within what loops allow: M dv = J^T (impulses of drives and of loops), with dv given
in prescribed rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.closure import Closure
from symdyn.analysis.simulation.contacts import Contacts
from symdyn.analysis.simulation.limits import EffortError, LimitWatch
from symdyn.analysis.simulation.methods import Closing, Cuttable, Method, Replaceable, Stepper
from symdyn.analysis.simulation.recording import Recording
from symdyn.analysis.simulation.spans import Span, Stop
from symdyn.analysis.simulation.system import System
from symdyn.errors import RequestError
from symdyn.generation.generate import compile as compiled
from symdyn.interface.argument_arrays import given_numbers

_ROUNDING = 1e-12
"""Jump of a velocity, relative to it or to 1, that is rounding."""


def after_jump(system: System, closure: Closure | None, t: float, y: Array) -> Array:
    """The state after a time at which prescribed velocities may jump; the laws are seen as after it.

    Parameters
    ----------
    system, closure
        What moves, and its loops.
    t, y
        The time, and the state (q, v) before it.
    """
    moved = system.moved(t, y)
    nq = system.robot.nq
    jump = moved[nq:] - y[nq:]
    if not np.any(np.abs(jump) > _ROUNDING * np.maximum(1.0, np.abs(y[nq:]))):
        return moved
    q, driven = moved[:nq], np.array([own.v_row for own in system.prescribed.values()])
    free = np.setdiff1d(np.arange(system.robot.nv), driven)
    module: Any = compiled(system.robot, ["mass_matrix"], lanes=False)
    mass = np.asarray(module.mass_matrix(q, *system.parameters(t)))
    slopes, rates = np.zeros((0, system.robot.nv)), np.zeros(0)
    if closure is not None:
        slopes, rates = closure.slopes(t, q), closure.errors(t, moved)[1]
    count = len(slopes)
    pulled = slopes[:, free]
    matrix = np.block([[mass[np.ix_(free, free)], pulled.T], [pulled, np.zeros((count, count))]])
    sides = np.concatenate([-mass[np.ix_(free, driven)] @ jump[driven], -rates])
    found = np.array(moved)
    # rows of loops may repeat each other: then the shortest impulses are taken
    found[nq + free] += np.linalg.lstsq(matrix, sides, rcond=None)[0][: len(free)]
    return found


Array = NDArray[np.float64]


class Run:
    """The motion of a system from a state at ``start``, recorded at ``samples``, or after each step without these.

    Attributes
    ----------
    t, y
        The last time and state that a step reached, loops closed.
    """

    def __init__(
        self,
        system: System,
        closure: Closure | None,
        recording: Recording,
        limits: LimitWatch,
        events: Mapping[str, Any],
        samples: Array | None,
        start: float,
        y: Array,
        progress: Callable[[float], object],
        contacts: Contacts | None,
    ) -> None:
        self._system, self._closure, self._recording, self._limits = system, closure, recording, limits
        self._events, self._samples, self._progress = events, samples, progress
        self._contacts = contacts
        self.t, self.y = start, y

    def go(self, kind: Method, make: Callable[[float], Stepper], span: Span, stops: Sequence[Stop]) -> str:
        """Integrate to the last stop, or to an event that ends the motion; what is said of that.

        Parameters
        ----------
        kind
            The method.
        make
            Its solver from the present state on, up to a time.
        span
            Where laws of time are seen.
        stops
            Times at which steps end.

        Raises
        ------
        ArithmeticError
            The solver goes no further.
        """
        span.enter(stops[0])
        stepper = make(stops[0].t)
        for stop, following in zip(stops, (*stops[1:], None), strict=True):
            said = self._go_to(stop, kind, stepper)
            if said:
                return said
            if stop.jumps:
                span.leave(stop)
                self.y = after_jump(self._system, self._closure, self.t, self.y)
                if self._samples is None or stop.t in self._samples:
                    self._record(stop.t, self.y)
            if following is None:
                continue
            span.enter(following)
            if stop.jumps:
                stepper.begin(self.t, self.y, following.t)
            else:
                stepper.until(following.t)
        return ""

    def _go_to(self, stop: Stop, kind: Method, stepper: Stepper) -> str:
        """Integrate to a stop; what is said of an event that ends the motion before."""
        limit, begins = stop.t, False
        while self.t < stop.t:
            stepper.step()
            if self._contacts is not None and not (begins and stepper.t == limit):
                found = self._contact(self._contacts, kind, stepper)
                if found is not None:
                    limit, begins = min(found, stepper.t), kind.contacts != "where steps end"
                if found is not None and kind.contacts == "in series":
                    cast(Cuttable, stepper).cut(limit)
                elif found is not None and limit < stepper.t:
                    stepper.begin(self.t, self.y, limit)
                    continue
            old, reached = self.t, stepper.t
            ended, said = self._watch(stepper, old)
            last = reached if ended is None else ended

            def at(t: float) -> Array:
                return self._system.unit(self._system.moved(t, stepper.value(t)))

            try:
                self._limits.look(last, at(last), at, old)
            except EffortError as failure:
                self._record_step(stop, stepper, old, failure.t)
                self.t, self.y = failure.t, stepper.value(failure.t)
                raise
            self._record_step(stop, stepper, old, last)
            if ended is not None:
                self._record(last, stepper.value(last))
                return said
            if self._closure is not None and kind.closing is Closing.MOVED:
                cast(Replaceable, stepper).replace(self._closure.closed(reached, stepper.y))
            self.t, self.y = reached, stepper.y
            self._progress(reached)
            if limit <= reached < stop.t:
                if begins and self._contacts is not None:
                    limit = self._contacts.first_step(self.t, self.y, stop.t)
                    stepper.begin(self.t, self.y, limit)
                else:
                    limit = stop.t
                    stepper.until(limit)
                begins = False
        return ""

    def _contact(self, contacts: Contacts, kind: Method, stepper: Stepper) -> float | None:
        """Where the last step should end because of a contact."""
        if kind.contacts == "in series":
            return contacts.changed(stepper, self.t, self.y)
        find = contacts.begun if kind.contacts == "in stages" else contacts.passed
        return find(stepper, self.t, self.y)

    def _record_step(self, stop: Stop, stepper: Stepper, old: float, last: float) -> None:
        for t in [last] if self._samples is None else [own for own in self._samples if old < own <= last]:
            if not (stop.jumps and t == stop.t):  # it is kept as it is after the jump
                self._record(t, stepper.value(t))

    def _record(self, t: float, y: Array) -> None:
        self._recording.add(t, y if self._closure is None else self._closure.closed(t, y))

    def _watch(self, stepper: Stepper, old: float) -> tuple[float | None, str]:
        """Record the events within the last step; the time of the first one that ends the motion, and what is said."""
        system, found = self._system, list[tuple[float, str, bool]]()
        for name, event in self._events.items():

            def height(at: float, name: str = name, event: Any = event) -> float:
                y = system.unit(system.moved(at, stepper.value(at)))
                found = given_numbers(f"event '{name}'", event(at, y[: system.robot.nq], y[system.robot.nq :]))
                if found.ndim:
                    raise RequestError(f"event '{name}': expected a number, got shape {found.shape}")
                if not np.isfinite(found):
                    raise RequestError(f"event '{name}': expected a finite number, got {found} at t = {at:.6g} s")
                return float(found)

            first, last, direction = height(old), height(stepper.t), getattr(event, "direction", 0)
            up, down = first < 0.0 <= last, first > 0.0 >= last
            if (up and direction >= 0) or (down and direction <= 0):
                exact = 4e-16 * max(1.0, stepper.t)
                at = float(import_module("scipy.optimize").brentq(height, old, stepper.t, xtol=exact))
                found.append((at, name, bool(getattr(event, "terminal", False))))
        for at, name, terminal in sorted(found):
            self._recording.happened[name].append(at)
            if terminal:
                return at, f"event '{name}' ended the motion at t = {at:.6g} s"
        return None, ""
