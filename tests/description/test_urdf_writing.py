"""Robots written as URDF and read back: numbers to rounding, shapes, contacts beside it, what is listed and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.description.checks.rotation import rotation_from_rpy
from symdyn.description.collision import Mesh
from symdyn.description.robot import RobotDescription
from symdyn.description.urdf.read import parse_urdf
from symdyn.description.urdf.write import rpy_of
from symdyn.errors import DescriptionError
from symdyn.robot.robot import Robot

pytestmark = pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
WALKER = """
name: walker & co
floating_base: true
gravity: [0.5, 0, -9.7]
links:
  body:
    mass: 3.2
    com: [0.01, 0.02, -0.03]
    inertia: {xx: 0.03, yy: 0.04, zz: 0.05, xy: 0.001, xz: -0.002, yz: 0.0005}
    collision: {belly: {box: [0.3, 0.2, 0.1], at: [0.1, 0, 0], rpy: [0.1, 0.2, 0.3]}}
  leg: {mass: 0.4, com: [0, 0, -0.1], inertia: {xx: 0.002, yy: 0.002, zz: 0.0005},
    collision: {foot: {sphere: 0.03, at: [0, 0, -0.2]}, shin: {capsule: [[0, 0, 0], [0.02, 0.01, -0.2]], radius: 0.02},
      drum: {cylinder: [[0, 0, 0.1], [0, 0.1, 0.1]], radius: 0.03}, toe: {hull: [[0, 0, -0.2], [0.1, 0, -0.2],
      [0, 0.1, -0.2], [0, 0, -0.3]]}}}
  wheel: {mass: 0.2, inertia: {xx: 0.001, yy: 0.001, zz: 0.0005}}
  slide: {mass: 0.2, inertia: {xx: 0.001, yy: 0.001, zz: 0.0005}}
  nut: {mass: 0.1, inertia: {xx: 0.0001, yy: 0.0001, zz: 0.0001}}
  head: {mass: 0.1, inertia: {xx: 0.0001, yy: 0.0001, zz: 0.0001}}
  cross: {mass: 0.1, inertia: {xx: 0.0001, yy: 0.0001, zz: 0.0001}}
joints:
  hip: {type: revolute, parent: body, child: leg, axis: [0.6, 0, 0.8], translation: [0.1, 0.2, 0.3],
    rpy: [0.4, 1.5707963267948966, -0.7], limits: {lower: -1, upper: 2, effort: 20, velocity: 7, jerk: 9},
    losses: {damping: 0.1, friction: 0.2}, actuator: {rotor_inertia: 1e-5, gear_ratio: 9}}
  spin: {type: continuous, parent: leg, child: wheel, axis: [0, 1, 0], translation: [0, 0, -0.2], rpy: [1, 2, 3]}
  rail: {type: prismatic, parent: leg, child: slide, axis: [0, 0, 1], limits: {lower: -1, upper: 1},
    mimic: {joint: hip, multiplier: 0.1, offset: 0.2}}
  screw: {type: helical, parent: body, child: nut, axis: [0, 0, 1], pitch: 0.01}
  neck: {type: spherical, parent: body, child: head, translation: [0.2, 0, 0]}
  cardan: {type: universal, parent: head, child: cross, axis: [0, 0, 1], second_axis: [1, 0, 0]}
frames: {eye: {link: head, translation: [0, 0.1, 0], rpy: [0.3, 0.2, 0.1]}}
obstacles:
  floor: {plane: {point: [0, 0, -0.5]}, velocity: [0.1, 0, 0]}
  step: {box: {size: [1, 1, 0.1], at: [1, 0, 0.05]}}
contacts:
  feet: {of: [{link: leg, shape: foot}, {link: leg, shape: toe}], with: [floor, step], friction: 0.6, restitution: 0.1}
  hit: {of: [{link: wheel, shape: none}], with: floor, friction: 0.2}
