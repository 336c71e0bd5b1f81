"""Running compilers: side by side, in order, within their time, and with nothing left behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from symdyn.toolchain import run_commands as run_commands_room
from symdyn.toolchain.run_commands import Command, run_commands


def test_commands_run_side_by_side_in_order(tmp_path: Path) -> None:
    def command(text: str) -> Command:
        return Command((sys.executable, "-c", text), tmp_path, {"WORD": "given"})

    meet = (
        "import os, pathlib, time\n"
        "pathlib.Path('{own}').touch()\n"
        "while not pathlib.Path('{other}').exists(): time.sleep(0.01)\n"
    )
    first = meet.format(own="first", other="second") + "time.sleep(0.3); print(1)"
    second = meet.format(own="second", other="first") + "print(os.environ['WORD'], os.environ['LC_ALL'], os.getcwd())"
    outcomes = run_commands([command(first), command(second)], timeout=60, workers=2)
    assert [outcome.output for outcome in outcomes] == ["1\n", f"given C {tmp_path}\n"]


def test_nothing_is_started_after_a_failure(tmp_path: Path) -> None:
    commands = [
        Command((sys.executable, "-c", f"open('ran{number}', 'w'); raise SystemExit({number})"), tmp_path)
        for number in (0, 3, 0)
    ]
    outcomes = run_commands(commands, timeout=60, workers=1)
    assert [outcome.code for outcome in outcomes] == [0, 3]


def test_a_command_out_of_time_ends_with_its_children(tmp_path: Path) -> None:
    child = "import time, pathlib; time.sleep(1.5); pathlib.Path('survived').touch()"
    parent = f"import subprocess, sys; print('began', flush=True); subprocess.run([sys.executable, '-c', {child!r}])"
    [outcome] = run_commands([Command((sys.executable, "-c", parent), tmp_path)], timeout=0.7, workers=1)
    assert outcome.code is None
    time.sleep(1.5)
    assert not (tmp_path / "survived").exists()


def test_an_interrupt_ends_what_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    text = "import time, pathlib; time.sleep(1); pathlib.Path('survived').touch()"
    with monkeypatch.context() as patch:
        patch.setattr("symdyn.toolchain.run_commands.time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_commands([Command((sys.executable, "-c", text), tmp_path)], timeout=60, workers=1)
    time.sleep(1.2)
    assert not (tmp_path / "survived").exists()


def test_every_end_is_told(tmp_path: Path) -> None:
    commands = [Command((sys.executable, "-c", f"raise SystemExit({code})"), tmp_path) for code in (0, 0, 5, 0)]
    told: list[int] = []
    run_commands(commands, timeout=60, workers=1, finished=told.append)
    assert told == [1, 2, 3]  # the fourth is never started


def test_without_groups_of_processes_the_tree_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where ``taskkill`` ends a process with all that it has started."""
    asked = tmp_path / "asked"
    (tmp_path / "taskkill").write_text(f'#!/bin/sh\necho "$@" > "{asked}"\nkill -9 "$4"\n')
    (tmp_path / "taskkill").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delattr(os, "killpg")
    monkeypatch.setattr(run_commands_room, "_start_warden", lambda _: None)
    text = "import time; time.sleep(60)"
    [outcome] = run_commands([Command((sys.executable, "-c", text), tmp_path)], timeout=0.3, workers=1)
    assert outcome.code is None
    assert asked.read_text().startswith("/F /T /PID ")
