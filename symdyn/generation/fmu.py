"""Robots as units for simulation tools, by FMI 3.0."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from symdyn.generation.generate import generate
from symdyn.interface.argument_words import given_path
from symdyn.interface.targets import FMU
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

ENDING = ".fmu"


def export_fmu(
    robot: Robot | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    stepper: str | None = "dop853",
    binary: bool = True,
    **asked: Any,
) -> Path:
    """Write a robot as a unit of FMI 3.0, for Model Exchange and, with a stepper, for Co-Simulation.

    Parameters
    ----------
    robot
        From :func:`load`, or the name of a file, which is loaded with its own options.
    out
        The file, ``<name>.fmu`` in the current folder by default. An existing file is replaced.
    stepper
        The unit's own method for steps: ``"rk4"``, ``"dop853"`` or ``"generalised-alpha"``. None: only the tool's
        solvers integrate it.
    binary
        Whether the unit also contains code compiled for this system. It always contains the sources.
    asked
        ``name`` and those options of :func:`generate` that ``state_derivative`` takes, such as ``inputs="actuators"``.

    Returns
    -------
    The file.

    Raises
    ------
    RequestError
        An option that does not fit, or a file that cannot be written.
    ToolchainError
        No working compiler.
    """
    from symdyn.compiler.emit.names import identifier
    from symdyn.toolchain.fmu import pack, place_file

    robot = as_robot(robot)
    chosen = Path(f"{asked.get('name') or identifier(robot.name)}{ENDING}") if out is None else given_path("out", out)
    with tempfile.TemporaryDirectory() as scratch:
        steppers = None if stepper is None else [stepper]
        folder = generate(robot, FMU.functions, out=Path(scratch) / "unit", target=FMU.name, steppers=steppers, **asked)
        place_file(chosen, pack(folder, binary).read_bytes())
    return chosen
