"""Batches of states, in lanes and one after another, equal the Program evaluator in every layout on random trees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.lane_batches import Batches, build
from support.robots.random_trees import robots
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.compiler.tape.program import Program
from symdyn.description.robot import RobotDescription
from symdyn.generation import pipeline
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.robot.robot import Robot

# As in tests/equivalence/test_compiled_trees.py: some thousand units of roundoff relative to the norm.
TOLERANCE = {"float64": 1e-12, "float32": 2e-4}
TREES_PER_COMPILATION = 3
STATES = 19
CHECKED = (0, 3, 8, 15, 16, STATES - 1)
FUNCTIONS = ("inverse_dynamics", "mass_matrix")

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]

_TREES = st.lists(robots(max_joints=7), min_size=TREES_PER_COMPILATION, max_size=TREES_PER_COMPILATION)
_slow_to_draw = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


def _written(robot: Robot, layout: str, dtype: str, folder: Path) -> tuple[Manifest, tuple[Program, ...]]:
    files = api.sources(robot, FUNCTIONS, layout=layout, dtype=dtype)
    folder.mkdir(parents=True)
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text)
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    return manifest, pipeline.programs(robot, FUNCTIONS, layout=layout, dtype=dtype)


def _states(robot: Robot, program: Program, rng: np.random.Generator) -> dict[str, np.ndarray]:
    drawn = [random_inputs(robot, program.signature, rng) for _ in range(STATES)]
    return {
        name: np.asarray(drawn[0][name] if name == "p" else [one[name] for one in drawn], program.dtype)
        for name in drawn[0]
    }


def _compare(folder: Path, trees: list[Robot], layout: str, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = [(robot, *_written(robot, layout, dtype, folder / str(index))) for index, robot in enumerate(trees)]
    library = build([folder / str(index) for index in range(len(made))], folder / "trees.so", flags=["-O1"])
    for robot, manifest, programs in made:
        for program in programs:
            batches = Batches(library, manifest, manifest.function(program.signature.function))
            inputs = _states(robot, program, rng)
            rows = batches.in_blocks(inputs, STATES)
            contiguous = batches.contiguous(inputs, STATES)
            for state in CHECKED:
                one = {name: (array if name == "p" else array[state]).tolist() for name, array in inputs.items()}
                for name, target in evaluate_program(program, FloatAlgebra(), one).items():
                    for found in (rows[name][state], contiguous[name][state]):
                        assert relative_error(found, target) <= TOLERANCE[dtype], (manifest.robot, name, state)


@pytest.mark.parametrize("dtype", ["float64", pytest.param("float32", marks=pytest.mark.slow)])
@pytest.mark.parametrize("layout", [pytest.param("unrolled", marks=pytest.mark.slow), "split", "rolled"])
@settings(max_examples=2, suppress_health_check=_slow_to_draw)
@given(trees=_TREES, seed=st.integers(0, 2**32 - 1))
def test_random_trees(
    tmp_path_factory: pytest.TempPathFactory, layout: str, dtype: str, trees: list[RobotDescription], seed: int
) -> None:
    made = [
        api.from_description(replace(tree, name=f"tree{index}"), joint_losses=True) for index, tree in enumerate(trees)
    ]
    _compare(tmp_path_factory.mktemp("lanes"), made, layout, dtype, seed)


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_parameters_are_shared_by_all_states(tmp_path: Path, layout: str) -> None:
    robot = api.load_example("double_pendulum", runtime=["lower.mass", "upper.com.x"])
    _compare(tmp_path, [robot], layout, "float64", 5)
