"""A loop opened at another of its joints: closed states, accelerations, impacts and poses are the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.invariance.opened_loops import Opened, opened_loop
from support.invariance.robots import robot, state
from support.invariance.twins import float_evaluator, signed

from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
TOLERANCE = 1e-9
"""Of the largest entry: loops are closed to 1e-13, and S is well conditioned at these states."""
CASES = [
    ("four_bar", "pin", "elbow"),
    ("four_bar", "pin", "output"),
    ("five_bar", "hand", "right_elbow"),
    ("five_bar", "hand", "right_shoulder"),
    ("slider_crank", "pin", "swing"),
    ("andrews_squeezer", "pin_4", "phi"),
    ("andrews_squeezer", "pin_6", "epsilon"),
    ("balls", "ball", "knee"),
]

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")


def balls() -> Robot:
    """A crank and a rocker about skew axes, and between them a bar with balls at both ends, which may spin."""
    ball = Loop(
        "ball", (Site("bar", point=(0.5, 0.1, 0.0)), Site("rocker", point=(0.4, 0.0, 0.05))), LoopKind.SPHERICAL
    )
    turning = (2e-3, 1e-4, 0.0, 3e-3, -2e-4, 4e-3)
    links = [Link(name, Inertial(1.0, turning, Placement((0.1, 0.02, 0.01)))) for name in ("crank", "bar", "rocker")]
    joints = (
        Joint("input", JointKind.CONTINUOUS, "ground", "crank", axis=(0.0, 0.6, 0.8)),
        Joint("knee", JointKind.SPHERICAL, "crank", "bar", Placement((0.2, 0.0, 0.0))),
        Joint("output", JointKind.CONTINUOUS, "ground", "rocker", Placement((0.45, 0.1, 0.0)), axis=(0.0, 0.8, -0.6)),
    )
    loop = replace(ball, close=True)
    return api.from_description(RobotDescription("balls", (Link("ground"), *links), joints, acting=(loop,)))


def opened(name: str, loop: str, joint: str) -> tuple[Opened, Array, Array]:
    """Both robots, and a closed state of the first."""
    own = balls() if name == "balls" else robot(name)
    (held,) = [item for item in own.description.acting if item.name == loop]
    (cut,) = [item for item in own.description.joints if item.name == joint]
    assert isinstance(held, Loop)
    if name != "balls":
        return opened_loop(own, held, cut), *state(name, 4)
    q = own.close(own.neutral())
    return opened_loop(own, held, cut), *own.project(q, np.random.default_rng(2).standard_normal(own.nv))


def call(own: Robot, function: str, **given: Any) -> dict[str, Array]:
    signature = signed(own, function, {})
    found = float_evaluator(own, function, {})({key: list(map(float, np.ravel(x))) for key, x in given.items()})
    return {output.name: np.reshape(found[output.name], output.shape) for output in signature.outputs}


def rows(own: Robot, names: list[str]) -> list[int]:
    return [own.velocity_names.index(name) for name in names]


def close(first: Array, second: Array) -> bool:
    return bool(np.max(np.abs(first - second)) <= TOLERANCE * np.max(np.abs(first)))


@pytest.mark.parametrize(("name", "loop", "joint"), CASES)
def test_a_loop_may_be_opened_at_another_joint(name: str, loop: str, joint: str) -> None:
    both, q, v = opened(name, loop, joint)
    q2, v2 = both.state(q, v)
    first, second = both.first, both.robot
    assert np.max(np.abs(call(second, "constraint_error", q=q2)["e"])) <= 1e-10
    A = call(second, "constraint_jacobian", q=q2)["A"]
    assert np.max(np.abs(A @ v2)) <= 1e-9 * np.max(np.abs(v2))
    names = both.common
    one, two = rows(first, names), rows(second, names)
    assert len(names) == first.nv - (3 if name == "balls" else 1)
    tau, tau2 = np.zeros(first.nv), np.zeros(second.nv)
    tau[one] = tau2[two] = np.random.default_rng(3).standard_normal(len(names))
    a = call(first, "constrained_forward_dynamics", q=q, v=v, tau=tau)["a"]
    a2 = call(second, "constrained_forward_dynamics", q=q2, v=v2, tau=tau2)["a"]
    assert close(a[one], a2[two])
    for function in ("kinetic_energy", "potential_energy"):
        given, given2 = ({"q": q, "v": v}, {"q": q2, "v": v2}) if function[0] == "k" else ({"q": q}, {"q": q2})
        assert close(call(first, function, **given)["energy"], call(second, function, **given2)["energy"])
    links = [own.name for own in first.description.links]
    X, X2 = call(first, "forward_kinematics", q=q)["X"], call(second, "forward_kinematics", q=q2)["X"]
    places = [[own.frame_names.index(link) for link in links] for own in (first, second)]
    assert close(X[places[0]], X2[places[1]])
    partials = call(first, "constrained_forward_dynamics_partials", q=q, v=v, tau=tau)["da_dtau"]
    partials2 = call(second, "constrained_forward_dynamics_partials", q=q2, v=v2, tau=tau2)["da_dtau"]
    assert close(partials[np.ix_(one, one)], partials2[np.ix_(two, two)])
    driven = list(first.description.actuation.actuators)
    if set(driven) <= set(names) and len(driven) == first.nv - np.linalg.matrix_rank(
        call(first, "constraint_jacobian", q=q)["A"], 1e-9
    ):
        needed = call(first, "constrained_inverse_dynamics", q=q, v=v, a=a)["tau"]
        needed2 = call(second, "constrained_inverse_dynamics", q=q2, v=v2, a=a2)["tau"]
        assert close(needed[rows(first, driven)], needed2[rows(second, driven)])  # type: ignore[arg-type]
