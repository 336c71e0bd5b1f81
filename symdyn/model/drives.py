"""Rotors and springs of joints: which joints have them, and what a joint feels of them."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.algebra.scalars.algebra import Scalar
from symdyn.description.joint import DRIVEN
from symdyn.description.robot import Actuator, Elastic, Joint

NO_ROTOR = Actuator(armature=0.0)
"""Of a joint about whose motor the file is silent; its armature may still be asked for at run time."""


def drive_of(joint: Joint) -> tuple[Actuator | None, Elastic | None]:
    """The rotor that a joint turns, None where its kind can have none, and its spring."""
    if joint.kind not in DRIVEN["actuator"]:
        return None, None
    rotor = joint.elastic.actuator if joint.elastic is not None else joint.actuator or NO_ROTOR
    return rotor, joint.elastic


def drive_constants(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Armature N^2 J, stiffness and damping from the numbers of a drive; 0 where they are absent.

    The rotor's gyroscopic moments are neglected: it counts as if it turned along with the joint and as fast as the gear
    says, while its mass and its other moments of inertia belong to the links. A ball feels the armature about each of
    its axes.
    """
    ratio = values.get("gear_ratio", 1.0)
    armature = values.get("armature", ratio * ratio * values.get("rotor_inertia", 0.0))
    return {
        "armature": armature,
        "stiffness": values.get("stiffness", 0.0),
        "spring_damping": values.get("spring_damping", 0.0),
    }
