"""Fixed joints that keep two bodies apart, for the wrench that they transmit."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from symdyn.description.checks.check import check
from symdyn.description.joint import ONE_COORDINATE
from symdyn.description.robot import Joint, JointKind, Mimic, RobotDescription
from symdyn.description.text.position import hint, shown
from symdyn.errors import ModelError


def with_separate_bodies(
    description: RobotDescription, names: Collection[str], locked: Collection[str]
) -> RobotDescription:
    """The description whose fixed joints of these names keep their child a body of its own.

    Such a joint slides by 0 times the coordinate of the nearest joint above it, so it never moves and has no row of q.

    Parameters
    ----------
    description
        A checked description.
    names
        Names of fixed joints.
    locked
        Names of joints that a load option locks: they have no coordinate to follow.

    Raises
    ------
    ModelError
        A joint that is unknown or not fixed, or a robot without a joint of one coordinate that moves.
    """
    joints = {joint.name: joint for joint in description.joints}
    source = description.source or description.name
    fixed = [joint.name for joint in description.joints if joint.kind is JointKind.FIXED]
    changed = {}
    for name in names:
        if name not in joints:
            raise ModelError(
                f"{source}: there is no joint {shown(name)}; fixed joints are {', '.join(fixed) or 'none'}"
                f"{hint(name, fixed)}"
            )
        if joints[name].kind is not JointKind.FIXED:
            raise ModelError(
                f"{source}: joint {shown(name)} is {joints[name].kind.value}, expected a fixed one; joint_wrenches has "
                "a row for joints that move already"
            )
        leader = next(_leaders(description, joints[name], locked), None)
        if leader is None:
            raise ModelError(
                f"{source}: joint {shown(name)} cannot keep its bodies apart, because no joint of one coordinate "
                "moves; use the robot with such a joint, for example a revolute one"
            )
        changed[name] = replace(joints[name], kind=JointKind.PRISMATIC, mimic=Mimic(leader, 0.0))
    found = tuple(changed.get(joint.name, joint) for joint in description.joints)
    stale = set(check(replace(description, warnings=())).warnings)
    kept = tuple(text for text in description.warnings if text not in stale)
    return check(replace(description, joints=found, warnings=kept))


def _leaders(description: RobotDescription, joint: Joint, locked: Collection[str]) -> Iterator[str]:
    """Joints with one coordinate of their own that moves: those above first, from the nearest on, then all others."""
    above = {own.child: own for own in description.joints}
    way, link = [], joint.parent
    while link in above:
        way.append(above[link])
        link = above[link].parent
    for own in (*way, *description.joints):
        free = own.mimic is None and own.elastic is None and own.name not in locked
        if own.kind in ONE_COORDINATE and free:
            yield own.name
