"""Names that users choose for C functions, files and the module, and numbers of frames as macros."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import symdyn
from symdyn import api
from symdyn.errors import RequestError
from symdyn.generation.pipeline import generated
from symdyn.interface.manifest import Manifest
from symdyn.interface.options import GenerateOptions


def made(**asked: object) -> dict[str, str]:
    """Files of a small module by path."""
    robot = symdyn.load_example("double_pendulum")
    options = GenerateOptions.checked(["inverse_dynamics", "jacobians"], **asked)
    return {file.path: file.text for file in generated(robot, options)}


def test_everything_follows_the_name() -> None:
    files = made(name="Arm_2", steppers=["rk4"])
    manifest = Manifest.from_json(files["manifest.json"])
    assert manifest.identifier == manifest.asked["name"] == "Arm_2"
    assert manifest.robot == "double_pendulum"
    assert {entry.c_name for entry in manifest.functions} >= {"Arm_2_inverse_dynamics", "Arm_2_jacobians"}
    assert [stepper.c_name for stepper in manifest.steppers] == ["Arm_2_step_rk4"]
    assert "#ifndef SYMDYN_Arm_2_H" in files["Arm_2.h"]
    assert "add_library(Arm_2 STATIC" in files["CMakeLists.txt"]
    assert "import Arm_2\n" in files["README.md"]
    assert {"python/Arm_2.py", "python/Arm_2.pyi", "Arm_2_step_rk4.c"} <= files.keys()
    code = "".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for path, text in files.items() if path[-2:] == ".h")
    assert "double_pendulum" not in code.lower()


def test_a_name_that_is_not_said_leaves_no_trace() -> None:
    assert not {"name", "frames"} & Manifest.from_json(made()["manifest.json"]).asked.keys()


@pytest.mark.parametrize(
    "name", ["", "3d", "a b", "a-b", "../up", "int", "lambda", "class", "_x", "id_x", "é", "x" * 49]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(
        RequestError, match=r"such as 'panda_arm': ASCII letters, digits and underscores, a letter first"
    ):
        made(name=name)
    with pytest.raises(RequestError, match="cannot begin the names of C functions and files"):
        symdyn.compile(symdyn.load_example("pendulum"), ["inverse_dynamics"], name=name, target="python")


def test_a_name_is_a_text() -> None:
    with pytest.raises(RequestError, match="name is a text, got 3"):
        made(name=3)


def test_verify_generates_by_the_same_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    robot = symdyn.load_example("pendulum")
    folder = symdyn.generate(robot, ["inverse_dynamics"], target="python", name="swing")
    assert folder == Path("generated/swing")
    assert api.verify(folder, states=2).passed


def test_rows_have_numbers_in_c() -> None:
    robot = symdyn.load_example("aerial_manipulator")
    header = next(file.text for file in api.sources(robot, ["gravity"]) if file.path.endswith(".h"))
    found = dict(re.findall(r"#define AERIAL_MANIPULATOR_(NQ|NV) (\d+)\n", header))
    assert found == {"NQ": str(robot.nq), "NV": str(robot.nv)} and robot.nq != robot.nv


def test_frames_have_numbers_in_c() -> None:
    robot = symdyn.load_example("double_pendulum")
    numbers = dict(re.findall(r"#define (DP_FRAME_\w+) (\d+) /\*", made(name="dp")["dp.h"]))
    assert numbers == {f"DP_FRAME_{name.upper()}": str(place) for place, name in enumerate(robot.frame_names)}
    chosen = dict(re.findall(r"#define (DP_FRAME_\w+) (\d+) /\*", made(name="dp", frames=["tip", "upper"])["dp.h"]))
    assert chosen == {"DP_FRAME_TIP": "0", "DP_FRAME_UPPER": "1"}
    other = api.sources(robot, ["inverse_dynamics"])
    assert "_FRAME_" not in next(file.text for file in other if file.path.endswith(".h"))


def test_frames_whose_names_look_alike_have_macros_of_their_own() -> None:
    robot = symdyn.load_example("double_pendulum")
    names = ("hand", "Hand", "hand_2", "hand 2", "hand-2", "*/ int x; /*")
    described = robot.description
    frames = tuple(replace(described.frames[0], name=name) for name in names)
    robot = symdyn.from_description(replace(described, frames=frames))
    header = next(file.text for file in api.sources(robot, ["jacobians"]) if file.path.endswith(".h"))
    found = re.findall(r"#define (DOUBLE_PENDULUM_FRAME_\w+) (\d+) /\*", header)
    assert len({macro for macro, _ in found}) == len(found) == len(robot.frame_names)
    assert "int x;" not in re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)


CONSUMER = """
cmake_minimum_required(VERSION 3.16)
project(app C)
find_package(dp REQUIRED)
add_executable(app main.c)
target_link_libraries(app dp::dp)
"""
MAIN = """
#include <dp.h>
#include <stdio.h>
int main(void)
{
    double q[2] = {0.0, 0.0}, J[DP_JACOBIANS_J_SIZE];
    dp_jacobians(q, J, NULL);
    printf("%.17g\\n", J[12 * DP_FRAME_TIP + 0]);
    return 0;
}
"""
PARENT = """
cmake_minimum_required(VERSION 3.16)
project(parent C)
add_subdirectory(../made made)
add_executable(app main.c)
target_link_libraries(app dp::dp)
install(TARGETS app)
"""


@pytest.mark.slow
@pytest.mark.needs_cc
def test_cmake_installs_a_package(tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum")
    symdyn.generate(robot, ["jacobians"], name="dp", out=tmp_path / "made")

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def cmake(source: str, build: str, *options: str) -> None:
        run("cmake", "-S", source, "-B", build, *options)
        run("cmake", "--build", build, "-j", "2")

    cmake("made", "build", f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'prefix'}")
    run("cmake", "--install", "build")
    installed = {path.name for path in (tmp_path / "prefix").rglob("*") if path.is_file()}
    assert {"dp.h", "dpConfig.cmake"} <= installed
    for name, text in (("user", CONSUMER), ("parent", PARENT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text(text)
        (tmp_path / name / "main.c").write_text(MAIN)
    J = symdyn.compile(robot, ["jacobians"], target="python").jacobians([0.0, 0.0])
    expected = float(J[robot.frame_names.index("tip"), 0, 0])
    cmake("user", "user_build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    assert float(run("user_build/app")) == pytest.approx(expected, abs=1e-15)
    cmake("parent", "parent_build", f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'other'}")
    run("cmake", "--install", "parent_build")
    assert {path.name for path in (tmp_path / "other").rglob("*") if path.is_file()} == {"app"}
