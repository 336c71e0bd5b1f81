"""A call that may take too long or too much memory: made in a process of its own, which can be ended.

The process is started anew (``spawn``), so that nothing of an earlier call is warm, and a script that comes here needs
the usual ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symdyn.errors import SymdynError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_START_S = 120.0
"""What Python and its imports may take before the budget begins."""
_GRACE_S = 3.0
_MEMORY_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no result, in a few words."""

    reason: str


def call_within(function: Callable[..., Any], arguments: Sequence[Any], seconds: float) -> Any:
    """The result of a call, or a :class:`Failure` where it took too long, too much memory, or raised.

    Parameters
    ----------
    function, arguments
        Importable by name, and such that they can be pickled, as the result.
    seconds
        Wall-clock time, from when the new process is ready.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,), daemon=True)
    process.start()
    there.close()
    try:
        here.send((function, tuple(arguments)))
        if not here.poll(_START_S):
            return Failure("Python did not start")
        here.recv()  # the process is ready
        if not here.poll(seconds):
            return Failure(f"over {seconds:g} s")
        return here.recv()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        process.join(_GRACE_S)
        return Failure(_ending(process.exitcode))
    finally:
        here.close()
        _end(process)


def _ending(code: int | None) -> str:
    if code == -getattr(signal, "SIGKILL", 9):
        return "ended by the system: out of memory"
    return f"its process ended with code {code}"


def _end(process: BaseProcess) -> None:
    """Ask first: a compiler that the process waits for is then ended by it."""
    process.terminate()
    process.join(_GRACE_S)
    if process.is_alive():
        process.kill()
        process.join()


def _serve(connection: Connection) -> None:
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    function, arguments = connection.recv()
    _limit_memory()
    connection.send(None)
    result: Any
    try:
        result = function(*arguments)
    except MemoryError:
        result = Failure("out of memory")
    except SymdynError as failure:
        result = Failure(str(failure))
    except Exception as failure:
        result = Failure(f"{type(failure).__name__}: {failure}".splitlines()[0][:200])
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # nothing is left to be tidied up
    with contextlib.suppress(BrokenPipeError):
        connection.send(result)


def _leave(*_: object) -> None:
    sys.exit(1)


def _limit_memory() -> None:
    """Keep a blow-up from taking the machine with it, where the system has such limits."""
    try:
        import resource

        available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limit = int(_MEMORY_SHARE * available)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    except (ImportError, ValueError, OSError):  # no such module or no such limit on this system
        return
