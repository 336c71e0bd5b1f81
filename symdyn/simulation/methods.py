"""The methods of integration by name, and what each of them must offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn.description.text.position import hint
from symdyn.errors import RequestError
from symdyn.optional_packages import require
from symdyn.robot import Robot
from symdyn.simulation.alpha_method import AlphaMethod
from symdyn.simulation.ida import ida
from symdyn.simulation.library_steppers import bdf, dop853, radau
from symdyn.simulation.sundials import cvode
from symdyn.simulation.system import System
from symdyn.simulation.taylor import taylor

Array = NDArray[np.float64]

_LARGE = 40
"""Rows of y from which multistep methods of SUNDIALS pay off."""


class Stepper(Protocol):
    """A solver between two steps, at time t in state y.

    ``step`` raises an ArithmeticError where it can go no further.
    """

    @property
    def t(self) -> float:
        """The time reached."""

    @property
    def y(self) -> Array:
        """The state there."""

    def step(self) -> None:
        """Go one step."""

    def value(self, t: float) -> Array:
        """The state at a time within the last step."""

    def until(self, end: float) -> None:
        """Go on to another last time, not before the time reached."""

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time, up to a last time; an ArithmeticError where that cannot be."""


class Replaceable(Stepper, Protocol):
    """One that can go on from another state, as closing loops by moves asks for."""

    def replace(self, y: Array) -> None:
        """Go on from another state at this time."""


Maker = Callable[[System, float, Array, float, float, float, float], Stepper]
"""Of system, t, y, last time, relative and absolute tolerance, and longest step."""


class Closing(Enum):
    """What keeps loops closed between the states that are put out, which are closed in any case."""

    MOVED = auto()
    """The state is moved to the nearest closed one after each step, for methods that know nothing of steps before."""
    STABILISED = auto()
    """Accelerations lead errors back (Baumgarte), for methods that carry many steps and would begin anew."""
    OWN = auto()
    """The method itself."""


@dataclass(frozen=True)
class Method:
    """A method: what makes its solver, whether that calls Jacobians, the package it needs, and what closes loops."""

    make: Maker
    implicit: bool
    package: str
    closing: Closing = Closing.MOVED


METHODS = {
    "dop853": Method(dop853, False, "scipy"),
    "radau": Method(radau, True, "scipy"),
    "bdf": Method(bdf, True, "scipy", Closing.STABILISED),
    "cvode": Method(cvode, True, "sksundae", Closing.STABILISED),
    "ida": Method(ida, False, "sksundae", Closing.OWN),
    "generalised-alpha": Method(AlphaMethod, False, "scipy", Closing.OWN),
    "taylor": Method(taylor, False, "numpy"),
}


def chosen(robot: Robot, name: str) -> tuple[str, Method]:
    """The method of a name; for ``auto`` the one that suits the robot.

    Raises
    ------
    RequestError
        An unknown name, or a missing package.
    """
    if not isinstance(name, str):
        raise RequestError(f"method is a name, got {name!r}; there are auto, {', '.join(METHODS)}")
    if name == "auto":
        large = robot.nq + robot.nv >= _LARGE and find_spec("sksundae") is not None
        name = "dop853" if not _stiff(robot) else "cvode" if large else "radau"
    if name not in METHODS:
        raise RequestError(
            f"method '{name}' does not exist; there are auto, {', '.join(METHODS)}{hint(name, ['auto', *METHODS])}"
        )
    method = METHODS[name]
    require(f"method '{name}'", method.package, "sim")
    return name, method


def _stiff(robot: Robot) -> bool:
    """Whether forces may rise fast with positions or velocities: rods, beams, elastic joints or losses."""
    model = robot.model
    losses = model.joint_losses and any(joint.losses is not None for joint in model.independent_joints)
    return losses or model.deforms or any(joint.elastic is not None for joint in model.independent_joints)
