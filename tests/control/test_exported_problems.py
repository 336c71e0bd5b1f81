"""Optimal-control problems as scripts for other solvers: IPOPT ends at the cost of our solver."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.cli.main import main
from symdyn.errors import RequestError

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
SWING = """
control:
  horizon: {steps: 12, step: 0.04}
  costs:
    reach: {frame_position: {frame: tip}, weight: 20, end: 200}
    rest: {state: {q: 0, v: 0}, weights: {q: 0.01, v: 0.05}, end: {q: 0.01, v: 1}}
    effort: {input: {}, weight: 0.01}
  limits: {effort: 6, velocity: {from: 4, weight: 50}}
"""
TARGETS = {"reach": [-0.9, 0, -0.4]}


def written(folder: Path, to: str) -> Path:
    (folder / "swing.yaml").write_text(SWING)
    asked = ["--problem", str(folder / "swing.yaml"), "--target-of", "reach=-0.9 0 -0.4"]
    assert main(["export-ocp", "double_pendulum", *asked, "--to", to, "--out", str(folder / "ocp")]) == 0
    return folder / "ocp" / f"solve_by_{to}.py"


def run(script: Path) -> dict[str, Any]:
    return runpy.run_path(str(script))


@pytest.mark.needs_cc
def test_ipopt_ends_at_the_cost_and_plan_of_our_solver(tmp_path: Path) -> None:
    script = run(written(tmp_path, "casadi"))
    assert script["main"]() == 0
    found = json.loads((tmp_path / "ocp" / "plan.json").read_text())
    robot = symdyn.load_example("double_pendulum").with_control(tmp_path / "swing.yaml")
    plan = symdyn.optimal_control(robot, targets=TARGETS)
    assert found["cost"] == pytest.approx(plan.cost, rel=1e-7)
    assert np.abs(np.array(found["U"])).max() <= 6.0 and np.abs(plan.U).max() > 5.9
    assert np.abs(np.array(found["X"]) - plan.X).max() < 1e-3
    # A search that begins at our plan stays there.
    again = script["solve"](np.array(script["PROBLEM"]["x0"]), np.array(script["PROBLEM"]["y"]), plan.X, plan.U)
    assert again[0] == pytest.approx(plan.cost, rel=1e-7)


def test_the_script_for_acados_is_a_program_with_the_same_numbers(tmp_path: Path) -> None:
    script = written(tmp_path, "acados")
    compile(script.read_text(), str(script), "exec")
    numbers = json.loads((tmp_path / "ocp" / "problem.json").read_text())
    assert numbers["steps"] == 12 and numbers["y"] == TARGETS["reach"]
    assert {own["bound"] for own in numbers["input_limits"]} == {-6.0, 6.0}
    assert {own["weight"] for own in numbers["state_limits"]} == {50.0}


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("name", "method", "step"),
    [("flexible_single_link", "implicit_euler", 0.02), ("elastic_arm", "implicit_midpoint", 0.01)],
)
def test_ipopt_ends_at_our_cost_of_implicit_steps(name: str, method: str, step: float, tmp_path: Path) -> None:
    """IPOPT has accelerations for unknowns and equations of motion for constraints, we converge each step."""
    robot = symdyn.load_example(name)
    goal = [0.5, *[0.0] * (robot.nq - 1)]
    (tmp_path / "stiff.yaml").write_text(f"""
control:
  horizon: {{steps: 10, step: {step}, method: {method}}}
  costs:
    rest: {{state: {{q: {goal}, v: 0}}, weights: {{q: 1, v: 0.05}}, end: {{q: 100, v: 1}}}}
    effort: {{input: {{}}, weight: 0.01}}
  limits: {{effort: {{from: 12}}}}
""")
    script = run(symdyn.export_ocp(robot, tmp_path / "stiff.yaml", out=tmp_path))
    plan = symdyn.optimal_control(robot.with_control(tmp_path / "stiff.yaml"))
    assert script["main"]() == 0
    found = json.loads((tmp_path / "plan.json").read_text())
    assert found["cost"] == pytest.approx(plan.cost, rel=1e-7)
    assert np.abs(np.array(found["U"])).max() <= 12.0
    acados = symdyn.export_ocp(robot, tmp_path / "stiff.yaml", to="acados", out=tmp_path / "acados")
    compile(acados.read_text(), str(acados), "exec")
    numbers = json.loads((tmp_path / "acados" / "problem.json").read_text())
    assert (numbers["function"], numbers["accelerations"]) == ("step_equations", robot.nv)


def test_what_is_not_exported_is_refused(tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum")
    asked: dict[str, Any] = {"costs": [symdyn.InputCost(weight=0.01)]}
    plain = symdyn.OptimalControlProblem(horizon=symdyn.Horizon(steps=5, step=0.1), **asked)
    with pytest.raises(RequestError, match="casadi"):
        symdyn.export_ocp(robot, plain, to="matlab", out=tmp_path)
    assert main(["export-ocp", "double_pendulum", "--target-of", "reach"]) == 2
