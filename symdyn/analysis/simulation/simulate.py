"""A motion from its start to its end: what it starts from, and what is said where a solver gives up.

A controller reads the state at samples, and its inputs stay until the next.

A motion is stiff where fast moves die soon, judged by the eigenvalues of the dynamics at the start. An explicit method
follows the fastest move at all times: its steps are bounded by stability. An implicit one follows a move only as long
as it lasts, and then steps over it. So an implicit method pays off where fast moves are damped; where they go on, both
follow them, and explicit steps cost less (Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.1).
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.simulation.closure import OPEN, Closure
from symdyn.analysis.simulation.contact_motion import STEP, Driven, check_method, contact_motion, given_filling
from symdyn.analysis.simulation.contact_start import leaves_place_open, lifted
from symdyn.analysis.simulation.contacts import Contacts
from symdyn.analysis.simulation.given import given_events, given_inputs, given_parameter_law, given_times
from symdyn.analysis.simulation.given_motions import check_start, given_prescribed
from symdyn.analysis.simulation.limits import EffortError, LimitWatch, clipped, effort_bounds, given_effort_limits
from symdyn.analysis.simulation.methods import (
    EXPLICIT,
    METHODS,
    Closing,
    Stepper,
    given_method,
    implicit_method,
    may_be_stiff,
    require_package,
)
from symdyn.analysis.simulation.recording import Recording
from symdyn.analysis.simulation.run import Run
from symdyn.analysis.simulation.servo import Servo, given_servo
from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs
from symdyn.analysis.simulation.spans import Span, check_positions, given_jumps, stops_of
from symdyn.analysis.simulation.system import Inputs, Motion, Prescribed, System, differences
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.errors import RequestError, SolverError
from symdyn.interface.argument_words import given_callable, given_positive
from symdyn.interface.stepping import CONTACTS
from symdyn.model.wide_rods import wide_rods
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_position, given_velocity

_SHIFT = 1e-6
"""Shift of a row for central differences, in units of its size or 1; the third root of rounding is 6e-6."""
_LASTING = 14.0
"""A move has died when it is e^-14 = 1e-6 of what it was, as usual tolerances are."""
_DEARER = 10.0
"""Explicit steps for the cost of an implicit one: three stages with some iterations each, and a share of a factor."""
_SHORT = 100.0
"""Radians of the fastest move in a motion that an explicit method follows in a few tens of steps."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an implicit method suits a motion, and why, in words."""

    stiff: bool
    reason: str


def judged(system: System, closure: Closure | None, t: float, y: Array, span: float) -> Judgement:
    """Whether a motion of some duration [s] is stiff at its start; its rates are finite there.

    Where loops are stabilised, only moves that keep them closed count: others die by the stabilisation.
    """
    counted = system.counters.function_calls
    changes = differences(lambda y: system.derivative(t, y), y, _SHIFT)
    system.counters.function_calls = counted
    if closure is not None and system.stabilised:
        errors = differences(lambda y: np.concatenate(closure.errors(t, system.moved(t, y))), y, _SHIFT)
        ways = closure.closed_ways(t, y, errors)
        changes = ways.T @ changes @ ways
    if not np.isfinite(changes).all():
        return Judgement(True, "accelerations near the start are not finite")
    eigenvalues = np.linalg.eigvals(changes)
    sizes, decays = np.abs(eigenvalues), np.maximum(-eigenvalues.real, _LASTING / span)  # as far as they show
    fastest = int(np.argmax(sizes))
    # radians that an explicit and an implicit method follow
    lasting = _LASTING / decays
    explicit, implicit = float(span * sizes[fastest]), float(np.max(sizes * lasting))
    rate = f"the fastest move at the start has {sizes[fastest]:.3g} rad/s"
    if explicit <= _SHORT:
        return Judgement(False, f"{rate}, so the motion is short")
    if explicit <= _DEARER * implicit:
        moving = int(np.argmax(sizes * lasting))
        kept = f"moves of {sizes[moving]:.3g} rad/s last for {lasting[moving]:.3g} s"
        return Judgement(False, f"{rate}, and {kept}, so implicit methods would follow them too")
    return Judgement(True, f"{rate} and dies within {lasting[fastest]:.3g} s, far sooner than the motion ends")


_MOST = 10**7


