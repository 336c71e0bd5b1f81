"""The rival that needs no tool: central differences of the function of order 0 along the trajectory.

The derivative of order k is a central difference of second order, whose step balances the neglected term, h^2, with
rounding, u / h^k: h = T u^(1 / (k + 2)), where T is the time in which the fastest coordinate moves by one radian or
metre, at most a second. What counts as a call is all evaluations of the function that one state needs; making their
inputs is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

from symdyn.analysis.compare.measurement import Figures, generated_code, measure_code
from symdyn.analysis.compare.motion import Trajectory, polynomials
from symdyn.analysis.compare.task import DYNAMICS, Task
from symdyn.generation import pipeline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROUNDOFF = 2.0**-53

Dynamics = Callable[[Sequence[float], Sequence[float], Sequence[float]], Sequence[float]]


def measure_finite_differences(task: Task) -> Figures:
    """Figures of the generated C of order 0, called as often as the differences ask for."""
    import numpy as np

    function = task.subject.dynamics
    evaluated = measure_code(
        lambda: generated_code(pipeline.sources(task.robot, [function]), function),
        np.ascontiguousarray(task.states[:, : task.robot.nq + 2 * task.robot.nv]),
    )
    module = pipeline.build(task.robot, [function])[1]
    call = getattr(module, function)

    def dynamics(q: Sequence[float], v: Sequence[float], u: Sequence[float]) -> Sequence[float]:
        found: Sequence[float] = call(np.array(q), np.array(v), np.array(u)).tolist()
        return found

    outputs = np.array([_derivatives(task, dynamics, state) for state in task.states])
    calls = evaluations(task.order)
    assert evaluated.operations is not None
    return replace(
        evaluated,
        operations=evaluated.operations * calls,
        nanoseconds=evaluated.nanoseconds * calls,
        outputs=outputs,
    )


def evaluations(order: int) -> int:
    """Calls of the function for all orders up to one: each has its own step, and shares only the state itself."""
    return 1 + sum(len(stencil(k)) - (0 in stencil(k)) for k in range(1, order + 1))


def stencil(order: int) -> dict[int, float]:
    """Weights by node of the central difference of second order, for a unit step.

    Even orders are powers of f(1/2) - f(-1/2), odd ones such a power times (f(1) - f(-1)) / 2.
    """
    even = order - order % 2
    weights = {even // 2 - place: float((-1) ** place * comb(even, place)) for place in range(even + 1)}
    if order % 2 == 0:
        return weights
    odd: dict[int, float] = {}
    for node, weight in weights.items():
        odd[node + 1] = odd.get(node + 1, 0.0) + weight / 2
        odd[node - 1] = odd.get(node - 1, 0.0) - weight / 2
    return {node: weight for node, weight in odd.items() if weight}


def _derivatives(task: Task, dynamics: Dynamics, state: Array) -> list[float]:
    nq, nv = task.robot.nq, task.robot.nv
    q, flat = state[:nq].tolist(), state[nq:].tolist()
    rows = [flat[nv * row : nv * (row + 1)] for row in range(task.rows)]
    inverse = task.subject.dynamics == DYNAMICS[0]
    known = [list(dynamics(q, rows[0], rows[1]))]
    for k in range(1, task.order + 1):
        # forward dynamics tells the motion order by order; inverse dynamics is told
        trajectory = Trajectory(task.robot.model, q, rows if inverse else [rows[0], *known])
        step = _step(rows[0], k)
        total = [0.0] * nv
        for node, weight in stencil(k).items():
            t = node * step
            u = trajectory.a(t) if inverse else polynomials(rows[1:], t)
            found = dynamics(trajectory.q(t), trajectory.v(t), u)
            total = [x + weight * y for x, y in zip(total, found, strict=True)]
        known.append([x / step**k for x in total])
    return [x for row in known for x in row]


def _step(v: Sequence[float], order: int) -> float:
    slowest = 1.0 / max(1.0, *(abs(rate) for rate in v))
    return float(slowest * ROUNDOFF ** (1.0 / (order + 2)))
