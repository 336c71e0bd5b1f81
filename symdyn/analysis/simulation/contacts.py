"""Contacts between two states that a solver gives: none is passed without its force being computed.

Solvers see a contact where one of their stages lies in it. A step from one side of a thin post to the other may have
none there. So gaps are followed between the two states of a step, along polynomials that meet these, their rates and
the rates of those: what a solver gives within a step may be spoilt by stages that did lie in the contact.

An implicit method solves its equations where a step ends. A step that goes into a contact and out of it is repeated, so
that it ends within the contact. An explicit method starts from the force where a step begins. Stages that
are thrown out of a contact by others may leave all of its force out. So steps end where contacts begin, and the next
one is so short that the force changes little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.coordinate_speeds import CoordinateSpeeds
from symdyn.analysis.simulation.methods import Stepper
from symdyn.analysis.simulation.system import System
from symdyn.dynamics.kinematics.passing import first_change, followed, may_pass, within_passed

Array = NDArray[np.float64]
States = Callable[[Array], Array]
"""States (n, nq + nv) at times (n,)."""
_LATE = 0.1
"""Of the tolerance, what the change of acceleration in a contact may add to a velocity before it is taken up."""
_SLOWED = 0.25
"""Of the velocities, what the force of a contact may take within the first step in it."""
_HALVINGS = 60
_SHIFT = 1e-6
"""Part of a step for differences of rates of coordinates."""


class Contacts:
    """The gaps of a system's contacts along its motion."""

    def __init__(self, system: System, rtol: float, atol: float) -> None:
        self._system, self._rtol, self._atol = system, rtol, atol
        self._speeds = CoordinateSpeeds(system.robot.model)
        self._gaps = system.module.contact_gaps
        self._last: tuple[float, Array, Array] | None = None

    def passed(self, stepper: Stepper, t: float, y: Array) -> float | None:
        """The time at which the step from (t, y) of an implicit method should end, None if it passes no contact."""
        if not self._asks(stepper, t, y):
            return None
        states = self._between(t, y, stepper.t, stepper.y)
        return within_passed(*followed(lambda at: self._at(at, states(at)), t, stepper.t))

    def begun(self, stepper: Stepper, t: float, y: Array) -> float | None:
        """The time soon after the first contact in the step from (t, y) begins, None if none does."""
        if not self._asks(stepper, t, y):
            return None
        return self._soon_after(self._between(t, y, stepper.t, stepper.y), t, stepper.t, ends=False)

    def changed(self, stepper: Stepper, t: float, y: Array) -> float | None:
        """The time soon after the first contact begins or ends, of a step that is a series from (t, y) on."""
        if not self._asks(stepper, t, y):
            return None
        return self._soon_after(lambda at: np.stack([stepper.value(float(s)) for s in at]), t, stepper.t, ends=True)

    def first_step(self, t: float, y: Array, end: float) -> float:
        """Where a step from a contact that has begun should end: forces change little up to there."""
        gap, closing = (values[0] for values in self._at(np.array([t]), y[None]))
        touching = (gap <= 0.0) & (closing < 0.0)
        nv, rate, step = self._system.robot.nv, self._system.derivative(t, y), end - t
        while t + 1e-3 * step > t:
            ahead = y + step * rate
            later, still = (values[0] for values in self._at(np.array([t + step]), ahead[None]))
            if np.all((later < 0.0) & (still < 0.0), where=touching):
                change = self._system.derivative(t + step, ahead)[-nv:] - rate[-nv:]
                if np.linalg.norm(change) * step <= _SLOWED * np.linalg.norm(y[-nv:]):
                    break
            step *= 0.5
        return t + step

    def _soon_after(self, states: States, start: float, end: float, ends: bool) -> float | None:
        """The time soon after the first change: the time that is late, times that of acceleration, is no error."""

        def along(at: Array) -> tuple[Array, Array]:
            return self._at(at, states(at))

        interval = first_change(*followed(along, start, end), ends)
        if interval is None:
            return None
        (before, after), last = interval, interval[1]
        for _ in range(_HALVINGS):
            middle = 0.5 * (before + after)
            if not before < middle < after:
                break
            halves = np.array([before, middle])
            parted = first_change(halves, along(halves)[0], ends)
            before, after = (middle, after) if parted is None else (before, middle)
        nv, late = self._system.robot.nv, last - after
        allowed = _LATE * (self._atol + self._rtol * float(np.max(np.abs(states(np.array([before]))[0][-nv:]))))
        for _ in range(_HALVINGS):
            times = np.array([before, after + late])
            first, second = (
                self._system.derivative(float(at), y)[-nv:] for at, y in zip(times, states(times), strict=True)
            )
            if float(np.max(np.abs(second - first))) * late <= allowed:
                break
            late *= 0.5
        return after + late

    def _asks(self, stepper: Stepper, t: float, y: Array) -> bool:
        """Whether gaps at both ends of the step do not tell that all contacts stay open, or stay as they are."""
        if self._last is None or self._last[0] != t:
            self._last = (t, *self._at(np.array([t]), y[None]))
        times, here = np.array([t, stepper.t]), self._last
        self._last = (stepper.t, *self._at(times[1:], stepper.y[None]))
        gap, rate = np.vstack([here[1], self._last[1]]), np.vstack([here[2], self._last[2]])
        return bool(may_pass(gap, rate, np.diff(times)).any()) or first_change(times, gap) is not None

    def _between(self, start: float, first: Array, end: float, second: Array) -> States:
        """States between two: of degree 5 in q, by its rates and their rates; of degree 3 in v."""
        nq, h = self._system.robot.nq, end - start
        rates = [h * self._system.derivative(t, y) for t, y in ((start, first), (end, second))]
        bends = [h * self._bend(y, rate) for y, rate in zip((first, second), rates, strict=True)]
        (q0, q1), (v0, v1) = (first[:nq], second[:nq]), (first[nq:], second[nq:])
        (d0, d1), (b0, b1) = (rate[:nq] for rate in rates), bends
        (a0, a1), gone = (rate[nq:] for rate in rates), q1 - q0 - rates[0][:nq] - 0.5 * bends[0]
        turned, bent = d1 - d0 - b0, b1 - b0
        terms = [q0, d0, 0.5 * b0]
        terms += [10.0 * gone - 4.0 * turned + 0.5 * bent, 7.0 * turned - 15.0 * gone - bent]
        terms += [6.0 * gone - 3.0 * turned + 0.5 * bent]
        more = [v0, a0, 3.0 * (v1 - v0) - 2.0 * a0 - a1, 2.0 * (v0 - v1) + a0 + a1]

        def states(times: Array) -> Array:
            s = (times - start) / h
            return np.hstack(
                [np.polynomial.polynomial.polyval(s, np.array(coefficients)).T for coefficients in (terms, more)]
            )

        return states

    def _bend(self, y: Array, change: Array) -> Array:
        """How N(q) v, the rate of q, changes with a change of y: to first order, by differences."""
        nq = self._system.robot.nq
        first, second = (
            self._speeds.of(moved[:nq], moved[nq:]) for moved in (y + sign * _SHIFT * change for sign in (1.0, -1.0))
        )
        return np.asarray((first - second) / (2.0 * _SHIFT), dtype=np.float64)

    def _at(self, times: Array, states: Array) -> tuple[Array, Array]:
        """Gaps and rates (n, k) of states (n, nq + nv)."""
        system, nq = self._system, self._system.robot.nq
        whole = np.stack([system.unit(system.moved(float(t), y)) for t, y in zip(times, states, strict=True)])
        q, v = np.ascontiguousarray(whole[:, :nq]), np.ascontiguousarray(whole[:, nq:])
        given = (np.stack([system.p(float(t)) for t in times]),) if system.robot.runtime_parameters else ()
        gap, rate = self._gaps(q, v, *given)
        return np.asarray(gap), np.asarray(rate)
