"""Tangents of one step of a robot for JAX: by the matrices of the step, transposed by its adjoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from symdyn.interface.derivatives import COORDINATES, WEIGHTS
from symdyn.interface.rollout_calls import LENGTH
from symdyn.interface.signature import PARAMETERS, Argument
from symdyn.toolchain.frameworks.linear_maps import linear
from symdyn.toolchain.frameworks.moves import rates
from symdyn.toolchain.frameworks.offered import Relatives

STEP, MATRICES, ADJOINT = "step", "step_matrices", "step_adjoint"
ACCELERATION, GUESS = "a", "a_guess"
FORCES = ("tau", "u")
KNOWN = (COORDINATES, "v", *FORCES, PARAMETERS)
"""The inputs by which matrices of steps are derivatives."""


class Calls(Protocol):
    """What the functions of one module are for JAX."""

    jax: Any
    xp: Any
    relatives: Relatives

    def differentiable(self, name: str) -> Any:
        """A function of arrays with the same leading dimensions: a tuple of outputs."""

    def moved(self, name: str, argument: Argument, value: Any, tangent: Any) -> Any:
        """A change of an input, along the columns of derivatives."""

    def over_jax(self, name: str, primals: Sequence[Any], tangents: Mapping[int, Any]) -> tuple[Any, ...]:
        """Tangents of outputs by symdyn's code over JAX."""


def matrices_of(calls: Calls, at: Mapping[str, Any]) -> Sequence[Any]:
    """A, B and, with parameters, P of steps from states with the same leading dimensions."""
    names = [own.name for own in calls.relatives.entry(MATRICES).signature.inputs]
    return tuple(calls.differentiable(MATRICES)(*(at[name] for name in names)))


def ahead(xp: Any, matrices: Sequence[Any], *moves: Any) -> Any:
    """The move of the next state from moves of the state, of inputs and of parameters."""
    parts = [xp.einsum("...ij,...j->...i", own, move) for own, move in zip(matrices, moves, strict=False)]
    return sum(parts[1:], parts[0])


def step_rule(calls: Calls, value: Any) -> Callable[..., Any]:
    """The rule for tangents of a step; where an implicit one starts from a guess does not count."""
    signature = calls.relatives.entry(STEP).signature
    inputs, outputs = signature.inputs, [own.name for own in signature.outputs]
    zero, xp, nv = calls.jax.custom_derivatives.SymbolicZero, calls.xp, signature.input("v").size
    names = [own.name for own in inputs if own.name != GUESS]
    known = [own.name for own in inputs if own.name in KNOWN]

    def forward(at: Sequence[Any], moves: Sequence[Any]) -> list[Any]:
        dq, dv, *others = moves
        return [ahead(xp, matrices_of(calls, _named(at)), xp.concatenate([dq, dv], -1), *others)]

    def transposed(at: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
        given = {**_named(at), WEIGHTS: weights[0]}
        adjoint = calls.relatives.entry(ADJOINT).signature
        found = calls.differentiable(ADJOINT)(*(given[own.name] for own in adjoint.inputs))
        return list(found[: len(known)])

    def _named(at: Sequence[Any]) -> dict[str, Any]:
        return dict(zip([*names, ACCELERATION], at, strict=False))

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        found, given = value(*primals), {own.name: array for own, array in zip(inputs, primals, strict=True)}
        moved = {own.name: step for own, step in zip(inputs, tangents, strict=True) if not isinstance(step, zero)}
        changes = [xp.zeros_like(array) for array in found]
        if any(name in moved for name in known):
            moves = []
            for own in inputs:
                if own.name in known:
                    step = moved.get(own.name)
                    lead = given[own.name].shape[: given[own.name].ndim - 1]
                    size = nv if own.name == COORDINATES else own.size
                    along = None if step is None else calls.moved(STEP, own, given[own.name], step)
                    moves.append(xp.zeros((*lead, size), found[0].dtype) if along is None else along)
            at = [*(given[name] for name in names), *found[2:]]
            (move,) = linear(forward, transposed, at, moves)
            dq, dv = move[..., :nv], move[..., nv:]
            rows = calls.relatives.rows(STEP)
            changes[0] = rates(xp, rows, found[0], dq) if rows else dq
            changes[1] = dv
            if ACCELERATION in outputs:  # v_next = v + h a
                changes[2] = (dv - moves[1]) / given[LENGTH][..., None]
        rest = {
            place: step
            for place, (own, step) in enumerate(zip(inputs, tangents, strict=True))
            if own.name in moved and own.name not in (*known, GUESS)
        }
        if rest:
            changes = [own + more for own, more in zip(changes, calls.over_jax(STEP, primals, rest), strict=True)]
        return found, tuple(changes)

    return rule
