"""Actuators of a compiled model as those of symdyn: motors and servos of joints and of fixed tendons."""

from __future__ import annotations

from collections.abc import Iterator

from symdyn.description.actuation import Actuation, JointActuator
from symdyn.description.mjcf.actuator_record import ActuatorRecord, MjTransmission, actuators_of
from symdyn.description.mjcf.record import MjJoint, ModelRecord, unlike
from symdyn.description.mjcf.refusals import Refusals
from symdyn.description.text.position import on_line, shown

_TAGS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
"""Elements that an actuator may be."""


def actuation_of(model: ModelRecord, refusals: Refusals) -> Actuation:
    """All actuators that are on, and what is absent; where the caller is lenient, absent ones are left out."""
    found, absent, taken = list[JointActuator](), list[str](), set[str]()
    for own in actuators_of(model):
        name = unlike(own.name, taken)
        taken.add(name)
        joints = tuple(_joints(own, model))
        faults = list(dict.fromkeys((*own.faults, *_unlike_ours(own, model))))
        if not faults:
            found.append(JointActuator(name, joints, own.gain, own.bias, _line(own, refusals)))
        elif refusals.lenient and faults == [_CLAMPED]:
            found.append(JointActuator(name, joints, own.gain, own.bias, _line(own, refusals)))
            refusals.leave_out("clamp of actuator", own.name, _CLAMPED, _line(own, refusals))
        elif refusals.lenient:
            refusals.leave_out("actuator", own.name, " and ".join(faults), _line(own, refusals))
        else:
            absent.append(f"{on_line(_line(own, refusals))}actuator {shown(own.name)}: {' and '.join(faults)}")
    return Actuation(actuators=tuple(found), absent=tuple(absent))


_CLAMPED = "its force is clamped, by a forcerange or by that of its joint or tendon, while it acts without input"


def _line(own: ActuatorRecord, refusals: Refusals) -> int | None:
    lines = (refusals.line(tag, own.name) for tag in _TAGS)
    return next((line for line in lines if line is not None), None)


def _joints(own: ActuatorRecord, model: ModelRecord) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Factors of joints in the length; nothing where it is another."""
    if own.transmission in (MjTransmission.JOINT, MjTransmission.JOINTINPARENT):
        joint = model.joints[own.target]
        if joint.kind is not MjJoint.FREE:
            yield joint.name, own.gear[: 1 if joint.alone else 3]
    elif own.transmission == MjTransmission.TENDON:
        shares: dict[str, float] = {}
        for number, share in model.pulled(own.target) or ():
            name = model.joints[number].name
            shares[name] = shares.get(name, 0.0) + own.gear[0] * share
        yield from ((name, (share,)) for name, share in shares.items())


def _unlike_ours(own: ActuatorRecord, model: ModelRecord) -> Iterator[str]:
    """What it acts on or does that actuators of symdyn do not."""
    if any(own.bias) and (own.clamped or _clamps(own, model)):
        yield _CLAMPED
    match own.transmission:
        case MjTransmission.JOINT | MjTransmission.JOINTINPARENT:
            joint = model.joints[own.target]
            if joint.kind is MjJoint.FREE:
                yield "it drives a free joint"
            elif joint.kind is MjJoint.BALL and own.transmission == MjTransmission.JOINTINPARENT:
                yield "it turns a ball about axes of the parent"
            elif joint.kind is MjJoint.BALL and (own.bias[1] or own.gain[1]):
                yield "its force depends on the turn of a ball"
        case MjTransmission.TENDON:
            if model.pulled(own.target) is None:
                yield "it pulls a spatial tendon"
        case MjTransmission.SITE | MjTransmission.BODY | MjTransmission.SLIDERCRANK:
            yield f"it acts on a {MjTransmission(own.transmission).name.lower()}"
        case _:
            yield f"it acts in a way of kind {own.transmission}"


def _clamps(own: ActuatorRecord, model: ModelRecord) -> bool:
    """Whether what it acts on clamps the force of all actuators."""
    if own.transmission in (MjTransmission.JOINT, MjTransmission.JOINTINPARENT):
        return model.joints[own.target].force_range is not None
    limited = model.fields.get("tendon_actfrclimited", ())
    return own.transmission == MjTransmission.TENDON and bool(limited) and bool(limited[own.target])
