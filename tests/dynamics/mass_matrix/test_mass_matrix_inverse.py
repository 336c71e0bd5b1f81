"""The inverse of the mass matrix against the matrix that inverse dynamics spans, whole and of some rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import make_robot, robots
from support.robots.small import described, joint, loaded, massive

from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import JointKind, Link, RobotDescription
from symdyn.dynamics.forward_dynamics.singular import refuse_singular
from symdyn.dynamics.mass_matrix.inverse import mass_matrix_inverse_sweeps
from symdyn.dynamics.tree.branch_rows import CHUNK, ways_from_root
from symdyn.dynamics.tree.tree import TreePlan
from symdyn.errors import ModelError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.plan.plan import Field, FieldKind, Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def spanned_mass_matrix(robot: Robot, q: list[float]) -> Array:
    """Columns are inverse dynamics at rest, for unit accelerations, less that at none, where nothing pulls."""
    bodies = tuple(replace(body, loads=()) for body in robot.model.bodies)
    model = replace(robot.model, bodies=bodies, gravity=(0.0, 0.0, 0.0))
    plan = CATALOGUE["inverse_dynamics"].plan(model, Request())
    still = {"q": q, "v": [0.0] * robot.nv}
    rows = np.vstack([np.eye(robot.nv), np.zeros(robot.nv)]).tolist()
    forces = np.array([run_plan(plan, FloatAlgebra(), still | {"a": row})["tau"] for row in rows])
    return (forces[:-1] - forces[-1]).T


def block_plan(robot: Robot, free: frozenset[int]) -> Plan:
    tree = TreePlan(robot.model)
    fields, sweeps = mass_matrix_inverse_sweeps(tree, free, "inverse_block")
    found = Field("inverse_block", FieldKind.OUTPUT, robot.nv**2)
    q = Field("q", FieldKind.INPUT, robot.nq)
    return Plan("block", (q, *tree.fields(), *fields, found), (*tree.binding_sweeps(), *sweeps), (), ())


@settings(max_examples=40)
@given(
    robots(max_joints=8),
    st.sampled_from(("pinocchio", "spatial", "mujoco")),
    st.sampled_from((1.0, 1.0, 0.6)),
    st.integers(0, 2**32 - 1),
)
def test_inverse_of_a_block(description: RobotDescription, convention: str, share: float, seed: int) -> None:
    robot = loaded(description, convention=convention)
    rng = np.random.default_rng(seed)
    q = [float(x) for x in robot.random_state(rng)[0]]
    free = np.flatnonzero(rng.uniform(size=robot.nv) < share)
    try:
        refuse_singular(robot.model, [int(row) for row in free])
    except ModelError:
        assume(False)
    M = spanned_mass_matrix(robot, q)[np.ix_(free, free)]
    expected = np.zeros((robot.nv, robot.nv))
    expected[np.ix_(free, free)] = np.linalg.inv(M) if free.size else M
    plan = block_plan(robot, frozenset(int(row) for row in free))
    found = np.array(run_plan(plan, FloatAlgebra(), {"q": q})["inverse_block"]).reshape(robot.nv, robot.nv)
    limit = 1e-14 * (np.linalg.cond(M) if free.size else 1.0) * max(1e-300, np.abs(expected).max())
    assert np.abs(found - expected).max() <= limit
    assert np.array_equal(found, found.T)


def chain(count: int) -> Robot:
    description = make_robot(list(range(count)), [JointKind.REVOLUTE] * count, 1, mimics=False)
    links = tuple(massive(link.name) for link in description.links)
    return loaded(RobotDescription("chain", links, description.joints, source="chain"))


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
def test_layouts_agree_on_rows_in_several_pieces(layout: str) -> None:
    robot = chain(CHUNK + 3)
    q = [float(x) for x in np.random.default_rng(3).uniform(-1.0, 1.0, robot.nq)]
    (program,) = api.programs(robot, ["mass_matrix_inverse"], layout=layout)
    found = np.array(evaluate_program(program, FloatAlgebra(), {"q": q})["M_inverse"]).reshape(robot.nv, robot.nv)
    M = spanned_mass_matrix(robot, q)
    assert np.abs(found @ M - np.eye(robot.nv)).max() <= 1e-15 * np.linalg.cond(M) * robot.nv


def test_ways_from_the_root_follow_the_branches() -> None:
    """Two arms on a free base, one of two joints; their rows come depth first."""
    joints = [
        joint("left", JointKind.REVOLUTE, "hull", "upper"),
        joint("left-elbow", JointKind.PRISMATIC, "upper", "lower"),
        joint("right", JointKind.REVOLUTE, "hull", "fin"),
    ]
    links = [massive(name) for name in ("hull", "upper", "lower", "fin")]
    robot = loaded(described(links, joints, floating_base=True))
    ways = ways_from_root(robot.model, range(robot.nv))
    base = tuple(range(6))
    assert ways[5] == base
    assert ways[6] == (*base, 6) and ways[7] == (*base, 6, 7) and ways[8] == (*base, 8)
    assert ways_from_root(robot.model, {2, 7, 8}) == {2: (2,), 7: (2, 7), 8: (2, 8)}


def test_units_and_shape() -> None:
    joints = [joint("turn", JointKind.REVOLUTE, "base", "upper"), joint("slide", JointKind.PRISMATIC, "upper", "lower")]
    robot = loaded(described([Link("base"), massive("upper"), massive("lower")], joints))
    (output,) = CATALOGUE["mass_matrix_inverse"].signature(robot.model, Request()).outputs
    assert output.shape == (2, 2) and output.rows == (("turn", "slide"), ("turn", "slide"))
    assert output.units == ("1/(kg m^2)", "1/(kg m)", "1/(kg m)", "1/kg")


def test_every_pivot_is_divided_by_once() -> None:
    robot = api.load_example("aerial_manipulator")
    counts = api.cost(robot, ["mass_matrix_inverse"], layout="unrolled")["mass_matrix_inverse"]
    assert counts["div"] <= robot.nv
    assert counts["total"] <= 1220
