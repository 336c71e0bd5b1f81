"""Solvers that are asked for: which functions they call, and what they are given; it imports no room."""

from __future__ import annotations

from dataclasses import dataclass

from symdyn.interface.signature import Argument, Signature
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, CoordinateRows

STATICS = "statics"
SOLVERS = (STATICS,)
STATICS_FUNCTIONS = ("statics_residual", "statics_jacobian")
"""What is left of the forces on a robot at rest, and how that changes."""


@dataclass(frozen=True, slots=True)
class Solving:
    """What solvers of a robot are made of.

    ``solvers`` in the order asked for; ``rows`` of all coordinates; ``prescribed`` rows of v, that stay where they are;
    ``looped`` where the robot has closed loops; ``added`` functions that nobody asked for by name.
    """

    solvers: tuple[str, ...]
    rows: tuple[CoordinateRows, ...]
    prescribed: tuple[int, ...]
    looped: bool
    added: tuple[str, ...] = ()


def called_by_solvers(looped: bool) -> tuple[str, ...]:
    """The functions of the catalogue that a search for a rest calls, with or without closed loops."""
    return (*STATICS_FUNCTIONS, *(CONSTRAINT_FUNCTIONS if looped else ()))


def given_to_statics(residual: Signature) -> tuple[Argument, ...]:
    """Inputs of ``statics_residual`` that stay as they are while a rest is looked for.

    The position and multipliers are looked for. So is tau where inputs of actuators are given: forces that hold
    prescribed rows.
    """
    driven = any(item.name == "u" for item in residual.inputs)
    sought = {"q", "lambda", *(("tau",) if driven else ())}
    return tuple(item for item in residual.inputs if item.name not in sought)
