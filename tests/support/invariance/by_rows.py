"""Changes that permute, reverse or scale rows: each element of a result is known from its name and its unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from support.invariance.twins import signed
from symdyn.functions.catalogue import CATALOGUE
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


MOVE = "move of "
"""Before the names of rows of v where a row of a step is a move of q along them."""
ORDER_0 = ("constrained_inverse_dynamics", "tau")


def _same(name: str) -> str:
    return name


def _plus(name: str) -> float:
    return 1.0


def _one(unit: str) -> float:
    return 1.0


@dataclass(frozen=True)
class ByRows:
    """What was row ``old(name)`` of the first robot is ``sign(name)`` times row ``name`` here, in units of other sizes.

    ``added`` are rows that only this robot has, by names.
    """

    first: Robot
    robot: Robot
    old: Callable[[str], str] = _same
    sign: Callable[[str], float] = _plus
    size: Callable[[str], float] = _one
    renamed: Callable[[str], str] = _same
    """From names of the first robot's velocities to names here."""
    regular: bool = True
    """Whether all results of constrained inverse dynamics are kept; otherwise only its forces at order 0."""
    compared: Callable[[str], bool] = bool
    """Whether a row of this robot has a counterpart; others are not looked at."""

    def asked(self, options: RequestOptions) -> RequestOptions:
        """The same."""
        return options

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """The same, of rows by their new names; in other units squares of forces are summed as in the first ones."""
        options = RequestOptions(**asked)
        if "prescribed" in asked:
            options["prescribed"] = tuple(map(self.renamed, asked["prescribed"] or ()))
        if "switched" in asked:
            options["switched"] = tuple(map(self.renamed, asked["switched"] or ()))
        if "stabilisation" in asked:
            options["stabilisation"] = (asked["stabilisation"] or 0.0) * self.size("s")
        if "weights" in CATALOGUE[function].takes and self.size is not _one:
            (forces,) = signed(self.robot, "gravity", {}).outputs
            options["weights"] = [self.size(unit) ** -2 for unit in forces.element_units]
        return options

    def weights(self, function: str, new: Argument) -> Array | float:
        """Sizes of units, and infinity for what has no counterpart."""
        if function.startswith("constrained_inverse") and not self.regular and (function, new.name) != ORDER_0:
            return np.full(new.shape, np.inf)
        sizes = np.array([self.size(unit) for unit in new.element_units]).reshape(new.shape)
        for axis, names in enumerate(new.rows):
            lost = np.array([not self.compared(name) for name in names])
            sizes[(slice(None),) * axis + (lost,)] = np.inf
        return sizes

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """By names along each axis."""
        found = values
        for axis, (before, after) in enumerate(zip(old.rows, new.rows, strict=True)):
            places = {name: place for place, name in enumerate(before)}
            missing = [name for name in after if self.compared(name) and self._before(name) not in places]
            if missing:
                return np.full((0,), np.nan)
            chosen = [places[self._before(name)] if self.compared(name) else 0 for name in after]
            signs = np.array([self.sign(name.removeprefix(MOVE)) for name in after])
            found = np.take(found, chosen, axis) * signs.reshape([-1 if k == axis else 1 for k in range(found.ndim)])
        return found * np.array([self.size(unit) for unit in new.element_units]).reshape(new.shape)

    def _before(self, name: str) -> str:
        """The name of a row in the first robot."""
        plain = name.removeprefix(MOVE)
        return name[: len(name) - len(plain)] + self.old(plain)
