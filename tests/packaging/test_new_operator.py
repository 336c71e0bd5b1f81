"""A new operator is one file and a line: it serves every problem of dynamics, and its values are those of differences.

On a copy of the package, the operator gives derivatives of solutions by v, by dual numbers along the plan of each.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.trial import Trial

FILE, LISTED = "functions/velocity_slopes.py", "functions/catalogue.py"
OPERATOR = '''
"""How solutions of problems of dynamics change with v."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symdyn.functions import arguments, families, problems
from symdyn.functions.operators import Operator, inputs
from symdyn.functions.problems import DynamicsProblem
from symdyn.functions.request import Request
from symdyn.functions.units import per
from symdyn.interface.signature import Argument
from symdyn.model.model import Model
from symdyn.plan.plan import Field, FieldKind, Plan
from symdyn.plan.transforms.tangent import tangent_sweeps


def _slopes(problem: DynamicsProblem, model: Model, request: Request) -> Iterator[Argument]:
    by = arguments.velocities(model)
    for of in problem.found(model, request):
        units = tuple(per(row, unit) for row in of.element_units for unit in by.element_units)
        yield Argument(f"slope_{of.name}", (of.size, by.size), (of.rows[0], by.rows[0]), units, f"slope of {of.name}")


def _plan(problem: DynamicsProblem, model: Model, request: Request, name: str) -> Plan:
    plan = next(own for own in families.ENTRIES if own.name == problem.name).plan(model, request)
    outputs = {own.name: f"slope_{own.name}" for own in problem.found(model, request)}
    fields, sweeps = tangent_sweeps(replace(plan, name="faster"), "v", outputs)
    made = (Field(f"slope_{own.name}", FieldKind.OUTPUT, own.size * model.nv) for own in problem.found(model, request))
    given = (own for own in plan.fields if own.kind is FieldKind.INPUT)
    return Plan(name, (*given, *fields, *made), tuple(sweeps), plan.bodies, plan.parent)


SLOPES = Operator("velocity_slopes", inputs, _slopes, _plan, sentence="Slopes of a solution by v.")
ENTRIES = tuple(SLOPES.of(own) for own in vars(problems).values() if isinstance(own, DynamicsProblem))
'''
USE = """
import warnings
import numpy as np
from symdyn.functions.catalogue import CATALOGUE, requests

warnings.simplefilter("ignore")
found = [name.removesuffix("_velocity_slopes") for name in CATALOGUE if name.endswith("_velocity_slopes")]
assert len(found) == 7, found
OPTIONS = {"prescribed": ["left_shoulder"], "actuated": ["left_shoulder", "right_shoulder"]}

def made(robot, name):
    # A function of arrays by name, with its options.
    asked = {own: value for own, value in OPTIONS.items() if own in CATALOGUE[name].takes}
    ((entry, request),) = requests(robot.model, [name], **asked)
    signature, run = entry.signature(robot.model, request), float_recursion(robot, name, **asked)

    def called(given):
        values = run({own.name: np.ravel(given[own.name]).tolist() for own in signature.inputs})
        return {own.name: np.reshape(values[own.name], own.shape) for own in signature.outputs}

    return called, signature

robot, rng, compared = symdyn.load_example("five_bar", joint_losses=True), np.random.default_rng(3), 0
q = robot.close(robot.neutral())
for problem in found:
    value, signature = made(robot, problem)
    slopes, _ = made(robot, f"{problem}_velocity_slopes")
    given = {own.name: rng.normal(size=own.shape) for own in signature.inputs} | {"q": q}
    if "constrained" in problem:  # loops are closed at these velocities
        given["v"] = robot.project(q, given["v"])[1]
    ends, h = [], 1e-5
    for row in range(robot.nv):
        move = h * np.eye(robot.nv)[row]
        high, low = (value({**given, "v": given["v"] + sign * move}) for sign in (1.0, -1.0))
        ends.append({name: (high[name] - low[name]) / (2.0 * h) for name in high})
    for name, slope in slopes(given).items():
        wanted = np.stack([own[name.removeprefix("slope_")] for own in ends], axis=-1)
        # central differences: h^2 and roundoff over h, 1e-10 each, of numbers up to some hundreds
        assert np.abs(slope - wanted).max() <= 1e-7 * max(1.0, np.abs(wanted).max()), (problem, name, slope, wanted)
        assert np.abs(wanted).max() > 0.0, (problem, name)
        compared += 1
assert compared == 3 + 2 * 4, compared
((program,),) = [programs(robot, ["constrained_forward_dynamics_velocity_slopes"], layout="rolled")]
assert program.signature.function == "constrained_forward_dynamics_velocity_slopes"
"""


@pytest.mark.slow
@pytest.mark.every_case
def test_a_new_operator_is_a_file_and_a_line(tmp_path: Path) -> None:
    trial = Trial(tmp_path)
    trial.add(FILE, OPERATOR)
    trial.change(LISTED, '    "families",\n', '    "families",\n    "velocity_slopes",\n')
    trial.run(USE)
    assert trial.touched == {FILE, LISTED}
