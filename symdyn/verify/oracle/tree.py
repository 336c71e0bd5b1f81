"""The public order of joints, coordinates and bodies, worked out from the description alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mpmath import mp

from symdyn.description.mapped import Mapped
from symdyn.description.robot import Flexible, Joint, JointKind, RobotDescription
from symdyn.description.soft import Soft
from symdyn.errors import ModelError
from symdyn.verify.base.curves import QUATERNION_AT, rows
from symdyn.verify.base.matrices import Real
from symdyn.verify.oracle.place import WORLD, Place, place_rows

ROOT = "root"
"""The implicit joint between the world and the root link of a floating robot."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A robot's joints in public order, the root link's implicit joint first where the base floats."""

    places: tuple[Place, ...]
    nq: int
    nv: int
    body_names: tuple[str, ...]

    @property
    def depth(self) -> int:
        """Moving bodies on the longest path from the root to a leaf.

        A beam counts once per coordinate, a rod once per exponential.
        """
        depths: dict[str, int] = {}
        for place in self.places:
            own = place.rows[1] if place.flexible is not None else int(place.names_body)
            own = len(place.rod.steps) if place.soft is not None else own
            depths[place.joint.child] = depths.get(place.joint.parent, 0) + own
        return max(depths.values(), default=0)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """First row in q of every quaternion."""
        return tuple(
            place.q_row + QUATERNION_AT[place.joint.kind]
            for place in self.places
            if place.locked is None and place.joint.kind in QUATERNION_AT
        )

    @property
    def flexures(self) -> tuple[Place, ...]:
        """The beams."""
        return tuple(place for place in self.places if place.flexible is not None)

    @property
    def rods(self) -> tuple[Place, ...]:
        """The rods."""
        return tuple(place for place in self.places if place.soft is not None)

    @property
    def maps(self) -> tuple[Place, ...]:
        """The bodies given by their maps."""
        return tuple(place for place in self.places if place.mapped is not None)

    @property
    def bends(self) -> bool:
        """Whether any link does."""
        return any(place.bends for place in self.places)

    @property
    def turns(self) -> tuple[Real, ...]:
        """Per row of v how far, at the most, one unit turns a link or a section of one that bends [rad]; at least 1."""
        found = [mp.mpf(1)] * self.nv
        for place in (*self.flexures, *self.rods):
            for row, steepest in enumerate(place.steepest, place.v_row):
                found[row] = max(found[row], steepest)
        return tuple(found)

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
    convention: str | None = None,
) -> Tree:
    """Joints depth first, siblings in the byte order of their names; rows of q and v numbered along the way.

    In MuJoCo's convention siblings keep the order of the file.

    Links that are fixed to each other are one body, named by the link nearest the root. The tip of a link that bends is
    a body that comes right after the link, before all that its joints carry: first what hangs at the tip.

    Raises
    ------
    ModelError
        A locked joint that does not exist, or a mimic joint whose leader owns no coordinate.
    """
    locked = _locked_values(description, locked_joints or {})
    floating = description.floating_base if floating_base is None else floating_base
    given = ((link.name, link.flexible or link.soft or link.deformable) for link in description.links)
    bends = {name: own for name, own in given if own is not None}
    children: dict[str, list[Joint]] = {}
    for joint in description.joints:
        if joint.parent in bends and joint.at.moves:
            joint = replace(joint, parent=tip_name(joint.parent))
        children.setdefault(joint.parent, []).append(joint)
    mujoco = convention == "mujoco"
    for siblings in children.values():
        if mujoco:
            siblings.reverse()
        else:
            siblings.sort(key=lambda joint: joint.name.encode(), reverse=True)
    flexures: dict[str, Flexible | Soft | Mapped] = {}
    for link, own in bends.items():
        flexures[tip_name(link)] = own
        children.setdefault(link, []).append(Joint(tip_name(link), JointKind.PRISMATIC, link, tip_name(link)))
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
            own_q, own_v = place_rows(joint, flexures.get(joint.child))
            nq, nv = nq + own_q + motor, nv + own_v + motor
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
        gains, offset = _followed(joint, joints)
        leads = []
        for name, multiplier in gains.items() if moves and joint.mimic is not None else ():
            if name in locked:
                offset += multiplier * locked[name][0]
            elif joints[name].child in first_rows:
                leads.append((*first_rows[joints[name].child], multiplier))
            else:
                raise ModelError(
                    f"joint '{joint.name}' mimics '{name}', which owns no coordinate; lock both or neither"
                )
        q_row, v_row = first_rows.get(joint.child, (0, 0))
        flexure = flexures.get(joint.child)
        beam = flexure if isinstance(flexure, Flexible) else None
        rod = flexure if isinstance(flexure, Soft) else None
        mapped = flexure if isinstance(flexure, Mapped) else None
        body = body_of[joint.child]
        places.append(Place(joint, value, q_row, v_row, tuple(leads), offset, body, moves, beam, rod, mapped, mujoco))
    return Tree(tuple(places), nq, nv, tuple(bodies))


def tip_name(link: str) -> str:
    """What the far end of a flexible or soft link is called, as a body and as a frame."""
    return f"{link}.tip"


def _followed(joint: Joint, joints: Mapping[str, Joint]) -> tuple[dict[str, Real], Real]:
    """The joints that own the coordinates that move it, with multipliers, and the offset: chains of mimics compose."""
    gains: dict[str, Real] = {}
    offset, pending = mp.mpf(0), [(joint.name, mp.mpf(1))]
    while pending:
        name, factor = pending.pop()
        mimic = joints[name].mimic
        if mimic is None:
            gains[name] = gains.get(name, mp.mpf(0)) + factor
            continue
        offset += factor * mp.mpf(mimic.offset)
        pending += [(leader, factor * mp.mpf(multiplier)) for leader, multiplier in mimic.terms]
    return gains, offset


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
        if joints[name].kind in QUATERNION_AT:  # a lock is a placement, so it stands for the unit quaternion
            at = QUATERNION_AT[joints[name].kind]
            norm = mp.sqrt(mp.fdot(numbers[at:], numbers[at:]))
            numbers[at:] = [number / norm for number in numbers[at:]]
        values[name] = tuple(numbers)
    for joint in description.joints:
        gains, offset = _followed(joint, joints)
        if joint.name not in values and gains.keys() <= locked_joints.keys():
            values[joint.name] = (offset + mp.fsum(gain * values[name][0] for name, gain in gains.items()),)
    return values
