"""Derivatives of inverse, forward and hybrid dynamics of robots with soft links, and their Coriolis matrices.

The reference runs the plain plans on dual numbers, one direction at a time and nothing in lanes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.small import loaded
from support.robots.soft_trees import soft_arm, soft_tree

from symdyn import api
from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.inverse_dynamics.rnea import inverse_dynamics_plan
from symdyn.dynamics.mass_matrix.crba import mass_matrix_plan
from symdyn.functions.catalogue import requests
from symdyn.model.model import Model, without_springs
from symdyn.plan.plan import Plan
from symdyn.plan.run import run_plan
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
Inputs = dict[str, Array]

# Both sides sum some thousand products, most of which carry over from one end of the robot to the other.
TOLERANCE = 1e-12

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


@cache
def robot(name: str) -> Robot:
    """The arm has run-time parameters, the tree a free base, rods on rods, a beam, a follower and an elastic joint."""
    if name == "arm":
        return loaded(soft_arm(), joint_losses=True, runtime=["nail.mass", "gravity.z"])
    return loaded(soft_tree(), joint_losses=True)


def state(own: Robot, seed: int = 3) -> Inputs:
    rng = np.random.default_rng(seed)
    q, v = own.random_state(rng)
    given = {"q": q, "v": v, "a": rng.standard_normal(own.nv)}
    return given | ({"p": np.array([0.7, -9.0])} if own.model.slots.names else {})


def recursion(own: Robot, function: str, inputs: Inputs, **options: object) -> dict[str, Array]:
    found = api.float_recursion(own, function, **options)({name: x.tolist() for name, x in inputs.items()})  # type: ignore[arg-type]
    return {name: np.array(values).reshape(own.nv, -1) for name, values in found.items()}


def moves(model: Model, q: Array) -> Array:
    """How q answers to moves along the joints' own axes, (nq, nv)."""
    found = np.zeros((model.nq, model.nv))
    for joint in model.independent_joints:
        found[joint.q_rows, joint.v_rows] = joint.kind.rates(FloatAlgebra(), q[joint.q_rows].tolist())
    return found


def slope(plan: Plan, inputs: Inputs, name: str, direction: Array) -> Array:
    """The derivative of a plan's one output along a direction of an input."""
    given = {each: x.tolist() for each, x in inputs.items()}
    pairs = zip(given[name], direction.tolist(), strict=True)
    over = DualAlgebra(FloatAlgebra())
    varied = [over.dual(value, {0: along}) for value, along in pairs]
    (found,) = run_plan(plan, over, given | {name: varied}).values()
    return np.array([over.slope(x, 0) for x in found])


def jacobian(plan: Plan, inputs: Inputs, name: str, directions: Array) -> Array:
    return np.array([slope(plan, inputs, name, column) for column in directions.T]).T


def close(found: Array, expected: Array, tolerance: float = TOLERANCE) -> bool:
    scale = np.abs(expected).max(axis=1, keepdims=True) + 1e-3 * np.abs(expected).max()
    return bool((np.abs(found - expected) <= tolerance * scale).all())


@pytest.mark.parametrize("name", ["arm", "tree"])
def test_inverse_dynamics(name: str) -> None:
    own, inputs = robot(name), state(robot(name))
    plan, nv = inverse_dynamics_plan(own.model), own.nv
    found = recursion(own, "inverse_dynamics_partials", inputs)
    assert close(found["dtau_dq"], jacobian(plan, inputs, "q", moves(own.model, inputs["q"])))
    assert close(found["dtau_dv"], jacobian(plan, inputs, "v", np.eye(nv)))
    assert close(found["dtau_da"], jacobian(plan, inputs, "a", np.eye(nv)))
    if "p" in inputs:
        assert close(found["dtau_dp"], jacobian(plan, inputs, "p", np.eye(2)))


