"""Refused input: one line on stderr that names the element, and exit code 2; our own faults: code 1."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symdyn.api
from symdyn.errors import InternalError, ToolchainError

Command = Callable[..., Any]

_FULL = ("No space left on device", "incomplete")
_NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux alone has a device that is always full")


def one_line(outcome: Any) -> str:
    """The only line on stderr, which begins with ``error:``."""
    (line,) = outcome.err.splitlines()
    assert line.startswith("error: ")
    return line


@pytest.mark.parametrize(
    ("words", "fragments"),
    [
        (("generate", "absent.urdf"), ("absent.urdf", "no such file")),
        (("generate", "pendulm"), ("'pendulm'", "seven_dof_arm")),
        (("generate", "."), (".: not a regular file",)),
        (("generate", "pendulum", "--target", "pyton"), ("did you mean 'python'",)),
        (("generate", "pendulum", "--lock", "swng=0"), ("did you mean 'swing'",)),
        (("trace", "double_pendulum", "elbw"), ("did you mean 'elbow'",)),
        (("compare", "pendulum", "-f", "inverse_dynamic"), ("did you mean 'inverse_dynamics'",)),
        (("generate", "pendulum", "-f", "inverse_dinamics"), ("inverse_dinamics", "inverse_dynamics")),
        (("generate", "pendulum", "--target", "fortran"), ("fortran",)),
        (("generate", "pendulum", "--order", "3"), ("order",)),
        (("generate", "pendulum", "--lock", "swing"), ("JOINT=VALUE",)),
        (("generate", "pendulum", "--lock", "swing=up"), ("swing=up", "finite number")),
        (("generate", "pendulum", "--lock", "swing=inf"), ("finite number",)),
        (("generate", "double_pendulum", "--lock", "elbow=0", "--lock", "elbow=1"), ("'elbow'", "twice")),
        (("generate", "pendulum", "--lock", "knee=0"), ("'knee'",)),
        (("generate", "pendulum", "--runtime", "rod.colour"), ("rod.colour",)),
        (("generate", "pendulum", "--gravity", "0", "0", "nan"), ("gravity",)),
        (("info", "absent.urdf"), ("absent.urdf",)),
        (("trace", "pendulum", "knee"), ("'knee'",)),
        (("compile", "absent.yaml"), ("absent.yaml",)),
        (("verify", "nowhere"), ("nowhere",)),
        (("demo", "absent.urdf"), ("absent.urdf",)),
        pytest.param(("convert", "pendulum", "--force", "-o", "/dev/full"), _FULL, marks=_NEEDS_FULL),
        pytest.param(("schema", "--force", "-o", "/dev/full"), _FULL, marks=_NEEDS_FULL),
    ],
)
def test_refusal(symdyn_command: Command, words: tuple[str, ...], fragments: tuple[str, ...]) -> None:
    outcome = symdyn_command(*words)
    assert outcome.code == 2
    assert outcome.out == ""
    line = one_line(outcome)
    assert [fragment for fragment in fragments if fragment not in line] == []


def test_a_broken_file_is_named_with_its_line(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("name: broken\nlinks:\n  arm: {mass: -1}\n", encoding="utf-8")
    outcome = symdyn_command("info", path)
    line = one_line(outcome)
    assert outcome.code == 2 and "broken.yaml" in line and "'arm'" in line


def test_names_of_a_file_cannot_drive_the_terminal(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "loud.urdf"
    text = '<robot name="loud"><link name="a"/><link name="[red]b&#155;31m"/><joint name="j" type="bent"/></robot>'
    path.write_text(text, encoding="utf-8")
    outcome = symdyn_command("info", path)
    assert outcome.code == 2
    assert one_line(outcome).isprintable()


def test_a_folder_that_cannot_be_written(symdyn_command: Command, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder", encoding="utf-8")
    outcome = symdyn_command("generate", "pendulum", "--out", "taken")
    assert outcome.code == 2
    assert "taken" in one_line(outcome)


def test_strict_turns_a_warning_into_a_refusal(symdyn_command: Command, arm_file: Path) -> None:
    relaxed = symdyn_command("info", arm_file, "--no-counts")
    assert relaxed.code == 0
    assert "warning: " in relaxed.err and "damping" in relaxed.err and "'shoulder'" in relaxed.err
    strict = symdyn_command("info", arm_file, "--no-counts", "--strict")
    assert strict.code == 2 and "damping" in one_line(strict)


def test_our_own_fault_is_code_1_and_asks_for_a_report(
    symdyn_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr(symdyn, "generate", broken)
    outcome = symdyn_command("generate", "pendulum")
    assert outcome.code == 1
    line = one_line(outcome)
    assert "ZeroDivisionError" in line and "second line" in line and "please report" in line

    traced = symdyn_command("--debug", "generate", "pendulum")
    assert traced.code == 1
    assert traced.err.startswith("Traceback") and "in broken" in traced.err


@pytest.mark.parametrize(
    ("failure", "code", "asks"),
    [(InternalError("no such slot"), 1, True), (ToolchainError("no compiler"), 2, False)],
)
def test_errors_carry_their_exit_code(
    symdyn_command: Command,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
    code: int,
    asks: bool,
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(symdyn, "generate", failing)
    outcome = symdyn_command("generate", "pendulum")
    assert outcome.code == code
    assert ("please report" in one_line(outcome)) is asks


def test_interruption_is_code_130(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(symdyn, "generate", interrupted)
    outcome = symdyn_command("generate", "pendulum")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "")


def test_the_installed_command_passes_the_code_on(tmp_path: Path) -> None:
    script = "import sys; from symdyn.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", script, "info", "absent.urdf"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
