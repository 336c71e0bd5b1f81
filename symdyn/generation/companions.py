"""Modules beside a module: what it compiles later of its robot, such as the derivatives of a function."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdyn.generation.pipeline import built
from symdyn.interface.manifest import ROBOT_FILE, Manifest, text_digest
from symdyn.interface.options import GenerateOptions
from symdyn.interface.regular_files import read_regular
from symdyn.robot.loading import robot_of
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem
    from symdyn.interface.stepping import CoordinateRows
    from symdyn.toolchain.module import Module

    Problem = OptimalControlProblem | str | os.PathLike[str]


class Companions:
    """Makes them when they are first asked for.

    Parameters
    ----------
    robot
        Gives the robot.
    options
        What the module was asked for.
    lanes
        Whether batches in lanes are compiled.
    """

    def __init__(self, robot: Callable[[], Robot], options: GenerateOptions, lanes: bool) -> None:
        self._load = robot
        self._options = options
        self._lanes = lanes
        self._made: dict[tuple[str, str], Module] = {}

    @cached_property
    def robot(self) -> Robot:
        """The robot."""
        return self._load()

    def rows(self) -> tuple[CoordinateRows, ...]:
        """How rows of q change with rows of v."""
        from symdyn.model.coordinates import coordinate_rows

        return coordinate_rows(self.robot.model)

    def make(self, function: str, target: str) -> Module:
        """A module with that function, for a target, with those of the options that it takes."""
        if (function, target) not in self._made:
            self._made[function, target] = built(self.robot, self._asked(function, target), self._lanes)[1]
        return self._made[function, target]

    def _asked(self, function: str, target: str) -> GenerateOptions:
        from symdyn.functions.catalogue import find_functions
        from symdyn.interface.rollouts import BY_LENGTH
        from symdyn.interface.stepping import STEP_METHODS

        (entry,) = find_functions([function])
        dropped: dict[str, Any] = {
            item.name: item.default
            for item in fields(GenerateOptions)
            if "help" in item.metadata and item.name not in entry.takes
        }
        own = self._options
        if "step" in entry.takes and own.rollout in STEP_METHODS:
            dropped["step"] = own.rollout
        if "gradient" in entry.takes and self.robot.model.slots.names and own.gradient != BY_LENGTH:
            dropped["gradient"] = "parameters"
        asked = replace(own, functions=(function,), target=target, layout="auto", **dropped)
        return replace(asked, steppers=None, solvers=None, rollout=None, effort=None, hessian=None)


def companions_of_folder(folder: Path, manifest: Manifest) -> Companions | None:
    """Those of the module of a generated folder; None where it does not hold the robot that it was made of."""
    if not manifest.asked or not (folder / ROBOT_FILE).is_file():
        return None
    # It is read now: the folder may hold another robot by the time that one is asked for.
    data = read_regular(folder / ROBOT_FILE)
    if text_digest(data) != manifest.files.get(ROBOT_FILE):
        return None
    options = GenerateOptions.from_record(manifest.asked, manifest.target)
    return Companions(lambda: _robot_of(data.decode()), options, bool(manifest.lane_sources))


def _robot_of(text: str) -> Robot:
    from symdyn.description.read import read_text

    return robot_of(read_text(text, "yaml"))
