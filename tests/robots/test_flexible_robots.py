"""The files of the flexible robots: what they say is what their sources and their cross-sections give."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import symdyn.robot.shipped
from symdyn.description.flexible import Basis, Direction, Flexible
from symdyn.description.read import read_robot
from symdyn.description.robot import RobotDescription

FOLDER = Path(symdyn.robot.shipped.__file__).parent


def read(name: str) -> RobotDescription:
    return read_robot(FOLDER / f"{name}.yaml", strict=True)


def beams(robot: RobotDescription) -> dict[str, Flexible]:
    return {link.name: link.flexible for link in robot.links if link.flexible is not None}


def constant(profile: object) -> float:
    (value,) = profile.values  # type: ignore[attr-defined]
    return float(value)


def test_canadarm_has_the_numbers_of_its_table() -> None:
    robot, rigid = read("canadarm"), read("canadarm_rigid")
    assert robot.gravity == (0.0, 0.0, 0.0)
    found = beams(robot)
    assert [beam.length for beam in found.values()] == [6.0, 7.0, 2.0]
    masses = [constant(beam.mass_per_length) * beam.length for beam in found.values()]
    assert masses == pytest.approx([140.0, 85.0, 95.0], rel=1e-15)
    for beam in found.values():
        assert [(modes.direction, modes.basis, modes.count) for modes in beam.modes] == [
            (Direction.BEND_Y, Basis.CLAMPED_FREE, 2),
            (Direction.BEND_Z, Basis.CLAMPED_FREE, 2),
        ]
        assert [constant(modes.stiffness) for modes in beam.modes] == [1e5, 1e5]
    # The same joints as the rigid arm, and no hubs.
    assert [(joint.kind, joint.axis, joint.placement) for joint in robot.joints] == [
        (joint.kind, joint.axis, joint.placement) for joint in rigid.joints
    ]
    assert all(link.inertial is None for link in robot.links)


def test_single_link_is_a_blade_on_edge() -> None:
    robot = read("flexible_single_link")
    (beam,) = beams(robot).values()
    (bend,) = beam.modes
    assert (bend.direction, bend.count, bend.basis) == (Direction.BEND_Y, 3, Basis.CLAMPED_TIP_MASS)
    assert constant(bend.stiffness) == pytest.approx(70e9 * 0.04 * 0.003**3 / 12, rel=1e-14)
    payload = next(link.inertial for link in robot.links if link.name == "payload")
    assert payload is not None and (beam.tip_mass, beam.tip_inertia) == (payload.mass, payload.moments[5])
    # The payload sits on the centre of the far section: the hub's rim, and then the length of the blade.
    grip = next(joint for joint in robot.joints if joint.name == "grip")
    assert grip.placement.translation == (beam.placement.translation[0] + beam.length, 0.0, 0.0)


def test_mixed_arm_is_a_tube_between_rigid_links() -> None:
    robot = read("mixed_arm")
    assert list(beams(robot)) == ["boom"]
    (beam,) = beams(robot).values()
    bend_y, bend_z, torsion = beam.modes
    assert [modes.count for modes in beam.modes] == [2, 2, 1]
    # A tube of 40 mm with walls of 2 mm, by its mean radius: right to the square of wall over radius.
    area, moment = 2 * math.pi * 0.019 * 0.002, math.pi * 0.019**3 * 0.002
    assert constant(beam.mass_per_length) == pytest.approx(2700 * area, rel=1e-12)
    assert constant(bend_y.stiffness) == constant(bend_z.stiffness) == pytest.approx(70e9 * moment, rel=4e-3)
    assert constant(torsion.stiffness) == pytest.approx(26e9 * 2 * moment, rel=4e-3)
    assert beam.section_inertia is not None
    assert [constant(each) for each in beam.section_inertia] == pytest.approx([2700 * moment] * 2, rel=4e-3)
    assert [joint.name for joint in robot.joints if joint.elastic is not None] == ["elbow"]
    assert len({joint.axis for joint in robot.joints}) == 2
    assert [frame.name for frame in robot.frames] == ["tool"]
