"""The order in which massless links are told."""

from __future__ import annotations

from support.robots.small import described, joint, massive

from symdyn.description.checks.check import massless_leaves
from symdyn.description.robot import JointKind, Link


def test_massless_leaves_are_told_in_one_order() -> None:
    links = [Link("base"), massive("palm"), *(Link(f"finger{number}") for number in range(3))]
    joints = [joint("wrist", JointKind.REVOLUTE, "base", "palm")]
    joints += [joint(f"j{number}", JointKind.REVOLUTE, "palm", f"finger{number}") for number in range(3)]
    found = list(massless_leaves(described(links, joints)))
    assert [text.split(" is ")[0] for text in found] == [f"link 'finger{number}'" for number in range(3)]
