"""What is said where a compiler ends without success: whose fault it is, and where the sources are."""

from __future__ import annotations

import shlex
from pathlib import Path

from symdyn.errors import InternalError, ToolchainError
from symdyn.toolchain.run_commands import Outcome

_SHOWN_LINES = 12
# How compilers and linkers say that the machine, and not the code, was at fault.
_OUT_OF_MEANS = (
    "no space left on device",
    "disk quota exceeded",
    "file too large",
    "file size limit exceeded",
    "killed signal terminated",
    "signal terminated program",
    "virtual memory exhausted",
    "cannot allocate memory",
    "out of memory",
)


def refusal(outcome: Outcome, kept: Path, timeout: float) -> ToolchainError | InternalError:
    """The error for a command that failed: the machine's fault, or ours where the generated code was refused.

    ``kept`` is where the sources are, ``timeout`` the seconds that the command had.
    """
    command = shlex.join(outcome.command.arguments)
    if outcome.code is None:
        return ToolchainError(
            f"compiling did not end within {timeout:g} s: {command}; ask for layout='rolled', whose code is short. "
            f"The sources are kept in {kept}"
        )
    lines = [line for line in outcome.output.splitlines() if line.strip()]
    short = next((line for line in lines if any(words in line.lower() for words in _OUT_OF_MEANS)), "")
    if outcome.code < 0 or short:
        how = short or f"it was ended by signal {-outcome.code}"
        return ToolchainError(
            f"compiling was cut short ({how}): {command}; make room on disk and in memory, then try again. "
            f"The sources are kept in {kept}"
        )
    errors = [line for line in lines if "error" in line.lower()]
    shown = " | ".join((errors or lines)[:_SHOWN_LINES]) or "no message"
    return InternalError(
        f"the compiler refused generated code with exit code {outcome.code}: {command}: {shown}. "
        f"The sources are kept in {kept}; please report them"
    )
