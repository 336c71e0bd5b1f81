"""Words for kinds of joint in URDF, and what belongs to a kind alone."""

from __future__ import annotations

import math

from symdyn.description.checks.rotation import Triple, dot, perpendicular, unit_vector
from symdyn.description.robot import JointKind
from symdyn.description.text.position import hint, shown
from symdyn.description.urdf.schema import JointXml
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
