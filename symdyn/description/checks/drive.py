"""Whether rotors, gears, and springs and dampers between motors and joints make sense."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.checks.inertia import check_range
from symdyn.description.checks.known_values import value_of
from symdyn.description.checks.mimic import DRIVEN
from symdyn.description.robot import Actuator, Joint, JointKind, Number
from symdyn.description.text.position import on_line, shown
from symdyn.errors import DescriptionError


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
