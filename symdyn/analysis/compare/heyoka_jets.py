"""The rival in heyoka: Taylor jets of the plain recursion, which its just-in-time compiler unrolls for an ODE.

Biscani and Izzo, "Revisiting high-order Taylor methods for astrodynamics and celestial mechanics", 2021. The inputs are
states whose rates are the next row, the last one zero. In inverse dynamics tau is the rate of one more state. So the
coefficient k + 1 of that state, or of v, makes derivative k of the result. heyoka computes a jet within a step of its
integrator; what is timed are very short steps, one after another in its C++, with their choice of length.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.motion import coordinate_derivatives
from symdyn.analysis.compare.plain_articulated_body import plain_forward_dynamics
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.analysis.compare.task import DYNAMICS, Task
from symdyn.toolchain.timing import BatchTimer

MODULE = "heyoka"
LONGEST_LINE = 6
"""Orders of Taylor series above which its compiler is asked for loops: LLVM takes minutes for one line."""
_BATCHES = 15
_BATCH_SECONDS = 0.01
_STEP = 1e-12


def is_installed() -> bool:
    """Whether heyoka can be imported."""
    return importlib.util.find_spec(MODULE) is not None


class HeyokaAlgebra:
    """What joints and recursions ask of scalars, in heyoka's expressions."""

    def __init__(self) -> None:
        self.heyoka: Any = importlib.import_module(MODULE)

    def constant(self, value: float) -> Any:
        """A number among expressions."""
        return self.heyoka.expression(value)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """Sine and cosine of an angle."""
        return self.heyoka.sin(x), self.heyoka.cos(x)

    def function(self, name: str, *arguments: Any) -> Any:
        """An elementary function."""
        if name == "fma":
            return arguments[0] * arguments[1] + arguments[2]
        return getattr(self.heyoka, name)(*arguments)

    def compare(self, code: str, left: Any, right: Any) -> Any:
        """A comparison."""
        names = {"less": "lt", "less_equal": "lte", "equal": "eq"}
        return getattr(self.heyoka, names[code])(left, right)

    def select(self, condition: Any, if_true: Any, if_false: Any) -> Any:
        """One of two values."""
        return self.heyoka.select(condition, if_true, if_false)


def measure_heyoka(task: Task) -> Figures:
    """Figures of a jet; generation is the making of expressions, compilation the decomposition and LLVM."""
    import numpy as np

    heyoka: Any = importlib.import_module(MODULE)
    begin = time.perf_counter()
    system, results = _system(task)
    written = time.perf_counter()
    order = max(2, task.order + 1)
    integrator = heyoka.taylor_adaptive(
        system,
        np.zeros(len(system)),
        tol=math.exp(0.5 - 2 * (order - 1)),  # heyoka's order is the next whole number above 1 - ln(tol) / 2
        compact_mode=order > LONGEST_LINE,
    )
    built = time.perf_counter()
    assert integrator.order == order, integrator.order
    orders = range(1, task.order + 2)
    scale = np.array([[math.factorial(k)] for k in orders])
    outputs = []
    for row in task.states:
        _rest(integrator, row)
        integrator.step(max_delta_t=0.0, write_tc=True)
        outputs.append((integrator.tc[results][:, orders].T * scale).ravel())
    nanoseconds = _timer(integrator, task.states).median(_BATCHES)
    return Figures(None, None, written - begin, built - written, nanoseconds, np.array(outputs))


def _rest(integrator: Any, row: Sequence[float]) -> None:
    integrator.time = 0.0
    integrator.state[:] = 0.0
    integrator.state[: len(row)] = row


def _timer(integrator: Any, states: Any) -> BatchTimer:
    """Thread CPU time of a step with its jet, at the first state."""
    _rest(integrator, states[0])

    def batch(steps: int) -> float:
        begin = time.thread_time_ns()
        taken = integrator.propagate_for(1e3, max_delta_t=_STEP, max_steps=steps, write_tc=True)[3]
        return (time.thread_time_ns() - begin) / float(taken)

    return BatchTimer(lambda steps, batches: [batch(steps) for _ in range(batches)], 16, _BATCH_SECONDS)


def _system(task: Task) -> tuple[list[tuple[Any, Any]], slice]:
    """Variables with their rates, and the places of those whose coefficients are the results."""
    algebra, model = HeyokaAlgebra(), task.robot.model
    nq, nv = task.robot.nq, task.robot.nv

    def variables(letter: str, count: int) -> list[Any]:
        return [algebra.heyoka.expression(f"{letter}{i}") for i in range(count)]

    q, rows = variables("q", nq), [variables(f"row{k}_", nv) for k in range(task.rows)]
    rates = list(coordinate_derivatives(model, algebra, q, [rows[0]])[1])
    still = [algebra.constant(0.0)] * nv
    inverse = task.subject.dynamics == DYNAMICS[0]
    recursion = plain_inverse_dynamics if inverse else plain_forward_dynamics
    found = [algebra.constant(0.0) + value for value in recursion(model, algebra, q, rows[0], rows[1])]
    moved = rows if inverse else rows[1:]
    following = [symbol for _, row in pairwise(moved) for symbol in row] + still
    if inverse:
        symbols = [*q, *(symbol for row in rows for symbol in row), *variables("result", nv)]
        return list(zip(symbols, [*rates, *following, *found], strict=True)), slice(len(symbols) - nv, None)
    symbols = [*q, *(symbol for row in rows for symbol in row)]
    return list(zip(symbols, [*rates, *found, *following], strict=True)), slice(nq, nq + nv)
