"""The rival in JAX: Taylor-mode differentiation by ``jax.experimental.jet`` of the plain recursion of order 0.

All of it is compiled by ``jax.jit`` for the CPU in double precision. A call is timed warm, from Python and to the end
of its result, which costs some microseconds by itself. In forward dynamics each order needs the one below, so that
jet runs once per order. Nested, a jet of order one differentiates the result along the motion, and so on: an order is
the derivative of the one below, by all inputs, along their rates.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Any

from symdyn.analysis.compare.jax_recursions import JaxAlgebra, jax_forward_dynamics, jax_inverse_dynamics
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.motion import coordinate_derivatives
from symdyn.analysis.compare.task import DYNAMICS, Task
from symdyn.toolchain.timing import BatchTimer

MODULE = "jax"
_BATCHES = 15
_BATCH_SECONDS = 0.01


def is_installed() -> bool:
    """Whether JAX can be imported; it is an extra."""
    return importlib.util.find_spec(MODULE) is not None


def measure_jax_jet(task: Task, nested: bool = False) -> Figures:
    """Figures of a jitted function, by one jet of all orders or by nested ones; generation is tracing."""
    import numpy as np

    jax: Any = importlib.import_module("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        states = [jax.device_put(row, jax.devices("cpu")[0]) for row in task.states]
        begin = time.perf_counter()
        lowered = jax.jit(_nested(task) if nested else _function(task)).lower(states[0])
        traced = time.perf_counter()
        compiled = lowered.compile()
        built = time.perf_counter()
        outputs = np.array([np.asarray(compiled(state)) for state in states])
        nanoseconds = _timer(compiled, states).median(_BATCHES) / len(states)
    finally:
        jax.config.update("jax_enable_x64", before)
    return Figures(None, None, traced - begin, built - traced, nanoseconds, outputs)


def _timer(compiled: Callable[[Any], Any], states: Sequence[Any]) -> BatchTimer:
    """Wall-clock time of one call at every state."""

    def batch(rounds: int) -> float:
        begin = time.perf_counter_ns()
        for _ in range(rounds):
            for state in states:
                compiled(state).block_until_ready()
        return (time.perf_counter_ns() - begin) / rounds

    return BatchTimer(lambda rounds, batches: [batch(rounds) for _ in range(batches)], 1, _BATCH_SECONDS)


def _function(task: Task) -> Callable[[Any], Any]:
    algebra = JaxAlgebra()
    nq, nv, model = task.robot.nq, task.robot.nv, task.robot.model
    inverse = task.subject.dynamics == DYNAMICS[0]
    recursion = jax_inverse_dynamics if inverse else jax_forward_dynamics

    def order_zero(q: Any, v: Any, u: Any) -> Any:
        return recursion(model, algebra, q, v, u)

    def all_orders(state: Any) -> Any:
        q, flat = state[:nq], state[nq:]
        rows = [flat[nv * row : nv * (row + 1)] for row in range(task.rows)]
        known = [order_zero(q, rows[0], rows[1])] if task.order == 0 or not inverse else []
        if inverse and task.order:
            known = _jet(order_zero, _coordinates(model, algebra, q, rows[:-1]), rows[:-1], rows[1:], task.order)
        elif not inverse:
            for order in range(1, task.order + 1):
                v = [rows[0], *known]
                known = _jet(order_zero, _coordinates(model, algebra, q, v), v, rows[1:], order)
        return algebra.numpy.concatenate(known)

    return all_orders


def _nested(task: Task) -> Callable[[Any], Any]:
    """All orders, each by a jet of order one of the order below."""
    algebra, jet = JaxAlgebra(), importlib.import_module("jax.experimental.jet").jet
    nq, nv, model = task.robot.nq, task.robot.nv, task.robot.model
    inverse = task.subject.dynamics == DYNAMICS[0]
    recursion = jax_inverse_dynamics if inverse else jax_forward_dynamics

    def value(state: Any) -> Any:
        return recursion(model, algebra, state[:nq], state[nq : nq + nv], state[nq + nv : nq + 2 * nv])

    def rates(state: Any) -> Any:
        moved = _coordinates(model, algebra, state[:nq], [state[nq : nq + nv]])[1]
        following = state[nq + nv :] if inverse else algebra.numpy.concatenate([value(state), state[nq + 2 * nv :]])
        return algebra.numpy.concatenate([moved, following, algebra.numpy.zeros(nv)])

    def derivative(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda state: jet(function, (state,), ([rates(state)],))[1][0]

    orders: list[Callable[[Any], Any]] = [value]
    for _ in range(task.order):
        orders.append(derivative(orders[-1]))
    return lambda state: algebra.numpy.concatenate([function(state) for function in orders])


def _coordinates(model: Any, algebra: JaxAlgebra, q: Any, derivatives: Sequence[Any]) -> list[Any]:
    rows = coordinate_derivatives(model, algebra, list(q), [list(row) for row in derivatives])
    return [algebra.array(row) for row in rows]


def _jet(function: Callable[..., Any], q: Sequence[Any], v: Sequence[Any], u: Sequence[Any], order: int) -> list[Any]:
    """The function and its derivatives to an order, from derivatives of its arguments."""
    jet: Any = importlib.import_module("jax.experimental.jet").jet
    series = [list(found[1 : order + 1]) for found in (q, v, u)]
    value, derivatives = jet(function, (q[0], v[0], u[0]), series)
    return [value, *derivatives]
