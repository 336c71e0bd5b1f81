"""Generalised-alpha on Lie groups with index-3 constraints: motions by fixed steps or by steps that follow an error.

Laws of time are seen from within a part of a motion, between times at which they jump.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.alpha_step import AlphaStepper, Counters, State
from symdyn.analysis.simulation.consistent_start import project
from symdyn.analysis.simulation.free_rows import DrivenRows, freed
from symdyn.analysis.simulation.given_motions import check_derivatives
from symdyn.analysis.simulation.implicit_system import ImplicitSystem
from symdyn.analysis.simulation.spans import CONTINUOUS, Span, Stop, before, given_jumps
from symdyn.errors import RequestError, SolverError
from symdyn.interface.alpha_rule import DOUBLE, ITERATIONS, RADIUS, AlphaRule
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.optional_packages import require


class SystemWithin:
    """The system at times within the part; driven coordinates go on beyond it as parabolas, for differences.

    Other constraints that move with time are seen at every time: their errors are continuous.

    Raises
    ------
    RequestError
        Driven positions that jump at one of ``jumps``: the row of v, the time and both positions.
    """

    def __init__(self, system: ImplicitSystem, span: Span, jumps: Sequence[float]) -> None:
        self._system, self._span, self.advance = system, span, system.advance
        self.nv, self.m, self.row_names = system.nv, system.m, system.row_names
        self._rows: tuple[Sequence[int], Sequence[int]] = ([], [])
        if isinstance(system, DrivenRows):
            self._rows = system.driven_rows
        for t in jumps if self._rows[0] else ():
            self._check_jump(t)

    @property
    def driven_rows(self) -> tuple[Sequence[int], Sequence[int]]:
        """Their rows of q and of v."""
        return self._rows

    def driven(self, t: float) -> tuple[Array, Array, Array]:
        """Their positions, velocities and accelerations at a time."""
        assert isinstance(self._system, DrivenRows)
        inner = self._span.time(t)
        q, v, a = self._system.driven(inner)
        s = t - inner
        return (q, v, a) if s == 0.0 else (q + s * (v + 0.5 * s * a), v + s * a, a)

    def residual(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """The residual R (nv,) of the equations of motion."""
        return self._system.residual(self._span.time(t), q, v, a, lam)

    def error(self, t: float, q: Array) -> Array:
        """The errors e (m,) of the constraints."""
        if not self._rows[0]:
            return self._system.error(t, q)
        found = np.array(self._system.error(self._span.time(t), q))
        found[self.m - len(self._rows[0]) :] = q[list(self._rows[0])] - self.driven(t)[0]
        return found

    def slopes(self, t: float, q: Array) -> Array:
        """The matrix A (m, nv) of the constraints."""
        return self._system.slopes(self._span.time(t), q)

    def tangent(
        self, t: float, q: Array, v: Array, a: Array, lam: Array, c_q: float, c_v: float, c_a: float
    ) -> tuple[Array, Array]:
        """The matrix of Newton's method (nv, nv), and A (m, nv)."""
        return self._system.tangent(self._span.time(t), q, v, a, lam, c_q, c_v, c_a)

    def _check_jump(self, t: float) -> None:
        """Refuse driven positions that jump, which no finite velocity gives."""
        assert isinstance(self._system, DrivenRows)
        sides = self._system.driven(before(t))[0], self._system.driven(t)[0]
        for row, left, right in zip(self._rows[1], *sides, strict=True):
            if not abs(right - left) <= CONTINUOUS * max(1.0, abs(left)):
                raise RequestError(
                    f"prescribed '{self.row_names[row]}' jumps at t = {t:.6g} s from {left:.9g} to {right:.9g}; "
                    "positions must be continuous, only velocities and accelerations may jump"
                )


Array = NDArray[np.float64]

_SAFETY = 0.9
_LEAST, _MOST = 0.2, 2.0
"""How much one step may be shorter or longer than the one before."""
_KEEP = 1.3
"""Growth of the step that is not worth a new factor."""
_SHORTEST = 1e-12
"""Shortest step, of the whole span."""
_ROUNDING = 1e-13
"""What closing loops leaves in positions, relative to the largest or to 1: 8e-14 on a platform on soft pillars."""


@dataclass(frozen=True, slots=True)
class AlphaMotion:
    """A motion: times (n,), q (n, nq), v and a (n, nv), multipliers (n, m), and what it took."""

    times: Array
    q: Array
    v: Array
    a: Array
    multipliers: Array
    counters: Counters


