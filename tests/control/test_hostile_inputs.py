"""Calls with what the solver should never be given, in C under sanitizers: codes, inputs within limits, no crash.

A run of 10^5 problems, in some minutes: HOSTILE_PROBLEMS=17000 pytest -m "slow or not slow" on this file.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of

import symdyn
from symdyn import (
    FramePosition,
    Horizon,
    InputCost,
    InputRate,
    Limits,
    OptimalControlProblem,
    SolverSettings,
    StateCost,
)

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
_SANITIZED = (
    "-std=gnu99",
    "-O1",
    "-g",
    "-ffp-contract=off",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)
_COUNT = int(os.environ.get("HOSTILE_PROBLEMS", "300"))
_BOTH = {"lower": -6.0, "upper": 6.0}
_NARROW = {"lower": [-1.0, 2.0], "upper": [-1.0 + 1e-9, 5.0]}
_SOFT = {"from": 4.0, "weight": 50.0}
_OUT_OF_REACH = {"from": 1e-3, "kind": "hard"}


def _run(
    folder: Path, compiler: str, problem: Any, bounds: dict[str, Any], dtype: str, count: int, change: float
) -> np.ndarray:
    """How often codes 0 to 6 came, and how often a code, a gain or an input was wrong."""
    robot = symdyn.load_example("double_pendulum").with_control(problem)
    out = symdyn.generate(robot, ["step"], solvers=["mpc"], out=folder / "out", dtype=dtype)
    sources = [str(own) for own in Path(out).glob("*.c") if "lanes" not in own.name]
    lower, upper = (np.broadcast_to(bounds[own], 2) for own in ("lower", "upper"))
    pairs = ", ".join(f"{{ {low!r}, {high!r} }}" for low, high in zip(lower.tolist(), upper.tolist(), strict=True))
    defined = [f"-Dreal={'double' if dtype == 'float64' else 'float'}", f"-DSTEPS={problem.horizon.steps}"]
    defined += [f"-DCHANGE={change!r}"] if change else []
    command = [compiler, *_SANITIZED, *defined, f"-DBOUNDS={{ {pairs} }}", f"-I{out}", *sources]
    subprocess.run([*command, str(Path(__file__).parent / "hostile.c"), "-lm", "-o", str(folder / "main")], check=True)
    shown = subprocess.run([str(folder / "main"), str(count)], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    return np.array(shown.stdout.split(), int)


@pytest.mark.parametrize("compiler", each_of("gcc"))
@pytest.mark.parametrize(
    ("steps", "h", "effort", "velocity", "settings", "dtype"),
    [
        pytest.param(8, 0.03, _BOTH, _SOFT, {}, "float64", id="plain"),
        pytest.param(1, 0.03, _NARROW, None, {"qp_iterations": 1}, "float64", id="one step, a range of 1e-9"),
        pytest.param(3, 1e6, _BOTH, _SOFT, {"globalise": False}, "float64", id="steps of days", marks=pytest.mark.slow),
        pytest.param(4, 0.03, _BOTH, _OUT_OF_REACH, {}, "float64", id="out of reach", marks=pytest.mark.slow),
        pytest.param(8, 0.03, _BOTH, _SOFT, {}, "float32", id="floats", marks=pytest.mark.slow),
        pytest.param(5, 0.03, _BOTH, _SOFT, {"hessian": "exact"}, "float64", id="rates", marks=pytest.mark.slow),
    ],
)
def test_hostile_calls_end_with_codes_and_inputs_within_limits(
    tmp_path: Path,
    compiler: str,
    steps: int,
    h: float,
    effort: dict[str, Any],
    velocity: dict[str, Any] | None,
    settings: dict[str, Any],
    dtype: str,
) -> None:
    exact = settings.get("hessian") == "exact"
    costs = [
        *([InputRate(weight=1e-5)] if exact else []),
        FramePosition("tip", weight=20.0, end=200.0),
        StateCost(q=0.0, v=0.0, weights={"q": 0.01, "v": 0.05}),
        InputCost(weight=1e-2),
    ]
    limits = Limits(effort=effort, velocity=velocity, input_rate=60.0 if exact else None)
    problem = OptimalControlProblem(
        costs=costs, limits=limits, horizon=Horizon(steps, h), solver=SolverSettings(**settings)
    )
    found = _run(tmp_path, compiler, problem, effort, dtype, _COUNT, 60.0 * h if exact else 0.0)
    assert found[:7].sum() == 6 * _COUNT and found[:3].sum() > 0 and found[6] > 0
    np.testing.assert_array_equal(found[7:], 0)
