"""The command ``symdyn`` as typer has it: its verbs, and what is common to them."""

from __future__ import annotations

from typing import Annotated

import typer

from symdyn.interface.version import VERSION

from . import (
    compare,
    compile,
    convert,
    demo,
    examples,
    export_ocp,
    functions,
    generate,
    ik,
    info,
    modes,
    options,
    play,
    schema,
    simulate,
    statics,
    terminal,
    trace,
    verify,
    view,
)
from .groups import grouped

app = typer.Typer(
    name="symdyn",
    help="Turn a robot description into fast dynamics code for exactly that robot.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS = {
    verb.__name__.rpartition(".")[2].replace("_", "-"): verb
    for verb in (
        generate,
        compile,
        convert,
        info,
        modes,
        simulate,
        statics,
        ik,
        view,
        play,
        trace,
        verify,
        compare,
        export_ocp,
        demo,
        examples,
        functions,
        schema,
    )
}
for name, verb in VERBS.items():
    app.command(name=name)(grouped(verb.run, options.DECLARED, options.Common))


def _version(wanted: bool) -> None:
    if wanted:
        terminal.line(VERSION)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")] = False,
    quiet: options.Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    context.obj = debug
    terminal.silence(quiet)
    if context.invoked_subcommand is None:
        terminal.block(context.get_help())
