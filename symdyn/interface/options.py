"""What a user may ask of functions beside their names: one frozen record, from the command line to the plan.

A new option of a function is a field of :class:`GenerateOptions` here, with its help and its choices, and a keyword in
:class:`FunctionOptions`; a field of ``functions.request.Request``, whose default is what is meant where nobody asks;
and a name in ``takes`` of the function. Public functions, command line, header and manifest follow. This file imports
no room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any, TypedDict

from symdyn.errors import RequestError
from symdyn.interface.argument_words import given_choice, given_flag, given_whole, given_word, listed_names, parted
from symdyn.interface.contact_solving import EFFORTS
from symdyn.interface.cpus import NAMES as CPU_NAMES
from symdyn.interface.guesses import hint
from symdyn.interface.rollouts import ROLLOUT, ROLLOUT_METHODS
from symdyn.interface.solving import SOLVERS
from symdyn.interface.stepping import CONTACTS, METHODS, STEP_METHODS
from symdyn.interface.targets import find_target


class FunctionOptions(TypedDict, total=False):
    """Keywords of ``generate`` and ``compile`` that change what a function means."""

    external_wrenches: str | None
    prescribed: Sequence[str] | None
    factorization: str | None
    formulation: str | None
    inputs: str | None
    weights: Sequence[float] | str | None
    unknown: Sequence[str] | None
    actuated: Sequence[str] | None
    objective: str | None
    stabilisation: float | None
    switched: Sequence[str] | None
    restitution: str | None
    frames: Sequence[str] | None
    tasks: Sequence[str] | None
    gradient: str | None
    step: str | None


class RequestOptions(FunctionOptions, total=False):
    """These, and the order."""

    order: int


AT_RUN_TIME = "input"
"""The word for weights and the like that are given at run time."""


def _option(help: str, choices: tuple[str, ...] = ()) -> Any:
    """A field of what changes the meaning of functions; None where nothing was said."""
    return field(default=None, metadata={"help": help, "choices": choices})


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """Everything that ``generate`` and ``compile`` are told but the robot and the folder."""

    functions: tuple[str, ...]
    target: str = "c"
    layout: str = "auto"
    dtype: str = "float64"
    order: int = field(default=0, metadata={"help": "Highest time derivative, for *_time_derivatives."})
    steppers: tuple[str, ...] | None = None
    solvers: tuple[str, ...] | None = None
    rollout: str | None = None
    effort: str | None = None
    name: str | None = None
    hessian: bool | None = None
    cpu: str | None = None
    external_wrenches: str | None = _option("Take a wrench per body, in body or world axes.", ("body", "world"))
    prescribed: tuple[str, ...] | None = _option(
        "Velocity with given acceleration, for hybrid_dynamics, or given motion, for steppers; repeatable, or with "
        "commas."
    )
    factorization: str | None = _option("Which coriolis_matrix.", ("christoffel", "lemma1"))
    formulation: str | None = _option(
        "Time derivatives in body frames, or by the published spatial recursion.", ("body", "spatial")
    )
    inputs: str | None = _option("Give generalised forces, or the inputs of actuators.", ("forces", "actuators"))
    unknown: tuple[str, ...] | None = _option(
        "Unknown input of hybrid dynamics by actuators, one per prescribed velocity; repeatable, or with commas."
    )
    weights: tuple[str, ...] | None = _option(
        "Weights of inverse_actuation and of constrained_inverse_dynamics, one per row of v; or input: given at run "
        "time. Repeatable, or with commas."
    )
    actuated: tuple[str, ...] | None = _option(
        "Velocity whose joint has a force, for constrained_inverse_dynamics; repeatable, or with commas."
    )
    objective: str | None = _option(
        "What constrained_inverse_dynamics minimises: joint forces, or multipliers.", ("torque", "force")
    )
    stabilisation: float | None = _option("Time [s] in which errors of closed loops vanish.")
    switched: tuple[str, ...] | None = _option(
        "Loop that the input active switches on and off, for constrained functions; repeatable, or with commas."
    )
    restitution: str | None = _option(
        "Take a coefficient of restitution per loop, for impulse_dynamics.", ("none", "input")
    )
    frames: tuple[str, ...] | None = _option(
        "Frame whose pose or Jacobian is computed, in this order, by default all; repeatable, or with commas."
    )
    tasks: tuple[str, ...] | None = _option(
        "Task of task_errors and inverse kinematics: FRAME for its pose, FRAME:position, FRAME:axis for its z axis; "
        "repeatable, or with commas."
    )
    gradient: str | None = _option(
        "Give gradients by the state and what is given, by run-time parameters too, or also by the length of a step.",
        ("state", "parameters", "step"),
    )
    step: str | None = _option("Method of step and its derivatives.", STEP_METHODS)

    @classmethod
    def checked(cls, functions: Sequence[str], **asked: Any) -> GenerateOptions:
        """The record of what was said.

        Raises
        ------
        RequestError
            No function, what is no list of names, an order that is no whole number, none of the choices, an option that
            there is not.
        """
        refuse_unknown(asked, (item.name for item in fields(cls)))
        names = tuple(part.strip() for name in _names(functions) or () for part in name.split(","))
        if not names:
            raise RequestError(f"functions is a list of at least one name, got {functions!r}; try ['inverse_dynamics']")
        found = replace(cls(functions=names), **asked)
        for item in fields(cls):
            choices, value = item.metadata.get("choices", ()), getattr(found, item.name)
            if choices and value is not None:
                given_choice(item.name, value, choices)
            # Of these, which ones there are is known where they are made.
            if item.name in ("target", "layout", "dtype"):
                given_word(item.name, value, str(item.default))
        return replace(
            found,
            order=given_whole("order", found.order),
            steppers=_in_c("steppers", "method", (*METHODS, CONTACTS), found.steppers, found.target),
            solvers=_in_c("solvers", "solver", SOLVERS, found.solvers, found.target),
            rollout=_rollout(found.rollout, found.target),
            effort=None if found.effort is None else given_choice("effort", found.effort, EFFORTS),
            name=_text("name", found.name),
            hessian=_hessian(found.hessian, found.target),
            cpu=None if found.cpu is None else given_choice("cpu", found.cpu, CPU_NAMES),
            prescribed=_listed("prescribed", "velocity", found.prescribed),
            unknown=_listed("unknown", "input", found.unknown),
            weights=_weights(found.weights),
            actuated=_listed("actuated", "velocity", found.actuated),
            switched=_listed("switched", "loop", found.switched),
            frames=_frames(found.frames),
            tasks=_listed("tasks", "frame", found.tasks),
            stabilisation=None if found.stabilisation is None else _time(found.stabilisation),
        )

    @property
    def solving(self) -> tuple[str, ...]:
        """Solvers, rollouts among them."""
        return (*(self.solvers or ()), *([ROLLOUT] if self.rollout else []))

    @property
    def stepping(self) -> tuple[str, ...]:
        """Steppers, with that of which rollouts take steps."""
        return tuple(dict.fromkeys((*(self.steppers or ()), *([CONTACTS] if self.rollout == CONTACTS else []))))

    @property
    def said(self) -> dict[str, Any]:
        """The options that change the meaning of functions, those alone that were given."""
        given = {item.name: getattr(self, item.name) for item in fields(self) if "help" in item.metadata}
        return {name: value for name, value in given.items() if value}

    def record(self) -> dict[str, Any]:
        """Plain data for the manifest; of some options only where they were said."""
        found = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "target"}
        found = {name: value for name, value in found.items() if value is not None or name not in _WHERE_SAID}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any], target: str) -> GenerateOptions:
        """Inverse of :meth:`record`; what the words mean is for the catalogue to judge.

        Raises
        ------
        RequestError
            A record with other options than there are, or with values of other kinds.
        """
        record = {**dict.fromkeys(_WHERE_SAID), **record}
        known = {item.name: str(item.type) for item in fields(cls) if item.name != "target"}
        for name in sorted(known.keys() ^ record.keys()):
            raise RequestError(f"asked lacks '{name}'" if name in known else f"asked has '{name}', which is not known")
        for name, kind in known.items():
            fits, expected = _FORMS[kind]
            if not fits(record[name]):
                raise RequestError(f"asked.{name} is {record[name]!r}, expected {expected}")
        return cls.checked(**{**record, "target": target})


_WHERE_SAID = ("steppers", "solvers", "rollout", "name", "frames", "tasks", "hessian", "gradient", "step", "cpu")
"""Options that a record holds only where something was said: they came after the others."""


def refuse_unknown(asked: Iterable[str], known: Iterable[str]) -> None:
    """Raise a RequestError for an option that is not known."""
    names = dict.fromkeys(known)
    for name in asked:
        if name not in names:
            raise RequestError(f"option '{name}' is not known here; there are {', '.join(names)}{hint(name, names)}")


def _in_c(option: str, what: str, known: Sequence[str], given: Any, target: str) -> tuple[str, ...] | None:
    """Steppers or solvers, each once; None where there are none."""
    names = _listed(option, what, given)
    names = names and tuple(parted(names, known))
    for name in names or ():
        if name not in known:
            raise RequestError(f"{option} are some of {', '.join(known)}, got {name!r}{hint(name, known)}")
    if names and len(set(names)) != len(names):
        raise RequestError(f"{option} are named twice in {list(names)}; name each once")
    if names and not find_target(target).has_c:
        raise RequestError(f"{option} are written in C, got target {target!r}; ask for target 'c'")
    return names or None


def _rollout(given: Any, target: str) -> str | None:
    """The method of rollouts; None where they are not asked for."""
    if given is None:
        return None
    method = given_choice("rollout", given, ROLLOUT_METHODS)
    if not find_target(target).has_c:
        raise RequestError(
            f"rollouts are written in C, got target {target!r}; ask for target 'c', or call symdyn.rollout"
        )
    return method


def _hessian(given: Any, target: str) -> bool | None:
    """Whether second derivatives are asked for; None where they are not."""
    asked = given is not None and given_flag("hessian", given)
    if asked and not find_target(target).opened_by:
        raise RequestError(
            f"hessian is of targets that take derivatives along, such as 'casadi', got target {target!r}; ask for "
            "functions of second derivatives by their names, such as inverse_dynamics_weighted_hessian"
        )
    return asked or None


def _weights(given: Any) -> tuple[str, ...] | None:
    """Weights as they are recorded: ``input``, or numbers."""
    if given is None:
        return None
    listed = [given] if isinstance(given, str | float | int) or not isinstance(given, Iterable) else list(given)
    parts = [part for item in listed for part in (item.split(",") if isinstance(item, str) else [item])]
    if parts == [AT_RUN_TIME]:
        return (AT_RUN_TIME,)
    try:
        numbers = [float(part) for part in parts]
    except (TypeError, ValueError):
        numbers = []
    if not numbers or not all(0.0 < number < float("inf") for number in numbers):
        raise RequestError(f"weights are positive numbers, one per row of v, or {AT_RUN_TIME!r}, got {given!r}")
    return tuple(map(repr, numbers))


def _text(option: str, given: Any) -> str | None:
    if given is not None and not isinstance(given, str):
        raise RequestError(f"{option} is a text, got {given!r}")
    return given


def _frames(given: Any) -> tuple[str, ...] | None:
    """Names of frames; no name at all is refused, since an empty result is of no use."""
    names = _listed("frames", "frame", given)
    if names == ():
        raise RequestError("frames names none; name at least one frame, or leave frames out for all of them")
    return names


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "a text"),
    "int": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"),
    "bool | None": (lambda value: value is None or isinstance(value, bool), "true or false"),
    "str | None": (lambda value: value is None or isinstance(value, str), "a text"),
    "float | None": (lambda value: value is None or isinstance(value, float), "a number"),
    "tuple[str, ...]": (_is_list, "a list of names"),
    "tuple[str, ...] | None": (lambda value: value is None or _is_list(value), "a list of names"),
}
"""Per type of a field: whether a value from a record is one, and what to say where it is not."""


def _time(stabilisation: Any) -> float:
    """A time above 0 [s]."""
    if isinstance(stabilisation, bool) or not isinstance(stabilisation, float | int) or not 0.0 < stabilisation < inf:
        raise RequestError(f"stabilisation is a time above 0, in seconds, got {stabilisation!r}")
    return float(stabilisation)


def _listed(option: str, what: str, given: Any) -> tuple[str, ...] | None:
    """The names that an option holds; None where nothing was said."""
    names = None if given is None else _names(given)
    if names is None and given is not None:
        raise RequestError(f"{option} is a list of {what} names, got {given!r}")
    return names


def _names(given: Any) -> tuple[str, ...] | None:
    """The names as a tuple, of which a single one may stand without a list; None for what is no list of names."""
    names = [given] if isinstance(given, str) else listed_names(given)
    return None if names is None else tuple(names)
