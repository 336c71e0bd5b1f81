"""The public order of joints, coordinates and bodies, worked out from the description alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from symdyn.description.expression import FUNCTIONS, Expression
from symdyn.description.robot import Joint, JointKind, Number, RobotDescription
from symdyn.errors import ModelError
from symdyn.verify.curves import rows
from symdyn.verify.matrices import Real, Vector

ROOT = "root"
"""The implicit joint between the world and the root link of a floating robot."""
WORLD = ""
"""Parent of the root link: no link of the description, because names are never empty."""

_QUATERNION_AT = {JointKind.SPHERICAL: 0, JointKind.FLOATING: 3}
"""Where a joint's quaternion begins among its rows of q."""


@dataclass(frozen=True, slots=True)
class Place:
    """A joint in public order.

    ``locked`` holds the coordinates of a joint that does not move. A joint that moves reads its rows of q at ``q_row``
    and of v at ``v_row``, times ``multiplier`` and (q only) plus ``offset``; unless it mimics, these are 1 and 0.
    ``body`` is the public index of the child's moving body, -1 for the ground; ``names_body`` says whether the child
    is the link that names it. The motor of an elastic joint has the row after the link's.
    """

    joint: Joint
    locked: tuple[Real, ...] | None
    q_row: int
    v_row: int
    multiplier: Real
    offset: Real
    body: int
    names_body: bool

    @property
    def implicit(self) -> bool:
        """Whether it is the floating base's joint, which no file declares."""
        return self.joint.parent == WORLD

    def coordinates(self, q: Sequence[Real]) -> Vector:
        """The joint's own coordinates."""
        if self.locked is not None:
            return list(self.locked)
        nq = rows(self.joint.kind)[0]
        return [self.multiplier * value + self.offset for value in q[self.q_row : self.q_row + nq]]

    def velocities(self, v: Sequence[Real]) -> Vector:
        """The joint's own velocity rows, or their rates for rates."""
        nv = rows(self.joint.kind)[1]
        if self.locked is not None:
            return [mp.mpf(0)] * nv
        return [self.multiplier * value for value in v[self.v_row : self.v_row + nv]]


@dataclass(frozen=True, slots=True)
class Tree:
    """A robot's joints in public order, the root link's implicit joint first where the base floats."""

    places: tuple[Place, ...]
    nq: int
    nv: int
    body_names: tuple[str, ...]

    @property
    def depth(self) -> int:
        """Moving bodies on the longest path from the root to a leaf."""
        depths: dict[str, int] = {}
        for place in self.places:
            depths[place.joint.child] = depths.get(place.joint.parent, 0) + place.names_body
        return max(depths.values(), default=0)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """First row in q of every quaternion (x, y, z, w)."""
        return tuple(
            place.q_row + _QUATERNION_AT[place.joint.kind]
            for place in self.places
            if place.locked is None and place.joint.kind in _QUATERNION_AT
        )

    @property
    def motors(self) -> tuple[int, ...]:
        """Row in q of the motor of every elastic joint that moves."""
        return tuple(
            place.q_row + 1 for place in self.places if place.locked is None and place.joint.elastic is not None
        )


def public_tree(
    description: RobotDescription,
    floating_base: bool | None = None,
    locked_joints: Mapping[str, float | Sequence[float]] | None = None,
) -> Tree:
    """Joints depth first, siblings in the byte order of their names; rows of q and v numbered along the way.

    Links that are fixed to each other are one body, named by the link nearest the root.

    Raises
    ------
    ModelError
        A locked joint that does not exist, or a mimic joint whose leader owns no coordinate.
    """
    locked = _locked_values(description, locked_joints or {})
    floating = description.floating_base if floating_base is None else floating_base
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        children.setdefault(joint.parent, []).append(joint)
    for siblings in children.values():
        siblings.sort(key=lambda joint: joint.name.encode(), reverse=True)
    ordered = [Joint(ROOT, JointKind.FLOATING, WORLD, description.root)] if floating else []
    pending = list(children.get(description.root, ()))
    while pending:
        joint = pending.pop()
        ordered.append(joint)
        pending.extend(children.get(joint.child, ()))

    first_rows: dict[str, tuple[int, int]] = {}
    nq = nv = 0
    for joint in ordered:
        if joint.mimic is None and joint.name not in locked and joint.kind is not JointKind.FIXED:
            first_rows[joint.child] = (nq, nv)
            motor = int(joint.elastic is not None)  # its row follows the link's
            nq, nv = nq + rows(joint.kind)[0] + motor, nv + rows(joint.kind)[1] + motor
    joints = {joint.name: joint for joint in ordered}
    body_of = {description.root: -1}
    bodies: list[str] = []
    places = []
    for joint in ordered:
        value = locked.get(joint.name)
        moves = joint.kind is not JointKind.FIXED and value is None
        if moves:
            bodies.append(joint.child)
            body_of[joint.child] = len(bodies) - 1
        else:
            body_of[joint.child] = body_of[joint.parent]
        leader, multiplier, offset = _leader(joint, joints)
        if moves and leader.child not in first_rows:
            raise ModelError(
                f"joint '{joint.name}' mimics '{leader.name}', which owns no coordinate; lock both or neither"
            )
        q_row, v_row = first_rows.get(leader.child, (0, 0))
        places.append(Place(joint, value, q_row, v_row, multiplier, offset, body_of[joint.child], moves))
    return Tree(tuple(places), nq, nv, tuple(bodies))


