"""The solver of statics in C: the rests of Newton's method over NumPy, load steps, and codes of what has none."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.compilers import each_of

import symdyn
from symdyn.errors import RequestError, VerificationError
from symdyn.toolchain.solvers import SolveCode

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
_STRICT = ("-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion")
_HEAP = {"malloc", "free", "calloc", "realloc", "aligned_alloc"}

ARM = """
format: 1
name: arm
links:
  base:
  upper: {mass: 2, com: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  lower: {mass: 1, com: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  shoulder: {type: revolute, parent: base, child: upper, axis: [0, 1, 0]}
  elbow: {type: revolute, parent: upper, child: lower, translation: [0.6, 0, 0], axis: [0, 1, 0]}
"""
WANTED = np.array([0.4, 0.5])


@cache
def arm() -> tuple[Any, Any]:
    robot = symdyn.loads(ARM, format="yaml")
    return robot, symdyn.compile(robot, ["statics_residual"], lanes=False, solvers=["statics"])


def holding(q: Any) -> Any:
    """Torques against weight: angles about y take x to -z."""
    first, second = np.cos(q[0]), np.cos(q[0] + q[1])
    return np.array([-9.81 * (2 * 0.3 + 0.6) * first - 9.81 * 0.2 * second, -9.81 * 0.2 * second])


@pytest.mark.needs_cc
def test_a_rest_in_closed_form() -> None:
    _, module = arm()
    found = module.solve_statics([0.3, 0.6], holding(WANTED))
    assert found.code is SolveCode.DONE and found.load_steps == 1
    np.testing.assert_allclose(found.q, WANTED, rtol=0.0, atol=1e-14)
    assert 1 <= found.jacobians <= found.iterations < 20
    assert not found.forces.any() and found.multipliers.shape == (0,)


@pytest.mark.needs_cc
@pytest.mark.parametrize("start", [[1.0, -1.0], [0.0, 1.7], [-1.3, 1.3], [2.9, -2.4]])
def test_far_starts_and_singular_ones_lead_where_newton_does(start: list[float]) -> None:
    """Where a link hangs level its weight has no slope: the least move is taken, in C as over NumPy."""
    robot, module = arm()
    torques = holding(WANTED)
    expected = symdyn.equilibrium(robot, torques, q0=start, target="python")
    found = module.solve_statics(start, torques)
    assert (found.code, found.load_steps) == (SolveCode.DONE, len(expected.load_factors))
    np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-13 * np.abs(expected.q).max())


@pytest.mark.needs_cc
def test_codes() -> None:
    _, module = arm()
    known = module.solve_statics([0.3, 0.6], holding(WANTED))
    assert known.jacobians < known.iterations  # so it is known which of them ``max_iterations`` counts
    for most, code in ((known.iterations, SolveCode.DONE), (known.iterations - 1, SolveCode.TOO_MANY_ITERATIONS)):
        assert module.solve_statics([0.3, 0.6], holding(WANTED), max_iterations=most).code is code
    assert module.solve_statics([0.3, 0.6], [0.0, 5.0]).code is SolveCode.NO_REST
    assert module.solve_statics([0.3, 0.6], [1e308, -1e308]).code is not SolveCode.DONE
    with pytest.raises(RequestError, match=r"expected q, tau, got 1"):
        module.solve_statics([0.3, 0.6])
    with pytest.raises(RequestError, match="max_iterations"):
        module.solve_statics([0.3, 0.6], [0.0, 0.0], max_iterations=0)
    with pytest.raises(RequestError, match=r"argument 'tau' has entries that are not finite"):
        module.solve_statics([0.3, 0.6], [0.0, np.nan])


def test_what_is_written(tmp_path: Path) -> None:
    place = symdyn.generate(symdyn.load_example("four_bar"), ["gravity"], out=tmp_path / "out", solvers=["statics"])
    source = "four_bar_solve_statics"
    assert (place / f"{source}.c").is_file()
    project, header, readme = ((place / name).read_text() for name in ("CMakeLists.txt", "four_bar.h", "README.md"))
    assert f"{source}.c" in project and f"`{source}`" in readme
    assert f"#define {source.upper()}_WORK" in header and "FOUR_BAR_SOLVE_NO_REST" in header
    assert "Added because solvers call them: `statics_residual`, `statics_jacobian`, `constraint_error`" in readme


def test_what_is_refused() -> None:
    robot = symdyn.load_example("four_bar")
    names = ["constrained_forward_dynamics"]
    with pytest.raises(RequestError, match="solvers hold all closed loops"):
        symdyn.generate(robot, names, out="no", solvers=["statics"], switched=[robot.constraints[0].name])
    with pytest.raises(RequestError, match="solvers are written in C, got target 'python'"):
        symdyn.generate(robot, names, out="no", solvers=["statics"], target="python")


CASES: dict[str, dict[str, Any]] = {
    "cable_manipulator": {"u": [3.0, 0.0, 1.0, 2.0, 0.5]},
    "soft_serial_robot": {"u": 0.3, "prescribed": [f"joint_{number}" for number in range(1, 8)]},
    "parallel_robot": {"u": 2e-3},
    "four_bar": {"prescribed": ["input"], "start": {"input": 0.5, "elbow": -1.7, "output": -1.9}},
    "flexible_single_link": {"u": 0.05, "prescribed": ["motor"]},
    "canadarm": {"u": 20.0, "prescribed": ["joint_1", "joint_2", "joint_3"]},
}


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_c_equals_numpy(name: str) -> None:
    """Rods, beams, closed loops, spherical joints, prescribed rows: positions, forces and multipliers to rounding."""
    robot, case = symdyn.load_example(name), CASES[name]
    held = case.get("prescribed", [])
    driven = bool(robot.model.actuator_inputs)
    count = len(robot.model.actuator_inputs) or robot.nv
    rng = np.random.default_rng(4)
    asked: dict[str, Any] = {"inputs": "actuators" if driven else "forces"}
    if held:
        asked["prescribed"] = held
    module = symdyn.compile(robot, ["statics_residual"], lanes=False, solvers=["statics"], **asked)
    q = robot.neutral()
    for coordinate, value in case.get("start", {}).items():
        q[robot.coordinate_names.index(coordinate)] = value
    for _ in range(3):
        u = rng.uniform(0.0 if driven else -1.0, 1.0, count) * case.get("u", 0.0)
        expected = symdyn.equilibrium(robot, u, q0=q, prescribed=held, target="python")
        found = module.solve_statics(q, u)
        assert (found.code, found.load_steps) == (SolveCode.DONE, len(expected.load_factors))
        np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-12 * max(1.0, np.abs(expected.q).max()))
        for own, other in ((found.forces, expected.forces), (found.multipliers, expected.multipliers)):
            np.testing.assert_allclose(own, other, rtol=0.0, atol=1e-9 * max(1e-6, np.abs(other).max(initial=0.0)))


@pytest.mark.needs_cc
@pytest.mark.slow
def test_external_wrenches_and_free_directions() -> None:
    """A robot on a vertical hinge rests anywhere: it stays where it is there."""
    text = ARM.replace("child: upper, axis: [0, 1, 0]", "child: upper, axis: [0, 0, 1]")
    asked: dict[str, Any] = {"lanes": False, "solvers": ["statics"], "external_wrenches": "world"}
    module = symdyn.compile(symdyn.loads(text, format="yaml"), ["gravity"], **asked)
    found = module.solve_statics([0.3, 1.2], np.zeros(2), np.zeros((2, 6)))
    assert found.code is SolveCode.DONE
    np.testing.assert_allclose(found.q, [0.3, np.pi / 2], rtol=0.0, atol=1e-13)
    robot, _ = arm()
    wrenches = np.zeros((2, 6))
    wrenches[1, 0] = 30.0
    module = symdyn.compile(robot, ["gravity"], **asked)
    expected = symdyn.equilibrium(robot, q0=[0.5, 0.2], f_ext=wrenches, target="python")
    found = module.solve_statics([0.5, 0.2], np.zeros(2), wrenches)
    assert found.code is SolveCode.DONE
    np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-13)


@pytest.mark.needs_cc
@pytest.mark.slow
def test_load_steps() -> None:
    """Tensions so high that Newton's method fails at once: load steps in C, and over NumPy, find one rest."""
    robot = symdyn.load_example("cable_manipulator")
    module = symdyn.compile(robot, ["statics_residual"], lanes=False, solvers=["statics"], inputs="actuators")
    tensions = [200.0, 171.8, 157.6, 177.2, 32.1]
    expected = symdyn.equilibrium(robot, tensions)
    found = module.solve_statics(robot.neutral(), tensions)
    assert found.code is SolveCode.DONE
    assert found.load_steps > 1 and len(expected.load_factors) > 1
    np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-10 * np.abs(expected.q).max())


@pytest.mark.needs_cc
@pytest.mark.slow
def test_single_precision_and_open_loops() -> None:
    robot = symdyn.load_example("four_bar")
    asked: dict[str, Any] = {"lanes": False, "solvers": ["statics"], "prescribed": ["input"]}
    module = symdyn.compile(robot, ["gravity"], dtype="float32", **asked)
    q = robot.close([0.5, -1.7, -1.9], hold=["input"])
    expected = symdyn.equilibrium(robot, q0=q, prescribed=["input"], target="python")
    found = module.solve_statics(q.astype(np.float32), np.zeros(3, np.float32))
    assert found.code is SolveCode.DONE
    np.testing.assert_allclose(found.q, expected.q, rtol=0.0, atol=1e-5)
    stretched = {**asked, "prescribed": ["input", "elbow", "output"]}
    module = symdyn.compile(robot, ["gravity"], **stretched)
    assert module.solve_statics([0.5, 0.0, 0.0], np.zeros(3)).code is SolveCode.LOOPS_OPEN


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize(("name", "dtype"), [("four_bar", "float32"), ("four_bar", "float64"), ("pendulum", "float64")])
def test_no_warnings_and_no_heap(tmp_path: Path, compiler: str, name: str, dtype: str) -> None:
    asked: dict[str, Any] = {"prescribed": ["input"]} if name == "four_bar" else {}
    place = symdyn.generate(
        symdyn.load_example(name), ["gravity"], out=tmp_path / "out", solvers=["statics"], dtype=dtype, **asked
    )
    source, target = place / f"{name}_solve_statics.c", tmp_path / "made.o"
    command = [compiler, *_STRICT, "-Wshadow", "-Wvla", "-Werror", "-O2", "-c", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    symbols = subprocess.run(["nm", str(target)], capture_output=True, text=True, check=True, timeout=60).stdout
    kinds = [(line.split()[-1], line.split()[-2]) for line in symbols.splitlines()]
    assert {symbol for symbol, kind in kinds if kind == "U"}.isdisjoint(_HEAP)
    assert not [symbol for symbol, kind in kinds if kind in "bBdDC"]


@pytest.mark.needs_cc
@pytest.mark.slow
def test_a_folder_verifies(tmp_path: Path) -> None:
    """Every file is made anew by the manifest's record; an opened folder has the solver."""
    place = symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=tmp_path / "out", solvers=["statics"])
    assert symdyn.api.verify(place, states=2).passed
    source = place / "pendulum_solve_statics.c"
    source.write_text(source.read_text() + " ")
    with pytest.raises(VerificationError, match="pendulum_solve_statics"):
        symdyn.api.verify(place, states=2)
