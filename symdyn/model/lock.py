"""Locked joints: a robot with some joints frozen at given coordinates is a robot with fixed joints."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from symdyn.algebra.spatial.rotations import IDENTITY, snapped
from symdyn.algebra.spatial.vectors import add, product, times
from symdyn.description.actuation import Actuation, Driver, JointActuator
from symdyn.description.external_loads import Acting
from symdyn.description.load_settings import Lock
from symdyn.description.loops import MET, Coupling
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import Joint, JointKind, Matrix3, Mimic, Number, Placement, RobotDescription
from symdyn.errors import ModelError
from symdyn.interface.guesses import hint
from symdyn.model.joints.described import joint_chain
from symdyn.model.joints.scalar_first import scalar_first, scalar_last
from symdyn.model.velocity_rows import cite


def lock_joints(
    robot: RobotDescription, locked: Mapping[str, Lock], runtime: Collection[str] = (), convention: str = ""
) -> RobotDescription:
    """The robot with the named joints fixed at their coordinates (rad, m, or a joint's rows of q in order).

    Joints that mimic locked ones alone are fixed at the value that follows from them; of others the locked leaders
    become part of the offset. The lock of an elastic joint holds its motor too, at the same coordinate: its rows
    disappear. Springs of locked joints disappear too. ``runtime`` names the quantities that stay inputs: the
    translation of a joint that has slid cannot be one of them. Coordinates are in the ``convention`` asked for.

    Raises
    ------
    ModelError
        An unknown, fixed or following joint, or coordinates of the wrong number or not finite.
    """
    if not locked:
        return robot
    joints = {joint.name: joint for joint in robot.joints}
    for name in locked:
        if name not in joints:
            raise ModelError(
                f"locked joint '{name}' is not a joint of robot '{robot.name}'; its joints are {', '.join(joints)}"
                f"{hint(name, joints)}"
            )
        if not joint_chain(joints[name]):
            raise ModelError(f"locked joint '{name}' is fixed already; leave it out of locked_joints")
        mimic = joints[name].mimic
        if mimic is not None:
            leaders = " and ".join(f"'{leader}'" for leader, _ in mimic.terms)
            raise ModelError(f"locked joint '{name}' follows {leaders}; lock {leaders} instead")
    locked = in_convention(robot.joints, locked, convention, "")
    result: list[Joint] = []
    following: dict[str, list[float]] = {}
    for joint in robot.joints:
        if joint.name in locked:
            result.append(_locked(joint, _numbers(joint, locked[joint.name]), runtime))
        elif joint.mimic is not None:
            held = {name: _numbers(joints[name], locked[name])[0] for name, _ in joint.mimic.terms if name in locked}
            moving = [(name, gain) for name, gain in joint.mimic.terms if name not in held]
            offset = sum((gain * held[name] for name, gain in joint.mimic.terms if name in held), joint.mimic.offset)
            if moving:
                result.append(replace(joint, mimic=Mimic(*moving[0], offset, tuple(moving[1:]))))
            else:
                result.append(_locked(joint, [offset], runtime))
                following[joint.name] = [offset]
        else:
            result.append(joint)
    stands = {name: _numbers(joints[name], value) for name, value in locked.items()}
    acting = (_held_still(own, joints, stands) if isinstance(own, Pfaffian) else own for own in robot.acting)
    first = {name: numbers[0] for name, numbers in stands.items()}
    actuation = _driving_others(robot.actuation, joints, stands | following)
    return replace(robot, joints=tuple(result), acting=tuple(_uncoupled(acting, first)), actuation=actuation)


def _driving_others(
    actuation: Actuation, joints: Mapping[str, Joint], held: Mapping[str, Sequence[float]]
) -> Actuation:
    """Actuators of joints, where the length that locked ones give belongs to constant parts of gain and bias."""

    def left(own: Driver) -> Driver:
        if not isinstance(own, JointActuator):
            return own
        (b0, b1, b2), (g0, g1, g2) = own.bias, own.gain
        for name, factors in own.joints:
            if name in held and joints[name].kind is not JointKind.SPHERICAL:
                b0 += b1 * factors[0] * held[name][0]
                g0 += g1 * factors[0] * held[name][0]
        kept = tuple(term for term in own.joints if term[0] not in held)
        return replace(own, joints=kept, gain=(g0, g1, g2), bias=(b0, b1, b2))

    found = (left(own) for own in actuation.actuators)
    return replace(actuation, actuators=tuple(own for own in found if not isinstance(own, JointActuator) or own.joints))


def _held_still(own: Pfaffian, joints: Mapping[str, Joint], held: Mapping[str, Sequence[float]]) -> Pfaffian:
    """A constraint on velocities, where those of locked joints are zero and their coordinates are numbers."""
    velocities, known = set[str](), dict[str, float]()
    for name, numbers in held.items():
        chain, rest = joint_chain(joints[name]), iter(numbers)
        for number, part in enumerate(chain, 1):
            label, rows = name if len(chain) == 1 else f"{name}.{number}", part.model.coordinates
            velocities |= {label + suffix for suffix in rows.v}
            known |= {label + suffix: next(rest) for suffix in rows.q}
    return replace(
        own,
        rows=tuple(tuple((name, entry) for name, entry in row if name not in velocities) for row in own.rows),
        coordinates=tuple((name, row) for name, row in own.coordinates if row not in known),
        fixed=tuple((name, known[row]) for name, row in own.coordinates if row in known),
    )


def _uncoupled(acting: Iterable[Acting], held: Mapping[str, float]) -> Iterator[Acting]:
    """What acts, where terms of couplings that are held belong to the offset; one without others is met, or cannot be.

    Raises
    ------
    ModelError
        A coupling that all its joints break.
    """
    for own in acting:
        if not isinstance(own, Coupling) or held.keys().isdisjoint(name for name, _ in own.terms):
            yield own
            continue
        terms = tuple((name, factor) for name, factor in own.terms if name not in held)
        offset = own.offset - sum(factor * held[name] for name, factor in own.terms if name in held)
        if terms:
            yield replace(own, terms=terms, offset=offset)
        elif abs(offset) > MET:
            raise ModelError(
                f"{cite(own)} couples joints that are all locked, and misses its offset by {abs(offset):.3g}; "
                "lock them where it holds, or leave one free"
            )


def in_convention(joints: Iterable[Joint], locked: Mapping[str, Lock], own: str, asked: str) -> dict[str, Lock]:
    """Coordinates of locked joints in the convention ``own`` as those of another: quaternions have another order."""
    if (own == _MUJOCO) == (asked == _MUJOCO):
        return dict(locked)
    turned = scalar_last if own == _MUJOCO else scalar_first
    turning = {joint.name for joint in joints if any(part.model.quaternion for part in joint_chain(joint))}
    return {
        name: tuple(turned(value)) if name in turning and isinstance(value, Sequence) and len(value) >= _TURN else value
        for name, value in locked.items()
    }


_MUJOCO = "mujoco"


_TURN = 4


def _numbers(joint: Joint, value: Lock) -> list[float]:
    expected = sum(len(part.model.coordinates.q) for part in joint_chain(joint))
    try:
        numbers = [float(value)] if isinstance(value, int | float) else [float(item) for item in value]
    except (TypeError, ValueError) as failure:
        raise ModelError(f"locked joint '{joint.name}': expected {expected} number(s), got {value!r}") from failure
    if len(numbers) != expected or not all(math.isfinite(number) for number in numbers):
        raise ModelError(f"locked joint '{joint.name}': expected {expected} finite number(s), got {value!r}")
    return numbers


def _locked(joint: Joint, q: Sequence[float], runtime: Collection[str]) -> Joint:
    rotation, translation = joint_placement(joint, q)
    placed = joint.placement
    moved: list[Number] = []
    for at, by, axis in zip(placed.translation, times(placed.rotation, translation), "xyz", strict=True):
        if by != 0.0 and (isinstance(at, Expression) or f"{joint.name}.translation.{axis}" in runtime):
            raise ModelError(
                f"locked joint '{joint.name}' slides along {axis}, where its translation is an expression or a "
                "run-time parameter; lock it at 0, or give that translation as a number"
            )
        moved.append(at if isinstance(at, Expression) else at + by)
    placement = Placement((moved[0], moved[1], moved[2]), snapped(product(placed.rotation, rotation)))
    bare = replace(joint, mimic=None, limits=None, actuator=None, elastic=None, loads=())
    return replace(bare, kind=JointKind.FIXED, placement=placement)


def joint_placement(joint: Joint, q: Sequence[float]) -> tuple[Matrix3, list[float]]:
    """Rotation and translation of the child frame in the joint frame for numbers q."""
    rotation, translation, rest = IDENTITY, [0.0, 0.0, 0.0], list(q)
    for part in joint_chain(joint):
        own, rest = rest[: len(part.model.coordinates.q)], rest[len(part.model.coordinates.q) :]
        if part.model.quaternion:
            own[-4:] = _unit_quaternion(joint, own[-4:])
        turned, moved = part.model.locked(part.axis, joint.pitch, own)
        translation = add(translation, times(rotation, moved))
        rotation = snapped(product(rotation, turned))
    return rotation, translation


def _unit_quaternion(joint: Joint, q: Sequence[float]) -> list[float]:
    norm = math.sqrt(sum(value * value for value in q))
    if abs(norm - 1.0) > 1e-6:
        raise ModelError(f"locked joint '{joint.name}': quaternion (x, y, z, w) has norm {norm:.6g}, expected 1")
    return [value / norm for value in q]
