"""Wrenches through fixed joints, mixed twists of free bases and maps of mimic joints, against Pinocchio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import symdyn

pytestmark = pytest.mark.peers

Array = NDArray[np.float64]
LEG = """
<robot name="leg">
  <link name="trunk"><inertial><origin xyz="0.02 0.1 0.01"/><mass value="3"/>
    <inertia ixx="0.2" iyy="0.3" izz="0.4" ixy="0.01" ixz="0.02" iyz="0"/></inertial></link>
  <link name="shank"><inertial><origin xyz="0 0.1 -0.2"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.02" ixy="0" ixz="0" iyz="0.001"/></inertial></link>
  <link name="sensor"><inertial><origin xyz="0 0 0.01"/><mass value="0.2"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="foot"><inertial><origin xyz="0.05 0 -0.01"/><mass value="0.6"/>
    <inertia ixx="0.002" iyy="0.003" izz="0.002" ixy="0" ixz="0.0001" iyz="0"/></inertial></link>
  <link name="toe"><inertial><origin xyz="0.02 0 0"/><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a_knee" type="revolute"><parent link="trunk"/><child link="shank"/>
    <origin xyz="0 0.1 -0.3" rpy="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="ankle_ft" type="KIND"><parent link="shank"/><child link="sensor"/><axis xyz="0 0 1"/>
    <origin xyz="0 0.02 -0.4" rpy="0.2 -0.3 0.5"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="sole" type="fixed"><parent link="sensor"/><child link="foot"/><origin xyz="0.01 0 -0.05"/></joint>
  <joint name="toes" type="revolute"><parent link="foot"/><child link="toe"/><origin xyz="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/>MIMIC</joint>
</robot>
"""


def files(folder: Path, kind: str = "revolute", mimic: str = "") -> tuple[Path, pin.Model]:
    """The robot with a fixed sensor, and Pinocchio's model where the sensor's joint is of a kind."""
    (folder / "own.urdf").write_text(LEG.replace("KIND", "fixed").replace("MIMIC", mimic))
    model = pin.buildModelFromXML(LEG.replace("KIND", kind).replace("MIMIC", ""), pin.JointModelFreeFlyer())
    return folder / "own.urdf", model


def state(robot: symdyn.Robot, seed: int) -> tuple[Array, Array, Array]:
    q, v = robot.random_state(seed)
    return q, v, np.random.default_rng(seed).standard_normal(robot.nv)


def still(rows: Array, at: int) -> Array:
    """Pinocchio's rows: those of the sensor, between knee and toes, are zero."""
    return np.insert(rows, at, 0.0)


@pytest.mark.needs_cc
def test_the_wrench_at_a_fixed_sensor(tmp_path: Path) -> None:
    path, model = files(tmp_path)
    robot = symdyn.load(path, floating_base=True).with_force_sensor("ankle_ft")
    assert robot.velocity_names[6:] == ("a_knee", "toes")
    module, data = symdyn.compile(robot, ["joint_wrenches"], external_wrenches="body"), model.createData()
    for seed in range(5):
        q, v, a = state(robot, seed)
        f_ext = np.random.default_rng(seed + 50).standard_normal((len(robot.body_names), 6))
        pushes = pin.StdVec_Force()
        pushes.append(pin.Force.Zero())
        for push in f_ext:
            pushes.append(pin.Force(push))
        pin.rnea(model, data, still(q, 8), still(v, 7), still(a, 7), pushes)
        found = module.joint_wrenches(q, v, a, f_ext)
        for row, name in enumerate(robot.body_names):
            joint = {"trunk": "root_joint", "shank": "a_knee", "sensor": "ankle_ft", "toe": "toes"}[name]
            expected = data.f[model.getJointId(joint)].vector
            np.testing.assert_allclose(found[row], expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.needs_cc
@pytest.mark.parametrize("convention", ["pinocchio", "spatial", "mujoco"])
def test_the_mixed_twist_of_a_base_and_jacobians_by_it(tmp_path: Path, convention: str) -> None:
    path, model = files(tmp_path, "fixed")
    robot, plain = (symdyn.load(path, floating_base=True, convention=name) for name in (convention, "pinocchio"))
    module, data = symdyn.compile(robot, ["jacobians"]), model.createData()
    trunk = model.getFrameId("trunk")
    for seed in range(3):
        q, v, _ = state(plain, seed)
        own = np.concatenate([q[:3], q[[6, 3, 4, 5]], q[7:]]) if convention == "mujoco" else q
        T = robot.mixed_velocity_matrix(own)
        pin.forwardKinematics(model, data, q, v)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        mixed = np.concatenate([pin.getFrameVelocity(model, data, trunk, pin.LOCAL_WORLD_ALIGNED).vector, v[6:]])
        # The rows of Pinocchio's v that move the base, in those of the mixed representation.
        np.testing.assert_allclose(plain.mixed_velocity_matrix(q) @ v, mixed, atol=1e-13)
        back = np.linalg.inv(plain.mixed_velocity_matrix(q))
        found = module.jacobians(own) @ np.linalg.inv(T)
        for row, name in enumerate(robot.frame_names):
            J = pin.getFrameJacobian(model, data, model.getFrameId(name), pin.LOCAL_WORLD_ALIGNED)
            np.testing.assert_allclose(found[row], J @ back, atol=1e-12)


@pytest.mark.needs_cc
def test_the_map_of_mimic_joints_takes_the_mass_matrix_of_all(tmp_path: Path) -> None:
    path, model = files(tmp_path, "fixed", '<mimic joint="a_knee" multiplier="-0.7" offset="0.3"/>')
    robot = symdyn.load(path, floating_base=True)
    module, data = symdyn.compile(robot, ["mass_matrix", "gravity"]), model.createData()
    q, _, _ = state(robot, 4)
    positions, G = robot.joint_positions(q), robot.mimic_matrix
    whole = np.concatenate([positions["root"], positions["a_knee"], positions["toes"]])
    M = pin.crba(model, data, whole)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(module.mass_matrix(q), G.T @ M @ G, atol=1e-12)
    g = pin.computeGeneralizedGravity(model, data, whole)
    np.testing.assert_allclose(module.gravity(q), G.T @ g, atol=1e-12)
