"""Motions with rigid contacts: steps of fixed length, each with the impulses that the laws of contact ask for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.contacts.prescribed import prescribed_system
from symdyn.analysis.contacts.step import contact_step_by
from symdyn.analysis.simulation.contact_history import ContactHistory
from symdyn.analysis.simulation.contact_notes import solver_notes, start_notes, thin_note
from symdyn.analysis.simulation.contact_step import Still, closed
from symdyn.analysis.simulation.given import input_names
from symdyn.analysis.simulation.limits import EffortError, LimitWatch
from symdyn.analysis.simulation.system import Inputs, Law, Prescribed
from symdyn.analysis.simulation.trajectory import Trajectory, robot_hash
from symdyn.errors import RequestError, SolverError
from symdyn.generation.called_functions import contact_sets
from symdyn.generation.generate import compile as compiled
from symdyn.interface.argument_words import given_callable, given_positive
from symdyn.interface.contact_solving import ContactCode, ContactStep, set_rows
from symdyn.interface.stepping import CONTACT_FACTORS, CONTACT_SYSTEM, CONTACTS
from symdyn.model.values import Values
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_touching

Array = NDArray[np.float64]
STEP = 1e-3
"""Length of a step where nobody gives one [s]."""
Filling = Callable[[float, Array, Array], tuple[Array, ...]]
_ERROR = 1e-9
"""By what a joint that rests at a rigid limit may be beyond it [rad or m], a tenth of what is reported."""
_SLACK = 1e-6
"""Part of a step by which a span may be longer without one more."""


@dataclass(frozen=True)
class Driven:
    """What acts on a robot: inputs of t, q and v, whether these are of actuators, run-time parameters, and motions.

    ``wanted`` are the inputs before those beyond ``bounds`` are clipped, where the ``policy`` says so.
    """

    inputs: Inputs
    drive: str
    p: Law
    prescribed: Mapping[str, Prescribed]
    wanted: Inputs
    bounds: Array
    policy: str
    filled: Filling
    """What fills slots of contact at run time: nothing, or one array."""


def given_filling(robot: Robot, touching: Callable[[float, Array, Array], ArrayLike] | None) -> Filling:
    """What fills slots of contact at run time, by what a user gives.

    Raises
    ------
    RequestError
        What cannot be called, something for a robot without such slots; of the result, a row that is no contact.
    """
    if touching is None:
        empty = given_touching(robot.model, None)
        return lambda t, q, v: empty
    if not robot.model.contacts.runtime:
        given_touching(robot.model, ())
    asked = given_callable("touching", "t, q, v", touching)
    return lambda t, q, v: given_touching(robot.model, asked(t, q.copy(), v.copy()))


def check_method(robot: Robot, method: str, h: Any, unknown: dict[str, Any]) -> str:
    """The method for a robot: steps with contacts where it has rigid ones, and only there.

    Raises
    ------
    RequestError
        A method that does not feel rigid contacts, a robot without any, options that steps of fixed length have not.
    """
    rigid = bool(robot.model.contact_layout)
    if method == CONTACTS or (method == "auto" and rigid):
        if not rigid:
            raise RequestError(
                f"robot '{robot.name}' has no rigid contacts, limits or dry joints, of which method '{CONTACTS}' is; "
                "take another method"
            )
        given = [name for name, value in unknown.items() if value is not None]
        if given:
            raise RequestError(
                f"method '{CONTACTS}' takes steps of a fixed length without a search for events, and no {given[0]}; "
                "leave it out"
            )
        return CONTACTS
    if rigid:
        raise RequestError(
            f"robot '{robot.name}' has rigid contacts, limits or dry joints, which method '{method}' does not feel; "
            f"take method='{CONTACTS}', with the length h of a step"
        )
    if h is not None:
        raise RequestError(f"h is the length of a step of method '{CONTACTS}'; method '{method}' takes max_step")
    return method


def contact_motion(
    robot: Robot,
    q: Array,
    v: Array,
    driven: Driven,
    span: tuple[float, float, Array | None],
    h: float | None,
    reason: str,
    progress: Callable[[float, float], object],
) -> Trajectory:
    """The motion from a state: at the given times, between which lie equal steps of at most h, or after each step.

    Raises
    ------
    RequestError
        A step that is not above 0; an effort beyond its limit at the start, where such ones are refused.
    SolverError
        Numbers that are not finite, or such an effort; ``partial`` is the motion up to there.
    """
    start, end, samples = span
    length = STEP if h is None else given_positive("h", h)
    before = time.perf_counter()
    history = _History(robot, driven, reason)
    built, before = time.perf_counter() - before, time.perf_counter()
    times = samples if samples is not None else _even(start, end, length)
    impulses = np.zeros(history.rows)

    def given_up(t: float, why: str) -> SolverError:
        partial = history.trajectory({"compile": built, "integrate": time.perf_counter() - before})
        end = f"the motion up to t = {partial.t[-1]:.6g} s is kept in .partial"
        return SolverError(f"{CONTACTS} gave up at t = {t:.6g} s: {why}; {end}", partial)

    try:
        q, v = history.start(times[0], q, v, length)
    except EffortError as failure:
        raise RequestError(str(failure)) from None
    for first, last in pairwise(times):
        pieces = max(1, math.ceil((last - first) / length - _SLACK))
        part, result = (last - first) / pieces, None
        for piece in range(pieces):
            result = history.step(first + piece * part, q, v, part, impulses)
            if result.report.code is ContactCode.NOT_FINITE:
                raise given_up(first + piece * part, "numbers are not finite")
            old = v
            q, v, impulses = (np.asarray(array, np.float64) for array in result[:3])
        assert result is not None
        try:
            history.add(last, q, v, (v - old) / part, result, part)
        except EffortError as failure:
            raise given_up(last, str(failure)) from None
        progress(last - start, end - start)
    return history.trajectory({"compile": built, "integrate": time.perf_counter() - before})


def _even(start: float, end: float, h: float) -> Array:
    return np.linspace(start, end, 1 + max(1, math.ceil((end - start) / h - _SLACK)))


class _History:
    """States at growing times, with what contacts did in the step before each."""

    def __init__(self, robot: Robot, driven: Driven, reason: str) -> None:
        self._robot, self._driven, self._reason = robot, driven, reason
        self._slots = bool(robot.model.contact_layout.slot_count)
        names = ["kinetic_energy", "potential_energy", *([CONTACT_SYSTEM] if driven.prescribed else [])]
        names += ["contact_gaps"] if self._slots else []
        names += ["actuation_matrix"] if driven.drive == "actuators" else []
        self._module = compiled(robot, names, steppers=[CONTACTS], lanes=False)
        self._step = self._module.contact_step
        system = self._module.manifest.function(CONTACT_FACTORS).signature
        outputs = {item.name: item for item in system.outputs}
        self._gap_at = list(outputs).index("gap")
        self._units = outputs["gap"].element_units
        self._rows, self._sets = outputs["c_free"].rows[0], set_rows(outputs["c_free"], outputs["gap"])
        self.rows = len(self._rows)
        self._kept: list[tuple[float, Array, Array, Array, ContactStep | None, float]] = []
        self._filled: list[tuple[Array, ...]] = []
        self._forces: list[Array] = []
        self._codes: list[ContactCode] = []
        self._worst = self._longest = 0.0
        self._newton = 0
        limits = driven.wanted, driven.bounds, driven.drive, driven.policy
        self._limits = LimitWatch(robot, *limits, _ERROR, _ERROR, self._slope)

    def start(self, t: float, q: Array, v: Array, h: float) -> tuple[Array, Array]:
        """Keep the first state, with prescribed rows where they begin."""
        q, v = q.copy(), v.copy()
        for row in self._driven.prescribed.values():
            q[row.q_row], v[row.v_row], _ = row.motion(t)
        given = (*self._driven.filled(t, q, v), *self._p(t))
        self._first_gaps = np.asarray(self._module.contact_factors(q, v, 0.0 * v, h, *given)[self._gap_at])
        self.add(t, q, v, np.zeros(self._robot.nv))
        return q, v

    def step(self, t: float, q: Array, v: Array, h: float, guess: Array) -> ContactStep:
        """One step from a state at a time."""
        parameters = self._p(t)
        is_kept = self._kept[-1][0] == t and self._kept[-1][1] is q
        filled = self._filled[-1] if is_kept else self._driven.filled(t, q, v)
        force = self._forces[-1] if is_kept else self._driven.inputs(t, q, v)
        if self._driven.drive == "actuators":
            force = self._module.actuation_matrix(q, *parameters) @ force
        result: ContactStep
        if self._driven.prescribed:
            result = self._prescribed_step(t, q, v, force, h, guess, filled)
        else:
            result = self._step(q, v, force, *filled, *parameters, h=h, guess=guess)
        self._longest = max(self._longest, h)
        self._codes.append(result.report.code)
        self._newton += result.report.newton
        if result.report.code is ContactCode.NOT_SOLVED:
            self._worst = max(self._worst, result.report.residual)
        return result

    def _prescribed_step(
        self, t: float, q: Array, v: Array, force: Array, h: float, guess: Array, filled: tuple[Array, ...]
    ) -> ContactStep:
        """One step, in NumPy, after which prescribed rows are where the motion prescribes."""
        prescribed, parameters = self._driven.prescribed, (*filled, *self._p(t))
        ends = {row.q_row: row.motion(t + h)[0] for row in prescribed.values()}
        speeds = np.array([(end - q[row]) / h for row, end in ends.items()])

        def system(given: Array) -> tuple[Array, ...]:
            result: tuple[Array, ...] = self._module.contact_system(q, v, given, h, *parameters)
            return result

        rows = [row.v_row for row in prescribed.values()]
        outputs = prescribed_system(system, force, rows, speeds, h)
        result = contact_step_by(outputs, self._robot.model, contact_sets(self._robot), q, v, h, guess)
        if result.report.code is not ContactCode.NOT_FINITE:
            result.q_next[list(ends)] = list(ends.values())
        return closed(Still(self._robot, self._module, self._driven.p(t), prescribed), result)

    def add(self, t: float, q: Array, v: Array, a: Array, step: ContactStep | None = None, h: float = 0.0) -> None:
        """Keep a state, with the step that ends there and its length.

        Raises
        ------
        EffortError
            An effort is beyond its limit, where such ones are refused.
        """
        self._kept.append((t, q, v, a, step, h))
        self._filled.append(self._driven.filled(t, q, v))
        self._forces.append(self._driven.inputs(t, q, v))
        self._limits.look(t, np.concatenate([q, v]))

    def _slope(self, t: float, y: Array) -> Array:
        """The rate of the last state that was kept, with the mean acceleration of the step before."""
        return np.concatenate([np.zeros(self._robot.nq), self._kept[-1][3]])

    def trajectory(self, timings: dict[str, float]) -> Trajectory:
        """All that was kept."""
        robot, driven = self._robot, self._driven
        t, q, v, a = (np.array([sample[place] for sample in self._kept]) for place in range(4))
        steps = [sample[4] for sample in self._kept]
        parameters = (np.array([driven.p(instant) for instant in t]),) if robot.runtime_parameters else ()
        given = (*map(np.array, zip(*self._filled, strict=True)), *parameters)
        gaps = self._gaps(q, given)
        idle = np.zeros(len(self._rows)), np.zeros(len(self._sets.names), np.intc)
        impulses = np.array([idle[0] if step is None else step.impulses for step in steps])
        loops = len(robot.model.loop_row_names)
        return Trajectory(
            robot_name=robot.name,
            robot_hash=robot_hash(robot),
            method=CONTACTS,
            coordinate_names=robot.coordinate_names,
            velocity_names=robot.velocity_names,
            multiplier_names=robot.model.loop_row_names,
            input_names=input_names(robot, driven.drive),
            t=t,
            q=q,
            v=v,
            a=a,
            multipliers=impulses[:, len(self._rows) - loops :],
            inputs=np.array(self._forces),
            kinetic_energy=np.asarray(self._module.kinetic_energy(q, v, *parameters)),
            potential_energy=np.asarray(self._module.potential_energy(q, *parameters)),
            counters={"steps": len(self._codes), "newton": self._newton},
            timings=timings,
            messages=self._messages(t, gaps[0], float(np.abs(impulses).max(initial=0.0))),
            reason=self._reason,
            robot=robot,
            contacts=ContactHistory(
                self._sets.names,
                self._rows,
                impulses,
                np.array([idle[1] if step is None else step.state for step in steps]),
                np.array([sample[5] for sample in self._kept]),
                *gaps,
            ),
        )

    def _p(self, t: float) -> tuple[Array, ...]:
        return (self._driven.p(t),) if self._robot.runtime_parameters else ()

    def _gaps(self, q: Array, given: tuple[Array, ...]) -> tuple[Array, Array, Array]:
        if not self._slots:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, 3)), np.zeros((len(q), 0, 3))
        gap, point, normal = self._module.contact_gaps(q, *given)
        return np.asarray(gap), np.asarray(point), np.asarray(normal)

    def _messages(self, t: Array, gaps: Array, largest: float) -> tuple[str, ...]:
        """What is said of the start, of thin parts and of the solver."""
        robot = self._robot
        layout, p = robot.model.contact_layout, self._driven.p(float(t[0]))
        values = Values(robot.model.parameters, robot.model.slots, p=p.tolist())
        return (
            *start_notes(layout, self._sets.names, self._first_gaps, self._units),
            *thin_note(layout, values, t, gaps, self._longest),
            *solver_notes(self._codes, self._worst, largest),
            *([self._limits.summary] if self._limits.summary else []),
        )
