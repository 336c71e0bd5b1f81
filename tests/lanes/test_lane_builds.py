"""Builds of lanes: sanitizers find nothing, and CMake's library chooses among the processors' objects."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.compilers import needs
from support.lane_batches import Batches, build

import symdyn
from symdyn.interface.manifest import Manifest

FUNCTIONS = ("inverse_dynamics", "mass_matrix")
STATES = 21
FLAGS = {
    "avx2": ["-mavx2", "-mfma"],
    "avx512": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma"],
}
"""As in the generated CMakeLists.txt."""

pytestmark = pytest.mark.needs_cc

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "bench.h"

/* Arrays on the heap, no scalar larger than they must be, at an address that no vector is aligned to. */
static double *filled(size_t size)
{
  double *array = malloc((size + 1) * sizeof(double));
  for (size_t k = 0; k <= size; ++k) array[k] = 0.01 * (double)(k % 97) - 0.3;
  return array + 1;
}

int main(void)
{
  const size_t n = 21, padded = (n + BENCH_LANES - 1) / BENCH_LANES * BENCH_LANES;
  for (int blocks = 0; blocks < 2; ++blocks) {
    const size_t rows = blocks ? padded : n;
    double *q = filled(rows * BENCH_INVERSE_DYNAMICS_Q_SIZE), *v = filled(rows * BENCH_INVERSE_DYNAMICS_V_SIZE);
    double *a = filled(rows * BENCH_INVERSE_DYNAMICS_A_SIZE), *tau = filled(rows * BENCH_INVERSE_DYNAMICS_TAU_SIZE);
    double *m = filled(rows * BENCH_MASS_MATRIX_M_SIZE);
    if (blocks) {
      double *work = filled(BENCH_INVERSE_DYNAMICS_LANES_WORK);
      bench_inverse_dynamics_batch_lanes(n, q, v, a, tau, work);
      free(work - 1);
      work = filled(BENCH_MASS_MATRIX_LANES_WORK);
      bench_mass_matrix_batch_lanes(n, q, m, work);
      free(work - 1);
    } else {
      double *work = filled(BENCH_INVERSE_DYNAMICS_BATCH_WORK);
      bench_inverse_dynamics_batch(n, q, v, a, tau, work);
      free(work - 1);
      work = filled(BENCH_MASS_MATRIX_BATCH_WORK);
      bench_mass_matrix_batch(n, q, m, work);
      free(work - 1);
      for (size_t k = 0; k < n * BENCH_INVERSE_DYNAMICS_TAU_SIZE; ++k) printf("%.17g\\n", tau[k]);
      for (size_t k = 0; k < n * BENCH_MASS_MATRIX_M_SIZE; ++k) printf("%.17g\\n", m[k]);
    }
    free(q - 1), free(v - 1), free(a - 1), free(tau - 1), free(m - 1);
  }
  return 0;
}
"""


def _generated(folder: Path, layout: str) -> Path:
    robot = symdyn.load_example("double_pendulum")
    renamed = symdyn.from_description(replace(robot.description, name="bench"))
    symdyn.generate(renamed, FUNCTIONS, out=folder, layout=layout)
    (folder / "main.c").write_text(_MAIN)
    return folder


def _filled(size: int) -> np.ndarray:
    return 0.01 * (np.arange(1, size + 1) % 97) - 0.3


def _expected(target: str = "python") -> np.ndarray:
    module = symdyn.compile(symdyn.load_example("double_pendulum"), FUNCTIONS, target=target, layout="unrolled")
    q, v, a = (_filled(2 * STATES).reshape(STATES, 2) for _ in range(3))
    return np.concatenate([module.inverse_dynamics(q, v, a).ravel(), module.mass_matrix(q).ravel()])


