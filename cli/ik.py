"""``symdyn ik``: a position at which a frame meets a target."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, hypot, radians, sin, tau
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, terminal
from .named_values import numbers, parameters, start_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.robot.robot import Robot

    Array = NDArray[np.float64]


def run(
    *,
    robot: options.RobotName,
    frame: Annotated[str, typer.Option("--frame", metavar="NAME", help="The frame that has a target.")],
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose", metavar="NUMBERS", help="Its pose: 'x y z roll pitch yaw' [m, rad], or 'x y z qx qy qz qw'."
        ),
    ] = None,
    place: Annotated[
        str | None, typer.Option("--position", metavar="NUMBERS", help="The position of its origin alone: 'x y z' [m].")
    ] = None,
    axis: Annotated[
        str | None, typer.Option("--axis", metavar="NUMBERS", help="The direction of its z axis alone: 'x y z'.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start",
            metavar="NAME=VALUE",
            help="A coordinate where the search starts, others at zero; by default 20 starts. May be repeated.",
        ),
    ] = None,
    no_limits: Annotated[bool, typer.Option("--no-limits", help="Let joints leave the limits of the file.")] = False,
    parameter: options.Parameter = None,
    load: options.Loading,
) -> None:
    """Find a position for a pose of a frame. Joints stay within limits. Shows coordinates and the error.

    --position and --axis may be given together. Exit code 2 if the target is not reached.
    """
    from symdyn.analysis.inverse_kinematics.solve import inverse_kinematics
    from symdyn.errors import RequestError, SolverError

    loaded = load.load(robot)
    goals = {}
    if pose is not None:
        goals[frame] = _pose(_numbers("--pose", pose, (6, 7)))
    if place is not None:
        goals[f"{frame}:position"] = _numbers("--position", place, (3,))
    if axis is not None:
        goals[f"{frame}:axis"] = _numbers("--axis", axis, (3,))
    if not goals:
        raise RequestError("--pose, --position or --axis tells where the frame is to be; give one")
    q0 = start_of(loaded, start)
    with terminal.working(f"inverse kinematics of {loaded.name}"):
        found = inverse_kinematics(loaded, goals, q0, limits=not no_limits, p=parameters(loaded, parameter))
    if not found.reached:
        raise SolverError(
            f"robot '{loaded.name}': frame '{frame}' does not reach the target from {found.starts} starts; the nearest "
            f"position, {_shown(loaded, found.q)}, misses {_missed(found.errors)} ({found.code.name.lower()}); give "
            "another target or --start"
        )
    terminal.table(
        ("coordinate", "position", "unit"),
        zip(loaded.coordinate_names, (f"{x:.9g}" for x in found.q), loaded.coordinate_units, strict=True),
        numbers=(1,),
    )
    terminal.note(
        f"error {found.error:.1e}; {terminal.counted(found.iterations, 'iteration')}, "
        f"{terminal.counted(found.starts, 'start')}"
    )


def _shown(robot: Robot, q: Array) -> str:
    """A position as options take it."""
    return ", ".join(f"{name}={value:.6g}" for name, value in zip(robot.coordinate_names, q, strict=True))


def _missed(errors: Mapping[str, Array]) -> str:
    """Sizes of errors with their units: distances, angles, and differences of directions."""
    said = []
    for name, own in errors.items():
        parts = [(own, "of the axis")] if name.endswith(":axis") else [(own[:3], "m"), (own[3:], "rad")]
        said += [f"{hypot(*part):.3g} {unit}" for part, unit in parts if len(part)]
    return " and ".join(said)


_MEANING: dict[tuple[int, ...], str] = {(6, 7): ", x y z and then roll pitch yaw, or a quaternion qx qy qz qw"}


def _numbers(option: str, text: str, counts: tuple[int, ...]) -> list[float]:
    from symdyn.errors import RequestError

    found = numbers(text)
    if len(found) not in counts:
        raise RequestError(
            f"{option} {text!r}: expected {' or '.join(map(str, counts))} numbers{_MEANING.get(counts, '')}"
        )
    return found


def _pose(given: list[float]) -> list[float]:
    """Place and quaternion; three angles are roll, pitch and yaw, as in URDF."""
    if len(given) == 7:
        return given
    if wide := [angle for angle in given[3:] if abs(angle) > tau]:
        terminal.warn(
            f"--pose has the angle {wide[0]:g}, more than a turn: angles are in radians, {wide[0]:g} degrees are "
            f"{radians(wide[0]):.6g}"
        )
    (sr, cr), (sp, cp), (sy, cy) = ((sin(0.5 * angle), cos(0.5 * angle)) for angle in given[3:])
    return [
        *given[:3],
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ]
