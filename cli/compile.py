"""``symdyn compile``: generate, build and show how to import the module."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Annotated

import typer

from . import options, terminal


def run(
    robot: options.RobotName,
    function: options.Functions = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder; generated/<robot> by default.")] = None,
    order: options.Order = 0,
    layout: options.Layout = "auto",
    dtype: options.Dtype = "float64",
    external_wrenches: options.ExternalWrenches = None,
    prescribed: options.Prescribed = None,
    factorization: options.Factorization = None,
    formulation: options.Formulation = None,
    floating_base: options.Floating = None,
    lock: options.Lock = None,
    runtime: options.Runtime = None,
    joint_losses: options.JointLosses = None,
    convention: options.Convention = None,
    gravity: options.Gravity = None,
    strict: options.Strict = False,
    repair: options.Repair = False,
) -> None:
    """Generate and build a module. It runs on this machine, from Python and from C."""
    import symdyn
    from symdyn.toolchain.compile import build_into, read_manifest

    from .counts import show_functions

    load = options.load_options(floating_base, lock, runtime, joint_losses, convention, gravity, strict, repair)
    with terminal.working_on(f"generating {robot}") as tell:
        loaded = options.load_robot(robot, load)
        folder = Path(
            symdyn.generate(
                loaded,
                list(function or options.DEFAULT_FUNCTIONS),
                order=order,
                out=out,
                layout=layout,
                dtype=dtype,
                external_wrenches=external_wrenches,
                prescribed=prescribed,
                factorization=factorization,
                formulation=formulation,
            )
        )
        extension = build_into(folder, lambda done, files: tell(f"compiling, {done} of {files} files", done, files))
    terminal.line(extension)
    terminal.line(_import_line(extension, read_manifest(folder).identifier))
    show_functions(folder)


def _import_line(library: Path, name: str) -> str:
    stem, _, suffix = library.name.partition(".")
    if f".{suffix}" not in EXTENSION_SUFFIXES:
        return "a plain library, for C and ctypes: Python's or NumPy's headers were missing"
    return f"import sys; sys.path.insert(0, {str(library.parent.resolve())!r}); import {stem} as {name}"
