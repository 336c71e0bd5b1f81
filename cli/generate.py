"""``symdyn generate``: write the source files of a robot's functions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symdyn.interface.options import GenerateOptions

from . import options, terminal


def run(
    *,
    robot: options.RobotName,
    asked: GenerateOptions,
    out: options.CodeFolder = None,
    load: options.Loading,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also print what was chosen for this robot, and what it saves.")
    ] = False,
) -> None:
    """Write source files. C for any machine, with a Python twin that needs NumPy only."""
    import symdyn.api

    from .counts import show_functions
    from .explain import show as show_explanation

    words = options.asked(asked)
    with terminal.working(f"generating {robot}"):
        loaded = load.load(robot)
        explanation = symdyn.api.explain(loaded, **words) if explain else None
        folder = symdyn.generate(loaded, out=out, **words)
    if explanation is not None:
        show_explanation(explanation)
    terminal.line(folder)
    show_functions(Path(folder))
