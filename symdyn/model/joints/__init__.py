"""One file per joint, behind the protocol of ``base``."""

from symdyn.model.joints.base import JointModel
from symdyn.model.joints.described import DESCRIBED
from symdyn.model.joints.flexure import Flexure
from symdyn.model.joints.free import FREE
from symdyn.model.joints.free_spatial import FREE_SPATIAL
from symdyn.model.joints.helical import HELICAL
from symdyn.model.joints.parts import (
    ACCELERATION_UNITS,
    FORCE_UNITS,
    MOST_ROWS,
    Coordinates,
    JointMotion,
    JointPose,
    Rest,
)
from symdyn.model.joints.planar import PLANAR
from symdyn.model.joints.prismatic import PRISMATIC
from symdyn.model.joints.revolute import REVOLUTE
from symdyn.model.joints.rod_step import ROD_STEP
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.rotor import ROTOR
from symdyn.model.joints.scalar_first import FREE_MUJOCO, SPHERICAL_MUJOCO
from symdyn.model.joints.spherical import SPHERICAL, Spherical

_DESCRIBED = dict.fromkeys(joint for chain in DESCRIBED.values() for joint in chain)
JOINTS: tuple[JointModel, ...] = (*_DESCRIBED, FREE_SPATIAL, FREE_MUJOCO, SPHERICAL_MUJOCO, ROTOR)
"""Every joint of which there is but one kind: not flexures and strains, nor the steps of rods."""

__all__ = [
    "ACCELERATION_UNITS",
    "FORCE_UNITS",
    "FREE",
    "FREE_MUJOCO",
    "FREE_SPATIAL",
    "HELICAL",
    "JOINTS",
    "MOST_ROWS",
    "PLANAR",
    "PRISMATIC",
    "REVOLUTE",
    "ROD_STEP",
    "ROTOR",
    "SPHERICAL",
    "SPHERICAL_MUJOCO",
    "Coordinates",
    "Flexure",
    "JointModel",
    "JointMotion",
    "JointPose",
    "Rest",
    "RodTip",
    "Spherical",
]
