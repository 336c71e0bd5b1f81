"""Steps with rigid contacts as functions of frameworks: the C of the stepper, and its derivatives by C too.

A step is differentiated in the state that it reports, by the implicit function theorem. Where it starts from a guess
does not count: the impulses solve the same problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn.compiler.emit.results import Result
from symdyn.errors import RequestError
from symdyn.interface.contact_calls import GUESS, IMPULSES, LENGTH, PARTIALS, STATE, STEP, STEP_ENDS, called
from symdyn.interface.contact_solving import ContactCode, ContactPartials, ContactReport, ContactStep
from symdyn.interface.signature import Argument
from symdyn.toolchain.frameworks.moves import rates
from symdyn.toolchain.frameworks.offered import Relatives
from symdyn.toolchain.frameworks.slopes import Slopes

COUNTED = ("newton", "sweeps", "code")
"""Numbers of a report that are whole."""


class _Calls(Protocol):
    jax: Any
    xp: Any
    relatives: Relatives

    def differentiable(self, name: str) -> Any:
        """A function of arrays with the same leading dimensions: a tuple of outputs."""

    def moved(self, name: str, argument: Argument, value: Any, tangent: Any) -> Any:
        """A change of an input, along the columns of derivatives."""


def step_of(arrays: Sequence[Any], whole: Callable[[Any], Any]) -> ContactStep:
    """What a step gives, its states and counts as ``whole`` numbers."""
    q, v, impulses, state, report = arrays
    numbers = {name: report[..., place] for place, name in enumerate(ContactReport._fields)}
    counts = {name: whole(numbers[name]) for name in COUNTED}
    return ContactStep(q, v, impulses, whole(state), ContactReport(**{**numbers, **counts}))


def named_partials(arrays: Sequence[Any], outputs: Sequence[Argument]) -> ContactPartials:
    """Derivatives of a step by their names."""
    return ContactPartials(**{output.name: array for output, array in zip(outputs, arrays, strict=True)})


def refuse_second() -> NoReturn:
    """Raise a RequestError: derivatives of a step are not differentiated."""
    raise RequestError(f"{PARTIALS}: steps with rigid contacts have no second derivatives; differentiate once")


def refusing_rule(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The rule of derivatives of a step."""
    refuse_second()


def refuse_slopes(slopes: Slopes, inputs: Sequence[Argument], wanted: Iterable[int]) -> None:
    """Raise a RequestError for an input of a step by which there are no derivatives."""
    for place in wanted:
        if not slopes.by(place):
            known = ", ".join(item.name for number, item in enumerate(inputs) if slopes.by(number))
            raise RequestError(
                f"{STEP}: there are no derivatives by '{inputs[place].name}'; those by {known} exist. Take it for a "
                "constant, as by jax.lax.stop_gradient or tensor.detach()"
            )


def contact_step_rule(calls: _Calls, value: Any) -> Callable[..., Any]:
    """The rule for tangents of a step."""
    inputs = calls.relatives.entry(STEP).signature.inputs
    zero = calls.jax.custom_derivatives.SymbolicZero
    rows = calls.relatives.rows(STEP)

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        outputs = value(*primals)
        still = tuple(map(calls.xp.zeros_like, outputs))
        moved = [
            place for place, item in enumerate(inputs) if item.name != GUESS and not isinstance(tangents[place], zero)
        ]
        if not moved:
            return outputs, still
        slopes = calls.relatives.slopes(STEP)
        assert slopes is not None, "steps have them"
        refuse_slopes(slopes, inputs, moved)
        matrices = calls.differentiable(PARTIALS)(*given_to_partials(inputs, primals, outputs))
        steps = {place: calls.moved(STEP, inputs[place], primals[place], tangents[place]) for place in moved}
        changes = []
        for row in range(len(STEP_ENDS)):
            parts = [
                calls.xp.einsum("...ij,...j->...i", matrices[slopes.places[row, place]], step)
                for place, step in steps.items()
            ]
            changes.append(sum(parts[1:], parts[0]))
        dq = rates(calls.xp, rows, outputs[0], changes[0]) if rows else changes[0]
        return outputs, (dq, *changes[1:], *still[3:])

    return rule


def given_to_partials(inputs: Sequence[Argument], given: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """What the derivatives of a step take: its inputs without the guess, then its impulses and states."""
    return [array for item, array in zip(inputs, given, strict=True) if item.name != GUESS] + [*outputs[2:4]]


def of_one_state(module: Any, name: str) -> Callable[..., list[NDArray[Any]]]:
    """A step or its derivatives as a function of arrays of one state, by C.

    A step that makes no sense gives NaN, and the code of what is not finite.
    """
    entry = called(module.manifest, name)
    assert entry is not None, "the module has it"
    inputs, outputs = entry.signature.inputs, entry.signature.outputs
    function, dtype = getattr(module, name), np.dtype(module.manifest.dtype)
    by_name = (LENGTH, GUESS, IMPULSES, STATE)

    def results(given: Sequence[NDArray[Any]]) -> Sequence[Any]:
        pairs = list(zip(inputs, given, strict=True))
        named = {item.name: float(x) if item.name == LENGTH else x for item, x in pairs if item.name in by_name}
        if STATE in named:
            named[STATE] = np.asarray(np.clip(np.round(named[STATE]), 0, 2), np.intc)
        try:
            result = function(*(x for item, x in pairs if item.name not in by_name), **named)
        except RequestError:  # shapes are right, so it is a length or a number that is not finite
            unknown = [np.full(item.shape, np.nan) for item in outputs]
            if name == STEP:
                unknown[3:] = [np.zeros(outputs[3].shape), np.array([np.nan, 0, 0, 0, 0, ContactCode.NOT_FINITE])]
            return unknown
        if name == STEP:
            return *result[:4], [*map(float, result.report)]
        return [getattr(result, item.name) for item in outputs]

    return lambda *given: [np.asarray(array, dtype) for array in results(given)]


def with_guess(
    inputs: Sequence[Argument], positional: Sequence[Any], named: Mapping[str, Any], dtype: str
) -> Mapping[str, Any]:
    """Named arguments, with a guess of no impulses where none is given."""
    places = [item.name for item in inputs]
    if GUESS in places and GUESS not in named and len(positional) <= places.index(GUESS):
        return {**named, GUESS: np.zeros(inputs[places.index(GUESS)].shape, dtype)}
    return named


def result_kind(
    relatives: Relatives, name: str, result: Result | None, whole: Callable[[Any], Any]
) -> Callable[..., Any] | None:
    """What makes a result of several outputs; None for one output alone."""
    if name == STEP:
        return lambda *outputs: step_of(outputs, whole)
    if name == PARTIALS:
        return lambda *outputs: named_partials(outputs, relatives.entry(PARTIALS).signature.outputs)
    return relatives.module.__dict__[result.name] if result is not None else None
