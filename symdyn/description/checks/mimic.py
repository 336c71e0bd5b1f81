"""Mimic joints, each resolved to the independent joint at the end of its chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symdyn.description.robot import Joint, JointKind, Mimic, RobotDescription
from symdyn.description.text.position import at, hint, shown
from symdyn.description.text.repair import offer
from symdyn.errors import DescriptionError

ONE_COORDINATE = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.HELICAL)
"""Kinds of joint that have exactly one coordinate, and so can mimic, be mimicked and have limits."""


def resolve_mimics(description: RobotDescription) -> tuple[Joint, ...]:
    """The joints, where every mimic refers to a joint that mimics nothing.

    A chain composes: q1 = m1 q2 + o1 and q2 = m2 q3 + o2 give q1 = m1 m2 q3 + (m1 o2 + o1).

    Raises
    ------
    DescriptionError
        A mimic of itself, of an unknown joint, in a circle, or with a joint that has not exactly one coordinate.
    """
    source = description.source
    joints = {joint.name: joint for joint in description.joints}
    resolved: dict[str, Mimic] = {}
    for joint in description.joints:
        chain: dict[str, Mimic] = {}
        follower = joint
        while follower.mimic is not None and follower.name not in resolved:
            if follower.name in chain:
                raise DescriptionError(_circle(follower, chain, source))
            _check(follower, follower.mimic, joints, source)
            chain[follower.name] = follower.mimic
            follower = joints[follower.mimic.joint]
        below = resolved.get(follower.name, Mimic(follower.name))
        for name, mimic in reversed(chain.items()):
            below = Mimic(
                below.joint, mimic.multiplier * below.multiplier, mimic.multiplier * below.offset + mimic.offset
            )
            resolved[name] = below
    return tuple(
        replace(joint, mimic=resolved[joint.name]) if joint.name in resolved else joint for joint in description.joints
    )


def free_followers(description: RobotDescription) -> tuple[RobotDescription, tuple[str, ...]]:
    """The description with joints that mimic an unknown joint moving on their own, and a sentence on each of them."""
    known = {joint.name for joint in description.joints}
    orphans = {j.name: j.mimic.joint for j in description.joints if j.mimic is not None and j.mimic.joint not in known}
    joints = tuple(replace(joint, mimic=None) if joint.name in orphans else joint for joint in description.joints)
    return replace(description, joints=joints), tuple(
        f"joint {shown(name)} mimicked the unknown joint {shown(leader)}; it is freed"
        for name, leader in orphans.items()
    )


def _check(joint: Joint, mimic: Mimic, joints: Mapping[str, Joint], source: str) -> None:
    place = f"{at(source, joint.line)}: joint {shown(joint.name)}"
    if mimic.joint == joint.name:
        raise DescriptionError(f"{place} mimics itself; name another joint or delete the mimic")
    if mimic.joint not in joints:
        raise DescriptionError(
            f"{place} mimics the unknown joint {shown(mimic.joint)}; declare it"
            f"{offer('frees the follower')}{hint(mimic.joint, joints)}"
        )
    for member in (joint, joints[mimic.joint]):
        if member.kind not in ONE_COORDINATE:
            raise DescriptionError(
                f"{place} cannot mimic {shown(mimic.joint)}: joint {shown(member.name)} is {member.kind.value}, and "
                f"only joints with one coordinate ({', '.join(kind.value for kind in ONE_COORDINATE)}) can"
            )


def _circle(joint: Joint, chain: Mapping[str, Mimic], source: str) -> str:
    names = list(chain)
    circle = [*names[names.index(joint.name) :], joint.name]
    return (
        f"{at(source, joint.line)}: joints mimic each other in a circle, "
        f"{' -> '.join(shown(name) for name in circle)}; let one of them move on its own"
    )
