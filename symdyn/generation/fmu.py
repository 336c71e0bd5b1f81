"""Robots as units for simulation tools, by FMI 3.0."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from symdyn.errors import RequestError
from symdyn.generation.generate import generate
from symdyn.interface.argument_words import given_choice, given_flag, given_path
from symdyn.interface.keywords import names_keywords_and
from symdyn.interface.options import FunctionOptions
from symdyn.interface.stepping import CONTACTS, DOP853, METHODS
from symdyn.interface.targets import FMU
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

ENDING = ".fmu"

_OF_SOURCES = ("name", "layout", "dtype", "order", "effort", "cpu", "problem")
"""Options of :func:`generate` that do not change what functions mean, and that units take."""


@names_keywords_and((*FunctionOptions.__annotations__, *_OF_SOURCES))
def export_fmu(
    robot: Robot | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    stepper: str | None = "auto",
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
        The unit's own method for steps: ``"rk4"``, ``"dop853"``, ``"generalised-alpha"`` or ``"contacts"``. None: only
        the tool's solvers integrate it. ``"auto"`` is ``"dop853"``, and ``"contacts"`` for robots with rigid contacts,
        rigid limits or dry joints: these act in steps alone, so that such units are for Co-Simulation only.
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
        An option that does not fit, such as another stepper for rigid contacts; a file that cannot be written.
    ToolchainError
        No working compiler.
    """
    from symdyn.compiler.emit.names import identifier
    from symdyn.toolchain.fmu import pack, place_file

    robot, binary = as_robot(robot), given_flag("binary", binary)
    stepper = None if stepper is None else given_choice("stepper", stepper, ("auto", *METHODS, CONTACTS))
    rigid = bool(robot.model.contact_layout)
    if stepper == "auto":
        stepper = CONTACTS if rigid else DOP853
    if rigid and stepper != CONTACTS:
        given = "model exchange alone" if stepper is None else f"stepper '{stepper}'"
        raise RequestError(
            f"robot '{robot.name}' has rigid contacts, limits or dry joints, which {given} does not feel; take "
            f"stepper='{CONTACTS}'"
        )
    chosen = Path(f"{asked.get('name') or identifier(robot.name)}{ENDING}") if out is None else given_path("out", out)
    with tempfile.TemporaryDirectory() as scratch:
        steppers = None if stepper is None else [stepper]
        folder = generate(robot, FMU.functions, out=Path(scratch) / "unit", target=FMU.name, steppers=steppers, **asked)
        place_file(chosen, pack(folder, binary).read_bytes())
    return chosen
