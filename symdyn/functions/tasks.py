"""Errors of frames, which inverse kinematics makes vanish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symdyn.dynamics.control.residuals import KINDS, POSE, Residual, task_errors_plan
from symdyn.functions import arguments
from symdyn.functions.entry import CatalogueEntry
from symdyn.functions.parts import FRAMES
from symdyn.functions.request import Request
from symdyn.functions.shown_frames import with_frames
from symdyn.functions.units import move, quotient
from symdyn.interface.signature import Argument, Signature
from symdyn.model.frame_policy import AS_DESCRIBED
from symdyn.model.model import Model
from symdyn.plan.plan import Plan

NAME = "task_errors"


def _tasks(model: Model, request: Request) -> tuple[tuple[int, str], ...]:
    """Those that are asked for, by default the pose of every frame."""
    return request.tasks or tuple((frame, POSE.word) for frame in range(len(model.frame_names)))


def _rows(model: Model, tasks: Sequence[tuple[int, str]], part: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the rows or the targets of all tasks."""
    named = [
        (f"{model.frame_names[frame]}.{name}" + ("" if word == POSE.word else f" ({word})"), unit)
        for frame, word in tasks
        for name, unit in getattr(KINDS[word], part)
    ]
    return tuple(name for name, _ in named), tuple(unit for _, unit in named)


def _signature(model: Model, request: Request) -> Signature:
    tasks = _tasks(model, request)
    (names, units), (asked, given) = (_rows(model, tasks, part) for part in ("rows", "targets"))
    columns = tuple(quotient(unit, move(column)) for unit in units for column in model.velocity_units)
    targets = Argument("targets", (len(asked),), (asked,), given, "targets; quaternions and axes of any length")
    slopes = Argument(
        "de_dq", (len(names), model.nv), (names, model.velocity_names), columns, "changes of e per move of q"
    )
    return arguments.signature(
        model,
        request,
        NAME,
        (arguments.coordinates(model), targets),
        (Argument("e", (len(names),), (names,), units, "errors of the tasks"), slopes),
        "Errors e of frames against their targets at position q, and how moves of q change them.",
        feels_gravity=False,
        tasks=task_names(model, tasks),
    )


def task_names(model: Model, tasks: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Tasks as they are asked for."""
    names = model.frame_names
    return tuple(names[frame] if word == POSE.word else f"{names[frame]}:{word}" for frame, word in tasks)


def _plan(model: Model, request: Request) -> Plan:
    tasks = _tasks(model, request)
    frames = tuple(dict.fromkeys(frame for frame, _ in tasks))
    residuals = [Residual(frames.index(frame), KINDS[word]) for frame, word in tasks]
    return task_errors_plan(with_frames(model, frames), residuals)


ENTRIES = (
    CatalogueEntry(
        NAME,
        "Errors of frames against targets, and their slopes: q, targets -> e, (m,), de_dq, (m, nv).",
        _signature,
        _plan,
        equation="e = log(X_ref^-1 X), (v; w), of a pose; p - p_ref of a position; z - z_ref of an axis; de = de_dq dq",
        source="Lynch & Park 2017, section 6.2; Barfoot 2017, section 7.1, for the slopes of the logarithm",
        takes=("tasks",),
        frames=AS_DESCRIBED,
        needs=FRAMES,
    ),
)
