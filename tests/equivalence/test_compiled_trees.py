"""Compiled C == emitted Python == float recursion, in both layouts, on random trees of all joint kinds."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.robot.robot import Robot
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.python_module import load_python

# Sums of some 100 terms per row, reordered and fused, through chains of up to 30 joints whose terms cancel: some
# thousand units of roundoff (2^-53, 2^-24) relative to the norm; the named robots of tests/peers stay ten times below.
TOLERANCE = 1e-12
TOLERANCE_FLOAT32 = 2e-4
TREES_PER_COMPILATION = 10
LAYOUTS = ("unrolled", "split", "rolled")

ROLLED_FIRST = pytest.mark.parametrize(
    "layout", [pytest.param(name, marks=() if name == "rolled" else pytest.mark.slow) for name in LAYOUTS]
)

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


def _sources(robot: Robot, layout: str, dtype: str, folder: Path) -> tuple[Manifest, Path, object]:
    files = api.sources(robot, ["inverse_dynamics"], layout=layout, dtype=dtype, external_wrenches="body")
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    folder.mkdir()
    for file in files:
        if file.path.endswith((".c", ".h")):
            (folder / file.path).write_text(file.text)
    return manifest, folder, load_python(files, manifest)


def _library(folders: list[Path], target: Path) -> ctypes.CDLL:
    sources = [
        str(path) for folder in folders for path in sorted(folder.glob("*.c")) if not path.name.endswith("_lanes.c")
    ]
    command = [*find_compiler().command, "-std=c99", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-o", str(target)]
    subprocess.run([*command, *sources, "-lm"], check=True, capture_output=True)
    return ctypes.CDLL(str(target))


def _call(library: ctypes.CDLL, manifest: Manifest, inputs: dict[str, list[float]]) -> np.ndarray:
    entry = manifest.functions[0]
    kind = np.float32 if manifest.dtype == "float32" else np.float64
    signature = entry.signature
    arrays = [np.ascontiguousarray(inputs[argument.name], dtype=kind) for argument in signature.inputs]
    tau = np.full(signature.outputs[0].size, np.nan, dtype=kind)
    work = np.full(max(1, entry.work_size), np.nan, dtype=kind)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arrays, tau, work)]
    getattr(library, entry.c_name)(*pointers)
    return tau


_TEN_TREES = st.lists(robots(), min_size=TREES_PER_COMPILATION, max_size=TREES_PER_COMPILATION)
_SEEDS = st.integers(0, 2**32 - 1)
_slow_to_draw = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


@ROLLED_FIRST
@settings(max_examples=2, suppress_health_check=_slow_to_draw)
@given(trees=_TEN_TREES, seed=_SEEDS)
def test_compiled_and_python_targets_agree_in_doubles(
    tmp_path_factory: pytest.TempPathFactory, layout: str, trees: list[RobotDescription], seed: int
) -> None:
    _compare(tmp_path_factory, trees, layout, "float64", TOLERANCE, seed)


@ROLLED_FIRST
@settings(max_examples=1, suppress_health_check=_slow_to_draw)
@given(trees=_TEN_TREES, seed=_SEEDS)
def test_compiled_and_python_targets_agree_in_floats(
    tmp_path_factory: pytest.TempPathFactory, layout: str, trees: list[RobotDescription], seed: int
) -> None:
    _compare(tmp_path_factory, trees, layout, "float32", TOLERANCE_FLOAT32, seed)


def _compare(
    tmp_path_factory: pytest.TempPathFactory,
    trees: list[RobotDescription],
    layout: str,
    dtype: str,
    tolerance: float,
    seed: int,
) -> None:
    folder = tmp_path_factory.mktemp("trees")
    rng = np.random.default_rng(seed)
    made = []
    for index, tree in enumerate(trees):
        robot = api.from_description(replace(tree, name=f"tree{index}"), joint_losses=True)
        made.append((robot, *_sources(robot, layout, dtype, folder / str(index))))
    library = _library([item[2] for item in made], folder / "trees.so")
    for robot, manifest, _, python in made:
        signature = manifest.functions[0].signature
        recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches="body")
        for _ in range(2):
            inputs = random_inputs(robot, signature, rng)
            if dtype == "float32":
                inputs = {name: [float(np.float32(x)) for x in values] for name, values in inputs.items()}
            reference = recursion(inputs)["tau"]
            compiled = _call(library, manifest, inputs)
            assert relative_error(compiled, reference) <= tolerance, manifest.robot
            shaped = [
                np.reshape(np.asarray(inputs[argument.name], dtype=manifest.dtype), argument.shape)
                for argument in signature.inputs
            ]
            interpreted = python.inverse_dynamics(*shaped)
            assert relative_error(interpreted, reference) <= tolerance, manifest.robot