def generalised_alpha(
    system: ImplicitSystem,
    times: ArrayLike,
    q: ArrayLike,
    v: ArrayLike,
    *,
    step: float | Callable[[float], float] | None = None,
    rho: float = RADIUS,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    first_step: float | None = None,
    max_step: float = math.inf,
    newton: float | None = None,
    iterations: int = ITERATIONS,
    every_step: bool = False,
    jumps: ArrayLike | None = None,
) -> AlphaMotion:
    """Integrate a system from a state, with the errors of its constraints held at rounding at every step.

    Parameters
    ----------
    system
        What moves.
    times
        (n,) increasing: the start, and the times to tell of [s]. Steps end there.
    q, v
        The state at the start, (nq,) and (nv,). It is projected onto the constraints.
    step
        The fixed step [s], or a function of time that gives it; intervals are parted into equal steps no longer than
        that. Without it steps follow an estimate of the error of positions and velocities.
    rho
        Spectral radius at infinite frequency: 0.8 by default, 1 for Newmark's trapezoidal rule.
    rtol, atol
        Error of a step, relative and absolute. Positions that hold quaternions count as of size 1.
    first_step, max_step
        The first step, else found from accelerations; the longest [s].
    newton
        What Newton's method may leave of a step's move; by default 1e-9, and 1e-11 with constraints.
    iterations
        Most iterations of Newton's method with one factor.
    every_step
        Tell of every step, not of ``times`` alone.
    jumps
        Times [s] at which what the system gives as a function of time jumps, or its slope does: inputs, forces,
        parameters, velocities of driven coordinates. Steps end there, before them the system is seen as it is just
        before, and the motion begins anew. Velocities that driven ones change by a jump are those nearest by kinetic
        energy. At such a time the state after it is told.

    Returns
    -------
    The motion. Velocities carry errors of second order across the constraints.

    Raises
    ------
    RequestError
        Times that do not increase, a state that is not finite, a step or a tolerance that is not positive, a ``rho``
        outside 0..1, a prescribed motion whose derivatives do not fit or whose position jumps; no SciPy.
    SolverError
        Newton's method fails, or the step becomes too short; the message names the time and the row of v.

    Notes
    -----
    Bruls & Cardona (2010); Bruls, Cardona & Arnold (2012); Arnold, Bruls & Cardona (2015). Multipliers are scaled by
    h^2 in the linear equations.
    """
    require("generalised-alpha", "scipy", "sim")
    grid = _grid(times)
    _check_positive(first_step=first_step, max_step=max_step, rtol=rtol, atol=atol, newton=newton)
    if step is not None and not callable(step):
        _check_positive(step=step)
    q, v = _finite("q", q), _finite("v", v)
    leaps, span = [t for t in given_jumps(jumps) if grid[0] < t <= grid[-1]], Span()
    _check_driven(system, float(grid[0]), float(grid[-1]), leaps)
    whole = SystemWithin(system, span, leaps) if leaps else system
    free, rows = freed(whole, len(q))
    stepper = AlphaStepper(
        free, AlphaRule.of(rho), (DOUBLE.newton if free.m else 1e-9) if newton is None else newton, iterations
    )
    if leaps:
        span.enter(Stop(leaps[0], True))
    state = stepper.start(float(grid[0]), *rows.part(q, v))
    told = [(state.t, *rows.told(state.t, state.q, state.v, state.a, state.lam))]
    take: _FixedSteps | ErrorSteps
    if step is not None:
        take = _FixedSteps(stepper, step if callable(step) else lambda _: step)
    else:
        take = ErrorSteps(stepper, AlphaRule.of(rho), rtol, atol, min(max_step, float(grid[-1] - grid[0])), first_step)
    shown = set(map(float, grid))
    for end in sorted({*map(float, grid[1:]), *leaps}):
        while state.t < end:
            state = take.next(state, end)
            if state.t == end and leaps and end == leaps[0]:
                q, v, *_ = rows.told(end, state.q, state.v, state.a, state.lam)
                span.leave(Stop(leaps.pop(0), True))
                if leaps:
                    span.enter(Stop(leaps[0], True))
                state = stepper.start(end, *rows.part(*project(whole, end, q, v)))
                take.forget()
            if every_step or state.t in shown:
                told.append((state.t, *rows.told(state.t, state.q, state.v, state.a, state.lam)))
    instants, q_at, v_at, a_at, lam_at = (np.array(column) for column in zip(*told, strict=True))
    return AlphaMotion(instants, q_at, v_at, a_at, lam_at.reshape(len(told), system.m), stepper.counters)


def _check_driven(system: ImplicitSystem, start: float, end: float, jumps: Sequence[float]) -> None:
    """Refuse driven coordinates whose velocities and accelerations are not rates of their positions."""
    if not isinstance(system, DrivenRows):
        return
    for number, row in enumerate(system.driven_rows[1]):

        def law(t: float, number: int = number) -> tuple[float, float, float]:
            place, speed, push = system.driven(t)
            return float(place[number]), float(speed[number]), float(push[number])

        check_derivatives(system.row_names[row], law, start, end, jumps)


