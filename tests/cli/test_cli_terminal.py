"""Text that reaches the terminal: harmless, one line each, on the right stream."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdyn.cli import terminal


@given(st.text())
def test_a_harmless_line_is_printable_and_keeps_what_was(text: str) -> None:
    shown = terminal.harmless(text)
    assert shown.isprintable()
    if text.isprintable():
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("left\u202eright", "left\\u202eright"),
        ("\ud800", "\\ud800"),
        ("bell\a", "bell\\x07"),
        ("Gelenk_ü", "Gelenk_ü"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    assert terminal.harmless(text) == shown


def test_names_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.table(("robot",), [("[bold red]arm[/]",), (":smile:",), ("[link=file:///etc]x",)])
    output = capsys.readouterr().out
    assert "[bold red]arm[/]" in output and ":smile:" in output and "[link=file:///etc]x" in output
    assert "\x1b" not in output


def test_a_table_fits_80_columns_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.table(("name", "value"), [("n" * 120, 1.5), ("short", "v " * 70)], numbers=(1,))
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_warnings_of_libraries_become_single_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        terminal.prepare()
        warnings.warn("no headers:\ninstall them", RuntimeWarning, stacklevel=1)
        warnings.warn("old function", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: no headers:\\ninstall them\n"


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.working("long work"):
        pass
    assert capsys.readouterr() == ("", "")


def test_progress_shows_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.working("generating [red]arm") as progress:
        progress(1, 4)
    assert "generating [red]arm" in screen.getvalue()


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = [sys.executable, "-c", "import sys; from symdyn.cli.main import main; sys.exit(main(['--help']))"]
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_ascii_terminal_gets_escapes_instead_of_a_crash() -> None:
    script = "from symdyn.cli import terminal; terminal.prepare(); terminal.line('Gelenk_ü')"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=60)
    assert (done.stdout, done.stderr) == ("Gelenk_\\xfc\n", "")


@pytest.mark.parametrize("words", [("info", "{}", "--no-counts", "--quiet"), ("--quiet", "info", "{}", "--no-counts")])
def test_quiet_leaves_errors_alone_on_stderr(
    symdyn_command: Callable[..., Any], arm_file: Path, words: tuple[str, ...]
) -> None:
    loud = symdyn_command("info", arm_file, "--no-counts")
    quiet = symdyn_command(*(word.format(arm_file) for word in words))
    assert loud.err.count("warning: ") == 1
    assert (quiet.err, quiet.out, quiet.code) == ("", loud.out, 0)
    refused = symdyn_command("info", "absent.urdf", "--quiet")
    assert refused.code == 2 and refused.err.startswith("error: ")
    assert symdyn_command("info", arm_file, "--no-counts").err == loud.err


def test_a_command_ends_without_a_last_search_for_garbage() -> None:
    script = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > 10_000))
from symdyn.cli.main import main
main(arguments)
"""
    for arguments, frozen in (("None", "True"), ("['--version']", "False")):
        command = [sys.executable, "-c", script.replace("arguments", arguments), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.split()[-1] == frozen
