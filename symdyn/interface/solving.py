"""Solvers that are asked for: which functions they call, and what they are given; it imports no room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symdyn.interface.optimal_control import MPC, ControlSettings
from symdyn.interface.signature import Argument, Signature
from symdyn.interface.stepping import CONSTRAINT_FUNCTIONS, CoordinateRows

STATICS = "statics"
INVERSE_KINEMATICS = "inverse_kinematics"
DIFFERENTIAL_IK = "differential_ik"
SOFT_INVERSE_KINEMATICS = "soft_inverse_kinematics"
SOLVERS = (STATICS, INVERSE_KINEMATICS, SOFT_INVERSE_KINEMATICS, DIFFERENTIAL_IK, MPC)
STATICS_FUNCTIONS = ("statics_residual", "statics_jacobian")
"""What is left of the forces on a robot at rest, and how that changes."""
TASK_FUNCTION = "task_errors"
"""Errors of frames against their targets, and how these change."""
JACOBIAN_FUNCTION = "jacobians"
"""Twists of frames per row of v."""
_CALLED = {
    STATICS: STATICS_FUNCTIONS,
    INVERSE_KINEMATICS: (TASK_FUNCTION,),
    SOFT_INVERSE_KINEMATICS: (TASK_FUNCTION,),
    DIFFERENTIAL_IK: (JACOBIAN_FUNCTION,),
}


@dataclass(frozen=True, slots=True)
class Solving:
    """What solvers of a robot are made of.

    ``solvers`` in the order asked for; ``rows`` of all coordinates; ``prescribed`` rows of v, that stay where they are;
    ``looped`` where the robot has closed loops; ``added`` functions that nobody asked for by name; ``control`` the
    problem of optimal control; ``rollout`` the method of rollouts, empty without.
    """

    solvers: tuple[str, ...]
    rows: tuple[CoordinateRows, ...]
    prescribed: tuple[int, ...]
    looped: bool
    added: tuple[str, ...] = ()
    control: ControlSettings | None = None
    rollout: str = ""


@dataclass(frozen=True, slots=True)
class Levenberg:
    """Numbers of inverse kinematics: the first damping, the least, what it is multiplied with, and how often it rises.

    ``loops`` is the weight of squares of errors of loops, and ``tolerance`` the default.
    """

    tolerance: float
    damping: float = 1e-2
    least: float = 1e-8
    fall: float = 0.1
    rise: float = 4.0
    tries: int = 8
    loops: float = 100.0


LEVENBERG: Mapping[str, Levenberg] = MappingProxyType(
    {"float64": Levenberg(1e-8), "float32": Levenberg(1e-4, least=1e-5)}
)
MAX_ITERATIONS = 50
"""Of each start."""
REST_ITERATIONS = 1000
"""Of Newton's method for a rest, by default."""
LEAST_COLUMN: Mapping[str, float] = MappingProxyType({"float64": 1e-12, "float32": 1e-6})
"""Length of columns of inputs without effect, beside the largest."""


def with_called_solvers(solvers: tuple[str, ...]) -> tuple[str, ...]:
    """Solvers, each behind those that it calls."""
    if SOFT_INVERSE_KINEMATICS in solvers and STATICS not in solvers:
        return (STATICS, *solvers)
    return solvers


def given_to_soft(residual: Signature, errors: Signature) -> tuple[Argument, ...]:
    """What stays as it is while inputs are looked for with which frames meet their targets at rest."""
    first = tuple(item for item in given_to_statics(residual) if item.name != "u")
    names = {item.name for item in first}
    return (*first, *(item for item in given_beside_position(errors) if item.name not in names))


@dataclass(frozen=True, slots=True)
class DifferentialNumbers:
    """Numbers of differential inverse kinematics.

    A multiplier counts beyond ``rounding`` of its terms. Loops weigh ``loops`` times the frames, at most ``steps``
    times, until they open slower than ``closed`` times the fastest row.
    """

    rounding: float
    closed: float
    loops: float
    steps: int = 60


DIFFERENTIAL_NUMBERS: Mapping[str, DifferentialNumbers] = MappingProxyType(
    {"float64": DifferentialNumbers(1e-14, 1e-10, 1e4), "float32": DifferentialNumbers(1e-5, 1e-4, 1e2)}
)


DAMPING = 1e-6
"""Of differential inverse kinematics, by default: small beside squares of columns of Jacobians in metres."""


def most_rounds(nv: int) -> int:
    """Changes of the active set after which it is given up; a bound that tests have not come near to."""
    return 20 * (nv + 1)


def called_by_solvers(solvers: tuple[str, ...], looped: bool, control: ControlSettings | None) -> tuple[str, ...]:
    """The functions of the catalogue that solvers call, with or without closed loops."""
    called = [name for solver in solvers for name in _CALLED.get(solver, ())]
    if control is not None:
        called += control.called
    return (*called, *(CONSTRAINT_FUNCTIONS if looped and any(own in _CALLED for own in solvers) else ()))


def given_to_statics(residual: Signature) -> tuple[Argument, ...]:
    """Inputs of ``statics_residual`` that stay as they are while a rest is looked for.

    The position and multipliers are looked for. So is tau where inputs of actuators are given: forces that hold
    prescribed rows.
    """
    driven = any(item.name == "u" for item in residual.inputs)
    sought = {"q", "lambda", *(("tau",) if driven else ())}
    return tuple(item for item in residual.inputs if item.name not in sought)


def given_beside_position(function: Signature) -> tuple[Argument, ...]:
    """Inputs of a function of frames that stay as they are while a position or a velocity is looked for."""
    return tuple(item for item in function.inputs if item.name != "q")
