"""What inverse dynamics of a robot costs here and now, in two layouts, beside CasADi's C of the plain algorithm."""

from __future__ import annotations

import contextlib
import timeit
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.compare.casadi_rivals import graph_code, plain_graph
from symdyn.analysis.compare.measurement import Figures, generated_code, measure_code
from symdyn.analysis.compare.task import Kind, Subject, Task
from symdyn.errors import RequestError
from symdyn.generation import pipeline
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.interface.signature import Signature

FUNCTION = "inverse_dynamics"
_STATES = 64
_PYTHON_CALLS = 20_000

Row = dict[str, float | None]
"""operations, c_bytes, generation_s, compile_s, ns_per_c_call, ns_per_python_call; None where there is none."""


def measure_inverse_dynamics(robot: Robot) -> dict[str, Row]:
    """Figures of both layouts and of the rival, by row title.

    The rival is left out for robots that the plain recursion does not know.
    """
    signature = pipeline.programs(robot, [FUNCTION], layout="unrolled")[0].signature
    states = _states(robot, signature)
    found = {f"symdyn {layout}": _measure_layout(robot, layout, states) for layout in ("unrolled", "rolled")}
    task = Task(robot, Subject(FUNCTION, Kind.VALUES), 0, states)
    with contextlib.suppress(RequestError):
        rival = measure_code(lambda: graph_code(task, plain_graph(task), share=True), states)
        found["CasADi C"] = _row(rival, None)
    return found


def _states(robot: Robot, signature: Signature) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(_STATES):
        q, _v = robot.random_state(rng)
        parts = [q if argument.name == "q" else rng.standard_normal(argument.size) for argument in signature.inputs]
        rows.append(np.concatenate(parts))
    return np.array(rows)


def _measure_layout(robot: Robot, layout: str, states: NDArray[np.float64]) -> Row:
    figures = measure_code(lambda: generated_code(pipeline.sources(robot, [FUNCTION], layout=layout), FUNCTION), states)
    _built, module = pipeline.build(robot, [FUNCTION], layout=layout)
    call = getattr(module, FUNCTION)
    splits = np.cumsum([argument.size for argument in module.signature(FUNCTION).inputs])[:-1]
    arguments = [np.ascontiguousarray(part) for part in np.split(states[0], splits)]
    per_call = min(timeit.repeat(lambda: call(*arguments), number=_PYTHON_CALLS, repeat=5)) / _PYTHON_CALLS
    return _row(figures, 1e9 * per_call)


def _row(figures: Figures, python_ns: float | None) -> Row:
    return {
        "operations": figures.operations,
        "c_bytes": figures.c_bytes,
        "generation_s": figures.generation_s,
        "compile_s": figures.compile_s,
        "ns_per_c_call": figures.nanoseconds,
        "ns_per_python_call": python_ns,
    }
