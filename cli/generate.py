"""``symdyn generate``: write the source files of a robot's functions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options, terminal


def run(
    robot: options.RobotName,
    function: options.Functions = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder; generated/<robot> by default.")] = None,
    target: Annotated[str, typer.Option("--target", help="Language: c (with the Python target), python or jax.")] = "c",
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
    joint_losses: options.JointLosses = False,
    convention: options.Convention = None,
    gravity: options.Gravity = None,
    strict: options.Strict = False,
) -> None:
    """Write source files. C for any machine, with a Python twin that needs NumPy only."""
    import symdyn

    from .counts import show_functions

    load = options.load_options(floating_base, lock, runtime, joint_losses, convention, gravity, strict)
    with terminal.working(f"generating {robot}"):
        folder = symdyn.generate(
            options.load_robot(robot, load),
            list(function or options.DEFAULT_FUNCTIONS),
            order=order,
            out=out,
            target=target,
            layout=layout,
            dtype=dtype,
            external_wrenches=external_wrenches,
            prescribed=prescribed,
            factorization=factorization,
            formulation=formulation,
        )
    terminal.line(folder)
    show_functions(Path(folder))
