"""The rivals in JAX and heyoka give the right numbers, and a comparison can be drawn: all need extra packages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdyn
from symdyn.analysis.compare.budget import Failure
from symdyn.analysis.compare.comparison import compare
from symdyn.analysis.compare.contestants import measure
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.plot import save_plot
from symdyn.analysis.compare.task import DYNAMICS, Kind, Subject, Task
from symdyn.generation.pipeline import float_recursion

pytestmark = pytest.mark.peers


@pytest.mark.parametrize(
    ("name", "robot_name"),
    [
        ("jax-jet", "double_pendulum"),
        ("jax-jet", "aerial_manipulator"),
        ("jax-nested-jet", "double_pendulum"),
        ("heyoka", "double_pendulum"),
        ("heyoka", "aerial_manipulator"),
    ],
)
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_jets_give_the_derivatives(dynamics: str, name: str, robot_name: str) -> None:
    if name == "heyoka":
        pytest.importorskip("heyoka")
    robot, order = symdyn.load_example(robot_name), 2 if robot_name == "double_pendulum" else 1
    rng = np.random.default_rng(2)
    state = np.concatenate([robot.random_state(rng)[0], rng.uniform(-1, 1, (order + 2) * robot.nv)])
    task = Task(robot, Subject(dynamics, Kind.TIME), order, state[None, :])
    figures = measure(name, task)
    splits = np.cumsum([argument.size for argument in task.signature.inputs])[:-1]
    parts = zip(task.signature.inputs, np.split(state, splits), strict=True)
    call = float_recursion(robot, task.subject.function, order=order)
    (output,) = task.signature.outputs
    truth = np.array(call({argument.name: part.tolist() for argument, part in parts})[output.name])
    assert figures.outputs[0] == pytest.approx(truth, rel=0.0, abs=1e-11 * np.abs(truth).max())
    assert figures.operations is None and figures.compile_s is not None and figures.nanoseconds > 0.0


@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
@pytest.mark.parametrize("orders", [range(3), None])
def test_a_plot_is_made_and_made_again_alike(orders: range | None, ending: str, tmp_path: Path) -> None:
    def run(name: str, task: Task, _: float) -> Figures | Failure:
        if name == "casadi-plain" and task.order == 2:
            return Failure("over 60 s")
        size = sum(output.size for output in task.signature.outputs)
        return Figures(7, 100, 0.5, None, 10.0 * (task.order + 1), np.zeros((len(task.states), size)))

    robot = symdyn.load_example("double_pendulum")
    found = compare(robot, "inverse_dynamics", orders, ["casadi-plain", "casadi-plain-cse"], run=run)
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    save_plot(found, first)
    save_plot(found, second)
    assert first.stat().st_size > 5000
    assert first.read_bytes() == second.read_bytes()
