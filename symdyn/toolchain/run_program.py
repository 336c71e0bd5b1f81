"""Runs programs of symdyn's own that read files of anyone: apart from this process, in a folder of their own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from symdyn.errors import DescriptionError, one_line
from symdyn.toolchain.run_commands import Command, Outcome, run_commands

TIMEOUT_S = 120.0
"""Seconds that a file may take."""
_RESULT_BYTES = 1024 * 1024 * 1024
_TOLD = 300
_BOUNDED = Path(__file__).with_name("bounded.py")


def run_program(program: Path, files: Mapping[str, bytes], what: str, timeout: float | None = None) -> bytes:
    """Run a Python program by this interpreter on files in a new private folder; the one file of its result.

    Its memory, processor time and files are bounded, but for Windows, where only its time is.

    The result is the file of which the name is that of the first file, ending in ``.json``.

    Parameters
    ----------
    program
        The program, which is part of symdyn.
    files
        Contents by plain names.
    what
        What messages call it.
    timeout
        Seconds that it may take; ``TIMEOUT_S`` by default.

    Raises
    ------
    DescriptionError
        It ended by a signal or an error, or took too long, or wrote nothing.
    """
    timeout = TIMEOUT_S if timeout is None else timeout
    with tempfile.TemporaryDirectory(prefix="symdyn-") as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        result = (Path(folder) / next(iter(files))).with_suffix(".json")
        # -P: what lies in the folder is never imported.
        command = Command((sys.executable, "-P", str(_BOUNDED), str(program)), Path(folder), {"OMP_NUM_THREADS": "1"})
        try:
            [outcome] = run_commands([command], timeout=timeout, workers=1)
        except OSError as failure:
            raise DescriptionError(f"{what} cannot be started: {failure.strerror or failure}") from None
        if outcome.code != 0 or not result.is_file() or result.stat().st_size > _RESULT_BYTES:
            raise DescriptionError(
                f"{what} {_fault(outcome, timeout)}; the file is malformed, or larger than it can be"
            )
        return result.read_bytes()


def _fault(outcome: Outcome, timeout: float) -> str:
    if outcome.code is None:
        return f"did not end within {timeout:g} s"
    if outcome.code < 0:
        return f"was ended by signal {-outcome.code}"
    last = outcome.output.strip().splitlines()[-1:] or ["no reason given"]
    return f"ended with an error: {one_line(last[0])[:_TOLD]}"
