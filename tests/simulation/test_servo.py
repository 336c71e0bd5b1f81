"""Servos: errors fade as critically damped ones do, forces keep their limits, and robots stand on their contacts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import symdyn

RATE = 10.0
WALKER = Path(__file__).resolve().parents[2] / "examples/ground"
FALLING = """
format: 1
name: ball
links: {ball: {mass: 1.0, inertia: {xx: 1, yy: 1, zz: 1}}}
"""
BIPED = "".join(
    [
        '<robot name="biped"><link name="trunk"><inertial><origin xyz="0 0 0.25"/><mass value="30"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial></link>',
        *(
            f'<link name="{side}_{part}"><inertial><origin xyz="{forward} 0 {middle}"/><mass value="{mass}"/><inertia '
            f'ixx="0.03" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.01"/></inertial>{shape}</link>'
            f'<joint name="{side}_{joint}" type="revolute"><parent link="{parent}"/><child link="{side}_{part}"/>'
            f'<origin xyz="0 {y} {z}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="300" velocity="10"/>'
            "</joint>"
            for side, place in (("left", 0.1), ("right", -0.1))
            for part, joint, parent, y, z, axis, mass, forward, middle, shape in (
                ("hip", "roll", "trunk", place, 0, "1 0 0", 1, 0, 0, ""),
                ("thigh", "pitch", f"{side}_hip", 0, 0, "0 1 0", 5, 0, -0.2, ""),
                ("shank", "knee", f"{side}_thigh", 0, -0.4, "0 1 0", 3, 0, -0.2, ""),
                ("heel", "ankle", f"{side}_shank", 0, -0.4, "0 1 0", 0.5, 0, 0, ""),
                (
                    "foot",
                    "tilt",
                    f"{side}_heel",
                    0,
                    0,
                    "1 0 0",
                    1,
                    0.03,
                    -0.04,
                    '<collision><origin xyz="0.03 0 -0.05"/><geometry><box size="0.22 0.1 0.02"/></geometry>'
                    "</collision>",
                ),
            )
        ),
        "</robot>",
    ]
)


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", ["double_pendulum", "four_bar"])
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_errors_fade_as_those_of_a_critically_damped_oscillator(name: str) -> None:
    robot = symdyn.load_example(name)
    row = robot.independent_coordinates[0]
    start = robot.close(robot.neutral())
    at = robot.coordinate_names.index(row)
    times = np.linspace(0.0, 0.6, 13)
    motion = symdyn.simulate(robot, start, t=times, servo={row: start[at] + 0.2}, rtol=1e-9, atol=1e-11)
    expected = start[at] + 0.2 * (1.0 - (1.0 + RATE * times) * np.exp(-RATE * times))
    assert np.abs(motion.q[:, at] - expected).max() < 1e-7  # a hundred times the error of a step


@pytest.mark.needs_cc
def test_motors_behind_springs_have_the_servos() -> None:
    motion = symdyn.simulate(symdyn.load_example("elastic_arm"), t=0.1, servo=True)
    assert motion.velocity_names == ("shoulder", "elbow", "elbow.motor")
    assert not motion.inputs[:, 1].any() and (motion.inputs[1:, [0, 2]] != 0.0).all()


@pytest.mark.needs_cc
def test_a_constant_force_moves_joints_by_its_acceleration_over_the_square_of_the_rate() -> None:
    robot = symdyn.load_example("double_pendulum")
    force = np.array([0.7, -0.2])
    motion = symdyn.simulate(robot, [0.3, 0.4], t=3.0, servo=True, inputs=force, rtol=1e-9, atol=1e-11)
    mass = symdyn.compile(robot, ["mass_matrix"]).mass_matrix(motion.q[-1])
    assert np.abs(motion.q[-1] - [0.3, 0.4] - np.linalg.solve(mass, force) / RATE**2).max() < 1e-7


@pytest.mark.needs_cc
def test_forces_stay_within_their_limits() -> None:
    robot = symdyn.load_example("seven_dof_arm")
    motion = symdyn.simulate(robot, t=1.0, servo={robot.coordinate_names[1]: 1.2})
    assert (np.abs(motion.inputs) <= robot.limits.effort).all() and "clipped" in "".join(motion.messages)


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_a_humanoid_recovers_from_a_push() -> None:
    robot = symdyn.loads(BIPED, "urdf", floating_base=True, contacts="ground")
    bends = {"pitch": -0.4, "knee": 0.8, "ankle": -0.4}
    q = {f"{side}_{name}": angle for side in ("left", "right") for name, angle in bends.items()}
    v = np.zeros(robot.nv)
    v[:2] = 0.15, 0.05
    motion = symdyn.simulate(robot, q, v, t=np.linspace(0.0, 3.0, 31), servo=True, h=2e-3)
    # feet that tilt come down a little elsewhere, to which joints adapt by as much
    assert np.abs(motion.q[-1] - motion.q[0]).max() < 5e-3 and np.abs(motion.v[-1]).max() < 1e-6
    assert np.abs(motion.q[:, :3] - motion.q[0, :3]).max() > 5e-3  # it was moved
    assert motion.contacts is not None
    borne = motion.contacts.forces[-1].reshape(-1, 3)[:, 2].sum()
    assert borne == pytest.approx(51.0 * 9.81, rel=1e-6)  # the masses above


@pytest.mark.needs_cc
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_a_robot_that_is_dropped_keeps_its_joints_until_it_lands_and_then_stands() -> None:
    robot = symdyn.load(WALKER / "walker.urdf", floating_base=True, contacts=WALKER / "flat.yaml")
    standing = symdyn.simulate(robot, t=1e-3).q[0]
    start = standing.copy()
    start[2] += 0.3
    start[3:7] = 0.0, np.sin(0.1), 0.0, np.cos(0.1)  # 0.2 rad forwards
    times = np.linspace(0.0, 2.5, 251)
    motion = symdyn.simulate(robot, start, t=times, servo=True)
    assert motion.contacts is not None
    borne = motion.contacts.forces.reshape(len(times), -1, 3)[:, :, 2].sum(axis=1)
    flight = times < 0.15
    assert not borne[flight].any() and np.abs(motion.q[flight, 7:] - start[7:]).max() < 1e-9
    assert motion.q[flight, 2] == pytest.approx(start[2] - 0.5 * 9.81 * times[flight] ** 2, abs=1e-3)
    assert np.abs(motion.v[-1]).max() < 1e-3 and abs(motion.q[-1, 2] - standing[2]) < 0.02
    assert borne[-1] == pytest.approx(symdyn.generation.called_functions.weight(robot), rel=1e-4)
    assert np.abs(motion.q[-1, 3:7] - [0.0, 0.0, 0.0, 1.0]).max() < 0.05  # feet that touch have turned the base


@pytest.mark.unit
def test_what_servos_cannot_be() -> None:
    arm = symdyn.load_example("double_pendulum")
    with pytest.raises(symdyn.errors.RequestError, match="expected True, a position"):
        symdyn.simulate(arm, servo="hold")
    with pytest.raises(symdyn.errors.RequestError, match="there are"):
        symdyn.simulate(arm, servo={"elbw": 0.1})
    with pytest.raises(symdyn.errors.RequestError, match="no joint that may have one"):
        symdyn.simulate(symdyn.loads(FALLING, "yaml", floating_base=True), servo=True)
    soft = symdyn.load_example("cable_manipulator")
    with pytest.raises(symdyn.errors.RequestError, match="generalised forces"):
        symdyn.simulate(soft, servo=True, drive="actuators")