class _FixedSteps:
    """Steps that a function of time gives; what is left of an interval is parted equally."""

    def __init__(self, stepper: AlphaStepper, law: Callable[[float], float]) -> None:
        self._stepper, self._law = stepper, law

    def forget(self) -> None:
        """Nothing is remembered."""

    def next(self, state: State, end: float) -> State:
        """The state after one step towards ``end``."""
        wanted = self._law(state.t)
        _check_positive(step=wanted)
        count = max(1, math.ceil((end - state.t) / wanted - 1e-9))
        h = (end - state.t) / count
        if state.h and abs(h / state.h - 1.0) < 1e-9:
            h = state.h
        after = end if count == 1 else state.t + h
        if state.fresh:
            state = self._stepper.prepared(state, h)
            if not state.a.any():  # fast motions were passed over, and slow ones with them: begin with what is left
                left = self._stepper.step(state, h, after).a
                state = replace(state, a=left, w=left)
        state = self._stepper.step(state, h, after)
        self._stepper.counters.steps += 1
        return state


class ErrorSteps:
    """Steps chosen so that the estimated error of each is within tolerances."""

    def __init__(
        self,
        stepper: AlphaStepper,
        rule: AlphaRule,
        rtol: float,
        atol: float,
        longest: float,
        first: float | None,
    ) -> None:
        self._stepper, self._rtol, self._atol = stepper, rtol, atol
        self._longest, self._wanted, self._shortest = longest, first, _SHORTEST * longest
        self._position = max(abs(rule.position_error), 1.0 / 12.0)
        self._velocity = max(abs(rule.velocity_error), 1.0 / 12.0)

    def next(self, state: State, end: float) -> State:
        """The state after one step towards ``end`` that meets the tolerances."""
        if self._wanted is None:
            self._wanted = self._first_step(state)
        counters = self._stepper.counters
        while True:
            left = end - state.t
            h = min(self._wanted, self._longest)
            h = left if h >= 0.999 * left else 0.5 * left if 2.0 * h > left else h
            ready = self._stepper.prepared(state, h) if state.fresh else state
            try:
                found = self._stepper.step(ready, h, end if h == left else state.t + h)
            except SolverError:
                self._wanted = 0.25 * h
                if self._wanted < self._shortest:
                    raise
                continue
            size = self._size(ready, found)
            factor = _SAFETY * size ** (-1.0 / 3.0) if size > 0.0 else _MOST
            if size <= 1.0:
                counters.steps += 1
                grown = h * min(_MOST, factor)
                # a step cut short by the end of an interval says nothing against the longer one wanted before
                self._wanted = grown if factor > _KEEP or factor < 1.0 else max(h, min(self._wanted, grown))
                return found
            counters.rejected += 1
            self._wanted = h * max(_LEAST, factor) if math.isfinite(size) else 0.25 * h
            if self._wanted < self._shortest:
                raise SolverError(
                    f"the step becomes shorter than {self._shortest:.3g} s at t = {state.t:.6g} s; raise rtol or atol, "
                    "or look for a jump in forces there"
                )

    def forget(self) -> None:
        """Choose the next step as the first of a motion."""
        self._wanted = None

    def _size(self, before: State, after: State) -> float:
        """The estimated error of a step, 1 where it just meets the tolerances."""
        h = after.h
        sizes = np.maximum(abs(before.q), abs(after.q)) if len(after.q) == len(after.v) else np.ones_like(after.v)
        positions = self._position * h * h * after.change / (self._atol + self._rtol * sizes)
        second = after.change - (h / before.h) * before.change
        # velocities are changes of positions over h: what rounding leaves in these no shorter step makes less
        rounding = _ROUNDING * max(1.0, float(np.max(abs(after.q)))) / h
        allowed = self._atol + rounding + self._rtol * np.maximum(abs(before.v), abs(after.v))
        velocities = self._velocity * h * second / allowed
        return math.sqrt(max(float(np.mean(positions**2)), float(np.mean(velocities**2))))

    def _first_step(self, state: State) -> float:
        """The step in which accelerations move coordinates by the tolerance, or a hundredth of the longest."""
        pushed = float(np.linalg.norm(state.a / (self._atol + self._rtol))) / math.sqrt(max(1, len(state.a)))
        return min(0.01 * self._longest, math.sqrt(2.0 / pushed) if pushed > 0.0 else math.inf)


def _grid(times: ArrayLike) -> Array:
    grid = np.array(times, dtype=np.float64)
    if grid.ndim != 1 or len(grid) < 2 or not np.all(np.isfinite(grid)) or not np.all(np.diff(grid) > 0.0):
        raise RequestError("times: expected at least two finite increasing numbers [s], the first of them the start")
    return grid


def _finite(name: str, values: ArrayLike) -> Array:
    found = np.array(given_numbers(f"{name} of generalised-alpha", values))
    if found.ndim != 1 or not np.isfinite(found).all():
        raise RequestError(f"{name} of generalised-alpha: expected finite numbers of shape (n,), got {values!r}")
    return found


def _check_positive(**numbers: float | None) -> None:
    for name, value in numbers.items():
        if value is not None and not value > 0.0:
            raise RequestError(f"{name} of generalised-alpha: expected a positive number, got {value!r}")
