"""``symdyn export-ocp``: a robot's optimal-control problem for CasADi with IPOPT, or for acados."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options, terminal
from .named_values import numbers, parameters, start_of


def run(
    *,
    robot: options.RobotName,
    to: Annotated[str, typer.Option("--to", metavar="SOLVER", help="casadi (with IPOPT) or acados.")] = "casadi",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the script goes.")] = Path("ocp"),
    targets: Annotated[
        list[str] | None,
        typer.Option(
            "--target-of",
            metavar="COST=NUMBERS",
            help="What a cost is given at run time, such as 'reach=-0.9 0 -0.4'; a pose is 'x y z qx qy qz qw'. "
            "May be repeated.",
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start",
            metavar="NAME=VALUE",
            help="A coordinate where the motion begins, others at zero; by default the problem's. May be repeated.",
        ),
    ] = None,
    parameter: options.Parameter = None,
    load: options.Loading,
) -> None:
    """Write an optimal-control problem for another solver.

    Costs, steps, limits and start are the same.
    Give the problem by --problem, or below control in the robot's file.
    """
    from symdyn.analysis.control.export import export_ocp

    loaded = load.load(robot)
    given, q = dict(_target(text) for text in targets or ()) or None, start_of(loaded, start)
    with terminal.working(f"functions of {loaded.name} for {to}"):
        script = export_ocp(loaded, to=to, out=out, q=q, targets=given, p=parameters(loaded, parameter))
    terminal.note(f"wrote {script}; run it with python")


def _target(text: str) -> tuple[str, list[float]]:
    from symdyn.errors import RequestError

    name, sign, given = text.partition("=")
    found = numbers(given)
    if not (sign and name and found):
        raise RequestError(f"--target-of {text!r}: expected COST=NUMBERS, such as 'reach=-0.9 0 -0.4'")
    return name.strip(), found
