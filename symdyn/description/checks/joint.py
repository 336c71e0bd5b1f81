"""Whether axes, pitches, limits, losses and drives of joints make sense."""

from __future__ import annotations

import math
from collections.abc import Iterator

from symdyn.description.checks.drive import check_drive
from symdyn.description.checks.inertia import check_range
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.mimic import ONE_COORDINATE
from symdyn.description.checks.rotation import dot
from symdyn.description.robot import Joint, JointKind, RobotDescription
from symdyn.description.text.notice import LIMITS, doubt
from symdyn.description.text.position import at, on_line, shown
from symdyn.errors import DescriptionError

_UNIT = 1e-9


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
