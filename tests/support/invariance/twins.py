"""A robot and its twin: every function of both, at one state, beside what the change between them asks for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symdyn import api
from symdyn.errors import SymdynError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.entry import CatalogueEntry
from symdyn.options import RequestOptions
from symdyn.robot import Robot
from symdyn.signature import Argument, Signature
from symdyn.warning import SymdynWarning

Array = NDArray[np.float64]
TOLERANCE = 1e-9
"""Of the largest entry of a result. Rounding of a result that nothing cancels in is some 1e-15 of it; sums of a body's
terms may cancel to a thousandth, and solutions with M lose its condition number (see :func:`conditioning`)."""
FLOOR = 1e-3
"""The least size [SI units] of a result: one that should be zero is rounding of terms that are larger."""
ORDER = 2
"""Of time derivatives."""
SINGULAR = 1e10
"""The condition number from which a solution is a least one, or rounding: it is not compared."""
SOLVING = ("forward", "hybrid", "inverse_actuation", "_inverse", "impulse", "operational", "constrained", "state_")
"""Parts of the names of functions that solve with M, or with the Delassus matrix."""


class Relation(Protocol):
    """What a change of the description does to inputs and results of every function."""

    robot: Robot
    """The changed robot."""

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """The options of the changed robot's function."""

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """An array of the first robot as the changed one has it, in the shape of ``new``."""

    def weights(self, new: Argument) -> Array | float:
        """The sizes of units: by what entries of the changed robot are divided before they are compared."""


