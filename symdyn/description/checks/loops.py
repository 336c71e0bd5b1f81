"""Whether closed loops can be as they are described."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from symdyn.description.checks.inertia import LARGEST
from symdyn.description.checks.known_values import value_of
from symdyn.description.checks.rotation import unit_vector
from symdyn.description.external_loads import Site
from symdyn.description.joint import ONE_COORDINATE
from symdyn.description.loops import Coupling, Loop, LoopKind, Z
from symdyn.description.robot import Attachment, Joint, JointKind, RobotDescription
from symdyn.description.text.position import hint, shown
from symdyn.errors import DescriptionError

Standing = tuple[str, str]
"""A body as a description tells it: the link nearest to the root, and where on it if that deforms."""


def check_loop(loop: Loop, values: Mapping[str, float], standing: Callable[[Site], Standing], place: str) -> None:
    """Refuse a loop between one body and itself, with axes that are none, or with a distance that is not above 0.

    ``standing`` tells bodies apart.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    first, second = loop.between
    if first == second or (first.grounded and second.grounded):
        raise DescriptionError(f"{place}: both places are one; give places on two links")
    body = standing(first)
    if standing(second) == body:
        raise DescriptionError(
            f"{place}: both places are on one body, {shown(body[0])}, which nothing can move apart; give places on two "
            "bodies, or delete the loop"
        )
    for axis in loop.axes:
        if unit_vector(axis) != axis:
            raise DescriptionError(f"{place}: axis {list(axis)} has not length one; expected a unit vector")
    if loop.kind is LoopKind.DISTANCE:
        distance = value_of(loop.distance, dict(values), place)
        if distance is not None and not 0.0 < distance <= LARGEST:
            raise DescriptionError(
                f"{place}: distance is {distance:g} m; it is above 0: to hold two origins together use spherical"
            )


def check_coupling(coupling: Coupling, joints: Collection[Joint], place: str) -> None:
    """Refuse a coupling of no joints, of joints that cannot be coupled or are named twice, or by a factor of zero.

    Raises
    ------
    DescriptionError
        Any of these.
    """
    if not coupling.terms:
        raise DescriptionError(f"{place}: no terms; name at least one joint with its factor")
    known = {joint.name: joint for joint in joints}
    names = [name for name, _ in coupling.terms]
    for name, factor in coupling.terms:
        if name not in known:
            raise DescriptionError(f"{place}: joint {shown(name)} does not exist{hint(name, known)}")
        joint = known[name]
        if joint.kind not in ONE_COORDINATE:
            raise DescriptionError(
                f"{place}: joint {shown(name)} is {joint.kind.value}; couple joints with one coordinate "
                f"({', '.join(kind.value for kind in ONE_COORDINATE)})"
            )
        if joint.mimic is not None:
            leaders = " and ".join(shown(leader) for leader, _ in joint.mimic.terms)
            raise DescriptionError(f"{place}: joint {shown(name)} follows {leaders}; couple {leaders} in its place")
        if names.count(name) > 1:
            raise DescriptionError(f"{place}: joint {shown(name)} is named twice; add its factors up")
        if not (math.isfinite(factor) and factor != 0.0):
            raise DescriptionError(f"{place}: factor of joint {shown(name)} is {factor:g}; expected one that is not 0")


def standing_of(robot: RobotDescription) -> Callable[[Site], Standing]:
    """What tells the body of each place, from links that fixed joints hold together."""
    fixed = {joint.child: joint for joint in robot.joints if joint.kind is JointKind.FIXED}
    deforming = {link.name: math.inf if link.soft is None else link.soft.length for link in robot.links if link.deforms}
    frames, tips = {frame.name: frame for frame in robot.frames}, robot.tips

    def on(link: str, at: Attachment | float) -> Standing:
        while not (link in deforming and at is not Attachment.ROOT) and link in fixed:
            link, at = fixed[link].parent, fixed[link].at
        if link not in deforming or at is Attachment.ROOT:
            return link, ""
        return link, str(at) if isinstance(at, float) and at < deforming[link] else Attachment.TIP.value

    def standing(site: Site) -> Standing:
        if site.frame in tips:
            return on(tips[site.frame], Attachment.TIP)
        frame = frames[site.frame] if site.frame else None
        return on(site.link, site.at) if frame is None else on(frame.link, frame.at)

    return standing


def spelt_loop(loop: Loop) -> Loop:
    """The loop without numbers that its kind does not use."""
    axes = loop.axes if loop.kind.has_axis else (Z, Z)
    distance = loop.distance if loop.kind is LoopKind.DISTANCE else 0.0
    return loop if (axes, distance) == (loop.axes, loop.distance) else replace(loop, axes=axes, distance=distance)
