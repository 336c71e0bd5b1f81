"""What one function is asked, of a certain robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from symdyn.errors import RequestError
from symdyn.functions.shown_frames import frame_numbers, frame_tasks
from symdyn.functions.switches import switched_loops
from symdyn.interface.argument_words import parted
from symdyn.interface.guesses import hint
from symdyn.interface.options import AT_RUN_TIME
from symdyn.interface.stepping import SEMI_IMPLICIT_EULER
from symdyn.model.model import Model


@dataclass(frozen=True, slots=True)
class Request:
    """How one function is asked for.

    ``external`` names the axes of f_ext (``body``, ``world``) or is empty, ``prescribed`` holds the rows of v whose
    acceleration is given, ``factorization`` tells which Coriolis matrix is meant, ``formulation`` which recursion
    computes the time derivatives (``body`` or ``spatial``), ``order`` is the highest of them. ``inputs`` tells whether
    generalised forces are given (``forces``) or the inputs of actuators (``actuators``), and ``weights`` how errors in
    rows of v count: a number each, ``input`` if they are given at run time, or nothing. ``unknown`` holds the
    numbers of the inputs of actuators that are looked for. Of robots with loops, ``actuated`` holds the rows of v that
    have forces, None for those that may, ``objective`` tells what is made the least where several forces do, and
    ``stabilisation`` is the time [s] in which errors of loops vanish, None to leave them; ``switched`` holds the
    numbers of the loops that hold or not as the input ``active`` tells, and ``restitution`` is ``input`` where loops
    give velocities back. ``frames`` holds the numbers of the frames that are shown, in this order,
    None for all; ``tasks`` holds numbers of frames and words of residuals. ``gradient`` is ``parameters`` where
    gradients have one by run-time parameters, too, and ``step`` is the method of functions of one step. A function sees
    only those options that it takes; the others keep their defaults.
    """

    external: str = ""
    prescribed: tuple[int, ...] = ()
    factorization: str = "christoffel"
    formulation: str = "body"
    inputs: str = "forces"
    order: int = 0
    weights: tuple[float, ...] | str = ""
    unknown: tuple[int, ...] = ()
    actuated: tuple[int, ...] | None = None
    objective: str = "torque"
    stabilisation: float | None = None
    switched: tuple[int, ...] = ()
    restitution: str = "none"
    frames: tuple[int, ...] | None = None
    tasks: tuple[tuple[int, str], ...] = ()
    gradient: str = "state"
    step: str = SEMI_IMPLICIT_EULER

    @property
    def unusual(self) -> dict[str, str]:
        """What was asked in one word and is not the default, but for axes of wrenches."""
        words = {
            item.name: (getattr(self, item.name), item.default) for item in fields(self) if item.name != "external"
        }
        return {name: word for name, (word, usual) in words.items() if isinstance(word, str) and word != usual}

    @classmethod
    def of(cls, model: Model, said: Mapping[str, Any]) -> Request:
        """What was said to a function about a robot, by the names of :class:`GenerateOptions`.

        Raises
        ------
        RequestError
            A prescribed or actuated velocity that the robot does not have, or that is named twice; weights that are not
            one per row of v; unknown inputs that the robot does not have, or not one per prescribed velocity; loops to
            switch that it does not have, or that rows which were left out follow from; frames that it does not have, or
            that are named twice.
        """
        meant = {("external" if name == "external_wrenches" else name): value for name, value in said.items()}
        if "prescribed" in meant:
            meant["prescribed"] = _rows(model, meant["prescribed"], "prescribed")
        if "actuated" in meant:
            meant["actuated"] = _rows(model, meant["actuated"], "actuated")
        if "unknown" in meant:
            meant["unknown"] = _inputs(model, meant["unknown"], meant)
        if "switched" in meant:
            meant["switched"] = switched_loops(model, meant["switched"])
        if "frames" in meant:
            meant["frames"] = frame_numbers(model, meant["frames"])
        if "tasks" in meant:
            meant["tasks"] = frame_tasks(model, meant["tasks"])
        if "weights" in meant:
            meant["weights"] = _weights(model, meant["weights"])
        return cls(**meant)


def free_rows(model: Model, request: Request) -> frozenset[int]:
    """Rows of v whose force is given, and whose acceleration is looked for."""
    return frozenset(range(model.nv)) - set(request.prescribed)


def is_driven(request: Request) -> bool:
    """Whether inputs of actuators are given in place of forces."""
    return request.inputs == "actuators"


def _weights(model: Model, said: Sequence[str]) -> tuple[float, ...] | str:
    """A number per row of v, or the word for weights that are given at run time."""
    if tuple(said) == (AT_RUN_TIME,):
        return AT_RUN_TIME
    if len(said) != model.nv:
        raise RequestError(
            f"weights has {len(said)} numbers; robot '{model.name}' has {model.nv} rows of v: "
            f"{', '.join(model.velocity_names)}"
        )
    return tuple(map(float, said))


def _inputs(model: Model, unknown: Sequence[str], said: Mapping[str, Any]) -> tuple[int, ...]:
    """Numbers of the inputs by name, in ascending order: as many as velocities are prescribed."""
    names = [own.name for own in model.actuator_inputs]
    unknown = parted(unknown, names)
    if said.get("inputs") != "actuators":
        raise RequestError("unknown names inputs of actuators; say inputs='actuators' with it, or leave unknown out")
    for name in unknown:
        if name not in names:
            listed = ", ".join(names) or "none"
            raise RequestError(f"unknown input '{name}' is none; robot '{model.name}' has {listed}")
    if len(set(unknown)) != len(unknown):
        raise RequestError(f"unknown names an input twice: {list(unknown)}; name each once")
    count = len(said.get("prescribed", ()))
    if len(unknown) != count:
        raise RequestError(
            f"unknown names {len(unknown)} inputs and prescribed {count} velocities; each prescribed velocity needs "
            "one input that gives it"
        )
    return tuple(sorted(names.index(name) for name in unknown))


def _rows(model: Model, names: Sequence[str], what: str) -> tuple[int, ...]:
    """Rows of v by name, in ascending order; a text that is no name may hold several with commas."""
    names = parted(names, model.velocity_names)
    for name in names:
        if name not in model.velocity_names:
            raise RequestError(
                f"{what} velocity '{name}' is unknown; robot '{model.name}' has {', '.join(model.velocity_names)}"
                f"{hint(name, model.velocity_names)}"
            )
    if len(set(names)) != len(names):
        raise RequestError(f"{what} names a velocity twice: {list(names)}; name each once")
    return tuple(sorted(model.velocity_names.index(name) for name in names))
