"""``symdyn simulate``: a robot's motion, by the solver that suits it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options, terminal, written
from .named_values import named_values, parameters

if TYPE_CHECKING:
    from symdyn.analysis.simulation.trajectory import Trajectory
    from symdyn.robot.robot import Robot


def run(
    *,
    robot: options.RobotName,
    time: Annotated[float, typer.Option("--time", metavar="SECONDS", help="How long the motion lasts.")] = 1.0,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="An input of an actuator, or the force of a row of v; or one .csv file with a column t and "
            "a column per name. May be repeated, or with commas.",
        ),
    ] = None,
    hold: Annotated[
        str, typer.Option("--hold", help="Between rows of a .csv file: constant (zero), or interpolated (linear).")
    ] = "zero",
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--q",
            metavar="NAME=VALUE",
            help="A coordinate at the start; others are neutral, motors are as their joints. May be repeated, "
            "or with commas.",
        ),
    ] = None,
    speed: options.StartingSpeed = None,
    parameter: options.Parameter = None,
    method: Annotated[
        str,
        typer.Option("--method", help="auto, dop853, radau, bdf, cvode, ida, generalised-alpha, taylor or contacts."),
    ] = "auto",
    rtol: Annotated[float, typer.Option("--rtol", help="Relative tolerance of the error of a step.")] = 1e-6,
    atol: Annotated[float, typer.Option("--atol", help="Absolute tolerance of the error of a step.")] = 1e-9,
    longest: Annotated[
        float | None,
        typer.Option("--max-step", metavar="SECONDS", help="The longest step; by default as the tolerances allow."),
    ] = None,
    h: Annotated[
        float | None,
        typer.Option("--step", metavar="SECONDS", help="The step of method contacts; by default 0.001."),
    ] = None,
    effort_limits: Annotated[
        str | None,
        typer.Option(
            "--effort-limits", metavar="WORD", help="Inputs beyond limits of effort: clip, or refuse; else they act."
        ),
    ] = None,
    servo: Annotated[
        bool,
        typer.Option("--servo", help="Servos keep the joints where they start, and balance a robot on its contacts."),
    ] = False,
    servo_to: Annotated[
        list[str] | None,
        typer.Option(
            "--servo-to",
            metavar="NAME=VALUE",
            help="A coordinate to which servos lead instead. May be repeated, or with commas.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--fps", metavar="HZ", help="States per second to keep; by default those of all steps."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the motion: a .npz.")] = None,
    table: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write a table: a column per coordinate, impulse and so on."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw coordinates, velocities, energies and gaps of loops: a .png, .svg or .pdf.",
        ),
    ] = None,
    load: options.Loading,
) -> None:
    """Simulate a robot. Shows its last state, its energies, and the solver's work.

    Loops are closed first. If the solver fails, --out has the motion up to there, and the exit code is 2.
    """
    import symdyn.api
    from symdyn.errors import SolverError

    written.check_written(plot, out)
    if table is not None:
        written.check_folder("--csv", table)
    loaded = load.load(robot)
    drive, inputs = _inputs(loaded, given or [])
    p = parameters(loaded, parameter)
    q, v, height = _state(loaded, named_values("--q", start), named_values("--v", speed), p)
    asked: dict[str, Any] = {"p": p, "drive": drive, "hold": hold, "method": method, "rtol": rtol, "atol": atol}
    with terminal.working(f"simulating {loaded.name}") as tell:
        try:
            found = symdyn.api.simulate(
                loaded,
                q,
                v,
                _times(time, rate),
                inputs,
                max_step=longest,
                effort_limits=effort_limits,
                h=h,
                servo=named_values("--servo-to", servo_to) if servo_to else servo,
                progress=lambda done, total: tell(int(1000 * done / total), 1000),
                **asked,
            )
        except SolverError as failure:
            partial = getattr(failure, "partial", None)
            if out is not None and partial is not None:
                partial.save(out)
            raise
    if out is not None:
        found.save(out)
    if table is not None:
        found.save_table(table)
    if plot is not None:
        from symdyn.analysis.compare.plot import write_figure
        from symdyn.analysis.view.plots import history_figure

        write_figure(history_figure(found), plot, found.robot_name)
    _show(loaded, found)
    if height > 0.0:
        terminal.note(f"the base starts {height:.3g} m higher, where nothing is within what it may touch")


def _times(end: float, rate: float | None) -> Any:
    """The end, or times of output."""
    from math import isfinite

    import numpy as np

    from symdyn.errors import RequestError

    if rate is None:
        return end
    if not (isfinite(end) and end > 0.0 and isfinite(rate) and rate > 0.0 and end * rate < 1e8):
        raise RequestError(f"--time {end:g} --fps {rate:g}: expected a time and a rate above 0")
    return np.linspace(0.0, end, max(3, 1 + round(end * rate)))


def _state(robot: Robot, q: dict[str, float], v: dict[str, float], p: Any) -> tuple[Any, Any, float]:
    """The state at the start: with loops, the closed one in which named coordinates stay where they are.

    A free base without a place of its own stands above what it may touch, higher by the last number [m].
    """
    from symdyn.analysis.simulation.contact_start import leaves_place_open, lifted
    from symdyn.description.loops import MET
    from symdyn.robot import named_states
    from symdyn.robot.state_checks import given_parameters

    start, velocity = named_states.position(robot.model, "--q", q), named_states.velocity(robot.model, "--v", v)
    if not robot.constraints:
        height = 0.0
        if leaves_place_open(robot, q):
            start, height = lifted(robot, start, given_parameters(robot.model, p))
        return start, velocity, height
    closed = robot.close(start, hold=list(q), p=p, tolerance=MET)
    return closed, robot.project(closed, velocity, p=p, tolerance=MET)[1], 0.0


def _inputs(robot: Robot, texts: list[str]) -> tuple[str, Any]:
    """What inputs are, and their values: an array, or a table from a file."""
    import numpy as np

    from symdyn.errors import RequestError
    from symdyn.robot import named_states

    files = [text for text in texts if text.endswith(".csv") and "=" not in text]
    if files and len(texts) > 1:
        raise RequestError(f"--input {files[0]}: one file has all inputs; leave the others out")
    times, columns = _table(Path(files[0])) if files else (None, named_values("--input", texts))
    actuators = tuple(own.name for own in robot.model.actuator_inputs)
    drive = "actuators" if columns and all(name in actuators for name in columns) else "forces"
    names = actuators if drive == "actuators" else robot.velocity_names
    if times is None:
        return drive, named_states.rows("--input", columns, names, np.zeros(len(names)))
    values = np.zeros((len(times), len(names)))
    for name, column in columns.items():
        if name not in names:
            raise RequestError(f"--input {files[0]}: column '{name}' is no row; there are {', '.join(names)}")
        values[:, names.index(name)] = column
    return drive, (times, values)


def _table(file: Path) -> tuple[Any, dict[str, Any]]:
    """Times, and columns by name, of a file with comma-separated values."""
    import csv
    from io import TextIOWrapper

    import numpy as np

    from symdyn.errors import RequestError
    from symdyn.interface.regular_files import open_regular

    try:
        with TextIOWrapper(open_regular(file), encoding="utf-8", newline="") as stream:
            head, *body = list(csv.reader(stream)) or [[]]
        values = np.array([[float(cell) for cell in row] for row in body], dtype=np.float64)
    except (OSError, ValueError, csv.Error) as failure:
        raise RequestError(f"--input {file}: cannot be read as numbers below a line of names: {failure}") from None
    names = [name.strip() for name in head]
    if "t" not in names or len(set(names)) != len(names) or values.ndim != 2 or values.shape[1] != len(names):
        raise RequestError(f"--input {file}: expected a line of different names, one of them t, then rows of numbers")
    columns = dict(zip(names, values.T, strict=True))
    return columns.pop("t"), columns


def _show(robot: Robot, found: Trajectory) -> None:
    terminal.table(
        ("coordinate", "start", "end", "unit"),
        zip(
            robot.coordinate_names,
            (f"{x:.6g}" for x in found.q[0]),
            (f"{x:.6g}" for x in found.q[-1]),
            robot.coordinate_units,
            strict=True,
        ),
        numbers=(1, 2),
    )
    terminal.line()
    spent = [(name.replace("_", " "), str(count)) for name, count in found.counters.items()]
    spent += [(f"{name} [s]", f"{seconds:.3g}") for name, seconds in found.timings.items()]
    terminal.table(("spent", ""), [("method", found.method), *spent], numbers=(1,))
    terminal.line()
    states = terminal.counted(len(found.t), "state")
    terminal.note(
        f"{states} up to t = {found.t[-1]:.6g} s; energy {found.energy[0]:.6g} J at first, "
        f"{found.energy[-1]:.6g} J at last"
    )
    if found.reason:
        terminal.note(f"{found.method} was chosen: {found.reason}")
    for message in found.messages:
        terminal.note(message)
