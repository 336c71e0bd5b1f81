"""The command ``symdyn``: turns every failure into one line and an exit code.

Exit codes: 0 done; 2 the user's input or machine was at fault (one line ``error: ...`` on stderr); 1 symdyn was.
``verify`` also gives 1 where generated code differs from the independent evaluator.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import re
import sys
import traceback
from collections.abc import Collection

import typer

import symdyn

from . import terminal

# The base class of all usage errors; typer has moved the module that defines it more than once.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_NO_NUMBER = "Input should be a valid number, unable to parse string as a number"
_MEANT = {
    "--locked-joints": "--lock",
    "--locked": "--lock",
    "--output": "--out",
    "--duration": "--time",
    "--solvers": "--solver",
}
"""Options that are asked for by the names of Python's arguments, or by those of other tools."""
_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Failures of writing, which name no file: the disk is full, a quota or a size is exceeded, or a device is broken."""
_REPORT = "a fault of symdyn: please report it with the robot file and the output of 'symdyn --debug ...'"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments
        Without the program's name; those of this process by default.

    Returns
    -------
    The exit code.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        # The process is ours and its files are closed: nothing is left that the last search for garbage would end.
        atexit.register(gc.freeze)
    debug = "--debug" in words[: next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))]
    terminal.prepare()
    if not hasattr(symdyn, "SymdynError"):
        from symdyn.interface.distribution import broken_install

        terminal.fail(broken_install())
        return 2
    from symdyn.warning import say_notes_by

    say_notes_by(terminal.aside)
    from .verbs import VERBS, app  # they need the rest of the package

    try:
        result = app(words, prog_name="symdyn", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except (BrokenPipeError, SystemExit):
        # The reader (head, less) has seen enough; typer leaves by SystemExit then, and only then. Python would
        # complain again at exit without the next line.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as failure:
        return _report(failure, words, debug, VERBS)


def _guess(message: str) -> str:
    """Which of the values that an option takes somebody meant."""
    from symdyn.interface.guesses import hint

    told = re.search(r"'([^']*)' is not one of (.*)", message)
    return hint(told[1], re.findall(r"'([^']*)'", told[2])) if told else ""


def _option(message: str) -> str:
    """The message about an option that does not exist, with the one that was meant."""
    told = re.match(r"No such option: (--[\w-]+)", message)
    meant = _MEANT.get(told[1]) if told else None
    return f"{told[0]}; did you mean '{meant}'?" if told and meant else message


def _report(failure: Exception, words: list[str], debug: bool, verbs: Collection[str]) -> int:
    from symdyn.errors import SymdynError

    if debug:
        traceback.print_exception(failure)
    if isinstance(failure, _UsageError):
        message = failure.format_message()  # type: ignore[attr-defined]
        verb = next((f" {word}" for word in words if word in verbs), "")
        message = _option(message.replace("Value error, ", "").rstrip("."))
        message = message.replace(_NO_NUMBER, "expected a number in SI units, written without a unit")
        terminal.fail(f"{message}{_guess(message)} (see symdyn{verb} --help)")
        return 2
    if isinstance(failure, SymdynError):
        terminal.fail(failure if failure.exit_code == 2 else f"{failure} ({_REPORT})")
        return failure.exit_code
    if isinstance(failure, OSError) and failure.filename is not None:
        terminal.fail(f"{failure.strerror}: '{failure.filename}'")
        return 2
    if isinstance(failure, OSError) and failure.errno in _MACHINE:
        terminal.fail(f"{failure.strerror}: what was being written is incomplete; free space, or write elsewhere")
        return 2
    terminal.fail(f"{type(failure).__name__}: {failure} ({_REPORT})")
    return 1
