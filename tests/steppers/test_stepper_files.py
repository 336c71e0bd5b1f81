"""Stepper files as firmware sees them: without warnings, without a heap, on a Cortex-M, in every kind of folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.compilers import each_of
from typer.testing import CliRunner

import symdyn
from symdyn.cli.verbs import app
from symdyn.errors import RequestError, VerificationError
from symdyn.interface.stepping import METHODS

_CROSS = Path(__file__).parents[1] / "cross"
_STRICT = ("-std=c99", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion")
_HEAP = {"malloc", "free", "calloc", "realloc", "aligned_alloc"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a free base with all steppers."""
    place = tmp_path_factory.mktemp("steppers") / "folder"
    return symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=place, steppers=METHODS, order=8)


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", each_of("gcc", "clang"))
@pytest.mark.parametrize(
    ("name", "dtype"), [("aerial_manipulator", "float64"), ("four_bar", "float32"), ("four_bar", "float64")]
)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_no_warnings_and_no_heap(tmp_path: Path, compiler: str, name: str, dtype: str) -> None:
    """Objects take functions of this folder and of the mathematical library, and hold no data that may change."""
    place = symdyn.generate(
        symdyn.load_example(name), ["inverse_dynamics"], out=tmp_path / "out", steppers=METHODS, dtype=dtype, order=4
    )
    for source in sorted(place.glob("*_step_*.c")):
        target = tmp_path / f"{source.stem}.o"
        command = [compiler, *_STRICT, "-Wshadow", "-Wvla", "-Werror", "-O2", "-c", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        symbols = subprocess.run(["nm", str(target)], capture_output=True, text=True, check=True, timeout=60).stdout
        kinds = [(line.split()[-1], line.split()[-2]) for line in symbols.splitlines()]
        taken = {symbol for symbol, kind in kinds if kind == "U"}
        assert taken.isdisjoint(_HEAP), taken
        assert not [symbol for symbol, kind in kinds if kind in "bBdDC"]


def test_what_is_written(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    steppers = {f"pendulum_step_{method.replace('-', '_')}.c" for method in METHODS}
    assert steppers <= names
    project, header = (folder / "CMakeLists.txt").read_text(), (folder / "pendulum.h").read_text()
    readme = (folder / "README.md").read_text()
    for source in steppers:
        assert source in project
        assert f"{source.removesuffix('.c').upper()}_WORK" in header
        assert f"{source.removesuffix('.c')}_advance" in readme
    assert "Added because steppers call them: `forward_dynamics`" in readme


def test_a_folder_without_steppers_says_nothing_of_them(tmp_path: Path) -> None:
    """Neither file, nor manifest, nor header know of what nobody asked for."""
    place = symdyn.generate(symdyn.load_example("pendulum"), ["forward_dynamics"], out=tmp_path / "plain")
    for path in place.rglob("*"):
        if path.is_file():
            assert "step" not in path.read_text(encoding="utf-8").lower().replace("steps", ""), path.name


@pytest.mark.needs_cc
@pytest.mark.slow
def test_a_folder_verifies(tmp_path: Path) -> None:
    """Every file is made anew by the manifest's record, and the function that was added is checked as others are."""
    robot = symdyn.load_example("pendulum")
    place = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "folder", steppers=["rk4", "dop853"])
    assert symdyn.api.verify(place, states=2).passed
    source = place / "pendulum_step_rk4.c"
    source.write_text(source.read_text() + " ")
    with pytest.raises(VerificationError, match="pendulum_step_rk4"):
        symdyn.api.verify(place, states=2)


def test_command_line(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    done = CliRunner().invoke(app, ["generate", "pendulum", "--stepper", "rk4", "--stepper", "dop853", "-o", out])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "pendulum_step_dop853.c").is_file()


@pytest.mark.cross
def test_cortex_m(folder: Path, tmp_path: Path) -> None:
    """A second of the pendulum on an emulated Cortex-M7, beside the same on this machine, to 1e-13."""
    main = tmp_path / "main.c"
    main.write_text(_MAIN, encoding="utf-8")
    sources = [path for path in folder.glob("pendulum_*.c") if not path.name.endswith("_lanes.c")]
    flags = ["-std=c99", "-O2", "-ffp-contract=off", f"-I{folder}", str(main), *map(str, sources)]
    machine = ["-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16", str(_CROSS / "startup.c")]
    link = ["-nostartfiles", "--specs=rdimon.specs", "-T", "cortex_m.ld", "-L", str(_CROSS), "-lm", "-o"]
    there, here = str(tmp_path / "there"), str(tmp_path / "here")
    _run(["arm-none-eabi-gcc", *flags, *machine, *link, there])
    _run(["gcc", *flags, "-lm", "-o", here])
    board = ["qemu-system-arm", "-M", "mps2-an500", "-display", "none", "-monitor", "none", "-serial", "none"]
    found = _run([*board, "-semihosting", "-kernel", there], tmp_path)
    expected = _run([here], tmp_path)
    assert len(expected) == 2 * len(METHODS)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)
    rk4, dop853, _, taylor = (expected[2 * k : 2 * k + 2] for k in range(4))
    np.testing.assert_allclose(rk4, dop853, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(taylor, dop853, rtol=0.0, atol=1e-9)


_MAIN = """
#include <stdio.h>
#include "pendulum.h"
static double work[1000];
int main(void)
{
  const double q[1] = {0.5}, v[1] = {0.3}, tau[1] = {0.1}, torque[9] = {0.1}, times[2] = {0.0, 1.0};
  double q_at[2], v_at[2];
  size_t counts[3];
  FILE *file = fopen("numbers.txt", "w");
  if (pendulum_step_rk4_advance(
          q, v, tau, times, 2, 1e-3, 2000, q_at, v_at, counts, work)) return 1;
  fprintf(file, "%.17g %.17g\\n", q_at[1], v_at[1]);
  if (pendulum_step_dop853_advance(
          q, v, tau, times, 2, 1e-10, 1e-10, 2000, q_at, v_at, counts, work)) return 1;
  fprintf(file, "%.17g %.17g\\n", q_at[1], v_at[1]);
  if (pendulum_step_generalised_alpha_advance(
          q, v, tau, times, 2, 1e-3, 2000, q_at, v_at, counts, work)) return 1;
  fprintf(file, "%.17g %.17g\\n", q_at[1], v_at[1]);
  if (pendulum_step_taylor_advance(
          q, v, torque, times, 2, 1e-12, 1e-12, 2000, q_at, v_at, counts, work)) return 1;
  fprintf(file, "%.17g %.17g\\n", q_at[1], v_at[1]);
  return fclose(file);
}
"""


def _run(command: list[str], folder: Path | None = None) -> list[float]:
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[:3000]
    return [float(word) for word in (folder / "numbers.txt").read_text().split()] if folder else []


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_switched_loops_are_refused(tmp_path: Path) -> None:
    robot = symdyn.load_example("four_bar")
    names = ["constrained_forward_dynamics"]
    with pytest.raises(RequestError, match="switched"):
        symdyn.generate(robot, names, out=tmp_path / "out", steppers=["rk4"], switched=[robot.constraints[0].name])
