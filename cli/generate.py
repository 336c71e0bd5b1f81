"""``symdyn generate``: write the source files of a robot's functions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from . import options, terminal


class _Asked(TypedDict):
    """What explaining and generating are told alike."""

    order: int
    layout: str
    external_wrenches: str | None
    prescribed: list[str] | None
    factorization: str | None
    formulation: str | None


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
    joint_losses: options.JointLosses = None,
    convention: options.Convention = None,
    gravity: options.Gravity = None,
    strict: options.Strict = False,
    repair: options.Repair = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also print what was chosen for this robot, and what it saves.")
    ] = False,
) -> None:
    """Write source files. C for any machine, with a Python twin that needs NumPy only."""
    import symdyn.api

    from .counts import show_functions
    from .explain import show as show_explanation

    load = options.load_options(floating_base, lock, runtime, joint_losses, convention, gravity, strict, repair)
    names = list(function or options.DEFAULT_FUNCTIONS)
    asked: _Asked = {
        "order": order,
        "layout": layout,
        "external_wrenches": external_wrenches,
        "prescribed": prescribed,
        "factorization": factorization,
        "formulation": formulation,
    }
    with terminal.working(f"generating {robot}"):
        loaded = options.load_robot(robot, load)
        explanation = symdyn.api.explain(loaded, names, target=target, **asked) if explain else None
        folder = symdyn.generate(loaded, names, out=out, target=target, dtype=dtype, **asked)
    if explanation is not None:
        show_explanation(explanation)
    terminal.line(folder)
    show_functions(Path(folder))
