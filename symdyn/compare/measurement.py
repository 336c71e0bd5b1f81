"""What inverse dynamics of a robot costs here and now, in both layouts, beside CasADi's C of the plain algorithm."""

from __future__ import annotations

import contextlib
import time
import timeit
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symdyn import production
from symdyn.compare.plain_newton_euler import plain_inverse_dynamics
from symdyn.emit.source import SourceFile
from symdyn.emit.timing import casadi_timing_harness, timing_harness
from symdyn.errors import RequestError
from symdyn.manifest import FILE_NAME, Manifest
from symdyn.robot import Robot
from symdyn.toolchain.timing import time_c_calls

if TYPE_CHECKING:
    from symdyn.signature import Signature

FUNCTION = "inverse_dynamics"
_STATES = 64
_PYTHON_CALLS = 20_000

Figures = dict[str, float | None]
"""operations, c_bytes, generation_s, compile_s, ns_per_c_call, ns_per_python_call; None where there is none."""


def measure_inverse_dynamics(robot: Robot) -> dict[str, Figures]:
    """Figures of both layouts and of the rival, by row title.

    Times are medians of thread CPU time. The rival's operations are CasADi's instructions that are neither inputs,
    outputs nor constants. It is left out for robots that the plain recursion does not know.
    """
    signature = production.programs(robot, [FUNCTION], layout="unrolled")[0].signature
    states = _states(robot, signature)
    found = {f"symdyn {layout}": _measure_layout(robot, layout, states) for layout in ("unrolled", "rolled")}
    with contextlib.suppress(RequestError):
        found["CasADi C"] = _measure_casadi(robot, states)
    return found


def _states(robot: Robot, signature: Signature) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(_STATES):
        q, _v = robot.random_state(rng)
        parts = [q if argument.name == "q" else rng.standard_normal(argument.size) for argument in signature.inputs]
        rows.append(np.concatenate(parts))
    return np.array(rows)


def _measure_layout(robot: Robot, layout: str, states: NDArray[np.float64]) -> Figures:
    begin = time.perf_counter()
    files = production.sources(robot, [FUNCTION], layout=layout)
    generation = time.perf_counter() - begin
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    entry = manifest.function(FUNCTION)
    code = [file for file in files if file.path in (*manifest.sources, manifest.header)]
    timed = time_c_calls(code, timing_harness(entry), states, entry.signature.outputs[0].size, entry.work_size)
    _built, module = production.build(robot, [FUNCTION], layout=layout)
    call = getattr(module, FUNCTION)
    splits = np.cumsum([argument.size for argument in entry.signature.inputs])[:-1]
    arguments = [np.ascontiguousarray(part) for part in np.split(states[0], splits)]
    per_call = min(timeit.repeat(lambda: call(*arguments), number=_PYTHON_CALLS, repeat=5)) / _PYTHON_CALLS
    return {
        "operations": entry.operations,
        "c_bytes": timed.text_bytes,
        "generation_s": generation,
        "compile_s": timed.compile_seconds,
        "ns_per_c_call": timed.nanoseconds,
        "ns_per_python_call": 1e9 * per_call,
    }


def _measure_casadi(robot: Robot, states: NDArray[np.float64]) -> Figures:
    from symdyn.scalars.casadi_sx import CasadiAlgebra, casadi_c_source, casadi_function

    begin = time.perf_counter()
    algebra = CasadiAlgebra()
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv}
    inputs = [algebra.symbols(name, size) for name, size in sizes.items()]
    tau = plain_inverse_dynamics(robot.model, algebra, *inputs)
    function = casadi_function("rival", list(sizes), inputs, ["tau"], [(tau, (robot.nv,))])
    code = casadi_c_source(function)
    generation = time.perf_counter() - begin
    timed = time_c_calls(
        [SourceFile("rival.c", code.text)],
        casadi_timing_harness("rival", list(sizes.values())),
        states,
        robot.nv,
        code.work_size,
        standard=False,
    )
    return {
        "operations": code.operations,
        "c_bytes": timed.text_bytes,
        "generation_s": generation,
        "compile_s": timed.compile_seconds,
        "ns_per_c_call": timed.nanoseconds,
        "ns_per_python_call": None,
    }
