"""Runs compilers: argument lists, a fixed locale, a time limit, and nothing left running behind.

Every command has a process group of its own, which a warden leads: a shell that does nothing but wait for the end of a
pipe that this process holds open. When this process ends, however it does, the kernel closes the pipe, and the warden
ends its group: the compiler, what the compiler has started, and itself. Windows has no such groups of processes: there
``taskkill`` ends a command with all that it has started, and only what this process lives to end is ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar

_POLL_S = 0.002
_TASKKILL_S = 10.0
_WARDEN = "read -r line; kill -9 0"
# So that Ctrl-C reaches this process alone, which ends the others; and no window opens. Absent and 0 elsewhere.
_CREATION: int = sum(getattr(subprocess, name, 0) for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW"))


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
    already running are waited for. An interrupt ends every process that was started here, and so does the end of this
    process by any signal.

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
    lifeline = _Lifeline()
    outcomes: dict[int, Outcome] = {}
    failed = False
    try:
        while running or (waiting and not failed):
            while waiting and not failed and len(running) < workers:
                number, command = waiting.popleft()
                running[number] = _start(command, time.monotonic() + timeout, lifeline)
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
        # Last, for a process that an interrupt kept from being counted as running.
        lifeline.cut()
    return [outcomes[number] for number in sorted(outcomes)]


class _Lifeline:
    """A pipe that nobody writes to: its reading end sees the end of this process."""

    _held: ClassVar[set[int]] = set()

    def __init__(self) -> None:
        self.reading, self._writing = os.pipe()
        self._held.add(self._writing)

    def cut(self) -> None:
        """End whatever waits at the other end."""
        os.close(self.reading)
        if self._writing in self._held:
            self._held.discard(self._writing)
            os.close(self._writing)

    @classmethod
    def forget(cls) -> None:
        """In a forked child: let go, or the pipe would outlive the process that holds it."""
        while cls._held:
            with contextlib.suppress(OSError):
                os.close(cls._held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Lifeline.forget)


@dataclass(frozen=True, slots=True)
class _Job:
    command: Command
    process: subprocess.Popen[bytes]
    warden: subprocess.Popen[bytes] | None
    log: IO[bytes]
    deadline: float


def _start(command: Command, deadline: float, lifeline: _Lifeline) -> _Job:
    # A file, not a pipe: a chatty compiler never blocks on us, and nobody has to read while it works.
    log = tempfile.TemporaryFile(dir=command.folder)  # noqa: SIM115  (closed when the job is finished or ended)
    warden = None
    try:
        warden = _start_warden(lifeline)
        process = subprocess.Popen(
            list(command.arguments),
            cwd=command.folder,
            env={**os.environ, "LC_ALL": "C", **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            process_group=_group(warden),
            creationflags=_CREATION,
        )
    except BaseException:
        log.close()
        if warden is not None:
            _kill(warden, warden)
        raise
    return _Job(command, process, warden, log, deadline)


def _start_warden(lifeline: _Lifeline) -> subprocess.Popen[bytes] | None:
    """The leader of a new process group; None where there is no shell, as on Windows."""
    shell = shutil.which("sh", path="/bin:/usr/bin")
    if shell is None:
        return None
    return subprocess.Popen(
        [shell, "-c", _WARDEN],
        env={},
        cwd="/",
        stdin=lifeline.reading,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _group(warden: subprocess.Popen[bytes] | None) -> int | None:
    """The process group of a command: its warden's, or one of its own; None where there are no groups."""
    if warden is not None:
        return warden.pid
    return 0 if hasattr(os, "killpg") else None


def _finish(job: _Job) -> Outcome | None:
    code = job.process.poll()
    if code is None and time.monotonic() < job.deadline:
        return None
    # Also where the command has ended by itself: what it left running would write into a folder that goes.
    _kill(job.process, job.warden)
    job.log.seek(0)
    output = job.log.read().decode("utf-8", "replace")
    job.log.close()
    return Outcome(job.command, code, output)


def _end(job: _Job) -> None:
    _kill(job.process, job.warden)
    job.log.close()


def _kill(process: subprocess.Popen[bytes], warden: subprocess.Popen[bytes] | None) -> None:
    """End a compiler driver with the passes it has started, and their warden: they share its process group.

    A warden that has not been waited for keeps the group's number from being given to others.
    """
    if hasattr(os, "killpg") and (warden is not None or process.poll() is None):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg((warden or process).pid, signal.SIGKILL)
    elif process.poll() is None:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, timeout=_TASKKILL_S)
    with contextlib.suppress(ProcessLookupError):
        process.kill()  # one that has left its group
    process.wait()
    if warden is not None:
        warden.wait()
