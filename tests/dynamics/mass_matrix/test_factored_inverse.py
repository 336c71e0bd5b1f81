"""Products with the inverse of the mass matrix by its factors, against numpy's solutions of the mass matrix."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree
from support.robots.limbed import with_limbs
from support.robots.table import with_velocity_scale
from support.states import relative_error

import symdyn
from symdyn import api
from symdyn.compiler.tape.tape import operation_total
from symdyn.description.robot import JointKind
from symdyn.dynamics.mass_matrix import factored_inverse
from symdyn.robot.robot import Robot

TOLERANCE = 1e-10
"""The mass matrix of this robot has a condition number of some 1e4, and 1e-16 of rounding grows with it."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    """A free base with three chains of eight bodies: three stretches of eight rows behind one of six."""
    return symdyn.load_example("aerial_tree", branches=3, bodies_per_branch=8)


@pytest.fixture(scope="module")
def forked() -> Robot:
    """A free base with two arms that fork behind their second joint, so that stretches stand behind others."""
    kinds = [
        JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.SPHERICAL, JointKind.REVOLUTE, JointKind.UNIVERSAL,
        JointKind.REVOLUTE,
    ]  # fmt: skip
    described = with_limbs([0, 1, 2, 2, 4, 3], kinds, limbs=2, seed=5)
    return api.from_description(with_velocity_scale(described, 0.1), joint_losses=True)


def operations(robot: Robot, function: str) -> int:
    (program,) = api.programs(robot, [function], layout="rolled")
    return operation_total(program.counts())


@pytest.mark.parametrize("name", ["robot", "forked"])
def test_factors_solve_what_numpy_solves(name: str, request: pytest.FixtureRequest) -> None:
    robot = request.getfixturevalue(name)
    inputs = inputs_of(robot, "forward_dynamics_partials", seed=3)
    found = api.float_recursion(robot, "forward_dynamics_partials")(inputs)
    a = api.float_recursion(robot, "forward_dynamics")(inputs)["a"]
    slopes = api.float_recursion(robot, "inverse_dynamics_partials")({"q": inputs["q"], "v": inputs["v"], "a": a})
    dq, dv, mass = (np.reshape(slopes[name], (robot.nv, robot.nv)) for name in ("dtau_dq", "dtau_dv", "dtau_da"))
    assert relative_error(found["da_dq"], -np.linalg.solve(mass, dq).ravel()) <= TOLERANCE
    assert relative_error(found["da_dv"], -np.linalg.solve(mass, dv).ravel()) <= TOLERANCE


def test_stretches_that_are_far_behind_each_other() -> None:
    """A spine of 30 links with a rib each: from the first to the last rib there are 2^30 ways over those between."""
    body, joint = "{mass: 1, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.03}}", "type: revolute, parent"
    links, joints, parent = ["base: {}"], list[str](), "base"
    for place in range(30):
        spine, rib = f"s{place}", f"r{place}"
        links += [f"{spine}: {body}", f"{rib}: {body}"]
        joints.append(f"a{place}: {{{joint}: {parent}, child: {spine}, axis: [0, 0, 1], translation: [0.2, 0, 0]}}")
        joints.append(f"z{place}: {{{joint}: {spine}, child: {rib}, axis: [0, 1, 0], translation: [0, 0.1, 0]}}")
        parent = spine
    listed = ("".join(f"\n  {entry}" for entry in entries) for entries in (links, joints))
    whole = symdyn.loads("name: spine\nlinks:{}\njoints:{}\n".format(*listed), format="yaml")
    inputs = inputs_of(whole, "forward_dynamics_partials", seed=3)
    found = api.float_recursion(whole, "forward_dynamics_partials")(inputs)
    a = api.float_recursion(whole, "forward_dynamics")(inputs)["a"]
    slopes = api.float_recursion(whole, "inverse_dynamics_partials")({"q": inputs["q"], "v": inputs["v"], "a": a})
    dq, mass = (np.reshape(slopes[name], (whole.nv, whole.nv)) for name in ("dtau_dq", "dtau_da"))
    # rounding grows by the condition of M, as numpy's own solution shows
    assert relative_error(found["da_dq"], -np.linalg.solve(mass, dq).ravel()) <= 1e-16 * 10 * np.linalg.cond(mass)


def test_steps_are_as_long_by_factors(forked: Robot) -> None:
    """Derivatives of v + h a, of which the factors are multiplied by h."""
    step, length = inputs_of(forked, "step_partials", seed=3), 0.01
    found = api.float_recursion(forked, "step_partials")(step | {"h": [length]})
    slopes = api.float_recursion(forked, "forward_dynamics_partials")({name: step[name] for name in ("q", "v", "tau")})
    nv = forked.nv
    by_q, by_v = np.hsplit(np.reshape(found["dv_next_dx"], (nv, 2 * nv)), 2)
    assert relative_error(by_q.ravel(), length * np.asarray(slopes["da_dq"])) <= TOLERANCE
    assert relative_error((by_v - np.eye(nv)).ravel(), length * np.asarray(slopes["da_dv"])) <= TOLERANCE


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