@pytest.mark.parametrize("name", ["arm", pytest.param("tree", marks=pytest.mark.slow)])
def test_forward_and_hybrid_dynamics(name: str) -> None:
    """Implicitly: what inverse dynamics asks does not change along the solutions."""
    own, inputs = robot(name), state(robot(name))
    nv = own.nv
    tau = recursion(own, "inverse_dynamics", inputs)["tau"][:, 0]
    slopes = recursion(own, "inverse_dynamics_partials", inputs)
    rest = {each: inputs[each] for each in inputs if each != "a"}
    prescribed = tuple(own.velocity_names[1::3])
    held = np.isin(own.velocity_names, prescribed)
    forward = recursion(own, "forward_dynamics_partials", rest | {"tau": tau})
    given = np.where(held, inputs["a"], tau)
    hybrid = recursion(own, "hybrid_dynamics_partials", rest | {"u": given}, prescribed=prescribed)
    by = [("q", slopes["dtau_dq"]), ("v", slopes["dtau_dv"])]
    by += [("p", slopes["dtau_dp"])] if "p" in inputs else []
    mass = slopes["dtau_da"]
    size = np.abs(mass).max() * max(1.0, *(float(np.abs(x).max()) for x in forward.values()))
    for x, slope_x in by:
        assert np.abs(mass @ forward[f"da_d{x}"] + slope_x).max() <= TOLERANCE * size, x
        found = hybrid[f"dw_d{x}"]
        accelerations, forces = np.where(held[:, None], 0.0, found), np.where(held[:, None], found, 0.0)
        assert np.abs(mass @ accelerations + slope_x - forces).max() <= TOLERANCE * size, x
    assert np.abs(mass @ forward["da_dtau"] - np.eye(nv)).max() <= TOLERANCE * size
    found, unit = hybrid["dw_du"], np.eye(nv)
    accelerations, forces = np.where(held[:, None], unit, found), np.where(held[:, None], found, unit)
    assert np.abs(mass @ accelerations - forces).max() <= TOLERANCE * size


@pytest.mark.parametrize("name", ["arm", "tree"])
def test_coriolis_matrix(name: str) -> None:
    own, inputs = robot(name), state(robot(name))
    nv, model = own.nv, own.model
    p = {each: inputs[each] for each in inputs if each == "p"}
    C = recursion(own, "coriolis_matrix", {"q": inputs["q"], "v": inputs["v"]} | p)["C"]
    rate = moves(model, inputs["q"]) @ inputs["v"]
    mass_rate = slope(mass_matrix_plan(model), {"q": inputs["q"]} | p, "q", rate).reshape(nv, nv)
    skew = mass_rate - 2.0 * C
    size = np.abs(C).max() + np.abs(mass_rate).max()
    assert np.abs(skew + skew.T).max() <= TOLERANCE * size
    bare = inverse_dynamics_plan(replace(without_springs(model), joint_losses=False))
    moving, still = (
        np.array(run_plan(bare, FloatAlgebra(), {**p, "q": inputs["q"], "v": v, "a": np.zeros(nv)})["tau"])
        for v in (inputs["v"], np.zeros(nv))
    )
    assert np.abs(C @ inputs["v"] - (moving - still)).max() <= TOLERANCE * np.abs(moving).max()


def test_units_of_coordinates_without_one() -> None:
    own = robot("arm")
    rows = own.velocity_names
    stretch, turn = rows.index("arm.stretch[0]"), rows.index("turn")

    def entries(function: str, name: str) -> tuple[str, str, str]:
        """The units of an entry of two strains, of a strain by an angle, and of a turn by a strain."""
        ((entry, request),) = requests(own.model, [function])
        found = next(x for x in entry.signature(own.model, request).outputs if x.name == name)
        at = ((stretch, stretch), (stretch, turn), (turn, stretch))
        return tuple(found.element_units[row * own.nv + column] for row, column in at)  # type: ignore[return-value]

    assert entries("inverse_dynamics_partials", "dtau_dq") == ("J", "J/rad", "N m")
    assert entries("inverse_dynamics_partials", "dtau_dv") == ("J/(1/s)", "J/(rad/s)", "N m/(1/s)")
    assert entries("inverse_dynamics_partials", "dtau_da") == ("J/(1/s^2)", "J/(rad/s^2)", "N m/(1/s^2)")
    assert entries("forward_dynamics_partials", "da_dq") == ("1/s^2", "1/s^2/(rad)", "rad/s^2")
    assert entries("coriolis_matrix", "C") == ("J/(1/s)", "J/(rad/s)", "N m/(1/s)")
    assert entries("mass_matrix_inverse", "M_inverse") == ("1/(kg m^2)",) * 3
    assert entries("jacobians", "J") == ("m", "m/rad", "m")
