"""Coordinates that move no mass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symdyn.description.checks.drive import armature_of
from symdyn.description.checks.known_values import known_values, value_of
from symdyn.description.checks.tree import from_root
from symdyn.description.robot import Inertial, Joint, JointKind, RobotDescription
from symdyn.description.text.notice import doubt
from symdyn.description.text.position import on_line, shown

_CONSEQUENCE = "inverse dynamics works, forward dynamics will be singular"


def massless_leaves(description: RobotDescription) -> Iterator[str]:
    """Warnings about the outermost links whose joint moves no mass at all, so that the mass matrix is singular."""
    values = known_values(description)
    lines = {link.name: link.line for link in description.links}
    carrying = {link.name: link.deforms or _has_mass(link.inertial, values) for link in description.links}
    outermost = dict.fromkeys(carrying, True)
    moved: set[str] = set()
    leaves: list[Joint] = []
    for joint in reversed(from_root(description)):
        carrying[joint.parent] |= carrying[joint.child]
        if joint.kind is JointKind.FIXED:
            outermost[joint.parent] &= outermost[joint.child]
            continue
        if carrying[joint.child]:
            moved.update(_coordinates(joint))
        elif _has_rotor(joint, values):  # it resists by itself, and adds nothing to what the joints below it move
            moved.update(_coordinates(joint))
            outermost[joint.parent] &= outermost[joint.child]
            continue
        elif outermost[joint.child]:
            leaves.append(joint)
        outermost[joint.parent] = False
    for joint in reversed(leaves):
        # A massless finger may share its coordinates with one that has mass.
        if moved.isdisjoint(_coordinates(joint)):
            said = f"{on_line(lines[joint.child])}link {shown(joint.child)} is a massless leaf: {_CONSEQUENCE}"
            yield doubt(said, "no mass on {outer link}")
    root = description.root
    if description.floating_base and not carrying[root]:
        yield f"{on_line(lines[root])}floating base {shown(root)} carries no mass: {_CONSEQUENCE}"


def _coordinates(joint: Joint) -> Sequence[str]:
    """The joints whose coordinates move it."""
    return [leader for leader, _ in joint.mimic.terms] if joint.mimic else [joint.name]


def _has_rotor(joint: Joint, values: dict[str, float]) -> bool:
    # A run-time armature without a default counts, as a run-time mass does.
    return joint.actuator is not None and armature_of(joint.actuator, values, "actuator") != 0.0


def _has_mass(inertial: Inertial | None, values: dict[str, float]) -> bool:
    # A run-time mass without a default counts: its value is the caller's business.
    return inertial is not None and any(
        value_of(entry, values, "inertial") != 0.0 for entry in (inertial.mass, *inertial.moments)
    )
