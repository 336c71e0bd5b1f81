"""The same robot with a loop opened at another of its joints: the loop's places become a joint, the joint a loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from support.invariance.twins import float_evaluator
from symdyn import api
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Frame, Joint, JointKind, Link, RobotDescription
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
PIN = "opened pin"
"""The joint where the loop was."""
_PAIRS = {
    JointKind.REVOLUTE: LoopKind.REVOLUTE,
    JointKind.CONTINUOUS: LoopKind.REVOLUTE,
    JointKind.SPHERICAL: LoopKind.SPHERICAL,
}
_JOINTS = {LoopKind.REVOLUTE: JointKind.CONTINUOUS, LoopKind.SPHERICAL: JointKind.SPHERICAL}


@dataclass(frozen=True)
class Opened:
    """``robot`` has the loop ``loop`` of ``first`` opened at ``joint``; both are named as in their files."""

    first: Robot
    robot: Robot
    joint: str
    loop: str
    kind: LoopKind
    axis: Array
    """Of the loop, in its first place."""

    def state(self, q: Array, v: Array) -> tuple[Array, Array]:
        """A closed q and its v as the other robot has them."""
        rows = dict(zip(self.first.coordinate_names, q, strict=True))
        rates = dict(zip(self.first.velocity_names, v, strict=True))
        one = _kinematics(self.first, q, v)
        turn = one[f"{self.loop} 0"][0].T @ one[f"{self.loop} 1"][0]
        spin = one[f"{self.loop} 1"][0].T @ (one[f"{self.loop} 1"][1] - one[f"{self.loop} 0"][1])
        if self.kind is LoopKind.REVOLUTE:
            sine = self.axis @ np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
            rows[PIN], rates[PIN] = float(np.arctan2(sine, (np.trace(turn) - 1.0) / 2.0)), float(self.axis @ spin)
        else:
            rows |= {f"{PIN}.q{axis}": x for axis, x in zip("xyzw", _quaternion(turn), strict=True)}
            rates |= {f"{PIN}.w{axis}": float(x) for axis, x in zip("xyz", spin, strict=True)}
        return (
            np.array([rows[name] for name in self.robot.coordinate_names]),
            np.array([rates[name] for name in self.robot.velocity_names]),
        )

    @property
    def common(self) -> list[str]:
        """Rows of v that both have."""
        return [name for name in self.first.velocity_names if name in self.robot.velocity_names]


def opened_loop(robot: Robot, loop: Loop, joint: Joint) -> Opened:
    """The robot with a loop opened at a joint on its way, which has neither losses nor springs nor a motor.

    Places of the loop become frames with the loop's axes; the second lies on the side of the joint's child.
    """
    description = robot.description
    above = {own.child: own for own in description.joints}
    places = [_place(description, site) for site in loop.between]
    axes = [np.array(axis) for axis in loop.axes]
    if joint.child not in _way_up(above, places[1][0]):
        places, axes = places[::-1], axes[::-1]
    way = _way_up(above, places[1][0])
    assert joint.child in way and joint.child not in _way_up(above, places[0][0])
    turned = _between(axes[0], axes[1]) if loop.kind is LoopKind.REVOLUTE else np.eye(3)
    first = Frame(f"{loop.name} 0", places[0][0], _placement(np.eye(3), places[0][1]))
    second = Frame(f"{loop.name} 1", places[1][0], _placement(turned, places[1][1]))
    seen = replace(description, frames=(*description.frames, first, second))
    links, joints = list(description.links), [own for own in description.joints if own.name != joint.name]
    end = f"{loop.name} end"
    links.append(Link(end))
    joints.append(Joint(PIN, _JOINTS[loop.kind], first.link, end, first.placement, tuple(map(float, axes[0]))))  # type: ignore[arg-type]
    joints.append(Joint(f"{end} weld", JointKind.FIXED, end, second.link, _inverse(second.placement)))
    for child in way[: way.index(joint.child)]:
        own = above[child]
        joints.remove(own)
        middle = f"{own.name} turned round"
        links.append(Link(middle))
        x, y, z = own.axis
        joints.append(replace(own, parent=child, child=middle, placement=Placement(), axis=(-x, -y, -z)))
        joints.append(Joint(f"{middle} weld", JointKind.FIXED, middle, own.parent, _inverse(own.placement)))
    own = joint.axis
    closing = Loop(
        joint.name,
        (Site(joint.parent, point=joint.placement.translation), Site(joint.child)),
        _PAIRS[joint.kind],
        (tuple(map(float, np.array(joint.placement.rotation) @ own)), own),  # type: ignore[arg-type]
        close=True,
    )
    acting = tuple(closing if item.name == loop.name else item for item in description.acting)
    drives = tuple(own for own in description.actuation.actuators if own != joint.name)
    changed = replace(
        description,
        links=tuple(links),
        joints=tuple(joints),
        acting=acting,
        actuation=replace(description.actuation, actuators=drives),
    )
    options = robot.load_options()
    return Opened(
        api.from_description(seen, **options),
        api.from_description(changed, **options),
        joint.name,
        loop.name,
        loop.kind,
        axes[0],
    )


def _place(description: RobotDescription, site: Site) -> tuple[str, Array]:
    frames = {own.name: own for own in description.frames}
    if site.frame:
        own = frames[site.frame]
        assert np.array_equal(own.placement.rotation, np.eye(3))
        return own.link, np.array(own.placement.translation, dtype=float)
    return site.link or description.root, np.array(site.point, dtype=float)


def _way_up(above: Mapping[str, Joint], link: str) -> list[str]:
    way = [link]
    while way[-1] in above:
        way.append(above[way[-1]].parent)
    return way


def _placement(turn: Array, shift: Array) -> Placement:
    return Placement(tuple(map(float, shift)), tuple(tuple(map(float, row)) for row in turn))  # type: ignore[arg-type]


def _inverse(own: Placement) -> Placement:
    turn = np.array(own.rotation)
    return _placement(turn.T, -turn.T @ np.array(own.translation, dtype=float))


def _between(first: Array, second: Array) -> Array:
    """A rotation that takes one unit vector into another."""
    cross, cosine = np.cross(first, second), float(first @ second)
    if cosine < -0.99:
        raise AssertionError("axes point away from each other")
    skew = np.array([[0, -cross[2], cross[1]], [cross[2], 0, -cross[0]], [-cross[1], cross[0], 0]])
    return np.eye(3) + skew + skew @ skew / (1.0 + cosine)


def _quaternion(turn: Array) -> Array:
    """x, y, z, w of a rotation, from the largest of four forms."""
    four = np.array(
        [
            [turn[0, 0] - turn[1, 1] - turn[2, 2], 0, 0, 0],
            [turn[0, 1] + turn[1, 0], turn[1, 1] - turn[0, 0] - turn[2, 2], 0, 0],
            [turn[0, 2] + turn[2, 0], turn[1, 2] + turn[2, 1], turn[2, 2] - turn[0, 0] - turn[1, 1], 0],
            [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1], np.trace(turn)],
        ]
    )
    _, vectors = np.linalg.eigh(four)
    found: Array = vectors[:, -1]
    return found


def _kinematics(robot: Robot, q: Array, v: Array) -> dict[str, tuple[Array, Array]]:
    """Rotation and angular velocity of each frame, in the world."""
    given = {"q": list(map(float, q))}
    poses = np.reshape(float_evaluator(robot, "forward_kinematics", {})(given)["X"], (-1, 4, 4))
    columns = np.reshape(float_evaluator(robot, "jacobians", {})(given)["J"], (-1, 6, robot.nv))
    return {
        name: (pose[:3, :3], (jacobian @ v)[3:])
        for name, pose, jacobian in zip(robot.frame_names, poses, columns, strict=True)
    }
