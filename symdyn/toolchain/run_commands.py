"""Runs compilers: argument lists, no shell, a fixed locale, a time limit, and nothing left running behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_POLL_S = 0.002


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, the folder it runs in and variables on top of the inherited ones."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended; ``code`` is None where it ran out of time, ``output`` holds both of its streams."""

    command: Command
    code: int | None
    output: str


def run_commands(
    commands: Sequence[Command], *, timeout: float, workers: int, finished: Callable[[int], None] | None = None
) -> list[Outcome]:
    """Run commands side by side, at most ``workers`` at a time, and report each in the order given.

    After the first failure no further command is started, so the list may be shorter than asked for; commands
    already running are waited for. An interrupt ends every process that was started here.

    Parameters
    ----------
    timeout
        Seconds that each command may take.
    finished
        Told how many commands have ended, whenever one has.

    Raises
    ------
    OSError
        The program cannot be started.
    """
    waiting = deque(enumerate(commands))
    running: dict[int, _Job] = {}
    outcomes: dict[int, Outcome] = {}
    failed = False
    try:
        while running or (waiting and not failed):
            while waiting and not failed and len(running) < workers:
                number, command = waiting.popleft()
                running[number] = _start(command, time.monotonic() + timeout)
            for number, job in list(running.items()):
                outcome = _finish(job)
                if outcome is not None:
                    outcomes[number] = outcome
                    del running[number]
                    failed = failed or outcome.code != 0
                    if finished is not None:
                        finished(len(outcomes))
            if running:
                time.sleep(_POLL_S)
    finally:
        for job in running.values():
            _end(job)
    return [outcomes[number] for number in sorted(outcomes)]


@dataclass(frozen=True, slots=True)
class _Job:
    command: Command
    process: subprocess.Popen[bytes]
    log: IO[bytes]
    deadline: float


def _start(command: Command, deadline: float) -> _Job:
    # A file, not a pipe: a chatty compiler never blocks on us, and nobody has to read while it works.
    log = tempfile.TemporaryFile()  # noqa: SIM115  (closed when the job is finished or ended)
    try:
        process = subprocess.Popen(
            list(command.arguments),
            cwd=command.folder,
            env={**os.environ, "LC_ALL": "C", **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        log.close()
        raise
    return _Job(command, process, log, deadline)


def _finish(job: _Job) -> Outcome | None:
    code = job.process.poll()
    if code is None and time.monotonic() < job.deadline:
        return None
    if code is None:
        _kill(job.process)
    job.log.seek(0)
    output = job.log.read().decode("utf-8", "replace")
    job.log.close()
    return Outcome(job.command, code, output)


def _end(job: _Job) -> None:
    _kill(job.process)
    job.log.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a compiler driver with the passes it has started: they share its process group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
