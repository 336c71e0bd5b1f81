"""Generated folders: where they go, what replaces what, reproducible bytes, and verification of what was written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_robots import QUARTER_ABOUT_Z, described, joint, loaded, massive

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Link, Losses, Mimic
from symdyn.errors import RequestError, SymdynWarning, ToolchainError, VerificationError
from symdyn.manifest import FILE_NAME, Manifest
from symdyn.robot import Robot

HASHES = """
import hashlib, symdyn
from symdyn import api
for name in ("seven_dof_arm", "aerial_manipulator"):
    robot = symdyn.load_example(name, runtime=["gravity.z"])
    for layout in ("unrolled", "split", "rolled"):
        for file in api.sources(robot, ["inverse_dynamics"], layout=layout, external_wrenches="world"):
            print(name, layout, file.path, hashlib.sha256(file.text.encode()).hexdigest())
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken from, or left in, the user's cache."""
    monkeypatch.setenv("SYMDYN_CACHE_DIR", str(tmp_path / "cache"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def odd_robot(**options: object) -> Robot:
    joints = [
        joint("turn", JointKind.REVOLUTE, "base", "arm", turned=QUARTER_ABOUT_Z, losses=Losses(0.2, 0.1)),
        joint("ball", JointKind.SPHERICAL, "arm", "hand", (0.1, 0.2, 0.3)),
        joint("copy", JointKind.PRISMATIC, "hand", "tip", mimic=Mimic("turn", 0.5, 0.1)),
    ]
    links = [Link("base"), massive("arm"), massive("hand"), massive("tip")]
    return loaded(described(links, joints), joint_losses=True, **options)


def test_the_default_folder_is_named_after_the_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"])
    assert folder == Path("generated/pendulum") and (tmp_path / folder / FILE_NAME).is_file()


def test_one_prescribed_velocity_needs_no_list(tmp_path: Path) -> None:
    robot, functions = odd_robot(), ["hybrid_dynamics"]
    one = symdyn.generate(robot, functions, out=tmp_path / "one", prescribed="turn")
    assert contents(one) == contents(symdyn.generate(robot, functions, out=tmp_path / "list", prescribed=["turn"]))
    with pytest.raises(RequestError, match="prescribed is a list of velocity names, got True"):
        symdyn.generate(robot, functions, out=tmp_path / "odd", prescribed=True)  # type: ignore[arg-type]


def test_what_is_written_is_what_sources_tells(tmp_path: Path) -> None:
    robot = odd_robot()
    folder = symdyn.generate(robot, ["inverse_dynamics"], out=tmp_path / "a" / "b")
    files = api.sources(robot, ["inverse_dynamics"])
    assert contents(folder) == {file.path: file.text.encode() for file in files}
    manifest = Manifest.from_json((folder / FILE_NAME).read_text())
    assert manifest.robot == "bench" and manifest.function("inverse_dynamics").c_name == "bench_inverse_dynamics"
    assert manifest.load_options == dict(robot.load_options())
    assert set(manifest.sources) < set(contents(folder)) and manifest.header == "bench.h"


def test_a_second_run_replaces_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=folder)
    before = contents(folder)
    (folder / "mine.txt").write_text("a note")
    symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=folder)
    assert contents(folder) == {**before, "mine.txt": b"a note"}
    symdyn.generate(symdyn.load_example("double_pendulum"), ["inverse_dynamics"], out=folder)
    names = set(contents(folder))
    assert "mine.txt" in names and "double_pendulum.h" in names
    assert not [name for name in names if name.endswith((".c", ".h")) and not name.startswith("double_pendulum")]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError, match="cannot write to the output folder"):
        symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=tmp_path / "file" / "below")


def test_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    printed = []
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", HASHES]
        done = subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True)
        printed.append(done.stdout)
    assert len(printed[0].splitlines()) > 20
    assert printed[0] == printed[1] == printed[2]


def test_no_folder_of_this_machine_in_any_file(tmp_path: Path) -> None:
    for file in api.sources(symdyn.load_example("seven_dof_arm"), ["inverse_dynamics"]):
        assert str(Path(symdyn.__file__).parent) not in file.text, file.path
        assert str(Path.home()) not in file.text and str(tmp_path) not in file.text, file.path


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_a_written_folder_verifies(tmp_path: Path, layout: str) -> None:
    told: list[tuple[int, int]] = []
    robot = odd_robot(runtime=["hand.mass"], gravity=(0.5, 0.0, -9.0))
    folder = symdyn.generate(
        robot, ["inverse_dynamics"], out=tmp_path / "out", layout=layout, external_wrenches="world"
    )
    report = api.verify(folder, states=4, seed=1, progress=lambda done, count: told.append((done, count)))
    assert report.passed
    assert [result.evaluator for result in report.results] == ["compiled C", "Python", "Program", "recursion"]
    assert all(0.0 < result.worst_error < result.limit for result in report.results)
    assert told[-1][0] == told[-1][1] == len(told)


def test_a_python_folder_verifies_without_a_compiler(tmp_path: Path) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out", target="python", dtype="float32")
    report = api.verify(folder, states=2)
    assert report.passed and "compiled C" not in [result.evaluator for result in report.results]


def test_a_changed_folder_is_refused(tmp_path: Path) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out")
    source = folder / "bench_inverse_dynamics.c"
    source.write_text(source.read_text().replace(" + ", " - ", 1))
    with pytest.raises(VerificationError, match="out: the files differ from those that were generated"):
        api.verify(folder, states=1)
    with pytest.raises(VerificationError, match="not a complete generated folder"):
        api.verify(tmp_path, states=1)


def test_a_manifest_that_lost_an_option_is_refused(tmp_path: Path) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out")
    data = json.loads((folder / FILE_NAME).read_text())
    del data["load_options"]["convention"]
    (folder / FILE_NAME).write_text(json.dumps(data))
    with pytest.raises(VerificationError, match="the manifest does not tell the load option 'convention'; gen"):
        api.verify(folder, states=1)


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    pendulum = symdyn.load_example("pendulum")
    folder = symdyn.generate(pendulum, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    shutil.move(folder, tmp_path / "elsewhere")
    assert api.verify(tmp_path / "elsewhere", states=1).passed


def test_without_a_compiler_the_c_is_said_to_be_unchecked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ToolchainError("no compiler here")

    monkeypatch.setattr("symdyn.verification.compile_and_load", refuse)
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=tmp_path / "out")
    with pytest.warns(SymdynWarning, match="the compiled C is not checked: no compiler here"):
        report = api.verify(folder, states=1)
    assert [result.evaluator for result in report.results] == ["Python", "Program", "recursion"]


def test_a_jax_folder_needs_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pendulum = symdyn.load_example("pendulum")
    folder = symdyn.generate(pendulum, ["inverse_dynamics"], out=tmp_path / "out", target="jax")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(VerificationError, match=r"holds the JAX target; install it with: pip install 'symdyn\[jax\]'"):
        api.verify(folder, states=1)
