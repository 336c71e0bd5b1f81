"""``symdyn play``: a robot that moves in the browser, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options, terminal, written
from .named_values import named_values
from .view import say_meshes


def run(
    *,
    robot: options.RobotName,
    html: Annotated[Path, typer.Option("--html", metavar="FILE", help="The page to write: an .html.")],
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--q",
            metavar="NAME=VALUE",
            help="A coordinate at the start; others are neutral. May be repeated, or with commas.",
        ),
    ] = None,
    speed: options.StartingSpeed = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="rk4, generalised-alpha or contacts; by default the one that suits the robot."),
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", metavar="SECONDS", help="Length of a step; by default 1 or 2 ms.")
    ] = None,
    servo: Annotated[
        bool,
        typer.Option("--servo", help="Servos keep the joints where they start, until you press S."),
    ] = False,
    mesh_folder: options.MeshFolders = None,
    load: options.Loading,
) -> None:
    """Write a page in which the robot moves. It needs no server and no network, and holds the robot's own C.

    Sliders and keys change forces, actuators and parameters; the mouse pulls bodies. The C is compiled to WebAssembly
    by zig: pip install "symdyn-codegen[cc]".
    """
    from symdyn.analysis.view.play import play
    from symdyn.interface.optional_packages import require

    require("play", "ziglang", "cc")
    if mesh_folder or load.packages:
        require("showing meshes", "trimesh", "view")
    written.check_folder("--html", html)
    loaded = load.load(robot)
    q = named_values("--q", given) if given else None
    say_meshes(loaded, mesh_folder)
    v = named_values("--v", speed)

    def compiling(done: int, files: int) -> None:
        if not done:
            terminal.aside("compiling to WebAssembly; the first time on a machine takes a minute or two")

    with terminal.working("compiling to WebAssembly"):
        play(loaded, html, q, v, method, step, mesh_folder or (), compiling, servo)
    terminal.line(f"wrote {html} ({html.stat().st_size / 1e6:.2f} MB)")
