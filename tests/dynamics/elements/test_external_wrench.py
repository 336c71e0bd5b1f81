"""External wrenches do the power that the bodies' velocities give them, in both axes and both conventions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.robots.random_trees import robots
from support.robots.small import loaded, massive, single, torque

from symdyn.algebra.spatial.rotations import from_quaternion
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.functions.catalogue import CATALOGUE
from symdyn.functions.request import Request
from symdyn.model.lock import joint_placement
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


def poses(robot: Robot, q: Array) -> dict[str, tuple[Array, Array]]:
    """World rotation and origin of each link's frame, joint by joint from the description."""
    description = robot.description
    base = np.eye(3), np.zeros(3)
    if robot.coordinate_names[0] == "root.x":
        base = np.array(from_quaternion(*q[3:7]).entries), q[:3]
    found = {description.root: base}
    pending = list(description.joints)
    while pending:
        item = pending.pop(0)
        if item.parent not in found:
            pending.append(item)
            continue
        rows = [k for k, name in enumerate(robot.coordinate_names) if name.split(".")[0] == item.name]
        if item.kind is JointKind.FIXED:
            turned, moved = np.eye(3), np.zeros(3)
        else:
            rotation, translation = joint_placement(item, [float(value) for value in q[rows]])
            turned, moved = np.array(rotation), np.array(translation)
        R, p = found[item.parent]
        joint_R = R @ np.array(item.placement.rotation)
        at = p + R @ np.array(item.placement.translation, dtype=float)
        found[item.child] = joint_R @ turned, at + joint_R @ moved
    return found


def velocities(robot: Robot, q: Array, v: Array) -> dict[str, tuple[Array, Array]]:
    """World linear velocity of each link's origin and angular velocity, by fourth-order differences."""
    h = 2e-4
    at = {step: poses(robot, robot.integrate(q, step * h * v)) for step in (-2, -1, 1, 2)}
    here = poses(robot, q)
    found = {}
    for link in here:
        near = [at[1][link][k] - at[-1][link][k] for k in (0, 1)]
        far = [at[2][link][k] - at[-2][link][k] for k in (0, 1)]
        rate = [(8 * inner - outer) / (12 * h) for inner, outer in zip(near, far, strict=True)]
        spin = rate[0] @ here[link][0].T
        found[link] = rate[1], np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]]) / 2
    return found


@settings(max_examples=60)
@given(
    robots(max_joints=6, mimics=False),
    st.sampled_from(("pinocchio", "spatial")),
    st.sampled_from(("body", "world")),
    st.integers(0, 2**32 - 1),
)
def test_virtual_power(description: RobotDescription, convention: str, axes: str, seed: int) -> None:
    # A joint's name must not begin another's, since rows are found by it.
    plain = replace(description, joints=tuple(replace(j, name=f"j{k:03}") for k, j in enumerate(description.joints)))
    robot = loaded(plain, convention=convention)
    rng = np.random.default_rng(seed)
    q, v = robot.random_state(rng)
    v, a = v / max(1.0, float(np.linalg.norm(v))), rng.standard_normal(robot.nv)
    wrenches = rng.standard_normal((len(robot.body_names), 6))
    none = torque(robot, q, v, a)
    assert torque(robot, q, v, a, axes, f_ext=np.zeros(wrenches.size)) == pytest.approx(none, rel=1e-13, abs=1e-13)
    change = np.array(none) - torque(robot, q, v, a, axes, f_ext=wrenches.ravel())
    moving, standing = velocities(robot, q, v), poses(robot, q)
    power = 0.0
    for name, row in zip(robot.body_names, wrenches, strict=True):
        R = standing[name][0] if axes == "body" else np.eye(3)
        force, moment = (row[:3], row[3:]) if convention == "pinocchio" else (row[3:], row[:3])
        linear, angular = moving[name]
        power += float((R @ force) @ linear + (R @ moment) @ angular)
    assert v @ change == pytest.approx(power, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(
    ("convention", "lift"),
    [("pinocchio", [0.0, 0.0, 19.62, 0.0, 0.0, 0.0]), ("spatial", [0.0, 0.0, 0.0, 0.0, 0.0, 19.62])],
)
def test_a_lift_at_the_center_carries_the_weight(convention: str, lift: list[float]) -> None:
    description = replace(single(JointKind.FIXED, massive("body", center=(0.0, 0.0, 0.0))), floating_base=True)
    robot = loaded(description, convention=convention)
    tau = torque(robot, robot.neutral(), [0.0] * 6, [0.0] * 6, "world", f_ext=lift)
    assert tau == pytest.approx([0.0] * 6, abs=1e-15)


def test_the_massless_body_of_a_universal_joint_takes_no_wrench() -> None:
    robot = loaded(single(JointKind.UNIVERSAL))
    signature = CATALOGUE["inverse_dynamics"].signature(robot.model, Request("body"))
    assert signature.input("f_ext").shape == (1, 6)
    assert signature.input("f_ext").element_names[:2] == ("body,fx", "body,fy")
