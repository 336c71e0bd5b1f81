"""The header in C++: the numbers of C in every form of a call, without a warning and without the heap."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from support.compilers import EIGEN, each_of, needs_eigen
from support.cpp_driver import program

import symdyn
from symdyn.functions.catalogue import CATALOGUE
from symdyn.robot.robot import Robot
from symdyn.toolchain.folder import read_manifest

FUNCTIONS = ("inverse_dynamics_partials", "jacobians", "kinetic_energy")
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
C_FLAGS = ("-std=c99", "-O0", "-ffp-contract=off")
FORMS = ("array", "matrices", "blocks", "batch")
COMPILERS = each_of("g++", "clang++")


@dataclass(frozen=True)
class Folder:
    """A generated folder with its driver, and the objects of its C."""

    path: Path
    objects: tuple[Path, ...]

    def run(self, compiler: str, *flags: str) -> set[str]:
        """What the driver prints, a line per comparison."""
        driver = self.path / "driver"
        command = [compiler, *STRICT, *flags, f"-I{self.path}", str(self.path / "driver.cpp")]
        done = _run([*command, *map(str, self.objects), "-lm", "-o", str(driver)])
        assert (done.returncode, done.stderr) == (0, "")
        done = _run([str(driver)])
        assert (done.returncode, done.stderr) == (0, "")
        return set(done.stdout.splitlines())


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def made(place: Path, robot: Robot, functions: Sequence[str], **options: Any) -> Folder:
    path = symdyn.generate(robot, functions, target="cpp", out=place, **options)
    (path / "driver.cpp").write_text(program(read_manifest(path)))
    objects = []
    for source in sorted({*path.glob("*.c")} - {*path.glob("*_lanes.c")}):
        objects.append(source.with_suffix(".o"))
        done = _run(["gcc", *C_FLAGS, "-c", str(source), "-o", str(objects[-1])])
        assert (done.returncode, done.stderr) == (0, "")
    return Folder(path, tuple(objects))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Several outputs, a scalar, three axes, and run-time parameters."""
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    return made(tmp_path_factory.mktemp("cpp") / "folder", robot, FUNCTIONS)


@needs_eigen
@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_form_gives_the_bits_of_c_without_the_heap(folder: Folder, compiler: str) -> None:
    said = folder.run(compiler, "-isystem", str(EIGEN), "-DEIGEN_RUNTIME_NO_MALLOC")
    assert said == {f"double_pendulum::{name} {form}" for name in FUNCTIONS for form in FORMS}


@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS)
def test_arrays_need_no_eigen(folder: Folder, compiler: str) -> None:
    assert folder.run(compiler, "-DSYMDYN_NO_EIGEN") == {f"double_pendulum::{name} array" for name in FUNCTIONS}


WRONG = """
#include "double_pendulum.hpp"
int main()
{
  Eigen::Vector2d q{0.1, 0.2}, v{0.3, 0.4}, p;
  Eigen::Matrix<double, 1, 1> mass{1.0};
  double energy = 0.0;
  double_pendulum::kinetic_energy(q, Eigen::Vector3d::Zero(), mass, energy);
  double_pendulum::kinetic_energy(q.cast<float>(), v, mass, energy);
  double_pendulum::kinetic_energy(q.transpose(), v, mass, energy);
  const Eigen::Matrix<double, 24, 2> J = Eigen::Matrix<double, 24, 2>::Zero();
  double_pendulum::jacobians(q, mass, J);
}
"""


@needs_eigen
@pytest.mark.needs_cc
@pytest.mark.parametrize("compiler", COMPILERS[:1])
def test_what_does_not_fit_is_refused_in_words(folder: Folder, compiler: str) -> None:
    (folder.path / "wrong.cpp").write_text(WRONG)
    flags = ("-std=c++17", "-fsyntax-only", "-isystem", str(EIGEN), f"-I{folder.path}")
    done = _run([compiler, *flags, str(folder.path / "wrong.cpp")])
    assert done.returncode != 0
    for said in (
        "a matrix has another number of rows; vectors are columns",
        "the numbers of a matrix have another type",
        "a matrix has another number of columns; vectors are columns",
        "an output is constant",
    ):
        assert said in done.stderr


def header(robot: Robot) -> str:
    files = symdyn.api.sources(robot, ["jacobians"], target="cpp")
    return next(file.text for file in files if file.path.endswith(".hpp"))


def test_names_of_robots_and_frames_are_data() -> None:
    described = symdyn.load_example("double_pendulum").description
    for name, space in (
        *(("std", "id_std"), ("Eigen", "id_Eigen"), ("a b*/", "a_x20_b_x2a__x2f_")),
        *(("link", "id_link"), ("div_t", "id_div_t")),  # what headers of C declare
    ):
        text = header(symdyn.from_description(replace(described, name=name)))
        assert f"\nnamespace {space} {{" in text and "*/ " not in text.split("namespace", 1)[0].split("\n", 1)[0]
    text = header(symdyn.load_example("double_pendulum"))
    assert "inline constexpr std::size_t tip = 3; /* tip */" in text


_LARGE = [("canadarm", "rolled"), ("cable_manipulator", "rolled"), ("quadruped", "split-lanes"), ("four_bar", "auto")]


@needs_eigen
@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(("name", "layout"), _LARGE)
def test_functions_of_robots_of_every_kind(tmp_path: Path, name: str, layout: str, compiler: str) -> None:
    robot = symdyn.load_example(name)
    functions = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobians", "inverse_dynamics_partials"]
    if robot.model.loops:
        functions += ["constrained_forward_dynamics"]
    dtype = "float32" if name == "quadruped" else "float64"
    own = made(tmp_path / "out", robot, functions, layout=layout, dtype=dtype)
    said = own.run(compiler, "-isystem", str(EIGEN), "-DEIGEN_RUNTIME_NO_MALLOC")
    assert said == {f"{name}::{function} {form}" for function in functions for form in FORMS}


@needs_eigen
@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_function_of_a_tree(tmp_path: Path, compiler: str) -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["upper.mass"])
    functions = [name for name in CATALOGUE if has(robot, name)]
    own = made(tmp_path / "out", robot, functions, order=2)
    said = own.run(compiler, "-isystem", str(EIGEN), "-DEIGEN_RUNTIME_NO_MALLOC")
    assert len(functions) > 25 and said == {f"double_pendulum::{name} {form}" for name in functions for form in FORMS}


def has(robot: Robot, name: str) -> bool:
    """Whether the robot has a function without options."""
    try:
        symdyn.api.programs(robot, [name], layout="rolled")
    except symdyn.SymdynError:
        return False
    return True
