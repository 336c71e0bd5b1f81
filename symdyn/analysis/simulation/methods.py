"""The methods of integration by name, and what each of them must offer.

Generalised-alpha as a method of ``simulate`` has steps that follow the error, and loops closed by the method itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from importlib.util import find_spec
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.alpha_step import AlphaStepper, State
from symdyn.analysis.simulation.driven_system import DrivenSystem
from symdyn.analysis.simulation.free_rows import freed
from symdyn.analysis.simulation.generalised_alpha import ErrorSteps
from symdyn.analysis.simulation.ida import ida
from symdyn.analysis.simulation.library_steppers import bdf, dop853, radau
from symdyn.analysis.simulation.sundials import cvode
from symdyn.analysis.simulation.system import System
from symdyn.analysis.simulation.taylor import taylor
from symdyn.description.text.position import hint
from symdyn.errors import RequestError, SolverError
from symdyn.interface.alpha_rule import DOUBLE, ITERATIONS, RADIUS, AlphaRule
from symdyn.interface.optional_packages import require
from symdyn.interface.stepping import CONTACTS
from symdyn.robot.robot import Robot


class AlphaMethod:
    """A motion by generalised-alpha with the usual spectral radius, between two steps; ``longest`` is finite."""

    def __init__(
        self, system: System, t: float, y: Array, end: float, rtol: float, atol: float, longest: float
    ) -> None:
        rule = AlphaRule.of(RADIUS)
        self._system, self._robot = system, system.robot
        free, self._rows = freed(DrivenSystem(system), system.robot.nq)
        self._stepper = AlphaStepper(free, rule, DOUBLE.newton, ITERATIONS)
        self._end = end
        self._take = ErrorSteps(self._stepper, rule, rtol, atol, longest, None)
        self._before = self._state = self._start(t, y)

    @property
    def t(self) -> float:
        """The time reached."""
        return self._state.t

    @property
    def y(self) -> Array:
        """The state there."""
        return np.concatenate(self._whole(self._state)[:2])

    def step(self) -> None:
        """Go one step; an ArithmeticError where equations cannot be solved, or the step has become too short."""
        try:
            self._before, self._state = self._state, self._take.next(self._state, self._end)
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from None
        counters, own = self._system.counters, self._stepper.counters
        counters.steps, counters.function_calls = own.steps, own.residuals
        counters.jacobians = counters.factorisations = own.tangents

    def until(self, end: float) -> None:
        """Go on to another last time."""
        self._end = end

    def begin(self, t: float, y: Array, end: float) -> None:
        """Begin anew from a state at a time; an ArithmeticError where it has no accelerations."""
        self._end = end
        self._take.forget()
        self._before = self._state = self._start(t, y)

    def value(self, t: float) -> Array:
        """The state at a time within the last step: cubics in the moves from its start, and in v."""
        if t == self._state.t:
            return self.y
        (q_before, v_before, a_before), (q_after, v_after, a_after) = map(self._whole, (self._before, self._state))
        before = self._before.t
        long = self._state.t - before
        s = (t - before) / long
        rise, leave, arrive = s * s * (3.0 - 2.0 * s), s * (1.0 - s) ** 2, s * s * (s - 1.0)
        move = self._robot.difference(q_before, q_after)
        q = self._robot.integrate(q_before, rise * move + long * (leave * v_before + arrive * v_after))
        v = v_before + rise * (v_after - v_before) + long * (leave * a_before + arrive * a_after)
        return self._system.moved(t, np.concatenate([q, v]))

    def _start(self, t: float, y: Array) -> State:
        nq = self._robot.nq
        try:
            return self._stepper.start(t, *self._rows.part(np.array(y[:nq]), np.array(y[nq:])))
        except SolverError as failure:
            raise ArithmeticError(str(failure)) from None

    def _whole(self, state: State) -> tuple[Array, Array, Array]:
        """q, v and a of all rows."""
        return self._rows.state(state.t, state.q, state.v, state.a)


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


class Cuttable(Stepper, Protocol):
    """One whose last step may be kept in part, for methods that evaluate forces at the start of a step alone."""

    def cut(self, t: float) -> None:
        """End the last step at a time within it."""


Maker = Callable[[System, float, Array, float, float, float, float], Stepper]
"""Of system, t, y, last time, relative and absolute tolerance, and longest step."""


Evaluating = Literal["where steps end", "in stages", "in series"]


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
    contacts: Evaluating = "where steps end"
    """Where a step evaluates forces of contacts."""


METHODS = {
    "dop853": Method(dop853, False, "scipy", contacts="in stages"),
    "radau": Method(radau, True, "scipy"),
    "bdf": Method(bdf, True, "scipy", Closing.STABILISED),
    "cvode": Method(cvode, True, "sksundae", Closing.STABILISED),
    "ida": Method(ida, False, "sksundae", Closing.OWN),
    "generalised-alpha": Method(AlphaMethod, False, "scipy", Closing.OWN),
    "taylor": Method(taylor, False, "numpy", contacts="in series"),
}


EXPLICIT = "dop853"
"""What ``auto`` takes where a motion is not stiff."""


def given_method(name: Any) -> str:
    """The name of a method, or ``auto``.

    Raises
    ------
    RequestError
        An unknown name.
    """
    if not isinstance(name, str):
        raise RequestError(f"method is a name, got {name!r}; there are auto, {', '.join((*METHODS, CONTACTS))}")
    names = ("auto", *METHODS, CONTACTS)
    if name not in names:
        raise RequestError(f"method '{name}' does not exist; there are {', '.join(names)}{hint(name, names)}")
    return name


def require_package(method: str) -> None:
    """Refuse a method other than contacts, or ``auto``, whose package is missing."""
    if method != CONTACTS:
        require(f"method '{method}'", METHODS[EXPLICIT if method == "auto" else method].package, "sim")


def implicit_method(robot: Robot) -> str:
    """The implicit method that suits a robot by its size."""
    large = robot.nq + robot.nv >= _LARGE and find_spec("sksundae") is not None
    return "cvode" if large else "radau"


def may_be_stiff(robot: Robot) -> bool:
    """Whether a motion is likely to be stiff, before it is compiled: rods, beams, elastic joints or losses."""
    model = robot.model
    losses = model.joint_losses and any(joint.losses is not None for joint in model.independent_joints)
    return losses or model.deforms or any(joint.elastic is not None for joint in model.independent_joints)
