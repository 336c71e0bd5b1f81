"""Help, versions, wrong usage: what happens before any robot is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symdyn.cli.main import main
from symdyn.interface.version import VERSION

VERBS = (
    "generate",
    "compile",
    "convert",
    "info",
    "modes",
    "trace",
    "verify",
    "demo",
    "examples",
    "functions",
    "schema",
)


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    output = capsys.readouterr().out
    assert [verb for verb in VERBS if f"\n  {verb} " not in output] == []
    assert "..." not in output.partition("Commands:")[2], "a verb's first sentence is too long for the list"
    assert main([]) == 0
    assert capsys.readouterr().out == output


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_in_80_columns(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"Usage: symdyn {verb}")
    assert captured.err == ""
    assert max(map(len, captured.out.splitlines())) <= 80


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == VERSION + "\n"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["genrate"], "Did you mean 'generate'"),
        (["generate"], "'ROBOT'"),
        (["generate", "pendulum", "--no-such-option"], "--no-such-option"),
        (["generate", "pendulum", "--layout", "looped"], "'unrolled', 'split'"),
        (["generate", "pendulum", "--dtype", "float16"], "float32"),
        (["generate", "pendulum", "--layout", "rolld"], "did you mean 'rolled'?"),
        (["generate", "pendulum", "--order", "-1"], "--order"),
        (["generate", "pendulum", "--gravity", "0", "0"], "3 arguments"),
        (["generate", "pendulum", "--gravity", "0", "0", "down"], "--gravity"),
        (["generate", "pendulum", "--convention", "featherstone"], "'pinocchio', 'spatial'"),
        (["trace", "pendulum"], "'NAME'"),
        (["verify"], "'FOLDER'"),
        (["verify", ".", "--states", "0"], "--states"),
        (["examples", "superfluous"], "superfluous"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(
    arguments: list[str], fragment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("error: ") and fragment in line and "--help" in line


def test_time_derivatives_of_order_0_are_said(symdyn_command: Any, tmp_path: Path) -> None:
    """Nobody who asks for them means the quantities alone, which are what no --order gives."""
    asked = ("generate", "pendulum", "-f", "inverse_dynamics_time_derivatives", "--out", str(tmp_path / "code"))
    shown = symdyn_command(*asked)
    said = (
        "order is 0, so inverse_dynamics_time_derivatives will have the quantities themselves and no time derivatives"
    )
    assert shown.code == 0 and shown.err.startswith(said) and "--order 1" in shown.err
    ordered, quiet = symdyn_command(*asked, "--order", "1"), symdyn_command(*asked, "--quiet")
    assert (ordered.code, ordered.err, quiet.code, quiet.err) == (0, "", 0, "")
