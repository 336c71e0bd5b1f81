"""Steps with rigid contacts as functions of JAX: the C of the stepper, and its derivatives by C too.

A step is differentiated in the state that it reports, by the implicit function theorem. Where it starts from a guess
does not count: the impulses solve the same problem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from symdyn.errors import RequestError
from symdyn.interface.contact_calls import GUESS, PARTIALS, STEP
from symdyn.interface.contact_solving import ContactPartials, ContactReport, ContactStep
from symdyn.interface.signature import Argument
from symdyn.toolchain.frameworks.moves import rates
from symdyn.toolchain.frameworks.offered import Relatives

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


def step_of(xp: Any, arrays: Sequence[Any]) -> ContactStep:
    """What a step gives, its states and counts as whole numbers."""
    q, v, impulses, state, report = arrays
    numbers = {name: report[..., place] for place, name in enumerate(ContactReport._fields)}
    whole = {name: xp.asarray(numbers[name], xp.int32) for name in COUNTED}
    return ContactStep(q, v, impulses, xp.asarray(state, xp.int32), ContactReport(**{**numbers, **whole}))


def slopes_of_step(arrays: Sequence[Any], outputs: Sequence[Argument]) -> ContactPartials:
    """Derivatives of a step by their names."""
    return ContactPartials(**{output.name: array for output, array in zip(outputs, arrays, strict=True)})


def refusing_rule(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The rule of derivatives of a step, which are not differentiated."""
    raise RequestError(f"{PARTIALS}: steps with rigid contacts have no second derivatives; differentiate once")


def contact_step_rule(calls: _Calls, value: Any) -> Callable[..., Any]:
    """The rule for tangents of a step."""
    inputs = calls.relatives.entry(STEP).signature.inputs
    zero = calls.jax.custom_derivatives.SymbolicZero
    rows = calls.relatives.rows(STEP)

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        outputs = value(*primals)
        q_next, _, impulses, state, _ = outputs
        given = [entry for entry in zip(inputs, primals, tangents, strict=True) if entry[0].name != GUESS]
        moved = [entry for entry in given if not isinstance(entry[2], zero)]
        still = tuple(map(calls.xp.zeros_like, outputs))
        if not moved:
            return outputs, still
        names = [output.name for output in calls.relatives.entry(PARTIALS).signature.outputs]
        slopes = calls.differentiable(PARTIALS)(*(primal for _, primal, _ in given), impulses, state)
        by = dict(zip(names, slopes, strict=True))
        changes = []
        for of in ("q_next", "v_next", "lambda"):
            parts = []
            for argument, primal, tangent in moved:
                matrix = by.get(f"d{of}_d{argument.name}")
                if matrix is None:
                    raise RequestError(
                        f"{STEP}: there are no derivatives by '{argument.name}'; those by "
                        f"{', '.join(dict.fromkeys(name.rsplit('_d', 1)[1] for name in names))} exist. Take it for a "
                        "constant, as by jax.lax.stop_gradient"
                    )
                step = calls.moved(STEP, argument, primal, tangent)
                parts.append(calls.xp.einsum("...ij,...j->...i", matrix, step))
            changes.append(sum(parts[1:], parts[0]))
        dq = rates(calls.xp, rows, q_next, changes[0]) if rows else changes[0]
        return outputs, (dq, *changes[1:], *still[3:])

    return rule


def with_guess(
    inputs: Sequence[Argument], positional: Sequence[Any], named: Mapping[str, Any], dtype: str
) -> Mapping[str, Any]:
    """Named arguments, with a guess of no impulses where none is given."""
    places = [item.name for item in inputs]
    if GUESS in places and GUESS not in named and len(positional) <= places.index(GUESS):
        return {**named, GUESS: np.zeros(inputs[places.index(GUESS)].shape, dtype)}
    return named
