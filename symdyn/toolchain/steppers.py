"""Steppers of a compiled module from Python: one C call per step, or for all states at given times."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.errors import RequestError
from symdyn.interface.contact_calls import partials_of
from symdyn.interface.contact_solving import (
    TOUCHED_BODIES,
    TOUCHING,
    ContactCode,
    ContactPartials,
    ContactReport,
    ContactStep,
    given_states,
    set_rows,
)
from symdyn.interface.manifest import Manifest, StepperEntry
from symdyn.interface.rollout_calls import calls_apart
from symdyn.interface.signature import Argument, option_names
from symdyn.interface.stepping import ADAPTIVE, CONTACTS, FOLLOWING, REMEMBERING, TAYLOR
from symdyn.interface.touching import check_touching
from symdyn.toolchain.arrays import place_of, vector
from symdyn.toolchain.entry_points import POINTER, SIZE, entry_point, opened_library

Array = NDArray[Any]
_STATE = ("q", "v")
_MADE = ("a", "lambda", "h")
_MAX_STEPS = 1_000_000


class StepCode(IntEnum):
    """How a step, or a series of steps, ended; the values are those of the header."""

    DONE = 0
    TOO_MANY_STEPS = 1
    NO_CONVERGENCE = 2
    TOO_SMALL = 3
    NOT_FINITE = 4
    BAD_SETTINGS = 5
    NOT_STARTED = 6
    CONTACT_PASSED = 7


@dataclass(frozen=True, slots=True)
class Advanced:
    """States at the given times, as far as they were reached.

    ``q`` (k, nq) and ``v`` (k, nv) are for the first k times; all times if ``code`` is ``DONE``. ``steps`` counts steps
    taken, ``refused`` steps that were tried and not taken.
    """

    q: Array
    v: Array
    steps: int
    refused: int
    code: StepCode


class Stepper:
    """What both calls of a stepper share: the functions of the library, and reading of arguments.

    ``start`` and ``step`` are the C functions, for callers that step on from where they are.
    """

    def __init__(self, library: ctypes.CDLL, entry: StepperEntry, manifest: Manifest) -> None:
        self.entry = entry
        self.dtype = np.dtype(manifest.dtype)
        self.inputs: Sequence[Argument] = tuple(_inputs(manifest, entry))
        self.nq, self.nv = (next(item.size for item in self.inputs if item.name == name) for name in _STATE)
        self.bodies = option_names(manifest.function(entry.moved_by).signature.options, TOUCHED_BODIES)
        asked = manifest.asked.get("prescribed") if entry.method in FOLLOWING else None
        self.prescribed = len(asked or ())
        self.names = ", ".join([*(item.name for item in self.inputs), *(["prescribed"] if self.prescribed else [])])
        number = ctypes.c_double if manifest.dtype == "float64" else ctypes.c_float
        pointers = [POINTER] * (len(self.inputs) + (self.prescribed > 0))
        settings = [number] * (2 if entry.method in ADAPTIVE else 1)
        spans = [POINTER, SIZE, *settings, SIZE, *[POINTER] * 4]
        results = 6 if entry.method == CONTACTS else 3
        self.step = entry_point(library, entry.c_name, *pointers, number, *[POINTER] * results)
        self.advance = entry_point(library, f"{entry.c_name}_advance", *pointers, *spans)
        partials = len(partials_of(manifest)) if entry.partials else 0
        own = [*pointers, number, *[POINTER] * (partials + 3)]
        self.partials = entry_point(library, entry.partials, *own) if entry.partials else None
        remembers = entry.method in REMEMBERING
        self.start = entry_point(library, f"{entry.c_name}_start", *pointers, POINTER) if remembers else None

    def read(self, name: str, given: Sequence[Any], times: int) -> list[Array]:
        """The inputs as contiguous arrays of the right shape, all finite; prescribed joints at so many times."""
        shapes = [(item.name, item.shape) for item in self.inputs]
        shapes += [("prescribed", (times, 3, self.prescribed))] if self.prescribed else []
        if len(given) != len(shapes):
            raise RequestError(f"{name}: expected {self.names}, got {len(given)} arrays")
        found = [
            vector(name, item, value, shape, self.dtype) for (item, shape), value in zip(shapes, given, strict=True)
        ]
        for (item, _), array in zip(shapes, found, strict=True):
            if item == TOUCHING:
                check_touching(f"{name}: ", array, self.bodies)
        return found

    def work(self) -> Array:
        """A workspace of its own for each call."""
        return np.empty(self.entry.work_size, self.dtype)


def load_steppers(path: str, manifest: Manifest) -> Mapping[str, Callable[..., Any]]:
    """Callables ``step_<method>`` and ``advance_<method>`` of a compiled module, by name.

    Raises
    ------
    ToolchainError
        The library lacks a stepper.
    """
    if not manifest.steppers:
        return {}
    with opened_library(path, f"holds no steppers of robot {manifest.robot!r}") as library:
        steppers = [Stepper(library, entry, manifest) for entry in manifest.steppers]
    found: dict[str, Callable[..., Any]] = {}
    for stepper in steppers:
        if stepper.entry.method == CONTACTS:
            found["contact_step"] = _contact_step(stepper, manifest)
            if stepper.partials is not None:
                found["contact_step_partials"] = _contact_step_partials(stepper, manifest)
        else:
            found[stepper.entry.python_name] = _step(stepper)
        found[stepper.entry.python_name.replace("step_", "advance_", 1)] = _advance(stepper)
    return found


def addresses_apart(path: str, manifest: Manifest) -> dict[str, tuple[int, int]]:
    """Where the C of steps with rigid contacts and of rollouts is, by name; there are no forms for batches.

    Raises
    ------
    ToolchainError
        The library lacks one.
    """
    calls = calls_apart(manifest)
    if not calls:
        return {}
    with opened_library(path, f"lacks steps of robot {manifest.robot!r}") as library:
        found = {own.python_name: ctypes.cast(library[own.c_name], ctypes.c_void_p).value or 0 for own in calls}
    return {name: (place, 0) for name, place in found.items()}


def _step(stepper: Stepper) -> Callable[..., tuple[Array, Array]]:
    name = stepper.entry.python_name

    def step(*given: ArrayLike, h: float) -> tuple[Array, Array]:
        inputs = stepper.read(name, given, 2)
        after = [inputs[-1][1]] if stepper.prescribed else []
        q, v, work = np.empty(stepper.nq, stepper.dtype), np.empty(stepper.nv, stepper.dtype), stepper.work()
        length = _positive(name, "h", h)
        code = StepCode.DONE
        if stepper.start is not None:
            code = StepCode(stepper.start(*map(place_of, inputs), place_of(work)))
        if code is StepCode.DONE:
            held = [*inputs[: len(stepper.inputs)], *after]
            code = StepCode(stepper.step(*map(place_of, held), length, *map(place_of, (q, v, work))))
        if code is not StepCode.DONE:
            raise RequestError(f"{name}: no state after a step of {h:g} s ({_REASONS[code]})")
        return q, v

    step.__name__ = name
    step.__doc__ = f"The state (q, v) a step of ``h`` seconds later: ``{name}({stepper.names}, h=...)``."
    if stepper.prescribed:
        step.__doc__ += (
            f"\n\nprescribed (2, 3, {stepper.prescribed}): q, v and a of prescribed joints, before and after."
        )
    return step


class _Report(ctypes.Structure):
    """The record of the header, in doubles."""

    _fields_: ClassVar = [
        *((name, ctypes.c_double) for name in ("residual", "work", "margin")),
        *((name, ctypes.c_int) for name in ("newton", "sweeps", "code")),
    ]


class _FloatReport(ctypes.Structure):
    """The record of the header, in floats."""

    _fields_: ClassVar = [
        *((name, ctypes.c_float) for name in ("residual", "work", "margin")),
        *((name, ctypes.c_int) for name in ("newton", "sweeps", "code")),
    ]


def _contact_step(stepper: Stepper, manifest: Manifest) -> Callable[..., ContactStep]:
    outputs = {item.name: item for item in manifest.function(stepper.entry.moved_by).signature.outputs}
    rows, sets = outputs["c_free"].size, set_rows(outputs["c_free"], outputs["gap"])
    record = _Report if stepper.dtype == np.float64 else _FloatReport

    def contact_step(*given: ArrayLike, h: float, guess: ArrayLike | None = None) -> ContactStep:
        inputs, length = stepper.read("contact_step", given, 2), _positive("contact_step", "h", h)
        impulses = np.zeros(rows, stepper.dtype)
        if guess is not None:
            impulses[:] = vector("contact_step", "guess", guess, (rows,), stepper.dtype)
        q, v = np.empty(stepper.nq, stepper.dtype), np.empty(stepper.nv, stepper.dtype)
        state, report, work = np.zeros(len(sets.names), np.intc), record(), stepper.work()
        code = StepCode(
            stepper.step(
                *map(place_of, inputs),
                length,
                *map(place_of, (q, v, impulses, state)),
                ctypes.addressof(report),
                place_of(work),
            )
        )
        if code not in (StepCode.DONE, StepCode.NOT_FINITE):
            raise RequestError(f"contact_step: no state after a step of {h:g} s ({_REASONS[code]})")
        numbers = report.residual, report.work, report.margin, report.newton, report.sweeps
        return ContactStep(q, v, impulses, state, ContactReport(*numbers, ContactCode(report.code)))

    contact_step.__doc__ = (
        f"A step with rigid contacts: ``contact_step({stepper.names}, h=, guess=)``.\n\nReturns a ``ContactStep``: "
        f"q_next, v_next, impulses ({rows},), state ({len(sets.names)},), report. guess ({rows},) are impulses to "
        "start from, such as those of the step before."
    )
    return contact_step


def _contact_step_partials(stepper: Stepper, manifest: Manifest) -> Callable[..., ContactPartials]:
    name, shapes = "contact_step_partials", partials_of(manifest)
    outputs = {item.name: item for item in manifest.function(stepper.entry.moved_by).signature.outputs}
    rows, sets = outputs["c_free"].size, set_rows(outputs["c_free"], outputs["gap"])
    function = stepper.partials
    assert function is not None, "the manifest names it"

    def contact_step_partials(*given: ArrayLike, h: float, impulses: ArrayLike, state: ArrayLike) -> ContactPartials:
        inputs, length = stepper.read(name, given, 2), _positive(name, "h", h)
        pressed = vector(name, "impulses", impulses, (rows,), stepper.dtype)
        states = given_states(state, len(sets.names))
        found = {own: np.empty(shape, stepper.dtype) for own, shape in shapes.items()}
        work = np.empty(stepper.entry.partials_work, stepper.dtype)
        places = map(place_of, (pressed, states, *found.values(), work))
        code = StepCode(function(*map(place_of, inputs), length, *places))
        if code is not StepCode.DONE:
            raise RequestError(f"{name}: no derivatives in this state ({_REASONS[code]}, or slopes are singular)")
        return ContactPartials(**found)

    contact_step_partials.__doc__ = (
        f"Derivatives of a step: ``{name}({stepper.names}, h=, impulses=, state=)``.\n\nReturns a ``ContactPartials``: "
        f"of q_next, as moves along rows of v, v_next and lambda ({rows},), by moves of q and the other inputs."
    )
    return contact_step_partials


def _advance(stepper: Stepper) -> Callable[..., Advanced]:
    name = stepper.entry.python_name.replace("step_", "advance_", 1)

    def run(given: Sequence[Any], times: ArrayLike, settings: Sequence[float], max_steps: int) -> Advanced:
        instants = np.ascontiguousarray(times, stepper.dtype)
        if instants.ndim != 1 or not np.all(np.isfinite(instants)) or np.any(np.diff(instants) < 0.0):
            raise RequestError(f"{name}: times are one axis of finite numbers [s] that do not decrease")
        if not 0 <= max_steps < 2**63:
            raise RequestError(f"{name}: max_steps is a number of steps, got {max_steps!r}")
        rows = len(instants)
        inputs = stepper.read(name, given, rows)
        q, v = np.empty((rows, stepper.nq), stepper.dtype), np.empty((rows, stepper.nv), stepper.dtype)
        counts, work = (ctypes.c_size_t * 3)(), stepper.work()
        code = StepCode(
            stepper.advance(
                *map(place_of, inputs),
                place_of(instants),
                rows,
                *settings,
                max_steps,
                place_of(q),
                place_of(v),
                ctypes.addressof(counts),
                place_of(work),
            )
        )
        reached = counts[2]
        return Advanced(q[:reached], v[:reached], counts[0], counts[1], code)

    def adaptive(
        *given: ArrayLike, times: ArrayLike, rtol: float = 1e-6, atol: float = 1e-6, max_steps: int = _MAX_STEPS
    ) -> Advanced:
        return run(given, times, [_positive(name, "rtol", rtol), _positive(name, "atol", atol)], max_steps)

    def fixed(*given: ArrayLike, times: ArrayLike, h: float, max_steps: int = _MAX_STEPS) -> Advanced:
        return run(given, times, [_positive(name, "h", h)], max_steps)

    advance = adaptive if stepper.entry.method in ADAPTIVE else fixed
    held = (
        "Inputs are polynomials, by their derivatives at the first time."
        if stepper.entry.method == TAYLOR
        else "Inputs are held all the time."
    )
    settings = "rtol, atol" if stepper.entry.method in ADAPTIVE else "h"
    advance.__name__ = name
    advance.__doc__ = (
        f"The states at ``times``, the first of which is the start: ``{name}({stepper.names}, times=, {settings})``."
        f"\n\n{held} Returns an ``Advanced``: q, v, steps, refused, code."
    )
    if stepper.prescribed:
        shape = f"(len(times), 3, {stepper.prescribed})"
        advance.__doc__ += f"\n\nprescribed {shape}: q, v and a of prescribed joints at each time."
    return advance


_REASONS = {
    StepCode.TOO_MANY_STEPS: "too many steps",
    StepCode.NO_CONVERGENCE: "Newton's method stopped short",
    StepCode.TOO_SMALL: "the step became too small",
    StepCode.NOT_FINITE: "numbers are not finite",
    StepCode.BAD_SETTINGS: "the step, a tolerance or times make no sense",
    StepCode.NOT_STARTED: "the workspace was not started",
    StepCode.CONTACT_PASSED: "a contact begins and ends within the step; take a shorter one",
}


def _inputs(manifest: Manifest, entry: StepperEntry) -> list[Argument]:
    """What a stepper takes: the inputs of the function that moves the robot, but those that it finds itself."""
    inputs = manifest.function(entry.moved_by).signature.inputs
    return [item for item in inputs if item.name not in _MADE]


def _positive(name: str, what: str, value: float) -> float:
    if not 0.0 < value < float("inf"):
        raise RequestError(f"{name}: {what} is a number above 0, got {value!r}")
    return float(value)
