"""Robots on the ground against MuJoCo, whose model is written out from the description."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
import pytest
from support.mujoco_models import PREFIX, mujoco_model
from support.pinocchio.twins import Array, Peer, load_peer, module_outputs, recursion_outputs, relative_of_arrays

import symdyn
from symdyn.description.robot import Spring

pytestmark = pytest.mark.peers

COMPILED = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
"""The others are run on Python floats, at fewer states."""


@dataclass(frozen=True)
class Twin:
    """A robot and MuJoCo's unreduced model of it: v_full = G v and q_full = G q + c, in MuJoCo's order."""

    peer: Peer
    model: Any
    G: Array
    c: Array


@functools.cache
def twin_of(name: str) -> Twin:
    peer = load_peer(name)
    model = mujoco_model(peer.robot.description)
    joints = {joint.name: joint for joint in peer.robot.description.joints}
    rows = {row: index for index, row in enumerate(peer.robot.velocity_names)}
    locked = peer.robot.options.locked_joints
    G, c = np.zeros((model.nv, peer.robot.nv)), np.zeros(model.nv)
    for dof in range(model.nv):
        leader = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, model.dof_jntid[dof])
        multiplier = 1.0
        while (mimic := joints[leader].mimic) is not None:
            c[dof] += multiplier * mimic.offset
            multiplier, leader = multiplier * mimic.multiplier, mimic.joint
        if leader in locked:
            c[dof] += multiplier * locked[leader]
        else:
            G[dof, rows[leader]] = multiplier
    return Twin(peer, model, G, c)


def truth_of(twin: Twin, q: Array, v: Array, a: Array) -> dict[str, Array]:
    """What MuJoCo says at one state, by function; tau are the forces that cause a."""
    model, data, G = twin.model, mujoco.MjData(twin.model), twin.G
    data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + twin.c, G @ v, G @ a
    mujoco.mj_inverse(model, data)
    tau = G.T @ data.qfrc_inverse
    # no constraints: the acceleration of the forces that mj_inverse has found is qacc of mj_forward
    data.qfrc_applied[:] = data.qfrc_inverse
    mujoco.mj_forward(model, data)
    columns = np.zeros((model.nv, model.nv))
    for column, unit in zip(columns, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, column, unit)
    M, bias = G.T @ columns.T @ G, G.T @ (data.qfrc_bias - data.qfrc_passive)
    acceleration = data.qacc[:] if G.shape[0] == G.shape[1] else None
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    mass = model.body_mass.sum()
    jacobians, rates, poses = [], [], []
    for frame in twin.peer.robot.frame_names:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, PREFIX + frame)
        J, rate, X = np.zeros((2, 3, model.nv)), np.zeros((2, 3, model.nv)), np.eye(4)
        X[:3, :3], X[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        mujoco.mj_jac(model, data, J[0], J[1], data.xpos[body], body)
        mujoco.mj_jacDot(model, data, rate[0], rate[1], data.xpos[body], body)
        jacobians.append(J.reshape(6, -1) @ G)
        rates.append(rate.reshape(6, -1) @ G)
        poses.append(X)
    return {
        "inverse_dynamics": tau,
        "forward_dynamics": np.linalg.solve(M, tau - bias) if acceleration is None else G.T @ acceleration,
        "mass_matrix": M,
        "mass_matrix_inverse": np.linalg.inv(M),
        "bias": bias,
        "kinetic_energy": np.array(data.energy[1]),
        "potential_energy": np.array(data.energy[0]),
        "center_of_mass": data.subtree_com[0].copy(),
        "center_of_mass_velocity": data.subtree_linvel[0].copy(),
        "centroidal_momentum": np.concatenate([mass * data.subtree_linvel[0], data.subtree_angmom[0]]),
        "forward_kinematics": np.array(poses),
        "jacobians": np.array(jacobians),
        "jacobians_time_derivative": np.array(rates),
    }


@pytest.mark.parametrize("name", ["ur5", "xarm7", "panda_mimic", "panda_locked", "allegro", "baxter"])
def test_every_function_that_mujoco_has(name: str) -> None:
    twin = twin_of(name)
    q, v, a = twin.peer.states(30, seed=21)
    truths = [truth_of(twin, *state) for state in zip(q, v, a, strict=True)]
    at = {"q": q, "v": v, "a": a, "tau": np.array([truth["inverse_dynamics"] for truth in truths])}
    compiled = symdyn.compile(twin.peer.robot, list(COMPILED))
    for function in truths[0]:
        truth = np.array([values[function] for values in truths])
        if function in COMPILED:
            (found,) = module_outputs(compiled, function, at)
        else:
            few, truth = {name: rows[:5] for name, rows in at.items()}, truth[:5]
            (found,) = recursion_outputs(twin.peer.robot, function, few, (truth,))
        # MuJoCo keeps orientations as quaternions, normalised at each body, and inertias by their principal axes;
        # what solves with M has its condition number on top
        tolerance = 1e-9 if function in ("forward_dynamics", "mass_matrix_inverse") else 1e-11
        assert relative_of_arrays(found, truth) < tolerance, function


SPRUNG = ("inverse_dynamics", "forward_dynamics", "bias", "potential_energy")


@pytest.mark.parametrize("name", ["ur5", "panda_mimic"])
def test_springs_between_the_links_of_every_joint(name: str) -> None:
    plain = twin_of(name)
    rng, joints, model = np.random.default_rng(6), [], mujoco_model(plain.peer.robot.description)
    for joint in plain.peer.robot.description.joints:
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
        if index >= 0:
            spring = Spring(float(rng.uniform(5.0, 80.0)), float(rng.uniform(-1.0, 1.0)))
            model.jnt_stiffness[index] = spring.stiffness
            model.qpos_spring[model.jnt_qposadr[index]] = spring.rest
            joint = replace(joint, loads=(spring,))
        joints.append(joint)
    description = replace(plain.peer.robot.description, joints=tuple(joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = symdyn.api.from_description(description)
    twin = replace(plain, model=model)
    q, v, a = plain.peer.states(10, seed=22)
    truths = [truth_of(twin, *state) for state in zip(q, v, a, strict=True)]
    rigid = [truth_of(plain, *state)["inverse_dynamics"] for state in zip(q, v, a, strict=True)]
    at = {"q": q, "v": v, "a": a, "tau": np.array([truth["inverse_dynamics"] for truth in truths])}
    assert relative_of_arrays(np.array(rigid), at["tau"]) > 0.1
    for function in SPRUNG:
        truth = np.array([values[function] for values in truths])
        inputs = {name: at[name] for name in ("q", "v", "a", "tau")}
        (found,) = recursion_outputs(robot, function, inputs, (truth,))
        assert relative_of_arrays(found, truth) < (1e-9 if function == "forward_dynamics" else 1e-11), function