@dataclass(frozen=True)
class Comparison:
    """One result of both robots."""

    function: str
    output: str
    error: float
    """Relative to the largest entry; infinite if only one of the robots has the function."""
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether the results agree."""
        return self.error <= self.allowed


Evaluator = Callable[[Robot, str, RequestOptions], Callable[[Mapping[str, list[float]]], Mapping[str, Sequence[float]]]]


def float_evaluator(robot: Robot, function: str, options: RequestOptions) -> Any:
    """A function as the recursion over floats computes it."""
    return api.float_recursion(robot, function, **options)


def asked(robot: Robot, entry: CatalogueEntry, wrenches: str = "body") -> RequestOptions:
    """Options with which a function does as much as it can."""
    options: RequestOptions = {}
    if "external_wrenches" in entry.takes:
        options["external_wrenches"] = wrenches
    if "prescribed" in entry.takes:
        options["prescribed"] = tuple(robot.velocity_names[1::3]) or tuple(robot.velocity_names[:1])
    if "order" in entry.takes:
        options["order"] = ORDER
    return options


def signed(robot: Robot, function: str, options: RequestOptions) -> Signature:
    """The signature of a function."""
    ((entry, request),) = requests(robot.model, [function], **options)
    return entry.signature(robot.model, request)


@dataclass(frozen=True)
class State:
    """Where functions are compared: q, v, and a seed for all other inputs."""

    q: Array
    v: Array
    seed: int

    def inputs(self, robot: Robot, signature: Signature) -> dict[str, Array]:
        """The inputs of a function of the first robot."""
        rng = np.random.default_rng(self.seed)
        rows = dict(zip(robot.coordinate_names, self.q, strict=True))
        rates = dict(zip(robot.velocity_names, self.v, strict=True))
        found: dict[str, Array] = {}
        for own in signature.inputs:
            drawn = rng.uniform(0.5, 1.5, own.shape)
            if own.name == "q":
                found[own.name] = np.array([rows[name] for name in own.element_names])
            elif own.name == "v":
                found[own.name] = np.array([rates[name] for name in own.element_names])
            elif own.name == "y":
                found[own.name] = np.concatenate([self.q, self.v])
            elif own.name == "p":
                found[own.name] = np.nan_to_num(robot.runtime_defaults, nan=1.0)
            elif own.name == "active":
                found[own.name] = np.ones(own.shape)
            elif own.name == "V":
                found[own.name] = np.concatenate([[[rates[name] for name in own.rows[1]]], drawn[1:]])
            else:
                found[own.name] = drawn
        return found


def conditioning(robot: Robot, q: Array, function: str, options: RequestOptions) -> float:
    """The condition number of what a function solves with, rows and columns scaled to a diagonal of ones.

    That is M; with loops A M^-1 A^T, where no row is prescribed; and A A^T for forces of actuated rows. It is infinite
    where rows of A depend on each other.
    """
    if not any(part in function for part in SOLVING):
        return 1.0
    given = {"q": list(map(float, q)), "p": list(robot.runtime_defaults)}

    def value(name: str) -> Array:
        asks = {own.name for own in signed(robot, name, {}).inputs}
        found = float_evaluator(robot, name, {})({key: own for key, own in given.items() if key in asks})
        return np.reshape(next(iter(found.values())), (-1, robot.nv))

    mass = value("mass_matrix")
    loops = ("constrained", "impulse", "operational", "state_")
    if not robot.constraints or not any(part in function for part in loops):
        return _scaled_condition(mass)
    rows = value("constraint_jacobian")
    if "inverse" in function:
        return _scaled_condition(rows @ rows.T)
    free = [row for row, name in enumerate(robot.velocity_names) if name not in options.get("prescribed", ())]
    own = mass[np.ix_(free, free)]
    return _scaled_condition(own) * _scaled_condition(rows[:, free] @ np.linalg.pinv(own) @ rows[:, free].T)


def _scaled_condition(matrix: Array) -> float:
    sizes = np.sqrt(np.maximum(np.diagonal(matrix), 0.0))
    if not np.all(sizes > 0.0) or not np.all(np.isfinite(matrix)):
        return np.inf
    return float(np.linalg.cond(matrix / np.outer(sizes, sizes)))


def compare(
    robot: Robot,
    relation: Relation,
    state: State,
    functions: Sequence[str] | None = None,
    evaluator: Evaluator = float_evaluator,
    wrenches: str = "body",
) -> Iterator[Comparison]:
    """Every result of some functions, all of the catalogue by default."""
    for function in CATALOGUE if functions is None else functions:
        entry = CATALOGUE[function]
        options = asked(robot, entry, wrenches)
        twin_options = relation.options(function, options)
        one, one_refused = _made(robot, function, options, evaluator)
        two, two_refused = _made(relation.robot, function, twin_options, evaluator)
        if one is None or two is None:
            if (one is None) != (two is None):
                yield Comparison(function, f"refused: {one_refused or two_refused}", np.inf, 0.0)
            continue
        old, new = signed(robot, function, options), signed(relation.robot, function, twin_options)
        given = state.inputs(robot, old)
        moved = {
            twin.name: relation.forward(function, own, twin, given[own.name])
            for own, twin in zip(old.inputs, new.inputs, strict=True)
        }
        first = _called(one, given)
        if first is None:
            continue
        if any(moved[twin.name].shape != twin.shape for twin in new.inputs):
            yield Comparison(function, "inputs of other sizes", np.inf, 0.0)
            continue
        second = _called(two, moved)
        if second is None:
            yield Comparison(function, "the twin alone divides by zero", np.inf, 0.0)
            continue
        condition = conditioning(robot, state.q, function, options)
        if condition > SINGULAR:
            continue
        allowed = max(TOLERANCE, 1e-13 * condition)
        for own, twin in zip(old.outputs, new.outputs, strict=True):
            wanted = relation.forward(function, own, twin, np.reshape(first[own.name], own.shape))
            if wanted.shape != twin.shape:
                yield Comparison(function, f"{own.name}: {wanted.shape}, {twin.shape}", np.inf, 0.0)
                continue
            weights = relation.weights(twin)
            left = (np.reshape(second[twin.name], twin.shape) - wanted) / weights
            size = float(np.max(np.abs(wanted / weights), initial=FLOOR))
            error = float(np.max(np.abs(left), initial=0.0)) / size
            yield Comparison(function, own.name, error if np.isfinite(error) else np.inf, allowed)


def _made(robot: Robot, function: str, options: RequestOptions, evaluator: Evaluator) -> tuple[Any, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        try:
            return evaluator(robot, function, options), ""
        except SymdynError as failure:
            return None, str(failure)


def _called(function: Any, given: Mapping[str, Array]) -> Mapping[str, Sequence[float]] | None:
    """Its outputs; None where floats of Python divide by zero, as in half a turn of a loop."""
    try:
        found: Mapping[str, Sequence[float]] = function(
            {name: list(map(float, np.ravel(x))) for name, x in given.items()}
        )
    except ZeroDivisionError:
        return None
    return found
