"""Maps of mimic joints, mixed twists of free bases, and wrenches through fixed joints, against hand-made results."""

from __future__ import annotations

import numpy as np
import pytest

import symdyn
from symdyn import api
from symdyn.errors import ModelError, RequestError
from symdyn.robot.robot import Robot

FINGERS = """
<robot name="fingers">
  <link name="palm"/>
  <link name="one"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="two"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"><inertial><mass value="0.5"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="revolute"><parent link="palm"/><child link="one"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/><axis xyz="0 1 0"/>
    <origin xyz="0.3 0 0"/><mimic joint="a" multiplier="-0.5" offset="0.25"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="c" type="prismatic"><parent link="palm"/><child link="slide"/><axis xyz="1 0 0"/>
    <mimic joint="b" multiplier="0.04" offset="0.01"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""
SENSOR = """
name: sensed
links:
  base: {}
  arm: {mass: 2, com: [0, 0, 0.2], inertia: {xx: 0.1, yy: 0.1, zz: 0.05}}
  mount: {mass: 0.3, com: [0.01, 0, 0.02], inertia: {xx: 0.002, yy: 0.002, zz: 0.003}}
  tool: {mass: 0.5, com: [0, 0.1, 0.02], inertia: {xx: 0.004, yy: 0.003, zz: 0.002}}
joints:
  swing: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
  sensor: {type: fixed, parent: arm, child: mount, translation: [0, 0.1, 0.4], rpy: [0.1, 0.2, 0.3]}
  flange: {type: fixed, parent: mount, child: tool, translation: [0.05, 0, 0.04]}
"""


def test_the_matrix_of_mimic_joints_is_the_products_of_their_multipliers() -> None:
    robot = symdyn.loads(FINGERS, "urdf")
    assert robot.mimic_names == ("a", "b", "c")
    np.testing.assert_array_equal(robot.mimic_matrix, [[1.0], [-0.5], [-0.02]])
    np.testing.assert_allclose(robot.mimic_offset, [0.0, 0.25, 0.02], rtol=1e-15)
    found = robot.joint_positions([[0.4], [-1.0]])
    np.testing.assert_allclose(found["b"], [[0.05], [0.75]], rtol=1e-15)
    np.testing.assert_allclose(found["c"], [[0.012], [0.04]], rtol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        robot.mimic_matrix[0, 0] = 2.0


def test_the_mass_matrix_of_a_robot_with_mimic_joints_is_that_of_all_joints_between_the_map() -> None:
    robot = symdyn.loads(FINGERS, "urdf")
    free = symdyn.loads("\n".join(_without_mimic(FINGERS)), "urdf")
    q = np.array([0.7])
    whole = np.concatenate([robot.joint_positions(q)[name] for name in free.velocity_names])
    M = np.reshape(_value(free, "mass_matrix", q=whole)["M"], (3, 3))
    G = robot.mimic_matrix
    np.testing.assert_allclose(_value(robot, "mass_matrix", q=q)["M"], (G.T @ M @ G).ravel(), rtol=1e-13)


def test_a_motor_behind_a_spring_and_a_free_base_have_rows_of_their_own() -> None:
    robot = symdyn.loads(SENSOR, "yaml", floating_base=True).with_elastic_joint("swing", 10.0, rotor_inertia=0.1)
    assert robot.mimic_names == robot.velocity_names
    np.testing.assert_array_equal(robot.mimic_matrix, np.eye(robot.nv))
    q, _ = robot.random_state(0)
    np.testing.assert_array_equal(robot.joint_positions(q)["root"], q[:7])


@pytest.mark.parametrize("convention", ["pinocchio", "spatial", "mujoco"])
def test_rows_of_the_mixed_twist_are_those_of_the_jacobian_of_the_base(convention: str) -> None:
    robot = symdyn.loads(SENSOR, "yaml", floating_base=True, convention=convention)
    q, v = robot.random_state(3)
    T = robot.mixed_velocity_matrix(q)
    J = np.reshape(_value(robot, "jacobians", q=q)["J"], (-1, 6, robot.nv))[robot.frame_names.index("base")]
    np.testing.assert_allclose(T[:6], J, atol=1e-15)
    np.testing.assert_array_equal(T[6], [0.0] * 6 + [1.0])
    # along a motion the linear rows are how fast the origin moves
    h = 1e-6
    ends = [robot.integrate(q, sign * h * v)[:3] for sign in (1.0, -1.0)]
    np.testing.assert_allclose((T @ v)[:3], (ends[0] - ends[1]) / (2 * h), atol=1e-8)
    assert robot.mixed_velocity_matrix(np.stack([q, q]))[1] == pytest.approx(T)


def test_a_declared_free_joint_turned_in_the_world_has_a_mixed_twist_too() -> None:
    text = SENSOR.replace("swing: {type: revolute, parent", "swing: {type: floating, rpy: [0.3, -0.8, 0.5], parent")
    robot = symdyn.loads(text.replace(", axis: [0, 1, 0]", ""), "yaml")
    q, _ = robot.random_state(3)
    J = np.reshape(_value(robot, "jacobians", q=q)["J"], (-1, 6, robot.nv))[robot.frame_names.index("arm")]
    np.testing.assert_allclose(robot.mixed_velocity_matrix(q), J, atol=1e-15)


def test_a_fixed_joint_transmits_what_moves_all_beyond_it() -> None:
    """By hand: d/dt of momentum and spin of mount and tool about the sensor's origin, by differences in the world."""
    robot = symdyn.loads(SENSOR, "yaml").with_force_sensor(["sensor", "flange"])
    assert robot.body_names == ("arm", "mount", "tool") and robot.nv == 1 and robot.coordinate_names == ("swing",)
    assert symdyn.loads(SENSOR, "yaml").with_force_sensor("sensor", "flange").description == robot.description
    q, v, a, h = 0.6, -1.3, 2.1, 1e-4
    F = np.reshape(_value(robot, "joint_wrenches", q=[q], v=[v], a=[a])["F"], (-1, 6))
    for name, beyond in (("mount", ("mount", "tool")), ("tool", ("tool",))):
        momenta = [_momentum(robot, beyond, q + v * t + a * t * t / 2, v + a * t, name, q) for t in (-h, h)]
        rate = (momenta[1] - momenta[0]) / (2 * h)
        R, origin = _pose(robot, name, q)
        for link in beyond:
            mass, centre = _centre(robot, link, q)
            weight = mass * np.array([0.0, 0.0, -9.81])
            rate -= np.concatenate([weight, np.cross(centre - origin, weight)])
        expected = np.concatenate([R.T @ rate[:3], R.T @ rate[3:]])
        np.testing.assert_allclose(F[robot.body_names.index(name)], expected, rtol=1e-6, atol=1e-6)


