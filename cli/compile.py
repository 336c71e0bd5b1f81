"""``symdyn compile``: generate, build and show how to import the module."""

from __future__ import annotations

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
    floating_base: options.Floating = None,
    lock: options.Lock = None,
    runtime: options.Runtime = None,
    joint_losses: options.JointLosses = False,
    convention: options.Convention = None,
    gravity: options.Gravity = None,
    strict: options.Strict = False,
) -> None:
    """Generate and build a module. It runs on this machine, from Python and from C."""
    import symdyn

    from .counts import show_functions

    load = options.load_options(floating_base, lock, runtime, joint_losses, convention, gravity, strict)
    with terminal.working(f"compiling {robot}"):
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
            )
        )
        extension = symdyn.api.build(folder)
    terminal.line(extension)
    terminal.line(f"import sys; sys.path.insert(0, {str(extension.parent)!r}); import {extension.name.split('.')[0]}")
    show_functions(folder)
