"""Joints of URDF: words for their kinds, what belongs to a kind alone, and limits."""

from __future__ import annotations

import math

from symdyn.description.checks.rotation import Triple, dot, perpendicular, unit_vector
from symdyn.description.robot import JointKind, Limits
from symdyn.description.text.notice import LIMITS, Notice, doubt
from symdyn.description.text.position import hint, shown
from symdyn.description.urdf.schema import JointXml, LimitXml
from symdyn.description.urdf.versions import WITH_FULL_LIMITS, Version, spelt
from symdyn.errors import DescriptionError

JOINT_WORDS = {
    **{kind.value: kind for kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.FIXED)},
    **{kind.value: kind for kind in (JointKind.PLANAR, JointKind.FLOATING, JointKind.SPHERICAL, JointKind.UNIVERSAL)},
    "ball": JointKind.SPHERICAL,
    "screw": JointKind.HELICAL,
}
"""URDF's own, PyBullet's and iDynTree's ``spherical`` and ``ball``, and those of Drake's ``<drake:joint>``."""
_X: Triple = (1.0, 0.0, 0.0)
_Y: Triple = (0.0, 1.0, 0.0)
_RIGHT_ANGLE = 1e-6
"""Largest cosine between the axes of a universal joint, as files with six decimals have it."""


def kind_of(joint: JointXml, place: str) -> JointKind:
    """The kind of a joint by its type.

    Raises
    ------
    DescriptionError
        An unknown type, or an element that belongs to another type.
    """
    kind = JOINT_WORDS.get(joint.type)
    if kind is None:
        raise DescriptionError(
            f"{place}: type {shown(joint.type)} is not a joint type ({', '.join(JOINT_WORDS)})"
            f"{hint(joint.type, JOINT_WORDS)}"
        )
    if joint.axis2 is not None and kind is not JointKind.UNIVERSAL:
        raise DescriptionError(f"{place}: <axis2> means nothing on a {joint.type} joint; remove it")
    if (joint.screw_thread_pitch is None) is (kind is JointKind.HELICAL):
        told = "is missing; a screw needs it" if kind is JointKind.HELICAL else f"means nothing on a {joint.type} joint"
        raise DescriptionError(f'{place}: <drake:screw_thread_pitch value=".."/> {told}')
    return kind


def pitch_of(joint: JointXml) -> float:
    """How far a screw slides per radian [m/rad]; files have it per turn."""
    return 0.0 if joint.screw_thread_pitch is None else joint.screw_thread_pitch.value / math.tau


def second_axis_of(joint: JointXml, axis: Triple, place: str) -> Triple:
    """The axis of a universal joint's second turn; without ``<axis2>`` the joint turns about x and then y, as Drake's.

    Raises
    ------
    DescriptionError
        Axes that are not at right angles, or a first axis that is not x without a second.
    """
    if joint.axis2 is None:
        if axis != _X:
            raise DescriptionError(
                f"{place}: a universal joint turns about x and then y of its frame unless both <axis> and <axis2> are "
                "given; add <axis2>, or turn the frame by <origin>"
            )
        return _Y
    second = unit_vector(joint.axis2.xyz)
    if second is None or abs(dot(axis, second)) > _RIGHT_ANGLE:
        raise DescriptionError(f"{place}: <axis2> is not at right angles to <axis>; turn one of them")
    return perpendicular(second, axis) if dot(axis, second) else second


_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)
_UNBOUNDED = (JointKind.CONTINUOUS, JointKind.HELICAL)
"""One coordinate, and bounds of it only where they are given, or none."""


def limits_of(
    limit: LimitXml | None, kind: JointKind, version: Version, place: str, noted: str, warnings: list[str]
) -> Limits | None:
    """The limits of a joint.

    Those of acceleration, deceleration and jerk are of URDF 1.2, and are read in every version. As in urdfdom, that of
    deceleration is that of acceleration where it is not given.

    Parameters
    ----------
    limit, kind, version
        The element, the joint's kind, the file's version.
    place, noted
        The joint, for errors and for warnings.
    warnings
        Takes what is odd.

    Raises
    ------
    DescriptionError
        From URDF 1.2, a limited joint without ``lower`` or ``upper``.
    """
    if kind not in (*_LIMITED, *_UNBOUNDED):
        if limit is not None:
            warnings.append(Notice(f"{noted}: <limit> of a {kind.value} joint is not used", LIMITS))
        return None
    if limit is None:
        if kind in _LIMITED:
            said = f"{noted}: URDF requires <limit> on a {kind.value} joint; it is taken as unlimited"
            warnings.append(doubt(said, LIMITS))
        return None
    absent = [name for name in ("effort", "velocity") if getattr(limit, name) is None]
    if absent and kind in _LIMITED and version < WITH_FULL_LIMITS:
        said = f"{noted}: <limit> lacks {' and '.join(absent)}, which URDF requires; taken as unlimited"
        warnings.append(doubt(said, LIMITS))
    lower, upper = _bounds(limit, kind, version, place, noted, warnings)
    acceleration = _or_infinite(limit.acceleration)
    return Limits(
        lower,
        upper,
        _or_infinite(limit.velocity),
        _or_infinite(limit.effort),
        acceleration,
        acceleration if limit.deceleration is None else limit.deceleration,
        _or_infinite(limit.jerk),
    )


def _bounds(
    limit: LimitXml, kind: JointKind, version: Version, place: str, noted: str, warnings: list[str]
) -> tuple[float, float]:
    if kind is JointKind.CONTINUOUS:
        if limit.lower is not None or limit.upper is not None:
            warnings.append(Notice(f"{noted}: lower and upper limits of a continuous joint are not used", LIMITS))
        return -math.inf, math.inf
    if kind is JointKind.HELICAL:
        return (-math.inf if limit.lower is None else limit.lower), _or_infinite(limit.upper)
    absent = [name for name in ("lower", "upper") if getattr(limit, name) is None]
    if absent and version >= WITH_FULL_LIMITS:
        raise DescriptionError(
            f"{place}: <limit> lacks {' and '.join(absent)}, which URDF {spelt(WITH_FULL_LIMITS)} requires; add what "
            "is missing, or make the joint continuous"
        )
    if len(absent) == 2:
        said = f"{noted}: <limit> has neither lower nor upper, which in URDF means 0 for both"
        warnings.append(doubt(said, LIMITS))
    return limit.lower or 0.0, limit.upper or 0.0


def _or_infinite(value: float | None) -> float:
    return math.inf if value is None else value
