"""Some frames of a robot in place of all, for functions that show frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symdyn.description.text.position import hint
from symdyn.dynamics.control.residuals import KINDS, POSE
from symdyn.errors import RequestError
from symdyn.interface.argument_words import parted
from symdyn.interface.guesses import some_of
from symdyn.model.model import Model
from symdyn.plan.compose import wanted
from symdyn.plan.plan import Plan


def frame_numbers(model: Model, names: Sequence[str]) -> tuple[int, ...]:
    """Numbers of the frames by name, in this order; a text that is no frame may hold several names with commas.

    Raises
    ------
    RequestError
        A frame that the robot does not have, or that is named twice.
    """
    known = model.frame_names
    names = parted(names, known)
    for name in names:
        if name not in known:
            raise RequestError(
                f"frame '{name}' is unknown; robot '{model.name}' has {some_of(name, known)}{hint(name, known)}"
            )
    if len(set(names)) != len(names):
        raise RequestError(f"frames names a frame twice: {list(names)}; name each once")
    return tuple(map(known.index, names))


def frame_tasks(model: Model, names: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Frames and words of residuals, of names such as ``tool``, for its pose, and ``tool:axis``.

    Raises
    ------
    RequestError
        A frame that the robot does not have, a word that is no residual, a task that is named twice.
    """
    known = model.frame_names
    every = (*known, *(f"{name}:{word}" for name in known for word in KINDS))
    found = []
    for name in parted(names, every):
        frame, _, word = (name, "", POSE.word) if name in known else name.rpartition(":")
        if frame not in known or word not in KINDS:
            raise RequestError(
                f"task '{name}' is unknown; expected a frame, or a frame and one of {', '.join(KINDS)} after a colon; "
                f"robot '{model.name}' has {some_of(name, known)}{hint(name, every)}"
            )
        found.append((known.index(frame), word))
    if len(set(found)) != len(found):
        raise RequestError(f"tasks names one twice: {list(names)}; name each once")
    return tuple(found)


def with_frames(model: Model, numbers: Sequence[int] | None) -> Model:
    """The model with these frames alone, in this order; all of them for None."""
    return model if numbers is None else replace(model, frames=tuple(model.frames[number] for number in numbers))


def of_frames(plan: Plan, numbers: Sequence[int] | None) -> Plan:
    """The plan without what only frames need that are not shown, such as bodies of other branches."""
    return plan if numbers is None else wanted(plan)
