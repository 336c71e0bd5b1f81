"""Float recursion == Program evaluator, unrolled and rolled, after every pass, on random trees of all joint kinds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.states import random_inputs, relative_error

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.passes.pipeline import PIPELINE
from symdyn.compiler.tape.evaluate import evaluate_program, evaluate_tape
from symdyn.compiler.tape.verify import verify_program, verify_tape
from symdyn.description.robot import RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot
from symdyn.tracing.rolled.rolled import trace_rolled
from symdyn.tracing.unrolled.unrolled import trace_unrolled

# Sums of some 100 terms per row, reordered, through chains of up to 30 joints whose terms cancel: some thousand units
# of roundoff (2^-53) relative to the norm.
TOLERANCE = 1e-12

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def _robot(description: RobotDescription, losses: bool, convention: str) -> Robot:
    return api.from_description(description, joint_losses=losses, convention=convention)


@settings(max_examples=8)
@given(
    robots(),
    st.booleans(),
    st.sampled_from(("pinocchio", "spatial")),
    st.sampled_from(("", "body", "world")),
    st.integers(0, 2**32 - 1),
)
def test_recursion_and_both_layouts_agree(
    description: RobotDescription, losses: bool, convention: str, external: str, seed: int
) -> None:
    robot = _robot(description, losses, convention)
    entry = CATALOGUE["inverse_dynamics"]
    signature, plan = entry.signature(robot.model, Request(external)), entry.plan(robot.model, Request(external))
    inputs = random_inputs(robot, signature, np.random.default_rng(seed))
    reference = run_plan(plan, FloatAlgebra(), inputs)["tau"]
    assert all(np.isfinite(reference))
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(robot, ["inverse_dynamics"], layout=layout, external_wrenches=external or None)
        value = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
        assert relative_error(value, reference) <= TOLERANCE, layout


@settings(max_examples=10)
@given(robots(max_joints=8), st.integers(0, 2**32 - 1))
def test_every_pass_keeps_the_value(description: RobotDescription, seed: int) -> None:
    robot = _robot(description, True, "pinocchio")
    entry = CATALOGUE["inverse_dynamics"]
    signature, plan = entry.signature(robot.model, Request("body")), entry.plan(robot.model, Request("body"))
    inputs = random_inputs(robot, signature, np.random.default_rng(seed))
    raw = trace_unrolled(plan, signature)
    tape = raw.tapes[0]
    ports = [inputs[argument.name] for argument in signature.inputs]
    reference = evaluate_tape(tape, FloatAlgebra(), ports)[0]
    for item in PIPELINE:
        tape = verify_tape(item.run(tape))
        assert relative_error(evaluate_tape(tape, FloatAlgebra(), ports)[0], reference) <= TOLERANCE, item.name
        assert [port.origins for port in tape.inputs] == [port.origins for port in raw.tapes[0].inputs], item.name
    verify_program(trace_rolled(plan, signature))


@settings(max_examples=10)
@given(robots(max_joints=6), st.integers(0, 2**32 - 1))
def test_runtime_parameters_equal_baked_ones(description: RobotDescription, seed: int) -> None:
    massive = [link for link in description.links if link.inertial is not None]
    names = [f"{link.name}.mass" for link in massive[:2]] + [f"{link.name}.com.y" for link in massive[:1]]
    names += [f"{description.joints[0].name}.translation.z", f"{description.joints[0].name}.damping", "gravity.z"]
    baked = _robot(description, True, "pinocchio")
    robot = api.from_description(description, joint_losses=True, runtime=names)
    assert robot.runtime_parameters == tuple(names)
    rng = np.random.default_rng(seed)
    entry = CATALOGUE["inverse_dynamics"]
    signature = entry.signature(robot.model, Request())
    inputs = random_inputs(robot, signature, rng) | {"p": [float(value) for value in robot.runtime_defaults]}
    reference = run_plan(entry.plan(baked.model, Request()), FloatAlgebra(), {name: inputs[name] for name in "qva"})[
        "tau"
    ]
    for layout in ("unrolled", "split", "rolled"):
        (program,) = api.programs(robot, ["inverse_dynamics"], layout=layout)
        value = evaluate_program(program, FloatAlgebra(), inputs)["tau"]
        assert relative_error(value, reference) <= TOLERANCE, layout
