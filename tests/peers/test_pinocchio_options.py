"""Wrenches on bodies and rotors in joints, against Pinocchio, for the functions that feel them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from support.pinocchio.functions import draw_states, expected, prescribed_names
from support.pinocchio.twins import (
    Array,
    Peer,
    load_peer,
    module_outputs,
    quietly,
    recursion_outputs,
    relative_of_arrays,
)

import symdyn
from symdyn.description.robot import Actuator, JointKind

pytestmark = pytest.mark.peers

PUSHED = (
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
    "joint_wrenches",
    "inverse_dynamics_partials",
    "forward_dynamics_partials",
    "hybrid_dynamics_partials",
)
GEARED = (
    "inverse_dynamics",
    "forward_dynamics",
    "hybrid_dynamics",
    "mass_matrix",
    "mass_matrix_inverse",
    "bias",
    "coriolis_matrix",
    "kinetic_energy",
    "centroidal_momentum",
    "joint_wrenches",
    "inverse_dynamics_regressor",
    "inverse_dynamics_partials",
    "forward_dynamics_partials",
    "hybrid_dynamics_partials",
)


def tolerance(function: str) -> float:
    """Explicit sums carry rounding alone; solving with M adds its condition number, and partials do so twice."""
    solves = function.startswith(("forward", "hybrid")) or function == "mass_matrix_inverse"
    if not solves:
        return 1e-12
    return 1e-9 if function.endswith("partials") else 1e-10


def compare(found: tuple[Array, ...], function: str, truth: tuple[Array, ...]) -> None:
    for output, wanted in zip(found, truth, strict=True):
        assert relative_of_arrays(output, wanted) < tolerance(function), function


def by_recursion(
    peer: Peer, function: str, at: Mapping[str, Array], truth: tuple[Array, ...], **asked: Any
) -> tuple[Array, ...]:
    if function.startswith("hybrid"):
        asked["prescribed"] = prescribed_names(peer)
    return recursion_outputs(peer.robot, function, at, truth, **asked)


@pytest.mark.parametrize("name", ["panda_mimic", "baxter", "solo12", "talos_reduced"])
def test_wrenches_in_body_axes(name: str) -> None:
    peer = load_peer(name)
    at = draw_states(peer, 5, seed=32, wrenches=True)
    for function in PUSHED:
        truth = expected(peer, function, at)
        compare(by_recursion(peer, function, at, truth, external_wrenches="body"), function, truth)


def test_compiled_with_wrenches_in_body_axes() -> None:
    peer = load_peer("ur5")
    module = symdyn.compile(peer.robot, list(PUSHED), external_wrenches="body", prescribed=prescribed_names(peer))
    at = draw_states(peer, 50, seed=32, wrenches=True)
    for function in PUSHED:
        compare(module_outputs(module, function, at), function, expected(peer, function, at))


def turning_partials(peer: Peer, at: Mapping[str, Array]) -> Array:
    """What d tau/dq gains, (count, nv, nv), where a wrench keeps its world components f = R f_b instead of f_b.

    tau holds -J^T f_b per body, and R' = R [omega x] with omega = J_omega dq turns f_b by f_b x omega.
    """
    gains = []
    for q, f_ext in zip(at["q"], at["f_ext"], strict=True):
        data = peer.model.createData()
        pin.computeJointJacobians(peer.model, data, peer.spread(q))
        gain = np.zeros((peer.robot.nv, peer.robot.nv))
        for body, wrench in zip(peer.robot.body_names, f_ext, strict=True):
            joint, placement = peer.bodies[body]
            J = placement.actionInverse @ pin.getJointJacobian(peer.model, data, joint, pin.LOCAL) @ peer.expansion
            turned = np.vstack([pin.skew(wrench[:3]), pin.skew(wrench[3:])])
            gain -= J.T @ turned @ J[3:]
        gains.append(gain)
    return np.array(gains)


@pytest.mark.parametrize("name", ["ur5", "solo12"])
def test_partials_with_wrenches_in_world_axes(name: str) -> None:
    peer = load_peer(name)
    at = draw_states(peer, 5, seed=33, wrenches=True)
    gain = turning_partials(peer, at)
    rotations = np.array([peer.body_rotations(q) for q in at["q"]])
    in_world = np.einsum("kbij,kbhj->kbhi", rotations, at["f_ext"].reshape(5, -1, 2, 3)).reshape(at["f_ext"].shape)
    turned = {**at, "f_ext": in_world}
    by_q, by_v, M = expected(peer, "inverse_dynamics_partials", at)
    assert relative_of_arrays(gain + by_q, by_q) > 1e-2
    truth = (by_q + gain, by_v, M)
    found = by_recursion(peer, "inverse_dynamics_partials", turned, truth, external_wrenches="world")
    compare(found, "inverse_dynamics_partials", truth)
    by_q, by_v, M_inverse = expected(peer, "forward_dynamics_partials", at)
    truth = (by_q - M_inverse @ gain, by_v, M_inverse)
    found = by_recursion(peer, "forward_dynamics_partials", turned, truth, external_wrenches="world")
    compare(found, "forward_dynamics_partials", truth)


def geared(name: str) -> Peer:
    """A real robot with a rotor in every joint of one coordinate, told by inertia and ratio or by the product."""
    plain = load_peer(name)
    joints, armature = [], {}
    for index, joint in enumerate(plain.robot.description.joints):
        if joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC):
            rotor_inertia, gear_ratio = 1e-6 * (5 + index), 60.0 + index
            armature[joint.name] = rotor_inertia * gear_ratio**2
            told = Actuator(armature=armature[joint.name]) if index % 2 else Actuator(rotor_inertia, gear_ratio)
            joint = replace(joint, actuator=told)
        joints.append(joint)
    options = plain.robot.options
    robot = quietly(
        lambda: symdyn.api.from_description(
            replace(plain.robot.description, joints=tuple(joints)),
            floating_base=options.floating_base,
            locked_joints=options.locked_joints,
        )
    )
    return plain.with_armature(robot, armature)


@pytest.mark.parametrize("name", ["panda_mimic", "baxter", "solo12", "talos_reduced"])
def test_rotors(name: str) -> None:
    peer = geared(name)
    at = draw_states(peer, 5, seed=34)
    for function in GEARED:
        truth = expected(peer, function, at)
        compare(by_recursion(peer, function, at, truth), function, truth)
    assert relative_of_arrays(*expected(peer, "mass_matrix", at), *expected(load_peer(name), "mass_matrix", at)) > 1e-3


def test_compiled_with_rotors() -> None:
    peer = geared("ur5")
    module = symdyn.compile(peer.robot, list(GEARED), prescribed=prescribed_names(peer))
    at = draw_states(peer, 50, seed=34)
    for function in GEARED:
        compare(module_outputs(module, function, at), function, expected(peer, function, at))
