"""Generated folders: where they go, what replaces what, reproducible bytes, and verification of what was written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.robots.small import QUARTER_ABOUT_Z, described, joint, loaded, massive

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind, Link, Losses, Mimic
from symdyn.errors import RequestError, SymdynError, SymdynWarning, ToolchainError, VerificationError
from symdyn.interface.manifest import FILE_NAME, Manifest, text_digest
from symdyn.robot.robot import Robot

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
    with pytest.raises(
        VerificationError,
        match=r"out: the files differ from those that were generated: bench_inverse_dynamics\.c; nothing",
    ):
        api.verify(folder, states=1)
    with pytest.raises(VerificationError, match="not a complete generated folder"):
        api.verify(tmp_path, states=1)


def test_a_manifest_that_lost_an_option_is_refused(tmp_path: Path) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out")
    manifest = Manifest.from_json((folder / FILE_NAME).read_text())
    options = {name: value for name, value in manifest.load_options.items() if name != "convention"}
    (folder / FILE_NAME).write_text(replace(manifest, load_options=options).to_json())
    with pytest.raises(VerificationError, match=r"manifest.json and robot.yaml tell different load options; gen"):
        api.verify(folder, states=1)


def manipulated(folder: Path, path: str, old: str, new: str) -> None:
    """Change a file together with the manifest, so that all recorded hashes hold."""
    text = (folder / path).read_text().replace(old, new, 1)
    (folder / path).write_text(text)
    manifest = Manifest.from_json((folder / FILE_NAME).read_text())
    files = {**manifest.files, path: text_digest(text)}
    (folder / FILE_NAME).write_text(replace(manifest, files=files).to_json())


@pytest.mark.parametrize("path", ["bench_inverse_dynamics.c", "python/bench.py", "bench.h", "README.md"])
def test_an_edit_with_matching_hashes_is_found_and_nothing_runs(tmp_path: Path, path: str) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out")
    evil = {"c": "__attribute__((constructor)) static void run(void) { __builtin_trap(); }\n", "h": "#error run\n"}
    added = evil.get(path.rpartition(".")[2], f"\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    end = (folder / path).read_text()[-30:]
    manipulated(folder, path, end, f"{end}{added}")
    with pytest.raises(VerificationError, match=rf"out: {FILE_NAME}, {path} differ|out: .*{path}.* differ") as caught:
        api.verify(folder, states=1)
    assert "nothing of it was run" in str(caught.value) and "trust=True" in str(caught.value)
    assert not (tmp_path / "ran").exists()


def test_an_edited_robot_is_told_from_edited_code(tmp_path: Path) -> None:
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out", target="python")
    manipulated(folder, "robot.yaml", "mass: 2", "mass:  2")
    with pytest.raises(
        VerificationError, match=r"robot\.yaml does not read back as the robot that it was written from"
    ):
        api.verify(folder, states=1)


def test_a_folder_of_another_version_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.interface.version.VERSION", "0.0.9")
    folder = symdyn.generate(odd_robot(), ["inverse_dynamics"], out=tmp_path / "out", target="python")
    monkeypatch.undo()
    with pytest.raises(VerificationError, match=r"the folder was generated by symdyn 0\.0\.9; nothing of it was run"):
        api.verify(folder, states=1)


def test_a_folder_that_is_trusted_runs_as_it_is(tmp_path: Path) -> None:
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=tmp_path / "out", target="python")
    source = folder / "python" / "pendulum.py"
    source.write_text(source.read_text() + f"\nopen({str(tmp_path / 'ran')!r}, 'w').close()\n")
    with pytest.warns(
        SymdynWarning, match=r"out: the files differ .*: python/pendulum\.py; its code is run all the same"
    ):
        assert api.verify(folder, states=1, trust=True).passed
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "does not tell what was asked"),
        ({"functions": 3}, r"asked.functions is 3, expected a list"),
        ({"layout": ["rolled"]}, r"asked.layout is .*, expected a text"),
        ({"dtype": "float32"}, "has another dtype than was asked for"),
        ({"more": 1}, "asked has 'more', which is not known"),
        ({"functions": ["mass_matrix"]}, "lists other functions than were asked for"),
        ({"functions": ["rm -rf"]}, "function 'rm -rf' is not in the catalogue"),
        ({"order": "2"}, r"asked.order is '2', expected a whole number"),
        ({"layout": "fast"}, "layout 'fast' is unknown"),
        ({"external_wrenches": "tool"}, "external_wrenches is 'body' or 'world', got 'tool'"),
        ({"prescribed": 7}, "asked.prescribed is 7, expected a list"),
    ],
)
def test_a_manifest_with_another_request_is_refused(tmp_path: Path, asked: dict[str, object], message: str) -> None:
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=tmp_path / "out", target="python")
    manifest = Manifest.from_json((folder / FILE_NAME).read_text())
    changed = replace(manifest, asked={**manifest.asked, **asked} if asked else {})
    (folder / FILE_NAME).write_text(changed.to_json())
    with pytest.raises(SymdynError, match=message) as caught:
        api.verify(folder, states=1)
    assert caught.value.exit_code == 2 and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"convention": "odd"}, {"gravity": [1.0]}, {"locked_joints": {"nobody": 0.0}}, {"locked_joints": 3}, {"new": 1}],
)
def test_a_manifest_with_other_load_options_is_refused(tmp_path: Path, options: dict[str, object]) -> None:
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=tmp_path / "out", target="python")
    manifest = Manifest.from_json((folder / FILE_NAME).read_text())
    changed = replace(manifest, load_options={**manifest.load_options, **options})
    (folder / FILE_NAME).write_text(changed.to_json())
    with pytest.raises(VerificationError, match="load option"):
        api.verify(folder, states=1)


def test_names_with_commas_and_functions_with_and_without_order_verify(tmp_path: Path) -> None:
    joints = [
        joint("left, right", JointKind.REVOLUTE, "base", "arm"),
        joint("left", JointKind.REVOLUTE, "arm", "hand", (0.1, 0.2, 0.3)),
    ]
    robot = loaded(described([Link("base"), massive("arm"), massive("hand")], joints))
    functions = ["mass_matrix", "hybrid_dynamics", "inverse_dynamics_time_derivatives"]
    for prescribed in (["left, right"], ["left", "left, right"]):
        folder = symdyn.generate(
            robot, functions, out=tmp_path / str(len(prescribed)), order=1, prescribed=prescribed, target="python"
        )
        manifest = Manifest.from_json((folder / FILE_NAME).read_text())
        assert manifest.function("hybrid_dynamics").signature.options["prescribed"] == tuple(reversed(prescribed))
        assert api.verify(folder, states=1).passed


@pytest.mark.parametrize("out", ["nul\0", 3, b"bytes"])
def test_an_out_that_is_no_path(out: object) -> None:
    with pytest.raises(RequestError, match=r"cannot write to the output folder|out is the name of a") as caught:
        symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=out, target="python")  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_an_out_that_is_no_path_is_refused_before_anything_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symdyn.generation.generate.generated", lambda *_: pytest.fail("generated"))
    with pytest.raises(RequestError, match="out is the name of a file or folder, got int"):
        symdyn.generate(symdyn.load_example("pendulum"), ["gravity"], out=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("run", [symdyn.open, api.verify])
def test_trust_is_a_flag(tmp_path: Path, run: Callable[..., object]) -> None:
    with pytest.raises(SymdynError, match="trust is True or False, got 'no'"):
        run(tmp_path, trust="no")


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    pendulum = symdyn.load_example("pendulum")
    folder = symdyn.generate(pendulum, ["inverse_dynamics"], out=tmp_path / "out", target="python")
    shutil.move(folder, tmp_path / "elsewhere")
    assert api.verify(tmp_path / "elsewhere", states=1).passed


def test_without_a_compiler_the_c_is_said_to_be_unchecked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ToolchainError("no compiler here")

    monkeypatch.setattr("symdyn.generation.verification.compile_and_load", refuse)
    folder = symdyn.generate(symdyn.load_example("pendulum"), ["inverse_dynamics"], out=tmp_path / "out")
    with pytest.warns(SymdynWarning, match="the compiled C is not checked: no compiler here"):
        report = api.verify(folder, states=1)
    assert [result.evaluator for result in report.results] == ["Python", "Program", "recursion"]


def test_a_jax_folder_needs_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pendulum = symdyn.load_example("pendulum")
    folder = symdyn.generate(pendulum, ["inverse_dynamics"], out=tmp_path / "out", target="jax")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        VerificationError, match=r'holds the JAX target; install it with: pip install "\.\[jax\]" in a checkout'
    ):
        api.verify(folder, states=1)
