"""The joints of the model that a joint of a robot file is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symdyn.algebra.spatial.vectors import Vector
from symdyn.description.robot import Joint, JointKind
from symdyn.model.joints.cylindrical import CYLINDRICAL
from symdyn.model.joints.described_joint import DescribedJoint
from symdyn.model.joints.free import FREE
from symdyn.model.joints.helical import HELICAL
from symdyn.model.joints.planar import PLANAR
from symdyn.model.joints.prismatic import PRISMATIC
from symdyn.model.joints.revolute import REVOLUTE
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO
from symdyn.model.joints.spherical import SPHERICAL

DESCRIBED: dict[JointKind, Sequence[DescribedJoint]] = {
    JointKind.FIXED: (),
    JointKind.REVOLUTE: (REVOLUTE,),
    JointKind.CONTINUOUS: (REVOLUTE,),
    JointKind.PRISMATIC: (PRISMATIC,),
    JointKind.HELICAL: (HELICAL,),
    JointKind.CYLINDRICAL: (CYLINDRICAL,),
    JointKind.UNIVERSAL: (REVOLUTE, REVOLUTE),
    JointKind.SPHERICAL: (SPHERICAL,),
    JointKind.PLANAR: (PLANAR,),
    JointKind.FLOATING: (FREE,),
}

MUJOCO: dict[DescribedJoint, DescribedJoint] = {FREE: FREE_MUJOCO, SPHERICAL: SPHERICAL_MUJOCO}
"""Joints that the convention of MuJoCo has others for."""


@dataclass(frozen=True, slots=True)
class ChainedJoint:
    """One joint of the model, and the axis that it has in the file."""

    model: DescribedJoint
    axis: Vector


def joint_chain(joint: Joint, convention: str = "") -> tuple[ChainedJoint, ...]:
    """The joints from the parent to the child: none for a fixed one, two for a universal one, each about its axis."""
    axes, others = (joint.axis, joint.second_axis), MUJOCO if convention == "mujoco" else {}
    return tuple(
        ChainedJoint(others.get(model, model), axis) for model, axis in zip(DESCRIBED[joint.kind], axes, strict=False)
    )


def slides(joint: Joint) -> bool:
    """Whether its rows of v are velocities, not angular ones or both."""
    return set(velocity_units(joint)) == {"m/s"}


def velocity_units(joint: Joint) -> tuple[str, ...]:
    """Units of its rows of v."""
    return tuple(unit for part in joint_chain(joint) for unit in part.model.coordinates.v_units)
