"""Optimal control of any robot: what users give, checked, then one search in C or in NumPy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.control.nodes import RatedNodes
from symdyn.analysis.control.plan import ControlPlan
from symdyn.analysis.control.quadratic_program import Limits
from symdyn.analysis.control.robot_nodes import NODE_FUNCTIONS, RobotNodes
from symdyn.analysis.control.sqp import Sqp
from symdyn.dynamics.control.cost_terms import by_motors, input_rows, start_of
from symdyn.dynamics.control.limits import limits_of
from symdyn.dynamics.control.settings import control_settings
from symdyn.errors import RequestError
from symdyn.generation.generate import compile
from symdyn.interface.argument_arrays import given_shape
from symdyn.interface.argument_words import given_whole, given_word
from symdyn.interface.keywords import names_keywords
from symdyn.interface.optimal_control import MPC, NUMBERS, STEP, ControlSettings, ImplicitKind
from symdyn.interface.signature import Argument
from symdyn.interface.target_rows import target_rows
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot
from symdyn.robot.state_checks import given_parameters, given_position, given_velocity, warn_beyond_limits

Array = NDArray[np.float64]
ITERATIONS = 100
_TARGETS = "targets"
_KNOWN: WeakKeyDictionary[Robot, dict[str, Any]] = WeakKeyDictionary()


@names_keywords
def optimal_control(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    targets: ArrayLike | Mapping[str, ArrayLike] | None = None,
    u: ArrayLike | None = None,
    iterations: int = ITERATIONS,
    p: ArrayLike | None = None,
    target: str = "c",
) -> ControlPlan:
    """Find the motion of least cost within limits, and the inputs that lead along it: multiple shooting.

    Parameters
    ----------
    robot
        From :func:`symdyn.load`.
    problem
        A :class:`symdyn.OptimalControlProblem`, or the name of a file with one; by default that of the robot.
    q, v
        Where the motion begins, (nq,) and (nv,); by default the start of the problem.
    targets
        What the problem is given at run time: all rows (n,), or values by names of rows or of costs, such as
        ``{"reach": pose}`` with a pose (4, 4), or x, y, z and a quaternion x, y, z, w.
    u
        Inputs (nu,) with which the search begins; by default those of gravity within their limits, 0 of actuators. Rows
        (starts, nu) begin one search each, and the plan of least cost is returned: a motion may have several minima.
    iterations
        At most.
    p
        Run-time parameters (np,); the file's values by default.
    target
        As for :func:`symdyn.compile`; the search itself is in C or in NumPy.

    Returns
    -------
    A plan, also where the search failed: its ``code`` says how it ended.

    Raises
    ------
    RequestError
        No problem, unknown targets or missing ones, wrong shapes, numbers that are not finite.
    """
    robot, target = as_robot(robot), given_word("target", target, "c")
    robot = robot if problem is None else robot.with_control(problem)
    iterations = given_whole("iterations", iterations, 1)
    settings = control_settings(robot.model)
    control = robot.model.control
    assert control is not None
    module = _module(robot, target)
    nodes = RobotNodes(robot.model, module, settings.nodes, settings.step)
    names_given = [own.name for own in module.mpc.given] if target == "c" else [name for name, _ in nodes.given]
    begun: Any = u
    starts = list(begun) if _in_rows(begun) else [begun]
    asked = _asked(robot, module, names_given, q, v, targets, starts[0], p)
    firsts = [asked.first, *(_first_of(robot, row, len(asked.first)) for row in starts[1:])]
    q, v, given, names = asked.q, asked.v, list(asked.given.values()), asked.names

    def searched(first: Array) -> tuple[Any, Array, Array, Array]:
        if target == "c":
            mpc = module.mpc.another()
            mpc.start(q, v, first)
            _, found = mpc.solve(q, v, *given, iterations=iterations)
            return found, *mpc.plan(), mpc.gains()
        own = twin_of(nodes, settings)
        own.start(np.concatenate([asked.q, asked.v]), first)
        y = np.concatenate([np.ravel(item) for item in given]) if given else np.zeros(0)
        found = own.solve(np.concatenate([asked.q, asked.v]), y, iterations)
        return found, own.X[:, : robot.nq + robot.nv], own.U, own.gains

    report, X, U, K = min(map(searched, firsts), key=_worth)
    effort = limits_of(robot.model, control).get("effort")
    none = np.full(len(names), np.inf)
    lower, upper = (-none, none) if effort is None else (np.array(effort.lower), np.array(effort.upper))
    t = np.arange(settings.nodes + 1, dtype=np.float64) * settings.step
    rows = (robot.coordinate_names, robot.velocity_names, names)
    return ControlPlan(robot.name, t, X, U, K, report, *rows, lower, upper)


def _in_rows(u: Any) -> bool:
    """Whether these are several vectors, not one or what is none."""
    try:
        dimensions = {np.ndim(row) for row in u}
    except (TypeError, ValueError):  # nothing that has rows, or rows of unlike entries
        return False
    return dimensions == {1}


def _worth(found: tuple[Any, Array, Array, Array]) -> tuple[bool, float]:
    """The order of plans: those that may be used first, by their costs."""
    report = found[0]
    return not report.usable, float(report.cost) if np.isfinite(report.cost) else np.inf


def twin_of(nodes: RobotNodes, settings: ControlSettings) -> Sqp:
    """The solver in NumPy for a robot's nodes."""
    inputs = next(item for item in nodes.module.signature(STEP).inputs if item.name in ("tau", "u"))
    own = RatedNodes(nodes, inputs.size) if settings.rated else nodes
    return Sqp(own, Limits(settings.inputs, settings.states, settings.rates), NUMBERS["float64"], settings)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a problem: its start, the first inputs, and what it is given at run time, by names."""

    q: Array
    v: Array
    first: Array
    names: tuple[str, ...]
    given: Mapping[str, Array]


def asked_of(robot: Robot, q: Any, v: Any, targets: Any, u: Any, p: ArrayLike | None) -> Asked:
    """What users give, checked, without a compiler."""
    module = _module(robot, "python")
    names = [name for name, _ in RobotNodes(robot.model, module, 1, 1.0).given]
    return _asked(robot, module, names, q, v, targets, u, p)


def _asked(robot: Robot, module: Any, given: Sequence[str], q: Any, v: Any, targets: Any, u: Any, p: Any) -> Asked:
    control = robot.model.control
    assert control is not None
    start_q, start_v = start_of(robot.model, control)
    given_q = q is not None
    q = given_position(robot.model, q if given_q else start_q)
    if given_q:
        warn_beyond_limits(robot.model, "q", q)
    v = given_velocity(robot.model, start_v if v is None else v)
    names = tuple(name for name, _ in input_rows(robot.model, control))
    parameters = given_parameters(robot.model, p)
    first = _first_inputs(robot, module, q, len(names), p) if u is None else _first_of(robot, u, len(names))
    check_targeted(robot, given, targets)
    return Asked(q, v, first, names, {name: given_targets(robot, module, name, targets, parameters) for name in given})


def _first_of(robot: Robot, u: Any, size: int) -> Array:
    return given_shape(f"u of robot '{robot.name}'", u, (size,))


def _module(robot: Robot, target: str) -> Any:
    known = _KNOWN.setdefault(robot, {})
    if target not in known:
        solvers = [MPC] if target == "c" else None
        control, settings = robot.model.control, control_settings(robot.model)
        assert control is not None
        called = settings.called if solvers and settings.implicit is ImplicitKind.RESIDUAL else NODE_FUNCTIONS
        curved = (settings.curvature,) if settings.curvature else ()
        functions = [*called, *curved, *(("gravity",) if _pulled(robot) else ())]
        step = control.horizon.method if STEP in called else None
        made = compile(robot, functions, target=target, lanes=False, solvers=solvers, step=step, inputs=control.inputs)
        known[target] = made
    return known[target]


def _pulled(robot: Robot) -> bool:
    control = robot.model.control
    return control is not None and control.inputs == "forces"


def _first_inputs(robot: Robot, module: Any, q: Array, size: int, p: ArrayLike | None) -> Array:
    """What balances gravity: forces of joints, by their motors where these are behind springs."""
    if not _pulled(robot):
        return np.zeros(size)
    assert robot.model.control is not None
    more = (given_parameters(robot.model, p),) if "p" in [i.name for i in module.signature("gravity").inputs] else ()
    return np.array(by_motors(robot.model, robot.model.control, module.gravity(q, *more)))


def check_targeted(robot: Robot, inputs: Iterable[str], targets: Any) -> None:
    """Raise a RequestError for targets of a problem that is given none at run time."""
    if targets is not None and _TARGETS not in inputs:
        raise RequestError(f"the problem of robot '{robot.name}' is given no targets at run time; leave targets out")


def given_targets(robot: Robot, module: Any, name: str, targets: Any, p: ArrayLike | None) -> Array:
    """What the problem is given, by the name of the input."""
    if name == "p":
        return given_parameters(robot.model, p)
    if name != _TARGETS:
        raise RequestError(f"optimal control of robot '{robot.name}' takes no input '{name}'; leave its option out")
    argument: Argument = module.signature(NODE_FUNCTIONS[-1]).input(_TARGETS)
    if targets is None:
        raise RequestError(
            f"the problem of robot '{robot.name}' is given targets at run time: {', '.join(argument.rows[0])}; give "
            "them by targets="
        )
    return target_rows(f"robot '{robot.name}'", argument.rows[0], targets)
