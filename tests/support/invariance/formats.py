"""The texts of rigid robots as URDF and as MJCF, for robots whose joints both formats have."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from xml.sax.saxutils import quoteattr

import numpy as np

from support.invariance.by_rows import ByRows
from support.invariance.twins import RELATED, Comparison, State, compare
from support.robots.random_soft_trees import massive
from support.robots.random_trees import make_robot
from symdyn import api
from symdyn.description.quantities.placement import Placement
from symdyn.description.robot import Inertial, Joint, JointKind, Losses, RobotDescription
from symdyn.robot.robot import Robot

_URDF = {
    JointKind.FIXED: "fixed",
    JointKind.CONTINUOUS: "continuous",
    JointKind.REVOLUTE: "revolute",
    JointKind.PRISMATIC: "prismatic",
}
_MJCF = {
    JointKind.CONTINUOUS: "hinge",
    JointKind.REVOLUTE: "hinge",
    JointKind.PRISMATIC: "slide",
    JointKind.SPHERICAL: "ball",
}
SEEDS = (1, 2, 3)
FUNCTIONS = [own for own in RELATED if not own.endswith(("_hessian", "_derivatives_partials"))]


@cache
def plain(seed: int) -> Robot:
    """A tree of joints that all formats have; its friction is left out, since MuJoCo has it as a constraint."""
    rng = random.Random(seed)
    parents = [rng.randrange(max(0, index - 2), index + 1) for index in range(6)]
    kinds = [rng.choice(list(_URDF)) for _ in range(6)]
    made = massive(make_robot(parents, kinds, seed, mimics=False, drives=False), seed)
    joints = (replace(own, losses=Losses(own.losses.damping), limits=None) for own in made.joints)
    return api.from_description(replace(made, joints=tuple(joints), frames=()), joint_losses=True)


def differing(own: Robot, other: Robot, seed: int) -> list[Comparison]:
    """Results of both that differ, by names of rows; MJCF calls a link of its own ``world``."""
    assert set(own.velocity_names) == set(other.velocity_names)
    twin = ByRows(own, other, compared=lambda name: name != "world")
    found = list(compare(twin, State(*own.random_state(seed), seed), FUNCTIONS))
    assert len(found) > 30
    return [item for item in found if not item.holds]


def _numbers(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.ravel(values))  # type: ignore[call-overload]


def _rpy(placement: Placement) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation Rz Ry Rx."""
    turn = np.array(placement.rotation)
    pitch = np.arctan2(-turn[2, 0], np.hypot(turn[0, 0], turn[1, 0]))
    return float(np.arctan2(turn[2, 1], turn[2, 2])), float(pitch), float(np.arctan2(turn[1, 0], turn[0, 0]))


def _origin(placement: Placement) -> str:
    return f'<origin xyz="{_numbers(placement.translation)}" rpy="{_numbers(_rpy(placement))}"/>'


def urdf_text(description: RobotDescription) -> str:
    """URDF 1.0."""
    lines = [f"<robot name={quoteattr(description.name)}>"]
    for link in description.links:
        lines.append(f"<link name={quoteattr(link.name)}>")
        if link.inertial is not None:
            names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
            moments = " ".join(f'{name}="{float(x)!r}"' for name, x in zip(names, link.inertial.moments, strict=True))  # type: ignore[arg-type]
            lines.append(f"<inertial>{_origin(link.inertial.placement)}")
            lines.append(f'<mass value="{_numbers(link.inertial.mass)}"/><inertia {moments}/></inertial>')
        lines.append("</link>")
    for joint in description.joints:
        lines.append(f'<joint name={quoteattr(joint.name)} type="{_URDF[joint.kind]}">')
        lines.append(f"<parent link={quoteattr(joint.parent)}/><child link={quoteattr(joint.child)}/>")
        lines.append(f'{_origin(joint.placement)}<axis xyz="{_numbers(joint.axis)}"/>')
        if joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            lines.append('<limit lower="-3" upper="3" velocity="100" effort="1000"/>')
        lines.append(f'<dynamics damping="{_numbers(joint.losses.damping)}"/></joint>')
    return "\n".join([*lines, "</robot>"])


def mjcf_text(description: RobotDescription) -> str:
    """MJCF, with quaternions and full inertias; the root is fixed to the world."""
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    links = {link.name: link for link in description.links}

    def body(name: str, placement: Placement, joint: Joint | None) -> list[str]:
        lines = [
            f'<body name={quoteattr(name)} pos="{_numbers(placement.translation)}" quat="{_quaternion(placement)}">'
        ]
        if joint is not None and joint.kind is not JointKind.FIXED:
            damping = _numbers(joint.losses.damping)
            lines.append(
                f'<joint name={quoteattr(joint.name)} type="{_MJCF[joint.kind]}" axis="{_numbers(joint.axis)}" '
                f'damping="{damping}"/>'
            )
        inertial = links[name].inertial
        lines += [] if inertial is None else [_inertial(inertial)]
        for child in sorted(children.get(name, []), key=lambda own: own.name):
            lines += body(child.child, child.placement, child)
        return [*lines, "</body>"]

    head = f'<mujoco model={quoteattr(description.name)}><compiler angle="radian" autolimits="true"/>'
    return "\n".join([head, "<worldbody>", *body(description.root, Placement(), None), "</worldbody></mujoco>"])


def _inertial(own: Inertial) -> str:
    """With moments turned into the axes of the link."""
    xx, xy, xz, yy, yz, zz = map(float, own.moments)  # type: ignore[arg-type]
    turn = np.array(own.placement.rotation)
    tensor = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    full = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    at = _numbers(own.placement.translation)
    return f'<inertial pos="{at}" mass="{_numbers(own.mass)}" fullinertia="{_numbers(full)}"/>'


def _quaternion(placement: Placement) -> str:
    """w, x, y, z."""
    roll, pitch, yaw = (angle / 2.0 for angle in _rpy(placement))
    cr, sr, cp, sp, cy, sy = (f(x) for x in (roll, pitch, yaw) for f in (np.cos, np.sin))
    w, x = cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy
    return _numbers((w, x, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy))
