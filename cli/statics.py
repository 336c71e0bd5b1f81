"""``symdyn statics``: where a robot rests under its loads, or its rests while the loads grow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal, written
from .named_values import named_values, parameters
from .view import check_files, paint

if TYPE_CHECKING:
    from symdyn.analysis.statics.records import Equilibrium
    from symdyn.analysis.statics.records import Path as Rests
    from symdyn.robot.robot import Robot

_SHAPES = 6
"""How many rests of a path are drawn."""


def run(
    *,
    robot: options.RobotName,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="An input of an actuator, or a row's force. May be repeated, or with commas.",
        ),
    ] = None,
    prescribe: Annotated[
        list[str] | None,
        typer.Option(
            "--prescribe",
            metavar="NAME=VALUE",
            help="A coordinate whose position is given. May be repeated, or with commas.",
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start",
            metavar="NAME=VALUE",
            help="A coordinate where the search starts. May be repeated, or with commas.",
        ),
    ] = None,
    parameter: options.Parameter = None,
    touching: Annotated[
        bool, typer.Option("--touching", help="Let the robot go where the search starts, and rest on rigid contacts.")
    ] = False,
    path: Annotated[bool, typer.Option("--path", help="Follow rests while the inputs grow from zero.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the numbers: a .npz.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw coordinates: a .png, .pdf or .svg.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw the robot at rest, or along the path: a .png or .jpg."),
    ] = None,
    load: options.Loading,
) -> None:
    """Find a position at rest. Shows coordinates, poses of tips and frames, forces of prescribed rows and stability.

    With --path the inputs grow from zero. Positions at rest are followed past limit points, where the load turns. If
    the search fails, --out has the positions up to there.
    """
    from symdyn.errors import RequestError
    from symdyn.robot import named_states
    from symdyn.statics import NoEquilibriumError, equilibrium
    from symdyn.statics import path as followed

    written.check_written(plot, out)
    check_files(None, None, picture, None, 60.0, mesh_folder=False)
    loaded = load.load(robot)
    held = named_values("--prescribe", prescribe)
    q0 = named_states.position(loaded.model, "--start", named_values("--start", start))
    q0 = named_states.rows("--prescribe", held, loaded.coordinate_names, q0)
    asked: dict[str, Any] = {"u": named_values("--input", given), "q0": q0, "prescribed": list(held)}
    asked["p"] = parameters(loaded, parameter)
    if touching and path:
        raise RequestError("--path follows rests without contacts; leave it or --touching out")
    with terminal.working(f"statics of {loaded.name}"):
        try:
            found: Equilibrium | Rests = (
                followed(loaded, **asked) if path else equilibrium(loaded, **asked, contacts=touching)
            )
        except NoEquilibriumError as failure:
            if out is not None and failure.partial is not None:
                _write(failure.partial, out)
            raise
    if out is not None:
        _write(found, out)
    if plot is not None:
        _draw(loaded, found, plot)
    if picture is not None:
        _paint(loaded, found, picture)
    _show(loaded, found)


def _paint(robot: Robot, found: Equilibrium | Rests, picture: Path) -> None:
    """The shape at rest, or some along the path."""
    import numpy as np

    from symdyn.analysis.view.build import scene_of

    q = np.atleast_2d(found.q)
    paint(scene_of(robot, q, np.arange(float(len(q)))), picture, min(_SHAPES, len(q)))


def _show(robot: Robot, found: Equilibrium | Rests) -> None:
    from symdyn.analysis.statics.records import Equilibrium
    from symdyn.model.joints import FORCE_UNITS

    if not isinstance(found, Equilibrium):
        rows = (
            (number, f"{share:.6g}", "yes" if stable else "no", mark)
            for number, (share, stable, mark) in enumerate(
                zip(found.load_factors, found.stable, found.marks, strict=True)
            )
        )
        terminal.table(("point", "load", "stable", "mark"), rows, numbers=(0, 1))
        terminal.line("the whole load was reached" if found.complete else "the path ends before the whole load")
        return
    terminal.table(
        ("coordinate", "position", "unit"),
        zip(robot.coordinate_names, (f"{x:.9g}" for x in found.q), robot.coordinate_units, strict=True),
        numbers=(1,),
    )
    places = _places(robot, found)
    if places:
        terminal.line()
        terminal.table(("frame", "x", "y", "z [m]", "roll", "pitch", "yaw [rad]"), places, numbers=(1, 2, 3, 4, 5, 6))
    units = [FORCE_UNITS[unit] for unit in robot.velocity_units]
    found_rows = zip(robot.velocity_names, found.forces, units, strict=True)
    holding = [(name, f"{x:.9g}", unit) for name, x, unit in found_rows if x != 0.0]
    if holding:
        terminal.line()
        terminal.table(("prescribed row", "force", "unit"), holding, numbers=(1,))
    if found.contacts is not None:
        terminal.line()
        forces = zip(found.contacts.row_names, found.contacts.forces, strict=True)
        pressed = [(name, f"{x:.9g}") for name, x in forces if x != 0.0]
        terminal.table(("row of contact", "force [N, N m]"), pressed, numbers=(1,))
    left = max(map(abs, found.residual), default=0.0)
    terminal.line()
    spent = (
        f"{terminal.counted(found.iterations, 'iteration')}, {terminal.counted(len(found.load_factors), 'load step')}"
    )
    if found.loose:
        terminal.note(
            f"it rests at any {', '.join(found.loose)}: nothing drives that back; --prescribe it, "
            "to judge the others alone"
        )
    terminal.note(f"{found.kind}; residual {left:.1e}; {spent}, {1e3 * found.time:.2f} ms")


def _places(robot: Robot, found: Equilibrium) -> list[tuple[str, ...]]:
    """Origins and angles in the world of tips and of frames that the file names; links have these by their q."""
    from symdyn.description.urdf.write import rpy_of

    links = {link.name for link in robot.description.links}
    if links.issuperset(robot.frame_names):
        return []
    rows = list[tuple[str, ...]]()
    for name, pose in found.frames.items():
        if name not in links:
            x, y, z = pose[:3, :3].tolist()
            numbers = (*pose[:3, 3].tolist(), *rpy_of((x, y, z)))
            rows.append((name, *(f"{round(number, 12) + 0.0:.6g}" for number in numbers)))
    return rows


def _write(found: Equilibrium | Rests, out: Path) -> None:
    import numpy as np

    from symdyn.analysis.statics.records import Equilibrium

    if isinstance(found, Equilibrium):
        names: tuple[str, ...] = ("q", "u", "forces", "multipliers", "residual", "eigenvalues", "stable")
    else:
        names = ("load_factors", "q", "multipliers", "stable", "marks")
    arrays: dict[str, Any] = {name: np.asarray(getattr(found, name)) for name in names}
    if isinstance(found, Equilibrium):
        arrays |= {"frame_names": np.array(list(found.frames)), "frames": np.array(list(found.frames.values()))}
    np.savez(out, **arrays)


def _draw(robot: Robot, found: Equilibrium | Rests, plot: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    from symdyn.analysis.statics.records import Equilibrium

    figure, axes = pyplot.subplots(figsize=(7.2, 4.5), layout="constrained")
    if isinstance(found, Equilibrium):
        axes.bar(robot.coordinate_names, found.q)
        axes.tick_params(axis="x", rotation=90)
        axes.set_ylabel("position at rest")
    else:
        for name, values in zip(robot.coordinate_names, found.q.T, strict=True):
            axes.plot(values, found.load_factors, marker=".", label=terminal.harmless(name))
        axes.set(xlabel="position", ylabel="share of the load")
        axes.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(plot)
    pyplot.close(figure)
