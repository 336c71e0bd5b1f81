"""The float recursion against 50-digit arithmetic that shares nothing with it, on random trees of all joint kinds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.robots.random_trees import robots
from support.states import random_inputs

from symdyn import api
from symdyn.description.robot import RobotDescription
from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, unit_blocks
from symdyn.verify.harness.verify import function_truth
from symdyn.verify.oracle.tree import public_tree

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@settings(max_examples=24)
@given(
    robots(max_joints=8),
    st.booleans(),
    st.sampled_from(("pinocchio", "spatial")),
    st.sampled_from((None, "body", "world")),
    st.integers(0, 2**32 - 1),
)
def test_recursion_equals_truth(
    description: RobotDescription, losses: bool, convention: str, external: str | None, seed: int
) -> None:
    robot = api.from_description(description, joint_losses=losses, convention=convention, gravity=(1.0, -2.0, -9.0))
    (program,) = api.programs(robot, ["inverse_dynamics"], layout="rolled", external_wrenches=external)
    signature = program.signature
    recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches=external)
    truth = function_truth(description, signature, robot.load_options())
    units = [unit for output in signature.outputs for unit in output.element_units]
    blocks, rng = unit_blocks(units), np.random.default_rng(seed)
    inputs = [random_inputs(robot, signature, rng) for _ in range(3)]
    truths = [truth(values) for values in inputs]
    floors = block_floors(truths, blocks)
    limit = limit_in_u(public_tree(description, None, None).depth)
    for values, exact in zip(inputs, truths, strict=True):
        assert error_in_u(recursion(values)["tau"], exact, blocks, floors, "float64") <= limit
