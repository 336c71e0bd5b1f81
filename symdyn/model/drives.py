"""Rotors and springs of joints: which of their numbers have names, and what a joint feels of them."""

from __future__ import annotations

from collections.abc import Mapping

from symdyn.description.checks.mimic import ONE_COORDINATE
from symdyn.description.robot import Actuator, Elastic, Joint, Number, Spring
from symdyn.model.joints.described import slides
from symdyn.scalars.algebra import Scalar

NO_ROTOR = Actuator(armature=0.0)
"""Of a joint about whose motor the file is silent; its armature may still be asked for at run time."""

_INERTIA = ("armature", "rotor_inertia")


def drive_of(joint: Joint) -> tuple[Actuator | None, Elastic | None, Spring | None]:
    """The rotor that a joint turns, None where it has several coordinates or none, its spring, and that beside it."""
    if joint.kind not in ONE_COORDINATE:
        return None, None, None
    rotor = joint.elastic.actuator if joint.elastic is not None else joint.actuator or NO_ROTOR
    return rotor, joint.elastic, joint.spring


def drive_numbers(actuator: Actuator | None, elastic: Elastic | None, spring: Spring | None) -> dict[str, Number]:
    """Numbers of a drive by what follows the joint in their run-time names: ``elbow.armature``, ``elbow.stiffness``.

    Those of the spring between the joint's links are ``elbow.spring.stiffness`` and ``elbow.spring.rest``.
    """
    found: dict[str, Number] = {}
    if actuator is not None and actuator.armature is not None:
        found["armature"] = actuator.armature
    elif actuator is not None:
        found |= {"rotor_inertia": actuator.rotor_inertia, "gear_ratio": actuator.gear_ratio}
    if elastic is not None:
        found |= {"stiffness": elastic.stiffness, "spring_damping": elastic.damping}
    if spring is not None:
        found |= {"spring.stiffness": spring.stiffness, "spring.rest": spring.rest}
    return found


def drive_units(joint: Joint) -> dict[str, str]:
    """Units of what :func:`drive_numbers` names; rows of a helical joint are angles."""
    linear = slides(joint)
    stiffness, damping, place = ("N/m", "N s/m", "m") if linear else ("N m/rad", "N m s/rad", "rad")
    units = {"stiffness": stiffness, "spring_damping": damping, "spring.stiffness": stiffness, "spring.rest": place}
    units |= {"gear_ratio": "1"} | dict.fromkeys(_INERTIA, "kg" if linear else "kg m^2")
    return {name: units[name] for name in drive_numbers(*drive_of(joint))}


def drive_constants(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Armature N^2 J, stiffness, damping and rest from the numbers of a drive; 0 where they are absent.

    The rotor's gyroscopic moments are neglected: it counts as if it turned along with the joint and as fast as the gear
    says, while its mass and its other moments of inertia belong to the links.
    """
    ratio = values.get("gear_ratio", 1.0)
    armature = values.get("armature", ratio * ratio * values.get("rotor_inertia", 0.0))
    return {
        "armature": armature,
        "stiffness": values.get("stiffness", 0.0),
        "spring_damping": values.get("spring_damping", 0.0),
        "spring_stiffness": values.get("spring.stiffness", 0.0),
        "spring_rest": values.get("spring.rest", 0.0),
    }
