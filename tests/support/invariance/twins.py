"""A robot and its twin: every function of both, at one state, beside what the change between them asks for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from support.invariance.noisy import rounding
from symdyn import api
from symdyn.errors import SymdynError
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.functions.entry import CatalogueEntry
from symdyn.interface.options import RequestOptions
from symdyn.interface.signature import Argument, Signature
from symdyn.robot.robot import Robot
from symdyn.warning import SymdynWarning

Array = NDArray[np.float64]
TOLERANCE = 1e-9
"""Of the largest entry of a result. Rounding of a result that nothing cancels in is some 1e-15 of it."""
ROUNDING = 3e10
"""The least size of a result, of what rounding moves it by (see :mod:`support.invariance.noisy`).

A result may be small beside what is summed, and a solution loses the condition number of its matrix. Then 1e-9 of it
asks for more than rounding leaves. So a difference may be TOLERANCE of this size, which is thirty times what the twin's
results of four runs with random roundoffs differ by: both robots round, and the constants of the twin were computed.
This size is looked at only where 1e-9 of the result itself is not enough.
"""
ORDER = 2
"""Of time derivatives."""


class Relation(Protocol):
    """What a change of the description does to inputs and results of every function."""

    @property
    def first(self) -> Robot:
        """The robot that is changed: the one that was asked for, or this one without what cannot be changed."""

    @property
    def robot(self) -> Robot:
        """The changed robot."""

    def asked(self, options: RequestOptions) -> RequestOptions:
        """Options of functions of the first robot, without what the change does not keep."""

    def options(self, function: str, asked: RequestOptions) -> RequestOptions:
        """The options of the changed robot's function."""

    def forward(self, function: str, old: Argument, new: Argument, values: Array) -> Array:
        """An array of the first robot as the changed one has it, in the shape of ``new``."""

    def weights(self, function: str, new: Argument) -> Array | float:
        """The sizes of units: by what entries of the changed robot are divided before they are compared."""


RELATED = [function for function in CATALOGUE if function not in ("task_errors", "computed_torque")]
"""Functions that are compared. The others need a problem, or tasks and gains: see ``test_controlled_twins``."""


@dataclass(frozen=True)
class Comparison:
    """One result of both robots."""

    function: str
    output: str
    error: float
    """Relative to the size of the result; infinite if only one of the robots has the function."""
    by_rounding: bool = False
    """Whether this size is that of rounding, see ROUNDING."""

    @property
    def holds(self) -> bool:
        """Whether the results agree."""
        return self.error <= TOLERANCE


Evaluator = Callable[[Robot, str, RequestOptions], Callable[[Mapping[str, list[float]]], Mapping[str, Sequence[float]]]]


def float_evaluator(robot: Robot, function: str, options: RequestOptions) -> Any:
    """A function as the recursion over floats computes it."""
    return api.float_recursion(robot, function, **options)


def asked(robot: Robot, entry: CatalogueEntry, wrenches: str = "body", rare: bool = False) -> RequestOptions:
    """Options with which a function does as much as it can, without or with the rare ones."""
    options: RequestOptions = {}
    if "external_wrenches" in entry.takes:
        options["external_wrenches"] = wrenches
    if "prescribed" in entry.takes:
        rows = tuple(robot.velocity_names[1::3]) or tuple(robot.velocity_names[:1])
        looped = robot.constraints and entry.name.startswith(("constrained", "state_"))
        options["prescribed"] = _movable(robot, rows) if looped else rows
    if "order" in entry.takes:
        options["order"] = ORDER
    if not rare:
        return options
    if "inputs" in entry.takes and robot.description.actuation.actuators:
        options["inputs"] = "actuators"
    if "factorization" in entry.takes:
        options["factorization"] = "lemma1"
    if "stabilisation" in entry.takes and robot.constraints:
        options["stabilisation"] = 0.3
    if "switched" in entry.takes and robot.constraints:
        options["switched"] = tuple(own.name for own in robot.constraints)
    if "restitution" in entry.takes:
        options["restitution"] = "input"
    return options