def test_a_robot_with_a_sensor_moves_as_before_and_is_read_again() -> None:
    plain = symdyn.loads(SENSOR, "yaml")
    robot = plain.with_force_sensor("sensor")
    given = {"q": [0.6], "v": [-1.3], "a": [2.1]}
    tau = _value(plain, "inverse_dynamics", **given)["tau"]
    assert _value(robot, "inverse_dynamics", **given)["tau"] == pytest.approx(tau, rel=1e-14)
    assert symdyn.loads(robot.to_yaml(), "yaml").model == robot.model
    # a wrench at the sensor's body passes through the joint whole
    push = {"f_ext": [0.0] * 6 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    call = api.float_recursion(robot, "joint_wrenches", external_wrenches="body")
    change = np.subtract(_value(robot, "joint_wrenches", **given)["F"], call({**given, **push})["F"])
    assert change[6:] == pytest.approx(push["f_ext"][6:], rel=1e-12)


def test_what_cannot_be_kept_apart_is_refused() -> None:
    robot = symdyn.loads(SENSOR, "yaml")
    with pytest.raises(ModelError, match=r"no joint 'senser'.*did you mean 'sensor'"):
        robot.with_force_sensor("senser")
    with pytest.raises(ModelError, match="'swing' is revolute, expected a fixed one"):
        robot.with_force_sensor("swing")
    with pytest.raises(ModelError, match="no joint of one coordinate moves"):
        symdyn.loads(SENSOR, "yaml", floating_base=True, locked_joints={"swing": 0.0}).with_force_sensor("sensor")
    with pytest.raises(RequestError, match="expected the name of a fixed joint"):
        robot.with_force_sensor([])
    with pytest.raises(RequestError, match=r"joint is a list of names such as \['flange'\], got 3"):
        robot.with_force_sensor(3)  # type: ignore[arg-type]


def _value(robot: Robot, function: str, **inputs: object) -> dict[str, list[float]]:
    call = api.float_recursion(robot, function)
    return call({name: np.ravel(rows).tolist() for name, rows in inputs.items()})  # type: ignore[call-overload]


def _without_mimic(text: str) -> list[str]:
    return [line.split("<mimic")[0] + line.split("/>", 1)[1] if "<mimic" in line else line for line in _spread(text)]


def _spread(text: str) -> list[str]:
    return text.replace("<mimic", "\n<mimic").splitlines()


def _pose(robot: Robot, link: str, q: float) -> tuple[np.ndarray, np.ndarray]:
    X = np.reshape(_value(robot, "forward_kinematics", q=[q])["X"], (-1, 4, 4))[robot.frame_names.index(link)]
    return X[:3, :3], X[:3, 3]


def _centre(robot: Robot, link: str, q: float) -> tuple[float, np.ndarray]:
    mass, com = {"mount": (0.3, (0.01, 0.0, 0.02)), "tool": (0.5, (0.0, 0.1, 0.02))}[link]
    R, p = _pose(robot, link, q)
    return mass, p + R @ np.array(com)


def _momentum(robot: Robot, links: tuple[str, ...], q: float, v: float, about: str, at: float) -> np.ndarray:
    """Momentum and spin about a point that rests where a frame is at a position, by the Jacobian (0, 1, 0)."""
    point = _pose(robot, about, at)[1]
    omega = np.array([0.0, v, 0.0])
    total = np.zeros(6)
    for link in links:
        R, _ = _pose(robot, link, q)
        mass, centre = _centre(robot, link, q)
        moment = {"mount": (0.002, 0.002, 0.003), "tool": (0.004, 0.003, 0.002)}[link]
        momentum = mass * np.cross(omega, centre)
        spin = R @ np.diag(moment) @ R.T @ omega
        total += np.concatenate([momentum, np.cross(centre - point, momentum) + spin])
    return total
