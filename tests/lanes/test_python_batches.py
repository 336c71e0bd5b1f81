"""Batches from Python: through lanes, with repeated inputs, and on threads, the same through both doors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.extension import imported

import symdyn
from symdyn import api
from symdyn.errors import RequestError, SymdynWarning
from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.toolchain.build_plan import plan_build
from symdyn.toolchain.find_compiler import find_compiler
from symdyn.toolchain.module import Module

pytestmark = pytest.mark.needs_cc

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def _compiled(kind: str, dtype: str) -> Module:
    robot = symdyn.load_example("double_pendulum", runtime=["lower.mass"])
    if kind == "extension":
        return symdyn.compile(robot, ["inverse_dynamics", "mass_matrix"], dtype=dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMDYN_NO_HEADERS", "1")
        with pytest.warns(SymdynWarning, match="ctypes"):
            return symdyn.compile(robot, ["inverse_dynamics", "mass_matrix"], dtype=dtype)


@pytest.fixture(scope="module", params=["extension", "ctypes"])
def module(request: pytest.FixtureRequest) -> Module:
    return _compiled(request.param, "float64")


def _drawn(*shape: int) -> Any:
    return np.random.default_rng(41).uniform(-1.0, 1.0, (3, *shape, 2))


@pytest.mark.parametrize("kind", ["extension", "ctypes"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("states", [1, 2, 3, 7, 8, 9, 15, 16, 17, 40])
def test_each_state_is_that_of_a_single_call(kind: str, dtype: str, states: int) -> None:
    module = _compiled(kind, dtype)
    q, v, a = _drawn(states).astype(dtype)
    p = np.array([1.3], dtype)
    tau, mass = module.inverse_dynamics(q, v, a, p), module.mass_matrix(q, p)
    for state in range(states):
        single = module.inverse_dynamics(q[state], v[state], a[state], p)
        np.testing.assert_allclose(tau[state], single, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
        single = module.mass_matrix(q[state], p)
        np.testing.assert_allclose(mass[state], single, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("states", [2, 63, 64, 65, 150])
def test_repeated_inputs(module: Module, states: int) -> None:
    """One q and one v for all states, and one p for all or one for each."""
    q, v, a = _drawn(states)
    full = module.inverse_dynamics(np.tile(q[0], (states, 1)), np.tile(v[0], (states, 1)), a, [1.3])
    np.testing.assert_array_equal(module.inverse_dynamics(q[0], v[:1], a, [1.3]), full)
    own = module.inverse_dynamics(q[0], v[0], a, np.full((states, 1), 1.3))
    np.testing.assert_allclose(own, full, rtol=1e-12, atol=1e-13)
    grid = module.inverse_dynamics(q[:5, None], v[:4], a[0], [[1.3]])
    for row, column in np.ndindex(min(5, states), min(4, states)):
        single = module.inverse_dynamics(q[row], v[column], a[0], [1.3])
        np.testing.assert_allclose(grid[row, column], single, rtol=1e-12, atol=1e-13)


def test_threads_change_nothing(module: Module) -> None:
    """A batch that is worth several threads: bit for bit what one of them makes of it."""
    q, v, a = _drawn(540_001)  # of 38 operations: enough for two
    results = []
    for count in (1, 2):
        module.set_threads(count)
        results.append(module.inverse_dynamics(q, v, a, [1.3]))
        repeated = module.inverse_dynamics(q, v[0], a, [1.3])
        each = module.inverse_dynamics(q, v, a, np.full((len(q), 1), 1.3))
        results[-1] = np.stack([results[-1], repeated, each])
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_allclose(results[0][2], results[0][0], rtol=1e-10, atol=1e-11)
    module.set_threads(0)


def test_local_builds_take_the_lanes() -> None:
    files = {file.path: file.text for file in api.sources(symdyn.load_example("pendulum"), ["mass_matrix"])}
    manifest = Manifest.from_json(files[FILE_NAME])
    assert manifest.lane_sources == ("pendulum_mass_matrix_lanes.c",)
    plan = plan_build(files, manifest, find_compiler(), ())
    compiled = {Path(step[step.index("-c") + 1]).name: step for step in plan.steps}
    assert compiled.keys() == {"pendulum_mass_matrix.c", "pendulum_mass_matrix_lanes.c"}
    assert all("-DSYMDYN_LANES" in step for step in compiled.values())


@pytest.mark.parametrize("count", [-1, 1.5, "all", None])
def test_what_is_no_number_of_threads_is_refused(module: Module, count: Any) -> None:
    with pytest.raises(RequestError, match=r"set_threads: expected a number of threads"):
        module.set_threads(count)


def test_the_extension_refuses_too() -> None:
    extension = imported(_compiled("extension", "float64"))
    for wrong in (-1, "two", 2**80):
        with pytest.raises(RequestError, match=r"set_threads: expected a number of threads"):
            extension.set_threads(wrong)


def test_python_targets_take_any_number_of_threads() -> None:
    module = symdyn.compile(symdyn.load_example("pendulum"), ["mass_matrix"], target="python")
    module.set_threads(4)
    assert module.mass_matrix(np.zeros((3, 1))).shape == (3, 1, 1)


def test_a_build_without_lanes_gives_the_same() -> None:
    robot = symdyn.load_example("double_pendulum")
    modules = [symdyn.compile(robot, ["inverse_dynamics"], lanes=lanes) for lanes in (True, False)]
    states = _drawn(37)
    with_lanes, without = (module.inverse_dynamics(*states) for module in modules)
    assert np.allclose(with_lanes, without, rtol=1e-14, atol=1e-14)
