"""Random robots with several branches that are alike but for their numbers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from support.robots.kinds import MOVING
from support.robots.random_trees import make_robot
from symdyn.description.checks.check import check
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Mimic, Placement, RobotDescription


def with_limbs(
    parents: list[int], kinds: list[JointKind], limbs: int, seed: int, floating: bool = True, neck: bool = False
) -> RobotDescription:
    """A base, a neck of one link if wanted, and ``limbs`` copies of a branch.

    Link i + 1 of a branch hangs on link ``parents[i]``, and 0 is the base or the neck. From limb to limb masses grow,
    and translations along y change sign.
    """
    trunk = make_robot([0], [JointKind.REVOLUTE], seed + 1, floating, mimics=False)
    root = "link1" if neck else "link0"
    links = list(trunk.links if neck else trunk.links[:1])
    joints = list(trunk.joints if neck else ())
    branch = make_robot(parents, kinds, seed)
    for limb in range(limbs):
        links += [_scaled(link, limb) for link in branch.links[1:]]
        joints += [_moved(joint, limb, root) for joint in branch.joints]
    return check(
        RobotDescription(f"limbs{seed}", tuple(links), tuple(joints), (), floating_base=floating, source="random")
    )


def _scaled(link: Link, limb: int) -> Link:
    inertial = link.inertial
    if inertial is not None:
        factor = 1.0 + 0.1 * limb
        mass, *moments = (factor * float(value) for value in (inertial.mass, *inertial.moments))
        inertial = Inertial(mass, tuple(moments), inertial.placement)  # type: ignore[arg-type]
    return Link(f"limb{limb}_{link.name}", inertial)


def _moved(joint: Joint, limb: int, root: str) -> Joint:
    x, y, z = joint.placement.translation
    moved = Placement((x, -y if limb % 2 else y, z + 0.01 * limb), joint.placement.rotation)
    mimic = joint.mimic
    return replace(
        joint,
        name=f"limb{limb}_{joint.name}",
        parent=root if joint.parent == "link0" else f"limb{limb}_{joint.parent}",
        child=f"limb{limb}_{joint.child}",
        placement=moved,
        mimic=None if mimic is None else _moved_mimic(mimic, limb),
    )


def _moved_mimic(mimic: Mimic, limb: int) -> Mimic:
    first, *others = ((f"limb{limb}_{name}", gain) for name, gain in mimic.terms)
    return Mimic(*first, mimic.offset, tuple(others))


@st.composite
def limbed_robots(draw: st.DrawFn, max_joints: int = 4) -> RobotDescription:
    """Hypothesis strategy: two to six limbs of one to ``max_joints`` joints of all kinds."""
    count = draw(st.integers(1, max_joints))
    parents = [draw(st.integers(max(0, index - 2), index)) for index in range(count)]
    kinds = [draw(st.sampled_from((*MOVING, JointKind.REVOLUTE, JointKind.REVOLUTE))) for _ in range(count)]
    seed = draw(st.integers(0, 2**32 - 1))
    return with_limbs(parents, kinds, draw(st.integers(2, 6)), seed, draw(st.booleans()), draw(st.booleans()))
