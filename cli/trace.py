"""``symdyn trace``: follow one parameter or coordinate through every room."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options, terminal


def run(
    *,
    robot: options.RobotName,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A coordinate, or a parameter such as forearm.mass.")],
    load: options.Loading,
) -> None:
    """Follow one name. Shows a parameter or coordinate in each part of symdyn, from the file to the module."""
    import symdyn.api

    with terminal.working(f"tracing {name}"):
        stations = symdyn.api.trace(load.load(robot), name)
    before = ["", *(room for room, _ in stations)]
    terminal.table(
        ("room", name),
        (("" if room == above else room, text) for above, (room, text) in zip(before, stations, strict=False)),
    )
