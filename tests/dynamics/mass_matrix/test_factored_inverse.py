"""Products with the inverse of the mass matrix by its factors, against numpy's solutions of the mass matrix."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.compiler.tape.tape import operation_total
from symdyn.dynamics.mass_matrix import factored_inverse
from symdyn.robot.robot import Robot

TOLERANCE = 1e-10
"""The mass matrix of this robot has a condition number of some 1e4, and 1e-16 of rounding grows with it."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    """A free base with three chains of eight bodies: three stretches of eight rows behind one of six."""
    return symdyn.load_example("aerial_tree", branches=3, bodies_per_branch=8)


def operations(robot: Robot, function: str) -> int:
    (program,) = api.programs(robot, [function], layout="rolled")
    return operation_total(program.counts())


def test_factors_solve_what_numpy_solves(robot: Robot) -> None:
    inputs = inputs_of(robot, "forward_dynamics_partials", seed=3)
    found = api.float_recursion(robot, "forward_dynamics_partials")(inputs)
    a = api.float_recursion(robot, "forward_dynamics")(inputs)["a"]
    slopes = api.float_recursion(robot, "inverse_dynamics_partials")({"q": inputs["q"], "v": inputs["v"], "a": a})
    dq, dv, mass = (np.reshape(slopes[name], (robot.nv, robot.nv)) for name in ("dtau_dq", "dtau_dv", "dtau_da"))
    assert relative_error(found["da_dq"], -np.linalg.solve(mass, dq).ravel()) <= TOLERANCE
    assert relative_error(found["da_dv"], -np.linalg.solve(mass, dv).ravel()) <= TOLERANCE


@pytest.mark.parametrize("layout", [pytest.param("split", marks=pytest.mark.slow), "rolled", "rolled-lanes"])
def test_layouts_agree(robot: Robot, layout: str) -> None:
    programs_agree(robot, "forward_dynamics_partials", [layout])


@pytest.mark.slow
def test_compiled_code_agrees(robot: Robot) -> None:
    modules_agree(robot, ["forward_dynamics_partials"], "rolled-lanes", targets=["c"])
    modules_agree(robot, ["forward_dynamics_partials"], "rolled", targets=["python"])


def test_factors_are_taken_where_they_save_products(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain's factors have as many products as its inverse, which is taken there."""
    arm = symdyn.load_example("seven_dof_arm")
    with_factors, of_arm = operations(robot, "forward_dynamics_partials"), operations(arm, "forward_dynamics_partials")
    monkeypatch.setattr(factored_inverse, "_WORTH", 0.0)
    assert with_factors < 0.9 * operations(robot, "forward_dynamics_partials")
    assert of_arm == operations(arm, "forward_dynamics_partials")
