"""What linkers on Windows are told to export: every C function that a header declares for callers of a solver."""

from __future__ import annotations

import re

import pytest

import symdyn
from symdyn import FramePosition, Horizon, InputCost, OptimalControlProblem
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, Manifest, SolverEntry
from symdyn.interface.rollouts import ROLLOUT
from symdyn.interface.solving import SOFT_INVERSE_KINEMATICS, SOLVERS
from symdyn.toolchain.build_plan import plan_build
from symdyn.toolchain.find_compiler import Compiler
from symdyn.toolchain.flags import EXPORTS

OF_ARMS = tuple(solver for solver in SOLVERS if solver != SOFT_INVERSE_KINEMATICS)
"""Without that of robots with actuators."""
COMPILER = Compiler(("x86_64-w64-mingw32-gcc",), "gcc", "", (), "win32")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    costs = [FramePosition("tip", weight=20.0), InputCost(weight=1e-2)]
    problem = OptimalControlProblem(costs=costs, horizon=Horizon(3, 0.03))
    robot = symdyn.load_example("double_pendulum").with_control(problem)
    asked = {"frames": ["tip"], "tasks": ["tip:position"], "solvers": OF_ARMS, "rollout": "semi_implicit_euler"}
    return {file.path: file.text for file in pipeline.sources(robot, ["jacobians"], **asked)}


@pytest.mark.parametrize("solver", [*OF_ARMS, ROLLOUT])
def test_each_declared_function_of_a_solver_is_exported(solver: str, texts: dict[str, str]) -> None:
    manifest = Manifest.from_json(texts[FILE_NAME])
    entry: SolverEntry = next(entry for entry in manifest.solvers if entry.solver == solver)
    declared = set(re.findall(rf"^[\w ]+ ({entry.c_name}(?:_\w+)?)\(", texts[manifest.header], re.MULTILINE))
    sources = {path: text for path, text in texts.items() if path.endswith((".c", ".h"))}
    exported = set(plan_build(sources, manifest, COMPILER, ()).texts[EXPORTS].split())
    assert declared and declared <= exported
    assert set(entry.calls) <= declared