def _movable(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some rows whose accelerations loops leave free together; others would contradict the loops.

    Where given accelerations contradict them, results are least squares of errors in m and rad, and depend on units.
    """
    q, _ = robot.random_state(np.random.default_rng(1))
    (size,) = (own.shape for own in signed(robot, "constraint_jacobian", {}).outputs)
    found = float_evaluator(robot, "constraint_jacobian", {})({"q": q.tolist()})
    jacobian = np.reshape(found["A"], size)
    jacobian = jacobian / np.maximum(np.linalg.norm(jacobian, axis=1, keepdims=True), 1e-300)
    rank, chosen = np.linalg.matrix_rank(jacobian), list[int]()
    for row in map(robot.velocity_names.index, names):
        free = [place for place in range(robot.nv) if place not in (*chosen, row)]
        if np.linalg.matrix_rank(jacobian[:, free]) == rank:
            chosen.append(row)
    return tuple(robot.velocity_names[row] for row in chosen)


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
    rare: bool = False
    """Whether functions are asked for with all their options."""

    @property
    def wrenches(self) -> str:
        """In which axes wrenches from outside are given."""
        return ("body", "world")[self.seed % 2]

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
                found[own.name] = np.where((drawn < 1.1) | _needs_loops(robot, signature.function), 1.0, 0.0)
            elif own.name == "V":
                found[own.name] = np.concatenate([[[rates[name] for name in own.rows[1]]], drawn[1:]])
            else:
                found[own.name] = drawn
        return found


def _needs_loops(robot: Robot, function: str) -> bool:
    """Whether a function is compared only with all loops on.

    In residuals the row of a loop that is off is its multiplier, which has another unit than its error. And passive
    rows need their loops: what is missing otherwise is spread over them by weights that are not the robot's alone.
    """
    passive = function.startswith("constrained_inverse") and bool(robot.description.actuation.actuators)
    return passive or function.startswith(("implicit", "statics"))


def compare(
    relation: Relation,
    state: State,
    functions: Sequence[str] | None = None,
    evaluator: Evaluator = float_evaluator,
) -> Iterator[Comparison]:
    """Every result of some functions, all of the catalogue by default."""
    robot = relation.first
    for function in RELATED if functions is None else functions:
        options = relation.asked(asked(robot, CATALOGUE[function], state.wrenches, state.rare))
        twin_options = relation.options(function, options)
        one, one_refused = _made(robot, function, options, evaluator)
        two, two_refused = _made(relation.robot, function, twin_options, evaluator)
        if one is None or two is None:
            if (one is None) != (two is None):
                yield Comparison(function, f"refused: {one_refused or two_refused}", np.inf)
            continue
        old, new = signed(robot, function, options), signed(relation.robot, function, twin_options)
        given = state.inputs(robot, old)
        moved = {
            twin.name: relation.forward(function, own, twin, given[own.name])
            for own, twin in zip(old.inputs, new.inputs, strict=True)
        }
        if any(moved[twin.name].shape != twin.shape for twin in new.inputs):
            yield Comparison(function, "inputs of other sizes", np.inf)
            continue
        first, second = _called(one, given), _called(two, moved)
        if first is None or second is None:
            if first is not None:
                yield Comparison(function, "the twin alone divides by zero", np.inf)
            continue
        errors: Mapping[str, Array] = {}
        for own, twin in zip(old.outputs, new.outputs, strict=True):
            wanted = relation.forward(function, own, twin, np.reshape(first[own.name], own.shape))
            if wanted.shape != twin.shape:
                yield Comparison(function, f"{own.name}: {wanted.shape}, {twin.shape}", np.inf)
                continue
            weights = relation.weights(function, twin)
            if np.all(np.isinf(weights)):
                continue
            left = np.max(np.abs((np.reshape(second[twin.name], twin.shape) - wanted) / weights), initial=0.0)
            size = np.max(np.abs(wanted / weights), initial=0.0)
            by_rounding = not left <= TOLERANCE * size
            if by_rounding:
                errors = errors or rounding(relation.robot, function, twin_options, moved)
                most = np.reshape(errors.get(twin.name, np.zeros(twin.size)), twin.shape) / weights
                size = max(size, ROUNDING * float(np.max(most, initial=0.0)))
            error = 0.0 if left == 0.0 else float(left / size) if size > 0.0 else np.inf
            yield Comparison(function, twin.name, error if np.isfinite(error) else np.inf, by_rounding)


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
