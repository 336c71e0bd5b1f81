"""``symdyn compile``: generate, build and show how to import the module."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Annotated

import typer

from symdyn.options import GenerateOptions

from . import options, terminal
from .groups import Without


def run(
    *,
    robot: options.RobotName,
    asked: Annotated[GenerateOptions, Without(("target",))],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; generated/<name> by default, of --name or the robot."),
    ] = None,
    load: options.Loading,
) -> None:
    """Generate and build a module. It runs on this machine, from Python and from C."""
    import symdyn
    from symdyn.toolchain.compile import build_into
    from symdyn.toolchain.folder import read_manifest

    from .counts import show_functions

    with terminal.working_on(f"generating {robot}") as tell:
        folder = Path(symdyn.generate(load.load(robot), out=out, **options.asked(asked)))
        extension = build_into(folder, lambda done, files: tell(f"compiling, {done} of {files} files", done, files))
    terminal.line(extension)
    terminal.line(_import_line(extension, read_manifest(folder).identifier))
    show_functions(folder)


def _import_line(library: Path, name: str) -> str:
    stem, _, suffix = library.name.partition(".")
    if f".{suffix}" not in EXTENSION_SUFFIXES:
        return "a plain library, for C and ctypes: Python's or NumPy's headers were missing"
    return f"import sys; sys.path.insert(0, {str(library.parent.resolve())!r}); import {stem} as {name}"
