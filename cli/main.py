"""The command ``symdyn``: collects the verbs, and turns every failure into one line and an exit code.

Exit codes: 0 done; 2 the user's input or machine was at fault (one line ``error: ...`` on stderr); 1 symdyn was.
``verify`` also gives 1 where generated code differs from the independent evaluator.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

import symdyn
from symdyn.version import VERSION

from . import compare, compile, demo, examples, generate, info, modes, options, terminal, trace, verify
from .groups import grouped

app = typer.Typer(
    name="symdyn",
    help="Turn a robot description into fast dynamics code for exactly that robot.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_VERBS = {
    verb.__name__.rpartition(".")[2]: verb
    for verb in (generate, compile, info, modes, trace, verify, compare, demo, examples)
}
for name, verb in _VERBS.items():
    app.command(name=name)(grouped(verb.run, options.DECLARED))

# The base class of all usage errors; typer has moved the module that defines it more than once.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_REPORT = "a fault of symdyn: please report it with the robot file and the output of 'symdyn --debug ...'"


def _version(wanted: bool) -> None:
    if wanted:
        terminal.line(VERSION)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    context.obj = debug
    if context.invoked_subcommand is None:
        terminal.block(context.get_help())


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
    debug = "--debug" in words[: next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))]
    terminal.prepare()
    if not hasattr(symdyn, "SymdynError"):
        from symdyn.distribution import broken_install

        terminal.fail(broken_install())
        return 2
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
        return _report(failure, words, debug)


def _report(failure: Exception, words: list[str], debug: bool) -> int:
    from symdyn.errors import SymdynError

    if debug:
        traceback.print_exception(failure)
    if isinstance(failure, _UsageError):
        message = failure.format_message()  # type: ignore[attr-defined]
        verb = next((f" {word}" for word in words if word in _VERBS), "")
        terminal.fail(f"{message.rstrip('.')} (see symdyn{verb} --help)")
        return 2
    if isinstance(failure, SymdynError):
        terminal.fail(failure if failure.exit_code == 2 else f"{failure} ({_REPORT})")
        return failure.exit_code
    if isinstance(failure, OSError) and failure.filename is not None:
        terminal.fail(f"{failure.strerror}: '{failure.filename}'")
        return 2
    terminal.fail(f"{type(failure).__name__}: {failure} ({_REPORT})")
    return 1
