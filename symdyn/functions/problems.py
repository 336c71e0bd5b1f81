"""The problems of dynamics, each once: what is given, what is found, and the words that describe both.

A function of the catalogue is an operator on a problem: its solution, its partial derivatives, its gradient and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symdyn.functions import arguments
from symdyn.functions.dynamics_arguments import (
    found_by_hybrid,
    given_forces,
    given_motion,
    impulses,
    restitution_asked,
    velocities_after,
    weights_asked,
)
from symdyn.functions.loops import multipliers
from symdyn.functions.parts import LOOPS
from symdyn.functions.request import Request, free_rows, is_driven
from symdyn.functions.units import move
from symdyn.interface.signature import Argument
from symdyn.model.model import Model

if TYPE_CHECKING:
    from symdyn.dynamics.equations.problem import Problem

Arguments = Callable[[Model, Request], Sequence[Argument]]
MOTION = "a"
"""What is given where forces are found."""
_MEANING = ", the time derivative of v"
"""What the accelerations' description says beside their name."""


@dataclass(frozen=True, slots=True)
class DynamicsProblem:
    """A problem of dynamics, as the catalogue describes it for any robot.

    Attributes
    ----------
    name
        Name of the function that solves it.
    known
        Symbol of what is given besides q and v; empty where nothing is.
    unknown
        Names of the outputs: the solution and, with loops, what the loops exert.
    solution
        What is found, as in ``weighted accelerations``.
    result
        What is found, as in ``a weighted sum of what forward dynamics finds``.
    given
        The inputs besides q and v, (nv,) or (na,), by which the solution is differentiated.
    found
        The outputs: the solution, (nv,), inputs of actuators that are unknown, (nu,), and with loops what they exert,
        (m,).
    takes
        Its options, by the names of :class:`symdyn.interface.options.GenerateOptions`.
    constant
        The inputs by which nothing is differentiated: weights, coefficients of restitution.
    feels_gravity
        Whether gravity plays a part in it.
    looped
        Whether it is about closed loops; robots without any are refused.
    weighted_unit
        Unit of a weighted sum of its solution: W where velocities weigh forces, W/s where forces weigh accelerations.
    """

    name: str
    known: str
    unknown: tuple[str, ...]
    solution: str
    result: str
    given: Arguments
    found: Arguments
    takes: tuple[str, ...]
    constant: Arguments = lambda model, request: ()
    looped: bool = False
    feels_gravity: bool = True
    weighted_unit: str = "W/s"

    @property
    def symbols(self) -> str:
        """The inputs in a sentence: ``q, v, tau``."""
        return ", ".join(symbol for symbol in ("q", "v", self.known) if symbol)

    def directions(self, model: Model, request: Request) -> dict[str, Argument]:
        """What its solution is differentiated by: moves of q, (nv,), along rows of v; v, (nv,); and what is given."""
        velocities = arguments.velocities(model)
        moves = tuple(map(move, velocities.units))
        given = self.given(model, request)
        return {
            "q": replace(velocities, units=moves, description="moves of q along rows of v"),
            "v": velocities,
            **{own.name: replace(own, description=own.description.removesuffix(_MEANING)) for own in given},
        }

    def equations(self, model: Model, request: Request) -> Problem:
        """Its equations, R(x, z) = 0, for a robot."""
        from symdyn.dynamics.equations.problem import Problem

        driven = is_driven(request)
        given, rows = "given" if driven else self.known, free_rows(model, request)
        return Problem(model, rows, given, request.external, request.stabilisation, self.looped, driven)


def _forces_given(model: Model, request: Request) -> tuple[Argument, ...]:
    return (given_forces(model, request),)


def _motion_given(model: Model, _: Request) -> tuple[Argument, ...]:
    return (arguments.accelerations(model),)


_WHERE_CLOSED = "multipliers where loops are closed"
_MIXED = "forces of prescribed rows and accelerations of the others"

INVERSE = DynamicsProblem(
    "inverse_dynamics",
    "a",
    ("tau",),
    "joint forces",
    "the joint forces tau",
    _motion_given,
    lambda model, _: (arguments.generalised_forces(model),),
    ("external_wrenches",),
    weighted_unit="W",
)
FORWARD = DynamicsProblem(
    "forward_dynamics",
    "tau",
    ("a",),
    "accelerations",
    "what forward dynamics finds",
    _forces_given,
    _motion_given,
    ("external_wrenches", "inputs"),
)
HYBRID = DynamicsProblem(
    "hybrid_dynamics",
    "u",
    ("w",),
    _MIXED,
    "what hybrid dynamics finds",
    given_motion,
    found_by_hybrid,
    ("external_wrenches", "prescribed", "inputs", "unknown"),
)
CONSTRAINED_FORWARD = DynamicsProblem(
    "constrained_forward_dynamics",
    "tau",
    ("a", "lambda"),
    f"accelerations and {_WHERE_CLOSED}",
    "what constrained forward dynamics finds",
    _forces_given,
    lambda model, _: (arguments.accelerations(model), multipliers(model)),
    ("external_wrenches", "inputs", "stabilisation", "switched"),
    looped=True,
)
CONSTRAINED_HYBRID = DynamicsProblem(
    "constrained_hybrid_dynamics",
    "u",
    ("w", "lambda"),
    f"{_MIXED} and {_WHERE_CLOSED}",
    "what constrained hybrid dynamics finds",
    given_motion,
    lambda model, request: (*found_by_hybrid(model, request), multipliers(model)),
    ("external_wrenches", "prescribed", "inputs", "stabilisation", "switched"),
    looped=True,
)
CONSTRAINED_INVERSE = DynamicsProblem(
    "constrained_inverse_dynamics",
    "a",
    ("tau", "lambda"),
    f"forces of actuated rows and {_WHERE_CLOSED}",
    "what constrained inverse dynamics finds",
    _motion_given,
    lambda model, _: (arguments.generalised_forces(model), multipliers(model)),
    ("external_wrenches", "actuated", "weights", "objective", "switched"),
    weights_asked,
    looped=True,
    weighted_unit="W",
)
IMPULSE = DynamicsProblem(
    "impulse_dynamics",
    "",
    ("v_plus", "impulses"),
    "velocities after an impact and its impulses",
    "what impulse dynamics finds",
    lambda model, request: (),
    lambda model, _: (velocities_after(model), impulses(model)),
    ("restitution", "switched"),
    restitution_asked,
    looped=True,
    feels_gravity=False,
    weighted_unit="J",
)


def dynamics_of(model: Model, request: Request) -> DynamicsProblem:
    """Forward or, where accelerations are prescribed, hybrid dynamics of a robot, with its loops if it has any."""
    forward, hybrid = (CONSTRAINED_FORWARD, CONSTRAINED_HYBRID) if LOOPS.found(model) else (FORWARD, HYBRID)
    return hybrid if request.prescribed else forward