def _leader(joint: Joint, joints: Mapping[str, Joint]) -> tuple[Joint, Real, Real]:
    """The joint that owns the coordinate, and the affine map from it: chains of mimics compose."""
    multiplier, offset = mp.mpf(1), mp.mpf(0)
    while joint.mimic is not None:
        offset += multiplier * mp.mpf(joint.mimic.offset)
        multiplier *= mp.mpf(joint.mimic.multiplier)
        joint = joints[joint.mimic.joint]
    return joint, multiplier, offset


def _locked_values(
    description: RobotDescription, locked_joints: Mapping[str, float | Sequence[float]]
) -> dict[str, tuple[Real, ...]]:
    """Coordinates of every joint that stands still, followers of locked joints included."""
    joints = {joint.name: joint for joint in description.joints}
    for name in locked_joints:
        if name not in joints:
            raise ModelError(f"locked joint '{name}' is not a joint of robot '{description.name}'")
    values: dict[str, tuple[Real, ...]] = {}
    for name, value in locked_joints.items():
        numbers = [mp.mpf(item) for item in ((value,) if isinstance(value, int | float) else value)]
        if len(numbers) != rows(joints[name].kind)[0]:
            raise ModelError(
                f"locked joint '{name}': expected {rows(joints[name].kind)[0]} number(s), got {len(numbers)}"
            )
        if joints[name].kind in _QUATERNION_AT:  # a lock is a placement, so it stands for the unit quaternion
            at = _QUATERNION_AT[joints[name].kind]
            norm = mp.sqrt(mp.fdot(numbers[at:], numbers[at:]))
            numbers[at:] = [number / norm for number in numbers[at:]]
        values[name] = tuple(numbers)
    for joint in description.joints:
        leader, multiplier, offset = _leader(joint, joints)
        if joint.name not in values and leader.name in locked_joints:
            values[joint.name] = (multiplier * values[leader.name][0] + offset,)
    return values


class Quantities:
    """The value of a description's numbers and expressions in mpmath, run-time parameters included.

    ``given`` maps declared parameters, or single quantities such as ``forearm.mass``, ``forearm.com.x``,
    ``forearm.inertia.xy``, ``elbow.translation.z``, ``elbow.damping``, ``elbow.friction``, ``elbow.armature`` and
    ``gravity.z``, to values that replace the file's.
    """

    def __init__(self, description: RobotDescription, given: Mapping[str, Any]) -> None:
        self._declared = {parameter.name: parameter for parameter in description.parameters}
        self.given = {name: mp.mpf(value) for name, value in given.items()}
        self._functions = {name: getattr(mp, name) for name in FUNCTIONS}

    def __call__(self, number: Number, leaf: str) -> Real:
        """The value given for ``leaf``, else the number's or expression's own."""
        if leaf in self.given:
            return self.given[leaf]
        if isinstance(number, Expression):
            return mp.mpf(number.evaluate({name: self._parameter(name) for name in number.names}, self._functions))
        return mp.mpf(number)

    def all(self, numbers: Sequence[Number], stem: str, suffixes: Sequence[str]) -> Vector:
        """Several quantities with names ``stem.suffix``."""
        return [self(number, f"{stem}.{suffix}") for number, suffix in zip(numbers, suffixes, strict=True)]

    def _parameter(self, name: str) -> Real:
        declared = self._declared.get(name)
        if name not in self.given and (declared is None or declared.value is None):
            raise ModelError(f"parameter '{name}' has no value; give one in parameters")
        return self(declared.value if declared is not None and declared.value is not None else 0.0, name)
