"""One root, no cycle, every link reached: joints as a tree, walked without recursion."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.description.robot import Joint, RobotDescription
from symdyn.description.text.position import at, hint, shown
from symdyn.errors import DescriptionError

_LISTED = 5


def check_tree(description: RobotDescription) -> None:
    """Raise a DescriptionError unless joints and frames refer to known links and the joints form one tree."""
    source = description.source
    links = [link.name for link in description.links]
    if not links:
        raise DescriptionError(f"{source}: the robot has no links; describe at least one")
    known = set(links)
    above: dict[str, Joint] = {}
    for joint in description.joints:
        place = f"{at(source, joint.line)}: joint {shown(joint.name)}"
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise DescriptionError(
                    f"{place}: {role} link {shown(link)} does not exist; declare it{hint(link, links)}"
                )
        if joint.child in above:
            raise DescriptionError(
                f"{place}: link {shown(joint.child)} is already the child of joint "
                f"{shown(above[joint.child].name)}; a link has one parent: leave this joint out, "
                "and say under 'loops' what it holds"
            )
        above[joint.child] = joint
    for frame in description.frames:
        if frame.link not in known:
            place = f"{at(source, frame.line)}: frame {shown(frame.name)}"
            raise DescriptionError(f"{place}: link {shown(frame.link)} does not exist{hint(frame.link, links)}")
    _check_connected(links, above, source)


def from_root(description: RobotDescription) -> list[Joint]:
    """Joints of a checked tree, parents before children."""
    below: dict[str, list[Joint]] = {}
    for joint in description.joints:
        below.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    waiting = [description.root]
    while waiting:
        joints = below.get(waiting.pop(), [])
        ordered.extend(joints)
        waiting.extend(joint.child for joint in joints)
    return ordered


def _check_connected(links: list[str], above: Mapping[str, Joint], source: str) -> None:
    roots = [link for link in links if link not in above]
    if len(roots) > 1:
        listed = ", ".join(shown(link) for link in roots[:_LISTED]) + (", ..." if len(roots) > _LISTED else "")
        raise DescriptionError(
            f"{source}: {len(roots)} links are no joint's child ({listed}), but a robot has one root; "
            "connect the others by joints"
        )
    reached = set(roots)
    for link in links:
        walked: dict[str, None] = {}
        while link not in reached:
            if link in walked:
                names = list(walked)
                raise DescriptionError(_cycle([link, *names[names.index(link) :][::-1]], above, source))
            walked[link] = None
            link = above[link].parent
        reached.update(walked)


def _cycle(circle: list[str], above: Mapping[str, Joint], source: str) -> str:
    joint = above[circle[-1]]
    shown_links = [shown(link) for link in circle]
    if len(shown_links) > _LISTED + 1:
        shown_links[_LISTED:-1] = ["..."]
    return (
        f"{at(source, joint.line)}: joint {shown(joint.name)} closes a cycle of links, {' -> '.join(shown_links)}, "
        "that no root reaches; joints form a tree, and 'loops' close it"
    )