@pytest.mark.parametrize("layout", ["unrolled", "rolled"])
@pytest.mark.parametrize("length", [[], ["-mavx2"], ["-DSYMDYN_VECTOR_BYTES=0"]], ids=["plain", "avx2", "c"])
def test_sanitizers_find_nothing(tmp_path: Path, layout: str, length: list[str]) -> None:
    if length == ["-mavx2"] and "avx2" not in Path("/proc/cpuinfo").read_text().split():
        length = []
    folder = _generated(tmp_path / "c", layout)
    flags = ["-std=c99", "-g", "-O1", "-DSYMDYN_LANES", *length]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    sources = [path.name for path in sorted(folder.glob("*.c"))]
    subprocess.run(["gcc", *flags, *sources, "-o", "checked", "-lm"], cwd=folder, check=True, timeout=200)
    done = subprocess.run(["./checked"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    np.testing.assert_allclose(np.array(done.stdout.split(), float), _expected(), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("asked", "made"), [("16", "16"), ("32", "32"), ("64", "32"), ("0", "0")])
def test_gcc_for_x86_makes_no_vectors_longer_than_registers(tmp_path: Path, asked: str, made: str) -> None:
    """Arguments of such vectors lie on the stack, which gcc 12 aligns in some calls only: a crash by chance."""
    x86 = os.uname().machine in ("x86_64", "AMD64")
    source = _generated(tmp_path / "c", "unrolled") / "bench_mass_matrix_lanes.c"
    flags = ["-mavx2"] if x86 else []
    command = ["gcc", *flags, f"-DSYMDYN_VECTOR_BYTES={asked}", "-dD", "-E", str(source)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    known = dict(line.split()[1:3] for line in lines if line.startswith("#define ") and len(line.split()) == 3)
    length = known["SYMDYN_VECTOR_BYTES"]
    assert known.get(length, length) == (made if x86 else asked)


@needs("cmake")
@pytest.mark.parametrize("in_lanes", ["ON", "OFF"])
def test_cmake_library(tmp_path: Path, in_lanes: str) -> None:
    folder = _generated(tmp_path / "c", "unrolled")
    main = folder / "main.c"
    text = main.read_text()
    if in_lanes == "OFF":
        start, end = text.index("    if (blocks) {"), text.index("    } else {")
        text = text[:start] + "    if (blocks) {\n" + text[end:]
    user = tmp_path / "user"
    user.mkdir()
    (user / "main.c").write_text(text)
    main.unlink()
    (user / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(user C)\nadd_subdirectory({folder} bench)\n"
        "add_executable(user main.c)\ntarget_link_libraries(user PRIVATE bench)\n"
    )
    options = [f"-DBENCH_LANES={in_lanes}", f"-DBENCH_BATCH_IN_LANES={in_lanes}"]
    for command in (["cmake", "-S", ".", "-B", "made", *options], ["cmake", "--build", "made"]):
        done = subprocess.run(command, cwd=user, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
    done = subprocess.run(["made/user"], cwd=user, capture_output=True, text=True, check=True, timeout=60)
    # The library chooses code for this machine, as a build for this machine alone: the same doubles, in batches that go
    # through lanes and in those that are made of single calls.
    np.testing.assert_array_equal(np.array(done.stdout.split(), float), _expected("c"))
    names = subprocess.run(["nm", "made/user"], cwd=user, capture_output=True, text=True, check=True).stdout.split()
    variants = {name for name in names if name.startswith("bench_mass_matrix_") and name.endswith(("avx2", "avx512"))}
    called = ["", "_batch_lanes"] if in_lanes == "ON" else [""]
    x86 = os.uname().machine in ("x86_64", "AMD64")
    wanted = {f"bench_mass_matrix{name}_{kind}" for name in called for kind in ("avx2", "avx512")}
    assert variants == (wanted if x86 else set())


@pytest.mark.parametrize("kind", ["avx2", "avx512"])
def test_each_processors_object_gives_the_same(tmp_path: Path, kind: str) -> None:
    """Linked together as by CMake; a processor without the instructions of one runs the others."""
    folder = _generated(tmp_path / "c", "rolled")
    manifest = Manifest.from_json((folder / "manifest.json").read_text())
    flags = ["-O1", f"-DSYMDYN_VARIANT={kind}", *FLAGS[kind]]
    variant = tmp_path / kind
    variant.mkdir()
    for path in (*folder.glob("*_lanes.c"), *folder.glob("*.h")):
        shutil.copy(path, variant)
    (folder / "main.c").unlink()
    own, other = (
        build([folder], tmp_path / "own.so", flags=["-O1"]),
        build([variant], tmp_path / "other.so", flags=flags),
    )
    features = Path("/proc/cpuinfo").read_text().split()
    if not all(flag[2:] in features for flag in FLAGS[kind]):
        pytest.skip(f"this processor has no {kind}; its object was built and not run")
    for entry in manifest.functions:
        inputs = {item.name: _filled(STATES * item.size).reshape(STATES, -1) for item in entry.signature.inputs}
        reference = Batches(own, manifest, entry).in_blocks(inputs, STATES)
        found = Batches(other, manifest, entry).in_blocks(inputs, STATES, f"_batch_lanes_{kind}")
        for name, values in reference.items():
            np.testing.assert_allclose(found[name], values, rtol=1e-12, atol=1e-13)
