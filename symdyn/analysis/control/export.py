"""A robot's optimal-control problem for other solvers: functions of CasADi, numbers, and a script that solves it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symdyn.analysis.control.solve import Asked, asked_of
from symdyn.compiler.emit.names import comment
from symdyn.compiler.emit.render import render
from symdyn.dynamics.control.settings import control_settings
from symdyn.errors import RequestError
from symdyn.generation.symbolic_functions import symbolic
from symdyn.interface.argument_words import given_choice, given_path
from symdyn.interface.keywords import names_keywords
from symdyn.interface.optimal_control import COST_FUNCTIONS, STEP, RowLimit
from symdyn.interface.version import VERSION
from symdyn.robot.loading import as_robot
from symdyn.robot.robot import Robot

SOLVERS = ("casadi", "acados")
"""What scripts are written for."""
_COSTS = (COST_FUNCTIONS[0], COST_FUNCTIONS[2])
_EQUATIONS = "step_equations"
"""The step of implicit methods: its acceleration is an unknown, and the equations of motion are constraints."""


@names_keywords
def export_ocp(
    robot: Robot | str | os.PathLike[str],
    problem: Any = None,
    to: str = "casadi",
    out: str | os.PathLike[str] = "ocp",
    *,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    targets: ArrayLike | Mapping[str, ArrayLike] | None = None,
    u: ArrayLike | None = None,
    p: ArrayLike | None = None,
) -> Path:
    """Write an optimal-control problem for another solver: the same costs, steps, limits and start.

    The folder has the robot's functions as files of CasADi, the numbers of the problem, and a script that needs no
    symdyn. It solves the problem by CasADi with IPOPT, or by acados with HPIPM. States and inputs of all steps are its
    unknowns, of implicit steps also their accelerations, and Hessians are exact.

    Parameters
    ----------
    robot, problem, q, v, targets, u, p
        As for :func:`symdyn.optimal_control`.
    to
        ``"casadi"`` or ``"acados"``.
    out
        The folder.

    Returns
    -------
    The script.

    Raises
    ------
    RequestError
        As for :func:`symdyn.optimal_control`; a problem with rates of inputs.
    """
    to = given_choice("to", to, SOLVERS)
    robot = as_robot(robot)
    robot = robot if problem is None else robot.with_control(problem)
    settings, control = control_settings(robot.model), robot.model.control
    assert control is not None
    if settings.rated:
        raise RequestError(
            f"the problem of robot '{robot.name}' has limits or costs of input_rate, which export_ocp does not write; "
            "leave them out, or take optimal_control"
        )
    asked = asked_of(robot, q, v, targets, u, p)
    folder = given_path("out", out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as failure:  # a name with a zero byte among them
        raise RequestError(f"cannot write to the folder '{folder}': {failure}; choose another with out") from None
    stepped = STEP if settings.implicit is None else _EQUATIONS
    step = symbolic(robot, stepped, inputs=control.inputs, step=control.horizon.method)
    for own in (step, *(symbolic(robot, name) for name in _COSTS)):
        own.save(str(folder / f"{own.name()}.casadi"))
    fixed = (RowLimit(row, row, sign, value, 0.0, 0.0) for row, value in settings.fixed for sign in (1, -1))
    numbers = _numbers(robot, asked, (*settings.inputs, *fixed), settings.states)
    numbers |= {"steps": settings.nodes, "step": settings.step, "function": stepped}
    numbers["accelerations"] = step.numel_in("a") if stepped == _EQUATIONS else 0
    numbers |= {"input": "u" if control.inputs == "actuators" else "tau"}
    (folder / "problem.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    script = folder / f"solve_by_{to}.py"
    context = {"robot": comment(robot.name), "version": VERSION, "script": script.name}
    script.write_text(render(f"ocp/{to}.py.jinja", context), encoding="utf-8")
    return script


def _numbers(robot: Robot, asked: Asked, inputs: Iterable[RowLimit], states: Iterable[RowLimit]) -> dict[str, Any]:
    """Numbers of the problem, by names of the script."""
    return {
        "robot": robot.name,
        "nq": robot.nq,
        "nv": robot.nv,
        "inputs": list(asked.names),
        "x0": np.concatenate([asked.q, asked.v]).tolist(),
        "u": asked.first.tolist(),
        "given": {name: int(np.size(value)) for name, value in asked.given.items()},
        "y": [float(own) for value in asked.given.values() for own in np.ravel(value)],
        "input_limits": _limits(inputs),
        "state_limits": _limits(states),
    }


def _limits(sides: Iterable[RowLimit]) -> Sequence[dict[str, Any]]:
    """Sides of limits: sign (x[at] - bound) >= 0, or a weight w of w e^2 / 2 for an excess e."""
    return [
        {"at": own.at, "sign": own.sign, "bound": own.bound, "weight": 1.0 / own.soft if own.soft else None}
        for own in sides
    ]
