"""Rollouts as functions of JAX: all steps in one call of C, and their adjoint in another.

In reverse mode the adjoint rollout walks back through the steps. In forward mode moves go ahead by the matrices of each
step, x_(k+1) = A_k x_k + B_k u_k + P p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from symdyn.errors import RequestError
from symdyn.interface.contact_calls import PARTIALS, partials_of
from symdyn.interface.derivatives import COORDINATES
from symdyn.interface.manifest import FunctionEntry
from symdyn.interface.rollout_calls import GRADIENT, LENGTH, RolloutRows, rollout_calls, steps_of
from symdyn.interface.rollouts import ROLLOUT, RolloutStates
from symdyn.interface.signature import PARAMETERS
from symdyn.interface.stepping import CONTACTS
from symdyn.toolchain.frameworks.linear_maps import linear
from symdyn.toolchain.frameworks.moves import has_quaternions, moves, moves_apart, rates, unit
from symdyn.toolchain.frameworks.offered import Given
from symdyn.toolchain.frameworks.step_rules import ACCELERATION, Calls, ahead, matrices_of
from symdyn.toolchain.maker import CompiledFunctions


class _Calls(Calls, Protocol):
    module: CompiledFunctions

    def called(self, entry: FunctionEntry, holder: CompiledFunctions) -> Callable[..., tuple[Any, ...]]:
        """The call of a C function of a module by XLA."""

    def check_type(self, name: str) -> None:
        """Raise a RequestError where JAX computes in fewer digits than the module."""

    def read(self, value: Any) -> Any:
        """An array of what was given."""


def rollout_over_jax(calls: _Calls) -> Callable[..., RolloutStates]:
    """A rollout of any number of steps: ``rollout(q, v, u, .., h)``, u (.., n, nu)."""
    manifest = calls.module.manifest
    own = _Rollouts(calls)

    def rollout(*positional: Any, **named: Any) -> RolloutStates:
        calls.check_type(ROLLOUT)
        n = steps_of(own.rows, calls.xp.shape, positional, named)
        given = Given(rollout_calls(manifest, n)[0], manifest.dtype, calls.xp, calls.read)
        arrays = given.arrays(positional, named)
        if has_quaternions(own.places):
            arrays[0] = unit(calls.xp, own.places, arrays[0], calls.jax.lax.stop_gradient)
        return own.states(*own.of_length(n)(*arrays))

    rollout.__doc__ = (
        f"States after one step, two steps, ..: ``rollout({', '.join(own.names)})``, {own.rows.driving.name} (.., n, "
        f"{own.rows.driving.size}).\n\nReturns q (.., n + 1, {own.rows.q.size}), v (.., n + 1, {own.rows.v.size}), "
        "memory and code. q and v have derivatives by the first state, by inputs and by p."
    )
    return rollout


class _Rollouts:
    """The rollouts of one module."""

    def __init__(self, calls: _Calls) -> None:
        manifest = calls.module.manifest
        self.calls, self.rows = calls, RolloutRows.of(manifest)
        self.contacts = manifest.asked["rollout"] == CONTACTS
        self.places = calls.relatives.rows(PARTIALS if self.contacts else "step")
        self.names = [item.name for item in rollout_calls(manifest, 0)[0].signature.inputs]
        self.of_length = cache(self._of_length)

    def states(self, X: Any, code: Any) -> RolloutStates:
        """The parts of rows of states."""
        nq, end = self.rows.q.size, self.rows.q.size + self.rows.v.size
        return RolloutStates(X[..., :nq], X[..., nq:end], X[..., end:], self.calls.xp.asarray(code, "int32"))

    def _of_length(self, n: int) -> Any:
        """The function of n steps with its rule for tangents."""
        entry, gradient = rollout_calls(self.calls.module.manifest, n)
        made = self.calls.jax.custom_jvp(self.calls.called(entry, self.calls.module))
        made.defjvp(self._rule(made, self.calls.called(gradient, self.calls.module)), symbolic_zeros=True)
        return made

    def _rule(self, value: Any, adjoint: Any) -> Callable[..., Any]:
        rows, xp, nv = self.rows, self.calls.xp, self.rows.v.size
        zero = self.calls.jax.custom_derivatives.SymbolicZero
        known = [COORDINATES, "v", rows.driving.name, *([PARAMETERS] if rows.count else [])]

        def forward(at: Sequence[Any], given: Sequence[Any]) -> list[Any]:
            return [self._moved(dict(zip(("X", *self.names[2:]), at, strict=True)), given)]

        def transposed(at: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
            (found, *others) = _once(self.calls.jax, adjoint)(*at, weights[0])
            return [found[..., :nv], found[..., nv:], *others]

        def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            X, code = value(*primals)
            steps = dict(zip(self.names, tangents, strict=True))
            moved = [name for name, step in steps.items() if not isinstance(step, zero)]
            for name in moved:
                if name not in known:
                    raise RequestError(
                        f"{ROLLOUT}: there are no derivatives by '{name}'; those by {', '.join(known)} exist. Take it "
                        "for a constant, as by jax.lax.stop_gradient"
                    )
            still = xp.zeros_like(X), xp.zeros_like(code)
            if not moved:
                return (X, code), still
            given = []
            for name, array in zip(self.names, primals, strict=True):
                if name in known:
                    step = steps[name] if name in moved else xp.zeros_like(array)
                    if name == COORDINATES and moves_apart(self.places):
                        step = moves(xp, self.places, array, step)
                    given.append(step)
            (found,) = linear(forward, transposed, [X, *primals[2:]], given)
            dq, dv = found[..., :nv], found[..., nv:]
            q = X[..., : rows.q.size]
            dq = rates(xp, self.places, q, dq) if moves_apart(self.places) else dq
            return (X, code), (xp.concatenate([dq, dv, still[0][..., rows.q.size + nv :]], -1), still[1])

        return rule

    def _moved(self, at: Mapping[str, Any], given: Sequence[Any]) -> Any:
        """Moves of all states from those of the first, of inputs and of parameters."""
        jax, xp, rows = self.calls.jax, self.calls.xp, self.rows
        dq, dv, du, *dp = given
        X, n = at["X"], du.shape[-2]
        lead, nq, end = X.shape[:-2], rows.q.size, rows.q.size + rows.v.size
        state = {COORDINATES: X[..., :n, :nq], "v": X[..., :n, nq:end], "memory": X[..., :n, end:]}
        state[rows.driving.name] = at[rows.driving.name]
        for item in (*rows.given, None):
            name, size = (LENGTH, ()) if item is None else (item.name, item.shape)
            array = at[name].reshape(*lead, 1, *size)
            state[name] = xp.broadcast_to(array, (*lead, n, *size))
        matrices = [xp.moveaxis(own, len(lead), 0) for own in self._matrices(state)]
        start = xp.concatenate([dq, dv], -1)

        def step(x: Any, own: Any) -> tuple[Any, Any]:
            *slopes, u = own
            found = ahead(xp, slopes, x, u, *dp)
            return found, found

        _, after = jax.lax.scan(step, start, (*matrices, xp.moveaxis(du, -2, 0)))
        return xp.moveaxis(xp.concatenate([start[None], after]), 0, -2)

    def _matrices(self, state: Mapping[str, Any]) -> Sequence[Any]:
        """A, B and P of all steps."""
        if not self.contacts:
            return matrices_of(self.calls, {**state, ACCELERATION: state["memory"]})
        manifest, xp = self.calls.module.manifest, self.calls.xp
        entry = self.calls.relatives.entry(PARTIALS)
        inputs = {own.name: own for own in entry.signature.inputs}
        impulses = inputs["impulses"].size
        given = {**state, "impulses": state["memory"][..., :impulses], "state": state["memory"][..., impulses:]}
        found = dict(
            zip(partials_of(manifest), self.calls.differentiable(PARTIALS)(*map(given.get, inputs)), strict=True)
        )
        driving = self.rows.driving.name

        def block(by: str) -> Any:
            return xp.concatenate([found[f"dq_next_d{by}"], found[f"dv_next_d{by}"]], -2)

        A = xp.concatenate([block(COORDINATES), block("v")], -1)
        return [A, block(driving), *([block(PARAMETERS)] if self.rows.count else [])]


def _once(jax: Any, adjoint: Any) -> Any:
    """The adjoint in C, which is not differentiated."""
    own = jax.custom_jvp(adjoint)

    def refuse(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        raise RequestError(f"{GRADIENT}: rollouts have no second derivatives; differentiate once")

    own.defjvp(refuse)
    return own
