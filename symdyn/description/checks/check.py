"""The last reader of every description: names, tree, mimic joints and inertias, whatever file they came from.

Whether axes, pitches, limits, losses, rotors and springs of joints make sense.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from symdyn.description.checks.actuation import check_actuation
from symdyn.description.checks.canonical import canonical, check_numbers
from symdyn.description.checks.external_loads import check_acting
from symdyn.description.checks.flexible import check_flexible
from symdyn.description.checks.inertia import check_links, check_range
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.loads import check_loads
from symdyn.description.checks.mapped import check_mapped
from symdyn.description.checks.mimic import free_followers, resolve_mimics
from symdyn.description.checks.names import check_names
from symdyn.description.checks.rotation import dot
from symdyn.description.checks.soft import check_soft
from symdyn.description.checks.tree import check_tree, from_root
from symdyn.description.joint import DRIVEN, ONE_COORDINATE
from symdyn.description.robot import Actuator, Inertial, Joint, JointKind, Number, RobotDescription
from symdyn.description.text.notice import LIMITS, doubt, mended
from symdyn.description.text.position import at, on_line, shown
from symdyn.errors import DescriptionError

_CONSEQUENCE = "inverse dynamics works, forward dynamics will be singular"


def massless_leaves(description: RobotDescription) -> Iterator[str]:
    """Warnings about the outermost links whose joint moves no mass at all, so that the mass matrix is singular."""
    values = known_values(description)
    lines = {link.name: link.line for link in description.links}
    carrying = {link.name: link.deforms or _has_mass(link.inertial, values) for link in description.links}
    outermost = dict.fromkeys(carrying, True)
    moved: set[str] = set()
    leaves: list[Joint] = []
    for joint in reversed(from_root(description)):
        carrying[joint.parent] |= carrying[joint.child]
        if joint.kind is JointKind.FIXED:
            outermost[joint.parent] &= outermost[joint.child]
            continue
        if carrying[joint.child]:
            moved.update(_coordinates(joint))
        elif _has_rotor(joint, values):  # it resists by itself, and adds nothing to what the joints below it move
            moved.update(_coordinates(joint))
            outermost[joint.parent] &= outermost[joint.child]
            continue
        elif outermost[joint.child]:
            leaves.append(joint)
        outermost[joint.parent] = False
    for joint in reversed(leaves):
        # A massless finger may share its coordinates with one that has mass.
        if moved.isdisjoint(_coordinates(joint)):
            said = f"{on_line(lines[joint.child])}link {shown(joint.child)} is a massless leaf: {_CONSEQUENCE}"
            yield doubt(said, "no mass on {outer link}")
    root = description.root
    if description.floating_base and not carrying[root]:
        yield f"{on_line(lines[root])}floating base {shown(root)} carries no mass: {_CONSEQUENCE}"


def _coordinates(joint: Joint) -> Sequence[str]:
    """The joints whose coordinates move it."""
    return [leader for leader, _ in joint.mimic.terms] if joint.mimic else [joint.name]


def _has_rotor(joint: Joint, values: dict[str, float]) -> bool:
    # A run-time armature without a default counts, as a run-time mass does.
    return joint.actuator is not None and armature_of(joint.actuator, values, "actuator") != 0.0


def _has_mass(inertial: Inertial | None, values: dict[str, float]) -> bool:
    # A run-time mass without a default counts: its value is the caller's business.
    return inertial is not None and any(
        value_of(entry, values, "inertial") != 0.0 for entry in (inertial.mass, *inertial.moments)
    )


_UNIT = 1e-9
_IN_DEGREES = (100.0, 1000.0)
"""Limits [rad] of a joint that turns which are most likely degrees; larger ones stand for none."""


def check_joints(description: RobotDescription) -> Iterator[str]:
    """Warnings about limits and motors without inertia.

    Raises
    ------
    DescriptionError
        An axis that is no unit vector, axes of a universal joint that are not at right angles, a negative loss, a
        velocity scale that is not positive, limits or a drive on a joint that has not one coordinate, a negative
        rotor inertia or spring, a negative limit of acceleration, deceleration or jerk, a value out of range.
    """
    values = known_values(description)
    for joint in description.joints:
        name = f"joint {shown(joint.name)}"
        place = f"{at(description.source, joint.line)}: {name}"
        _check_axes(joint, place)
        for entry in joint.placement.translation:
            check_range(place, "placement", value_of(entry, values, place))
        _check_losses(joint, values, place)
        yield from check_drive(joint, values, place)
        limits = joint.limits
        if limits is None:
            continue
        if joint.kind not in ONE_COORDINATE:
            raise DescriptionError(f"{place} is {joint.kind.value}; limits are for joints with one coordinate")
        if limits.lower > limits.upper:
            said = f"{on_line(joint.line)}{name}: lower limit {limits.lower:g} lies above upper limit {limits.upper:g}"
            yield doubt(said, LIMITS)
        least, most = _IN_DEGREES
        if joint.kind is JointKind.REVOLUTE and any(least < abs(own) < most for own in (limits.lower, limits.upper)):
            yield doubt(
                f"{on_line(joint.line)}{name}: limits {limits.lower:g} and {limits.upper:g} are in rad, many turns; "
                "degrees are written as 90*pi/180 in YAML and in radians in other files",
                LIMITS,
            )
        for what in ("acceleration", "deceleration", "jerk"):
            if (bound := getattr(limits, what)) < 0.0:
                raise DescriptionError(f"{place}: the limit of {what} is {bound:g}; it is at least 0")
        if limits.velocity < 0.0 or limits.effort < 0.0:
            yield doubt(f"{on_line(joint.line)}{name}: a negative velocity or effort limit allows nothing", LIMITS)


def _check_axes(joint: Joint, place: str) -> None:
    if not abs(dot(joint.axis, joint.axis) - 1.0) <= _UNIT:
        raise DescriptionError(f"{place}: axis {joint.axis} is not a unit vector")
    if joint.kind is JointKind.UNIVERSAL:
        if not abs(dot(joint.second_axis, joint.second_axis) - 1.0) <= _UNIT:
            raise DescriptionError(f"{place}: second_axis {joint.second_axis} is not a unit vector")
        if abs(dot(joint.axis, joint.second_axis)) > _UNIT:
            raise DescriptionError(f"{place}: axis and second_axis are not at right angles")
    if joint.kind is JointKind.HELICAL and not math.isfinite(joint.pitch):
        raise DescriptionError(f"{place}: pitch is {joint.pitch:g}; expected metres per radian")


def _check_losses(joint: Joint, values: dict[str, float], place: str) -> None:
    for name, loss in (("damping", joint.losses.damping), ("friction", joint.losses.friction)):
        value = value_of(loss, values, place)
        check_range(place, name, value)
        if value is not None and value < 0.0:
            raise DescriptionError(f"{place}: {name} is {value:g}, which would add energy; it is at least 0")
    scale = joint.losses.velocity_scale
    if not 0.0 <= scale < math.inf:
        raise DescriptionError(
            f"{place}: velocity_scale is {scale:g}; it is at least 0 (0: friction without smoothing)"
        )


def check(description: RobotDescription, *, repair: bool = False) -> RobotDescription:
    """The description with mimic joints resolved to independent ones and physical warnings appended.

    Axes and rotations are exact to rounding afterwards, and all numbers such that a robot file can hold them. Moments
    of inertia that are rounding noise become zero. With ``repair`` indefinite inertias become the nearest physical
    ones, and joints that mimic an unknown joint are freed; ``repairs`` says so. A second call changes nothing.

    Raises
    ------
    DescriptionError
        Names that are empty, repeated or hold control characters; references to unknown links or joints; no root,
        two roots, a cycle or a link with two parents; mimic joints in a circle; a negative mass, links fixed to each
        other whose inertia has a negative eigenvalue, an axis that is no unit vector, a beam without stiffness, and
        the like.
    """
    check_names(description)
    check_tree(description)
    links, warnings, repairs = check_links(description, repair)
    if repair:
        description, freed = free_followers(description)
        repairs += freed
    resolved = replace(description, links=links, joints=resolve_mimics(description))
    check_loads(resolved)
    check_mapped(resolved)
    bending = (*check_flexible(resolved), *check_soft(resolved), *check_actuation(resolved), *check_acting(resolved))
    found = (*map(mended, repairs), *warnings, *check_joints(resolved), *bending, *massless_leaves(resolved))
    # Joints that were found to make sense, so that what is wrong with them is told in their own words.
    resolved = canonical(resolved)
    check_numbers(resolved)
    return replace(
        resolved,
        warnings=tuple(dict.fromkeys((*resolved.warnings, *found))),
        repairs=tuple(dict.fromkeys((*resolved.repairs, *repairs))),
    )


def check_drive(joint: Joint, values: dict[str, float], place: str) -> Iterator[str]:
    """A warning where the motor of an elastic joint has no inertia.

    Parameters
    ----------
    joint
        Any joint; one without a rotor passes.
    values
        Known values of the file's parameters.
    place
        File, line and joint, for messages.

    Raises
    ------
    DescriptionError
        A rotor or a motor's spring on a joint of a kind that it is not for, a motor's spring on a mimic joint, a rotor
        named twice, a negative inertia, stiffness or damping, a gear ratio of 0, a value out of range.
    """
    if joint.actuator is not None and joint.elastic is not None:
        raise DescriptionError(f"{place}: actuator and elastic both describe the motor; give its rotor inside elastic")
    for key, kinds in DRIVEN.items():
        if getattr(joint, key) is not None and joint.kind not in kinds:
            balls = " and for balls" if JointKind.SPHERICAL in kinds else ""
            raise DescriptionError(
                f"{place} is {joint.kind.value}, and '{key}' is for joints with one coordinate{balls} "
                f"({', '.join(kind.value for kind in kinds)}); delete it"
            )
    if joint.actuator is not None:
        _check_actuator(joint.actuator, values, place)
    if joint.elastic is not None:
        if joint.mimic is not None:
            leaders = " and ".join(shown(leader) for leader, _ in joint.mimic.terms)
            raise DescriptionError(
                f"{place} mimics {leaders}, so it has no coordinate of its own that a spring could tie to a motor; "
                f"make {leaders} elastic instead"
            )
        _at_least_zero("stiffness", joint.elastic.stiffness, values, place)
        _at_least_zero("damping", joint.elastic.damping, values, place)
        if _check_actuator(joint.elastic.actuator, values, place) == 0.0:
            yield (
                f"{on_line(joint.line)}joint {shown(joint.name)}: the motor behind its spring has no inertia: inverse "
                "dynamics works, forward dynamics will be singular"
            )


def armature_of(actuator: Actuator, values: dict[str, float], place: str) -> float | None:
    """The inertia that a joint feels of its rotor, or None where it rests on a parameter without a value."""
    if actuator.armature is not None:
        return value_of(actuator.armature, values, place)
    inertia = value_of(actuator.rotor_inertia, values, place)
    ratio = value_of(actuator.gear_ratio, values, place)
    return None if inertia is None or ratio is None else ratio * ratio * inertia


def _check_actuator(actuator: Actuator, values: dict[str, float], place: str) -> float | None:
    """Refuse an impossible rotor; else its armature."""
    if actuator.armature is not None:
        if actuator.rotor_inertia != 0.0 or actuator.gear_ratio != 1.0:
            raise DescriptionError(f"{place}: armature is gear_ratio**2 * rotor_inertia already; keep it, or the two")
        _at_least_zero("armature", actuator.armature, values, place)
    _at_least_zero("rotor_inertia", actuator.rotor_inertia, values, place)
    ratio = value_of(actuator.gear_ratio, values, place)
    check_range(place, "gear_ratio", ratio)
    if ratio == 0.0:
        raise DescriptionError(f"{place}: gear_ratio is 0; expected turns of the rotor per turn of the joint")
    return armature_of(actuator, values, place)


def _at_least_zero(name: str, number: Number, values: dict[str, float], place: str) -> None:
    value = value_of(number, values, place)
    check_range(place, name, value)
    if value is not None and value < 0.0:
        raise DescriptionError(f"{place}: {name} is {value:g}; it is at least 0")
