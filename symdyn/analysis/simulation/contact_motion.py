"""Motions with rigid contacts: steps of fixed length, each with the impulses that the laws of contact ask for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.given import input_names
from symdyn.analysis.simulation.system import Inputs, Law
from symdyn.analysis.simulation.trajectory import ContactHistory, Trajectory, robot_hash
from symdyn.errors import RequestError, SolverError
from symdyn.generation.generate import compile as compiled
from symdyn.interface.argument_words import given_positive
from symdyn.interface.contact_solving import ContactCode, ContactStep, set_rows
from symdyn.interface.stepping import CONTACT_SYSTEM, CONTACTS
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
STEP = 1e-3
"""Length of a step where nobody gives one [s]."""
_SLACK = 1e-6
"""Part of a step by which a span may be longer without one more."""


@dataclass(frozen=True)
class Driven:
    """What acts on a robot: inputs of t, q and v, whether these are of actuators, and run-time parameters."""

    inputs: Inputs
    drive: str
    p: Law


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
    told: Callable[[float, float], object],
) -> Trajectory:
    """The motion from a state: at the given times, between which lie equal steps of at most h, or after each step.

    Raises
    ------
    RequestError
        A step that is not above 0.
    SolverError
        Numbers that are not finite; ``partial`` is the motion up to there.
    """
    start, end, samples = span
    length = STEP if h is None else given_positive("h", h)
    before = time.perf_counter()
    history = _History(robot, driven, reason)
    built, before = time.perf_counter() - before, time.perf_counter()
    times = samples if samples is not None else _even(start, end, length)
    history.add(times[0], q, v, None, 0.0)
    impulses = np.zeros(history.rows)
    for first, last in pairwise(times):
        pieces = max(1, math.ceil((last - first) / length - _SLACK))
        part, found = (last - first) / pieces, None
        for piece in range(pieces):
            found = history.step(first + piece * part, q, v, part, impulses)
            if found.report.code is ContactCode.NOT_FINITE:
                partial = history.trajectory({"compile": built, "integrate": time.perf_counter() - before})
                raise SolverError(
                    f"{CONTACTS} gave up at t = {first + piece * part:.6g} s: numbers are not finite; the motion up to "
                    f"t = {partial.t[-1]:.6g} s is kept in .partial",
                    partial,
                )
            old = v
            q, v, impulses = (np.asarray(own, np.float64) for own in found[:3])
        assert found is not None
        history.add(last, q, v, found, part, (v - old) / part)
        told(last - start, end - start)
    return history.trajectory({"compile": built, "integrate": time.perf_counter() - before})


def _even(start: float, end: float, h: float) -> Array:
    return np.linspace(start, end, 1 + max(1, math.ceil((end - start) / h - _SLACK)))


class _History:
    """States at growing times, with what contacts did in the step before each."""

    def __init__(self, robot: Robot, driven: Driven, reason: str) -> None:
        self._robot, self._driven, self._reason = robot, driven, reason
        self._slots = bool(robot.model.contact_layout.slots)
        names = ["kinetic_energy", "potential_energy", CONTACT_SYSTEM]
        names += ["contact_gaps"] if self._slots else []
        names += ["actuation_matrix"] if driven.drive == "actuators" else []
        self._module = compiled(robot, names, steppers=[CONTACTS], lanes=False)
        self._step = self._module.contact_step
        system = self._module.manifest.function(CONTACT_SYSTEM).signature
        outputs = {item.name: item for item in system.outputs}
        self._rows, self._sets = outputs["c_free"].rows[0], set_rows(outputs["c_free"], outputs["gap"])
        self.rows = len(self._rows)
        self._kept: list[tuple[float, Array, Array, Array, ContactStep | None]] = []
        self._codes: list[ContactCode] = []
        self._worst = 0.0
        self._newton = 0

    def step(self, t: float, q: Array, v: Array, h: float, guess: Array) -> ContactStep:
        """One step from a state at a time."""
        parameters = self._p(t)
        force = self._driven.inputs(t, q, v)
        if self._driven.drive == "actuators":
            force = self._module.actuation_matrix(q, *parameters) @ force
        found: ContactStep = self._step(q, v, force, *parameters, h=h, guess=guess)
        self._codes.append(found.report.code)
        self._newton += found.report.newton
        if found.report.code is ContactCode.NOT_SOLVED:
            self._worst = max(self._worst, found.report.residual)
        return found

    def add(self, t: float, q: Array, v: Array, found: ContactStep | None, h: float, a: Array | None = None) -> None:
        """Keep a state, with the step that ends there."""
        self._kept.append((t, q, v, np.zeros(self._robot.nv) if a is None else a, found))

    def trajectory(self, timings: dict[str, float]) -> Trajectory:
        """All that was kept."""
        robot, driven = self._robot, self._driven
        t, q, v, a = (np.array([own[place] for own in self._kept]) for place in range(4))
        steps = [own[4] for own in self._kept]
        given = (np.array([driven.p(own) for own in t]),) if robot.runtime_parameters else ()
        idle = np.zeros(len(self._rows)), np.zeros(len(self._sets.names), np.intc)
        impulses = np.array([idle[0] if own is None else own.impulses for own in steps])
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
            inputs=np.array([driven.inputs(*own[:3]) for own in self._kept]),
            kinetic_energy=np.asarray(self._module.kinetic_energy(q, v, *given)),
            potential_energy=np.asarray(self._module.potential_energy(q, *given)),
            counters={"steps": len(self._codes), "newton": self._newton},
            timings=timings,
            messages=self._messages(),
            reason=self._reason,
            robot=robot,
            contacts=ContactHistory(
                self._sets.names,
                self._rows,
                impulses,
                np.array([idle[1] if own is None else own.state for own in steps]),
                *self._gaps(q, given),
            ),
        )

    def _p(self, t: float) -> tuple[Array, ...]:
        return (self._driven.p(t),) if self._robot.runtime_parameters else ()

    def _gaps(self, q: Array, given: tuple[Array, ...]) -> tuple[Array, Array, Array]:
        if not self._slots:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, 3)), np.zeros((len(q), 0, 3))
        gap, point, normal = self._module.contact_gaps(q, *given)
        return np.asarray(gap), np.asarray(point), np.asarray(normal)

    def _messages(self) -> tuple[str, ...]:
        missed, crowded = (
            sum(own is code for own in self._codes) for code in (ContactCode.NOT_SOLVED, ContactCode.TOO_MANY)
        )
        lines = []
        if missed:
            lines.append(
                f"in {missed} of {len(self._codes)} steps impulses were not solved; the worst residual is "
                f"{self._worst:.3g} N s"
            )
        if crowded:
            lines.append(
                f"in {crowded} of {len(self._codes)} steps more contacts touched than are solved at once; raise "
                "max_contacts of contact_options"
            )
        return tuple(lines)