class SampledInputs:
    """Inputs that are called once per sample, in the order of time, with the state there.

    Steps end at samples, so the first state that is seen from a sample on is that of the motion. Later calls for the
    same sample, such as those of stages or of a record, get the same inputs.
    """

    def __init__(self, inputs: Inputs, start: float, end: float, sample_time: float) -> None:
        length = given_positive("sample_time", sample_time)
        if (end - start) / length > _MOST:
            raise RequestError(f"sample_time of {length!r} s has more than {_MOST} samples; take a longer one")
        self._inputs, self._values = inputs, list[Array]()
        self.times = start + length * np.arange(int(np.ceil((end - start) / length * (1.0 - 1e-12))) + 1)
        self.times = self.times[self.times < end - 1e-9 * length]

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """The inputs of the sample in which t is."""
        sample = max(0, int(np.searchsorted(self.times, t, side="right")) - 1)
        while len(self._values) <= sample:
            self._values.append(np.array(self._inputs(float(self.times[len(self._values)]), q, v), dtype=np.float64))
        return self._values[sample]


Array = NDArray[np.float64]
Progress = Callable[[float, float], None]
_RIGID = "the robot has rigid contacts, limits or dry joints, which steps of this method alone feel"
_LOOKS = 7
"""Times at which parameters are tried in loops."""


@np.errstate(all="ignore")  # what is not finite ends the motion, with a reason
def simulate(
    robot: Robot | str | os.PathLike[str],
    q: ArrayLike | Mapping[str, ArrayLike] | None,
    v: ArrayLike | Mapping[str, ArrayLike] | None,
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
    jumps: ArrayLike | None,
    effort_limits: str | None,
    h: float | None = None,
    sample_time: float | None = None,
    touching: Callable[[float, Array, Array], ArrayLike] | None = None,
    servo: Any = None,
) -> Trajectory:
    """See :func:`symdyn.simulate`."""
    robot = as_robot(robot)
    told = (lambda done, total: None) if progress is None else given_callable("progress", "done, total", progress)
    start, end, samples = given_times(t)
    rtol, atol = given_positive("rtol", rtol), given_positive("atol", atol)
    longest = end - start if max_step is None else given_positive("max_step", max_step)
    asked, unknown = given_method(method), {"events": events, "jumps": jumps, "max_step": max_step}
    unknown["sample_time"] = sample_time
    method = check_method(robot, asked, h, unknown)
    require_package(method)
    filled = given_filling(robot, touching)
    functions, feedback = given_inputs(robot, inputs, drive, hold, start, end)
    times, watched, span = given_jumps(jumps), given_events(events), Span()
    parameters = given_parameter_law(robot, p)
    servos: Servo | None = None
    if given_servo(robot, servo, drive):
        constant = sample_time or (h or STEP if method == CONTACTS else 0.0)
        kept = given_prescribed(robot, prescribed, start, end, times)
        functions = servos = Servo(robot, servo, functions, parameters, kept, constant, filled)
        feedback, effort_limits = True, effort_limits or "clip"
    if sample_time is not None:
        functions, feedback = SampledInputs(functions, start, end, sample_time), False
        times = tuple(sorted({*times, *functions.times[1:].tolist()}))
    held = given_prescribed(robot, prescribed, start, end, times)
    stops = stops_of(functions, times, start, end)
    check_positions(held, stops)
    position = _begun(robot, held, start, parameters(start)) if q is None else given_position(robot.model, q)
    velocity = np.zeros(robot.nv) if v is None else given_velocity(robot.model, v)
    check_start(robot, held, start, None if q is None else position, None if v is None else velocity)
    policy, bounds = given_effort_limits(effort_limits), effort_bounds(robot, drive, held)
    wanted = functions
    if policy == "clip":
        functions = clipped(functions, bounds, isinstance(functions, PolynomialInputs))
    if method == CONTACTS:
        if robot.constraints:
            position = robot.close(position, list(held), p=parameters(start), tolerance=OPEN)
        elif leaves_place_open(robot, q):
            position, _ = lifted(robot, position, parameters(start))
        if servos is not None:
            servos.aim(start, position)
        acting = Driven(functions, drive, parameters, held, wanted, bounds, policy, filled)
        why = "" if asked == CONTACTS else _RIGID
        return contact_motion(robot, position, velocity, acting, (start, end, samples), h, why, told)
    before = time.perf_counter()
    laws = (span.inputs(functions), feedback, drive, span.prescribed(held), span.law(parameters))
    likely = implicit_method(robot) if method == "auto" and may_be_stiff(robot) else method
    system = System(robot, *laws, stabilised=_stabilised(robot, likely))
    built = time.perf_counter() - before
    y = system.unit(system.moved(start, np.concatenate([position, velocity])))
    closure = Closure(system) if robot.constraints else None
    if closure is not None:
        closure.check(start, y)
        y = closure.closed(start, y)
        if callable(p):
            closure.check_parameters(np.linspace(start, end, _LOOKS), y)
    if servos is not None:
        servos.aim(start, y[: robot.nq])
    system.force(start, y)
    name, reason = _chosen(system, closure, method, start, y, end - start)
    kind, before = METHODS[name], time.perf_counter()
    if system.stabilised is not _stabilised(robot, name):
        system = System(robot, *laws, stabilised=not system.stabilised)
        closure = Closure(system)
    if kind.implicit:
        system.compile_slopes()
    built += time.perf_counter() - before
    limits = LimitWatch(robot, wanted, bounds, drive, policy, rtol, atol, system.derivative)
    recording = Recording(system, name, watched, reason)
    recording.add(start, y)
    try:
        limits.look(start, y)
    except EffortError as failure:
        raise RequestError(str(failure)) from None
    contacts = Contacts(system, rtol, atol) if robot.model.touches else None

    def progressed(t: float) -> None:
        told(t - start, end - start)

    run = Run(system, closure, recording, limits, watched, samples, start, y, progressed, contacts)
    before = time.perf_counter()
    said = ""
    try:
        if not np.isfinite(system.derivative(start, y)).all():
            raise FloatingPointError("the first acceleration is not finite; start elsewhere")

        def make(last: float) -> Stepper:
            nonlocal built, before
            made = kind.make(system, start, y, last, rtol, atol, longest)  # some compile functions of their own
            built, before = built + time.perf_counter() - before, time.perf_counter()
            return made

        said = run.go(kind, make, span, stops)
    except (ArithmeticError, np.linalg.LinAlgError) as failure:
        span.leave()
        recording.add(run.t, run.y if closure is None else closure.closed(run.t, run.y))
        raise _given_up(system, recording, name, run.t, built, before, failure) from None
    span.leave()
    messages = tuple(line for line in (said, limits.summary) if line)
    return recording.trajectory({"compile": built, "integrate": time.perf_counter() - before}, messages)