limits: {rigid: true, restitution: 0.1}
joint_friction: dry
load: {joint_losses: true}
""".replace("  hit: {of: [{link: wheel, shape: none}], with: floor, friction: 0.2}\n", "")


def walker() -> Robot:
    return symdyn.loads(WALKER, format="yaml")


def numbers(own: Any) -> Iterator[float]:
    if isinstance(own, float | int):
        yield float(own)
    elif isinstance(own, tuple | list):
        for entry in own:
            yield from numbers(entry)


def figures(robot: RobotDescription) -> dict[str, np.ndarray]:
    """All numbers of links and joints, by name."""
    found: dict[str, np.ndarray] = {}
    for link in robot.links:
        own = link.inertial
        found[link.name] = np.array(
            []
            if own is None
            else [*numbers((own.mass, own.moments, own.placement.translation, own.placement.rotation))]
        )
        for shape in link.offered_shapes:
            if not isinstance(shape, Mesh):
                parts = (shape.shape.points, shape.shape.radius, shape.shape.size, shape.shape.rotation)
                found[f"{link.name}.{shape.name}"] = np.array([*numbers(parts)])
    for joint in robot.joints:
        rotor = joint.actuator
        parts = (joint.placement.translation, joint.placement.rotation, joint.axis, joint.second_axis, joint.pitch)
        driven = () if rotor is None else (rotor.rotor_inertia, rotor.gear_ratio)
        losses = (joint.losses.damping, joint.losses.friction)
        found[joint.name] = np.array([*numbers((parts, driven, losses))])
    return found


def test_a_robot_comes_back_to_rounding() -> None:
    own = walker()
    files = own.to_urdf()
    again = parse_urdf(files.urdf.encode(), "again.urdf")
    assert again.name == own.name
    expected, found = figures(own.resolved()), figures(again)
    beside = {"leg.toe"}  # a hull, which URDF does not have
    assert set(expected) - beside == set(found) - {"eye", "eye_fixed"}
    for name in set(expected) - beside:
        assert np.abs(expected[name] - found[name]).max(initial=0.0) <= 4e-16, name
    (rail,) = (joint for joint in again.joints if joint.name == "rail")
    assert rail.mimic is not None and (rail.mimic.multiplier, rail.mimic.offset) == (0.1, 0.2)
    (hip,) = (joint for joint in again.joints if joint.name == "hip")
    assert hip.limits is not None and (hip.limits.lower, hip.limits.jerk) == (-1.0, 9.0)
    second = figures(parse_urdf(symdyn.loads(files.urdf, format="urdf").to_urdf().urdf.encode(), "second.urdf"))
    for name in found:
        assert np.abs(second[name] - found[name]).max(initial=0.0) <= 4e-16, name


def test_contacts_are_beside_it_and_come_back(tmp_path: Path) -> None:
    own = walker()
    files = own.to_urdf()
    (tmp_path / "walker.urdf").write_text(files.urdf)
    (tmp_path / "contacts.yaml").write_text(files.contacts)
    settings: dict[str, Any] = {"floating_base": True, "gravity": own.model.gravity, "joint_losses": True}
    again = symdyn.load(tmp_path / "walker.urdf", contacts=tmp_path / "contacts.yaml", **settings)
    assert again.model.contact_layout.row_names == own.model.contact_layout.row_names
    assert again.description.contact == own.description.contact
    q, v = own.random_state(3)
    q[2] = 0.1
    one, other = (symdyn.contact_step(robot, q, v, h=1e-3) for robot in (own, again))
    assert np.abs(one.v_next - other.v_next).max() < 1e-12 * np.abs(one.v_next).max()


def test_what_readers_are_told() -> None:
    told = "\n".join(walker().to_urdf().left_out)
    for words in (
        "its base floats",
        "gravity is [0.5, 0.0, -9.7]",
        "joint_losses=True",
        "stands for none at rail",
        "joint 'neck', which is spherical",
        "the rotor of joint 'hip'",
    ):
        assert words in told


def test_what_is_refused_is_named_at_once() -> None:
    changed = WALKER.replace("losses: {damping: 0.1", "spring: {stiffness: 3}, losses: {damping: 0.1")
    changed = changed.replace(
        "floating_base: true", "floating_base: true\nparameters: {m: {value: 0.2, runtime: true}}"
    )
    changed = changed.replace("wheel: {mass: 0.2", "wheel: {mass: m")
    with pytest.raises(DescriptionError) as refusal:
        symdyn.loads(changed, format="yaml").to_urdf()
    assert "joint 'hip' has a spring" in str(refusal.value)
    assert "the mass of link 'wheel' depends on run-time parameters" in str(refusal.value)
    for name, word in (("four_bar", "loops .pin."), ("elastic_arm", "elastic")):
        with pytest.raises(DescriptionError, match=word):
            symdyn.load_example(name).to_urdf()


def test_angles_of_rotations_at_and_beside_a_right_pitch() -> None:
    rng = np.random.default_rng(0)
    for pitch in (*rng.uniform(-1.6, 1.6, 50), np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 - 1e-16):
        rows = rotation_from_rpy(rng.uniform(-3, 3), float(pitch), rng.uniform(-3, 3))
        again = rotation_from_rpy(*rpy_of(rows))
        assert np.abs(np.array(rows) - again).max() < 5e-16
