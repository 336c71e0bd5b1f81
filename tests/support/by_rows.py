"""Functions of the rows of q and their derivatives, as CasADi finds them from ``symdyn.symbolic``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

import symdyn
from symdyn.compiler.tape.pattern import Pattern, matrix_shape
from symdyn.interface.signature import Argument
from symdyn.robot.robot import Robot

Matrices = Mapping[str, Any]


def normalised(robot: Robot, q: Any) -> Any:
    """The coordinates with quaternions of length one."""
    parts, place = [], 0
    for joint in robot.model.independent_joints:
        if joint.kind.quaternion:
            start = joint.q_rows.stop - 4
            turn = q[start : start + 4]
            parts += [q[place:start], turn / ca.sqrt(ca.sumsqr(turn))]
            place = start + 4
    return ca.vertcat(*parts, q[place:])


def graph(
    robot: Robot, function: str, inputs: Sequence[Argument], outputs: Sequence[Argument], /, **asked: Any
) -> Matrices:
    """The graph of a function of rows: ``x`` and ``y`` by name, with matrices as they lie in memory."""
    x = {own.name: ca.SX.sym(own.name, *matrix_shape(own.shape)) for own in inputs}
    given = [normalised(robot, x[own.name]) if own.name == "q" else ca.vec(x[own.name].T) for own in inputs]
    found = symdyn.symbolic(robot, function, **asked)(*given)
    found = found if isinstance(found, tuple | list) else [found]
    shaped = {}
    for own, value in zip(outputs, found, strict=True):
        rows, columns = matrix_shape(own.shape)
        fits = value.shape == (rows, columns)
        shaped[own.name] = value if fits else ca.reshape(value, columns, rows).T
    return {"x": x, "y": shaped}


def derivatives(
    robot: Robot, function: str, inputs: Sequence[Argument], outputs: Sequence[Argument], /, **asked: Any
) -> Matrices:
    """Expressions of all that programs of a function and its derivatives give, by their names; and the symbols."""
    made = graph(robot, function, inputs, outputs, **asked)
    x, y = made["x"], made["y"]
    seeds = {name: ca.SX.sym(f"adj_{name}", *value.shape) for name, value in y.items()}
    weighed = sum(ca.dot(seeds[name], value) for name, value in y.items())
    gradients = {name: ca.gradient(weighed, symbol) for name, symbol in x.items()}
    found = dict(y)
    found |= {f"jac_{of}_{by}": ca.jacobian(value, symbol) for of, value in y.items() for by, symbol in x.items()}
    found |= {f"adj_{name}": value for name, value in gradients.items()}
    weights = {f"adj_{name}": seed for name, seed in seeds.items()}
    for of, value in gradients.items():
        found |= {f"jac_adj1_{of}_{by}": ca.jacobian(value, symbol) for by, symbol in (x | weights).items()}
    return {"symbols": x | weights, "found": found}


def random_inputs(symbols: Matrices, seed: int) -> dict[str, Any]:
    """Numbers for the symbols; quaternions among them are of any length."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=symbol.shape) for name, symbol in symbols.items()}


def value(expression: Any, symbols: Matrices, numbers: Mapping[str, Any]) -> Any:
    """An expression in numbers, dense."""
    names = list(symbols)
    call = ca.Function("f", [symbols[name] for name in names], [ca.densify(expression)])
    return np.array(call(*(numbers[name] for name in names)))


def filled(pattern: Pattern, entries: Sequence[float]) -> Any:
    """The matrix of stored entries."""
    flat = np.zeros(pattern.rows * pattern.columns)
    flat[list(pattern.entries)] = entries
    return flat.reshape(pattern.columns, pattern.rows).T
