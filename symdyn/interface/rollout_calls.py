"""Rollouts and their gradients as functions of arrays alone, for frameworks; it imports no room."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symdyn.errors import RequestError
from symdyn.interface.contact_calls import step_calls
from symdyn.interface.contact_solving import set_rows
from symdyn.interface.derivatives import WEIGHTS
from symdyn.interface.manifest import FunctionEntry, Manifest
from symdyn.interface.rollouts import BY_LENGTH, ROLLOUT
from symdyn.interface.signature import PARAMETERS, Argument, Signature
from symdyn.interface.stepping import CONTACT_FACTORS, CONTACTS

GRADIENT = f"{ROLLOUT}_gradient"
STATES, CODE, LENGTH, SLOPES = "X", "code", "h", "l_x"
_MADE = ("q", "v", "tau", "u", "h", "a", "a_guess", "c", WEIGHTS)


@dataclass(frozen=True, slots=True)
class RolloutRows:
    """What a rollout of a module takes, and what a row of its states holds.

    ``driving`` are its inputs, ``given`` what stays as it is, such as parameters, ``count`` the number of parameters,
    and ``memory`` the scalars that a row holds beside q and v.
    """

    q: Argument
    v: Argument
    driving: Argument
    given: tuple[Argument, ...]
    memory: int

    @classmethod
    def of(cls, manifest: Manifest) -> RolloutRows:
        """Those of a module that was compiled with rollouts."""
        contacts = manifest.asked["rollout"] == CONTACTS
        return cls.of_step(manifest.function(CONTACT_FACTORS if contacts else "step").signature, contacts)

    @classmethod
    def of_step(cls, signature: Signature, contacts: bool) -> RolloutRows:
        """Those of the function that moves the robot by a step, or that a step with ``contacts`` rests on."""
        driving = next(item for item in signature.inputs if item.name in ("tau", "u"))
        given = tuple(item for item in signature.inputs if item.name not in _MADE)
        if contacts:
            outputs = {item.name: item for item in signature.outputs}
            memory = outputs["c_free"].size + len(set_rows(outputs["c_free"], outputs["gap"]).names)
        else:
            memory = sum(item.size for item in signature.outputs[2:])
        return cls(signature.input("q"), signature.input("v"), driving, given, memory)

    @property
    def count(self) -> int:
        """Rows of p, by which there is a gradient."""
        return sum(item.size for item in self.given if item.name == PARAMETERS)

    @property
    def row(self) -> int:
        """Scalars of a row of states."""
        return self.q.size + self.v.size + self.memory


def has_rollouts(manifest: Manifest) -> bool:
    """Whether a module has them for frameworks, which take no derivative by the length of steps."""
    plain = manifest.asked.get("gradient") != BY_LENGTH
    return plain and any(own.solver == ROLLOUT for own in manifest.solvers)


def rollout_calls(manifest: Manifest, n: int) -> tuple[FunctionEntry, ...]:
    """A rollout of n steps and its gradient; nothing where they were not asked for."""
    solver = next((own for own in manifest.solvers if own.solver == ROLLOUT), None)
    if solver is None or not has_rollouts(manifest):
        return ()
    rows = RolloutRows.of(manifest)
    stepped = manifest.function(CONTACT_FACTORS if manifest.asked["rollout"] == CONTACTS else "step")
    length = Argument(LENGTH, (), (), ("s",), "length of a step")
    inputs = _repeated(rows.driving, rows.driving.name, n, rows.driving.description)
    states = _table(STATES, n + 1, rows.row, "states after one step, two steps, ..: q, v, and what a step has besides")
    code = Argument(CODE, (), (), ("",), "how it ended")
    moves = 2 * rows.v.size
    slopes = _table(SLOPES, n + 1, moves, "derivatives by moves (dq, dv) of each state")
    gradients = [_table("g_x0", None, moves, "derivatives by moves of the first state")]
    gradients.append(_repeated(inputs, "g_u", None, "derivatives by inputs"))
    gradients += [replace(item, name="g_p") for item in rows.given if item.name == PARAMETERS]

    def entry(name: str, own: tuple[Argument, ...], outputs: tuple[Argument, ...], c_name: str) -> FunctionEntry:
        described = "Steps one after another." if name == ROLLOUT else "Gradient of a sum of costs of a rollout."
        signature = Signature(manifest.robot, name, own, outputs, described, stepped.signature.options)
        return FunctionEntry(signature, c_name, name, solver.work_size, stepped.layout, {}, stepped.operations)

    ahead = (rows.q, rows.v, inputs, *rows.given, length)
    back = (states, inputs, *rows.given, length, slopes)
    return (
        entry(ROLLOUT, ahead, (states, code), solver.c_name),
        entry(GRADIENT, back, tuple(gradients), f"{solver.c_name}_gradient"),
    )


def calls_apart(manifest: Manifest, n: int = 0) -> tuple[FunctionEntry, ...]:
    """What frameworks call beside functions of the catalogue: steps with contacts, and rollouts of n steps."""
    return (*step_calls(manifest), *rollout_calls(manifest, n))


def sizes_of_a_step(manifest: Manifest) -> Iterator[tuple[int, ...]]:
    """How many scalars more each array of :func:`calls_apart` has by a step of rollouts."""
    for none, one in zip(calls_apart(manifest, 0), calls_apart(manifest, 1), strict=True):
        both = [(*own.signature.inputs, *own.signature.outputs) for own in (none, one)]
        yield tuple(more.size - own.size for own, more in zip(*both, strict=True))


def steps_of(
    rows: RolloutRows, shape_of: Callable[[Any], Sequence[int]], positional: Sequence[Any], named: Mapping[str, Any]
) -> int:
    """The number of steps of a call: rows of its inputs.

    Raises
    ------
    RequestError
        Inputs without a row per step.
    """
    inputs = positional[2] if len(positional) > 2 else named.get(rows.driving.name)
    shape = shape_of(inputs) if inputs is not None else (0, 0)
    if len(shape) < 2:
        raise RequestError(
            f"{ROLLOUT}: argument '{rows.driving.name}' has a row per step, (.., n, {rows.driving.size}), got shape "
            f"{tuple(shape)}"
        )
    return int(shape[-2])


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _table(name: str, rows: int | None, columns: int, description: str) -> Argument:
    axes = (*(() if rows is None else (_numbers(rows),)), _numbers(columns))
    return Argument(name, tuple(map(len, axes)), axes, ("",), description)


def _repeated(own: Argument, name: str, n: int | None, description: str) -> Argument:
    """An argument with a row per step; None leaves its rows as they are."""
    if n is None:
        return replace(own, name=name, units=("",), description=description)
    return replace(
        own, name=name, shape=(n, *own.shape), rows=(_numbers(n), *own.rows), units=("",), description=description
    )