def _begun(robot: Robot, prescribed: Mapping[str, Prescribed], start: float, p: Array) -> Array:
    """The neutral position, with prescribed joints where they begin and loops closed."""
    q = robot.neutral()
    for own in prescribed.values():
        q[own.q_row] = own.motion(start)[0]
    return robot.close(q, list(prescribed), p=p, tolerance=OPEN)


def _stabilised(robot: Robot, method: str) -> bool:
    """Whether accelerations lead errors of loops back, by a method's name; ``auto`` stands for the explicit one."""
    kind = METHODS[EXPLICIT if method == "auto" else method]
    return kind.closing is Closing.STABILISED and bool(robot.constraints)


def _chosen(
    system: System, closure: Closure | None, method: str, start: float, y: Array, span: float
) -> tuple[str, str]:
    """The method, and why ``auto`` takes it; nothing where the user has chosen."""
    if method != "auto":
        return method, ""
    if not np.isfinite(system.derivative(start, y)).all():
        return EXPLICIT, ""
    found = judged(system, closure, start, y, span)
    return implicit_method(system.robot) if found.stiff else EXPLICIT, found.reason


def _given_up(
    system: System, recording: Recording, method: str, t: float, built: float, before: float, failure: Exception
) -> SolverError:
    """The error of a solver, with the motion up to there and the row that moves most violently."""
    timings = {"compile": built, "integrate": time.perf_counter() - before}
    partial = recording.trajectory(timings, (f"{method} gave up: {failure}",))
    if isinstance(failure, EffortError):
        return SolverError(f"{failure}; the motion up to t = {partial.t[-1]:.6g} s is kept in .partial", partial)
    a = np.where(np.isfinite(partial.a[-1]), np.abs(partial.a[-1]), math.inf)
    worst = int(np.argmax(a))
    return SolverError(
        f"{method} gave up at t = {t:.6g} s: {failure}; the largest acceleration there is {a[worst]:.3g} in row "
        f"'{system.robot.velocity_names[worst]}', with v = {partial.v[-1][worst]:.6g}; the motion up to "
        f"t = {partial.t[-1]:.6g} s is kept in .partial{wide_rods(system.robot.model, partial.q[-1])}",
        partial,
    )
