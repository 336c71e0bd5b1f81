"""Compilers end with the process that started them, by whatever signal; what is left on disk goes at the next run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symdyn.toolchain import cache, claims
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.run_commands import Command, run_commands

PATIENCE_S = 60.0

# Stands for a compiler: it works for the probe, and for anything else starts a child and waits for it without end.
SLOW = """#!/bin/sh
case "$*" in
  *--version*) echo "slow 1.0"; exit 0;;
  *probe*) while [ "$1" != "-o" ]; do shift; done; : > "$2"; exit 0;;
esac
(trap '' TERM INT HUP; echo "$$ child" >> "{marks}"; while :; do sleep 0.05; echo alive >> "{pulse}"; done) &
trap '' TERM INT HUP
echo "$$ driver" >> "{marks}"
wait
"""
BUILD = """
import signal, sys; from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell leaves it ignored in what runs in the background
from symdyn.compiler.emit.source import SourceFile
from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.folder import read_manifest
folder = Path(sys.argv[1])
compile_folder([SourceFile(p.name, p.read_text()) for p in folder.glob('*.[ch]')], read_manifest(folder))
"""


def until(what: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def still(path: Path) -> bool:
    """Whether nobody has written to a file for ten beats of its pulse."""
    size = path.stat().st_size
    time.sleep(0.5)
    return path.stat().st_size == size


@pytest.fixture
def building(toy: Any, tmp_path: Path, empty_cache: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process that waits for two compilers, and the file that their children write to while they live."""
    (tmp_path / "toy").mkdir()
    toy.write(tmp_path / "toy")
    compiler, pulse, marks = tmp_path / "cc", tmp_path / "pulse", tmp_path / "marks"
    compiler.write_text(SLOW.format(pulse=pulse, marks=marks))
    compiler.chmod(0o755)
    environment = {**os.environ, "CC": str(compiler), "SYMDYN_CACHE_DIR": str(empty_cache)}
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(tmp_path / "toy")], env=environment)
    try:
        until(lambda: pulse.exists() and marks.exists() and "driver" in marks.read_text())
        yield process, pulse
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_no_compiler_outlives_us(
    building: tuple[subprocess.Popen[bytes], Path], name: str, toy: Any, empty_cache: Path
) -> None:
    process, pulse = building
    process.send_signal(getattr(signal, name))
    process.wait(timeout=PATIENCE_S)
    until(lambda: still(pulse))
    if name == "SIGKILL":
        left = list((empty_cache / "builds").iterdir())
        assert left and all(folder.name.startswith("tmp") for folder in left)
    cache.sweep()
    assert not any((empty_cache / "builds").iterdir())


def test_a_build_that_runs_is_not_swept(building: tuple[subprocess.Popen[bytes], Path], empty_cache: Path) -> None:
    process, _ = building
    before = set((empty_cache / "builds").iterdir())
    cache.sweep()
    assert before and set((empty_cache / "builds").iterdir()) == before
    assert process.poll() is None


@pytest.mark.needs_cc
def test_what_a_killed_run_left_goes_at_the_next_one(empty_cache: Path, toy: Any) -> None:
    stale = cache.place("builds") / "tmpabcdefgh"
    (stale / "python").mkdir(parents=True)
    (stale / "python" / "half.o").write_bytes(b"half")
    compile_folder(toy.sources, toy.manifest)
    assert not any((empty_cache / "builds").iterdir())
    stale.mkdir()
    assert compile_folder(toy.sources, toy.manifest).from_cache and not stale.exists()


def test_a_link_among_stale_folders_is_not_followed(empty_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    (cache.place("builds") / "tmplink").symlink_to(tmp_path / "mine")
    cache.sweep()
    assert (tmp_path / "mine" / "file").read_text() == "mine"


def test_without_locks_nothing_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no locks on this file system")

    monkeypatch.setattr(claims.fcntl, "flock", refuse)
    (tmp_path / "tmpold").mkdir()
    with claims.claimed_folder(tmp_path, "tmp") as folder:
        claims.sweep(tmp_path, "tmp")
        assert folder.is_dir() and (tmp_path / "tmpold").is_dir()
    assert not folder.exists()


def test_where_folders_have_no_locks_files_beside_them_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.setattr(claims, "HAS_FOLDER_LOCKS", False)
    (tmp_path / "tmpold").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tmplink").symlink_to(tmp_path / "elsewhere")
    other = (
        "import sys; from pathlib import Path; from symdyn.toolchain import claims\n"
        "claims.HAS_FOLDER_LOCKS = False; claims.sweep(Path(sys.argv[1]), 'tmp')"
    )
    with claims.claimed_folder(tmp_path, "tmp") as folder:
        (folder / "file").write_text("")
        subprocess.run([sys.executable, "-c", other, str(tmp_path)], check=True, timeout=60)
        claims.sweep(tmp_path, "tmp")
        assert (folder / "file").exists() and not (tmp_path / "tmpold").exists()
    claim = claims.Claim(tmp_path, "tmp")
    claim.folder.rename(tmp_path / "moved")
    claim.release()
    moved = tmp_path / "moved"
    with claims.locked(moved, 1.0), pytest.raises(BlockingIOError), claims.locked(moved, 0.05):
        pass
    with pytest.raises(FileNotFoundError), claims.locked(tmp_path / "absent", 0.05):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "moved", "tmplink"]


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    pulse = tmp_path / "pulse"
    text = f"(while :; do echo alive >> {pulse}; sleep 0.05; done) & sleep 0.3"
    [outcome] = run_commands([Command(("sh", "-c", text), tmp_path)], timeout=60, workers=1)
    assert outcome.code == 0 and pulse.exists()
    assert still(pulse)


def test_a_forked_child_does_not_keep_compilers_alive(tmp_path: Path) -> None:
    """A child made by fork while a compiler runs, as multiprocessing makes them, outlives its parent."""
    pulse = tmp_path / "pulse"
    script = (
        "import os, signal, sys, time; from pathlib import Path\n"
        "from symdyn.toolchain.run_commands import Command, run_commands\n"
        "beat = f'while :; do echo alive >> {sys.argv[1]}; sleep 0.05; done'\n"
        "import threading\n"
        "def work(): run_commands([Command(('sh', '-c', beat), Path('.'))], timeout=99, workers=1)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(0.01)\n"
        "child = os.fork()\n"
        "if child == 0: time.sleep(30); os._exit(0)\n"
        "print(child, flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, str(pulse)], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    child = int(process.stdout.readline())
    try:
        process.wait(timeout=PATIENCE_S)
        until(lambda: still(pulse))
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()
