"""What contestants compute: one function of one robot, to one order, at some states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from symdyn.errors import RequestError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.interface.guesses import hint
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Signature
from symdyn.robot.robot import Robot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DYNAMICS = ("inverse_dynamics", "forward_dynamics")
"""The functions whose derivatives have rivals."""
MATRICES = ("mass_matrix", "mass_matrix_inverse")
"""Functions of q alone that have rivals."""


class Kind(Enum):
    """What is compared of a function, and the ending of the catalogue's name for it."""

    VALUES = ""
    TIME = "_time_derivatives"
    PARTIALS = "_partials"
    ADJOINT = "_adjoint"
    HESSIAN = "_weighted_hessian"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a comparison is about. ``dynamics`` is the function whose values or derivatives are computed."""

    dynamics: str
    kind: Kind

    @property
    def function(self) -> str:
        """The name in the catalogue."""
        return self.dynamics + self.kind.value

    def options(self, order: int) -> RequestOptions:
        """What the catalogue is asked for beside the name."""
        return {"order": order} if self.kind is Kind.TIME else {}


@dataclass(frozen=True, slots=True)
class Task:
    """One point of a comparison.

    ``states`` (states, nq + rows nv) holds the flat inputs of each state. Whatever the subject, they are q and then
    rows of nv: v, v', .. v^(r+1) for inverse dynamics; v, tau, .. tau^(r) for forward dynamics; weights come last.
    """

    robot: Robot
    subject: Subject
    order: int
    states: Array

    @property
    def signature(self) -> Signature:
        """The signature that every contestant's results have."""
        options = self.subject.options(self.order)
        ((entry, request),) = requests(self.robot.model, [self.subject.function], **options)
        return entry.signature(self.robot.model, request)

    @property
    def rows(self) -> int:
        """Rows of nv behind q."""
        return (sum(argument.size for argument in self.signature.inputs) - self.robot.nq) // self.robot.nv


def find_subject(function: str, with_orders: bool) -> Subject:
    """The subject of a function's name; with orders, dynamics stand for their time derivatives.

    Raises
    ------
    RequestError
        A function without rivals, or orders where there are none.
    """
    if str(function) in MATRICES:
        return _subject(function, function, Kind.VALUES, with_orders)
    for dynamics in DYNAMICS:
        for kind in Kind:
            if str(function) == dynamics + kind.value:
                return _subject(function, dynamics, kind, with_orders)
    names = [dynamics + kind.value for dynamics in DYNAMICS for kind in Kind if kind is not Kind.TIME] + [*MATRICES]
    known = "has no rivals" if str(function) in CATALOGUE else "is not in the catalogue"
    raise RequestError(
        f"function '{function}' {known}; compare takes {', '.join(names)}, and --orders for time derivatives"
        f"{hint(function, names)}"
    )


def _subject(function: str, dynamics: str, kind: Kind, with_orders: bool) -> Subject:
    if with_orders and (dynamics in MATRICES or kind not in (Kind.VALUES, Kind.TIME)):
        other = DYNAMICS[0] if dynamics in MATRICES else dynamics
        raise RequestError(f"'{function}' has no orders; leave --orders out, or compare '{other}' with it")
    if kind is Kind.TIME and not with_orders:
        raise RequestError(f"'{function}' needs orders, such as --orders 0:5")
    return Subject(dynamics, Kind.TIME if with_orders else kind)


def check_robot(robot: Robot) -> None:
    """Refuse what no rival can be given.

    Raises
    ------
    RequestError
        The robot has run-time parameters.
    """
    if robot.runtime_parameters:
        raise RequestError(
            f"robot '{robot.name}' has run-time parameters ({', '.join(robot.runtime_parameters)}); rivals have the "
            "robot's numbers baked in, so load it without runtime"
        )
