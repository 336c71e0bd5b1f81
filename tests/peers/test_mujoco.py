"""Inverse dynamics of robots on the ground against MuJoCo, whose model is written out from the description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import quoteattr

import mujoco
import numpy as np
import pytest

import symdyn
from symdyn.description.robot import Joint, JointKind, RobotDescription

pytestmark = pytest.mark.peers

HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
PREFIX = "link "
"""MuJoCo keeps the name ``world`` to itself, which many robots give to their root."""


def model_text(description: RobotDescription) -> str:
    """MJCF with the description's frames and joints; all inertias are unit and are set afterwards."""
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)

    def body(name: str, joint: Joint | None) -> str:
        inner = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        pose = ""
        if joint is not None:
            columns = np.array(joint.placement.rotation).T
            pose = f'pos="{numbers(joint.placement.translation)}" xyaxes="{numbers(columns[:2])}"'
            if joint.kind is not JointKind.FIXED:
                kind = "hinge" if joint.kind in HINGES else "slide"
                inner += f'<joint name={quoteattr(joint.name)} type="{kind}" axis="{numbers(joint.axis)}"/>'
        inner += "".join(body(below.child, below) for below in children.get(name, ()))
        return f"<body name={quoteattr(PREFIX + name)} {pose}>{inner}</body>"

    disabled = '<option gravity="0 0 -9.81"><flag constraint="disable" contact="disable"/></option>'
    head = '<compiler angle="radian" fusestatic="false" balanceinertia="false"/>'
    return f"<mujoco>{head}{disabled}<worldbody>{body(description.root, None)}</worldbody></mujoco>"


def numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values, dtype=float).ravel())


def mujoco_model(description: RobotDescription) -> Any:
    """A compiled model with the description's inertias, about their principal axes."""
    model = mujoco.MjModel.from_xml_string(model_text(description))
    for link in description.links:
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, PREFIX + link.name)
        model.body_mass[index], model.body_inertia[index] = 0.0, 0.0
        if link.inertial is not None:
            xx, xy, xz, yy, yz, zz = (float(str(value)) for value in link.inertial.moments)
            principal, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
            axes[:, 0] *= np.linalg.det(axes)
            turned = np.array(link.inertial.placement.rotation) @ axes
            model.body_mass[index], model.body_inertia[index] = float(str(link.inertial.mass)), principal
            model.body_ipos[index] = link.inertial.placement.translation
            mujoco.mju_mat2Quat(model.body_iquat[index], turned.ravel())
    model.dof_armature[:] = 0.0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


@pytest.mark.parametrize("name", ["ur5", "xarm7", "panda_mimic", "panda_locked", "allegro", "baxter"])
def test_tau(peers: Callable[..., Any], relative_error: Callable[..., float], name: str) -> None:
    peer = peers(name)
    model = mujoco_model(peer.robot.description)
    data = mujoco.MjData(model)
    joints = {joint.name: joint for joint in peer.robot.description.joints}
    rows = {row: index for index, row in enumerate(peer.robot.velocity_names)}
    locked = peer.robot.options.locked_joints
    # v_full = G v and q_full = G q + c, in MuJoCo's order
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
    q, v, a = peer.states(30, seed=21)
    expected = []
    for state in zip(q, v, a, strict=True):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ state[0] + c, G @ state[1], G @ state[2]
        mujoco.mj_inverse(model, data)
        expected.append(G.T @ data.qfrc_inverse)
    found = symdyn.compile(peer.robot, ["inverse_dynamics"]).inverse_dynamics(q, v, a)
    # MuJoCo keeps orientations as quaternions, normalised at each body, and inertias by their principal axes
    assert relative_error(found, np.array(expected)) < 1e-11
