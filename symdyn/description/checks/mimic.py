"""Mimic joints, each resolved to the independent joint at the end of its chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symdyn.description.joint import ONE_COORDINATE
from symdyn.description.robot import Joint, Mimic, RobotDescription
from symdyn.description.text.notice import offer
from symdyn.description.text.position import at, hint, shown
from symdyn.errors import DescriptionError


def resolve_mimics(description: RobotDescription) -> tuple[Joint, ...]:
    """The joints, where every mimic refers to joints that mimic nothing.

    Chains compose: q1 = m1 q2 + o1 and q2 = m2 q3 + o2 give q1 = m1 m2 q3 + (m1 o2 + o1). Where several
    ways lead to one joint, their multipliers add up.

    Raises
    ------
    DescriptionError
        A mimic of itself, of an unknown joint, of one joint twice, in a circle, or with a joint that has not exactly
        one coordinate.
    """
    source = description.source
    joints = {joint.name: joint for joint in description.joints}
    resolved = {joint.name: Mimic(joint.name) for joint in description.joints if joint.mimic is None}
    for joint in description.joints:
        chain = [joint.name] if joint.name not in resolved else []
        open_names = set(chain)
        while chain:
            follower = joints[chain[-1]]
            assert follower.mimic is not None
            _check(follower, follower.mimic, joints, source)
            ahead = next((name for name, _ in follower.mimic.terms if name not in resolved), None)
            if ahead is None:
                resolved[follower.name] = _composed(follower.mimic, resolved)
                open_names.remove(chain.pop())
            elif ahead in open_names:
                raise DescriptionError(_circle(joints[ahead], chain, source))
            else:
                chain.append(ahead)
                open_names.add(ahead)
    return tuple(
        replace(joint, mimic=resolved[joint.name]) if joint.mimic is not None else joint for joint in description.joints
    )


def _composed(mimic: Mimic, resolved: Mapping[str, Mimic]) -> Mimic:
    """The same of joints that mimic nothing."""
    gains: dict[str, float] = {}
    offset = mimic.offset
    for leader, multiplier in mimic.terms:
        offset = multiplier * resolved[leader].offset + offset
        for name, gain in resolved[leader].terms:
            gains[name] = gains.get(name, 0.0) + multiplier * gain
    (first, *others) = gains.items()
    return Mimic(*first, offset, tuple(others))


def free_followers(description: RobotDescription) -> tuple[RobotDescription, tuple[str, ...]]:
    """The description with joints that mimic an unknown joint moving on their own, and a sentence on each of them."""
    known = {joint.name for joint in description.joints}
    orphans = {
        joint.name: leader
        for joint in description.joints
        if joint.mimic is not None
        for leader, _ in joint.mimic.terms
        if leader not in known
    }
    joints = tuple(replace(joint, mimic=None) if joint.name in orphans else joint for joint in description.joints)
    return replace(description, joints=joints), tuple(
        f"joint {shown(name)} mimicked the unknown joint {shown(leader)}; it is freed"
        for name, leader in orphans.items()
    )


def _check(joint: Joint, mimic: Mimic, joints: Mapping[str, Joint], source: str) -> None:
    place = f"{at(source, joint.line)}: joint {shown(joint.name)}"
    leaders = [leader for leader, _ in mimic.terms]
    for leader in leaders:
        if leader == joint.name:
            raise DescriptionError(f"{place} mimics itself; name another joint or delete the mimic")
        if leaders.count(leader) > 1:
            raise DescriptionError(f"{place} mimics {shown(leader)} twice; give the sum of the multipliers")
        if leader not in joints:
            raise DescriptionError(
                f"{place} mimics the unknown joint {shown(leader)}; declare it"
                f"{offer('frees the follower')}{hint(leader, joints)}"
            )
        for member in (joint, joints[leader]):
            if member.kind not in ONE_COORDINATE:
                raise DescriptionError(
                    f"{place} cannot mimic {shown(leader)}: joint {shown(member.name)} is {member.kind.value}, and "
                    f"only joints with one coordinate ({', '.join(kind.value for kind in ONE_COORDINATE)}) can"
                )


def _circle(joint: Joint, names: Sequence[str], source: str) -> str:
    circle = [*names[names.index(joint.name) :], joint.name]
    return (
        f"{at(source, joint.line)}: joints mimic each other in a circle, "
        f"{' -> '.join(shown(name) for name in circle)}; let one of them move on its own"
    )
