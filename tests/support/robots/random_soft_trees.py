"""Random robots with rods: those of ``random_flexible_trees`` with soft links and followers."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st

from support.robots.kinds import MOVING
from support.robots.random_flexible_trees import bent
from support.robots.random_trees import inertial, make_robot, placement
from support.robots.soft_trees import bent_rod, coiled_rod, pieced_rod
from symdyn.description.checks.check import check
from symdyn.description.robot import Attachment, Frame, JointKind, Link, RobotDescription
from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions


def _planar() -> Soft:
    """It bends in one plane and stretches, steps of order 2, each of two exponentials."""
    return Soft(
        0.4,
        Section("rectangle", width="0.03", height="0.05 - 0.02*x"),
        Material(4e5, 0.45, 1100.0, retardation_time=0.004),
        (
            StrainFunctions(Strain.CURVATURE_Z, StrainBasis.MONOMIAL, 3),
            StrainFunctions(Strain.STRETCH, StrainBasis.LEGENDRE, 1),
        ),
        stations=3,
        magnus=2,
        substeps=2,
    )


def _sheared() -> Soft:
    """All six strains, one function each but for the bends, and a stretch at rest."""
    counts = {Strain.CURVATURE_Y: 2, Strain.CURVATURE_Z: 2}
    return Soft(
        0.6,
        Section(
            "numbers", area="2e-3", second_moment_x="4e-7", second_moment_y="3e-7", second_moment_z="2e-7 + 1e-7*x"
        ),
        Material(2e6, 0.3, 1300.0, viscosity=900.0),
        tuple(StrainFunctions(strain, StrainBasis.LEGENDRE, counts.get(strain, 1)) for strain in Strain),
        reference=((Strain.TWIST, "0.4"), (Strain.STRETCH, "1.05")),
        stations=3,
        magnus=4,
    )


def _bumpy() -> Soft:
    """Gaussian bumps and hats, without losses: two pieces."""
    return Soft(
        0.35,
        Section("ring", radius="0.04", inner_radius="0.03"),
        Material(3e5, 0.2, 950.0),
        (
            StrainFunctions(Strain.CURVATURE_Y, StrainBasis.GAUSSIAN, 2, centres=(0.1, 0.25), width=0.12),
            StrainFunctions(Strain.CURVATURE_Z, StrainBasis.PIECEWISE_LINEAR, 3),
        ),
        stations=2,
    )


POOL = (bent_rod(random.Random(3)), pieced_rod(random.Random(4)), coiled_rod(), _planar(), _sheared(), _bumpy())
"""Every order and most bases; tables are found once for each."""


def softened(description: RobotDescription, seed: int, share: float) -> RobotDescription:
    """The robot with a rod in about ``share`` of the links that do not bend, one at least if there are any.

    Some frames stand in sections of rods. Links keep their inertials as hubs; children hang on tips or roots.
    """
    rng = random.Random(f"rods of {seed}")
    rigid = [link.name for link in description.links if link.flexible is None]
    chosen = [name for name in rigid if rng.random() < share] or rigid[-1:]
    links = tuple(_soft(link, rng) if link.name in chosen else link for link in description.links)
    rods = {link.name: link.soft for link in links if link.soft is not None}
    joints = tuple(replace(own, at=_where(rng)) if own.parent in chosen else own for own in description.joints)
    frames = [replace(own, at=_where(rng)) if own.link in chosen else own for own in description.frames]
    for name, rod in list(rods.items())[:1]:
        frames.append(Frame("section", name, placement(rng), 0.6 * rod.length))
    return check(replace(description, links=links, joints=joints, frames=tuple(frames)))


def _soft(link: Link, rng: random.Random) -> Link:
    return replace(link, soft=replace(rng.choice(POOL), placement=placement(rng)))


def _where(rng: random.Random) -> Attachment:
    chance = rng.random()
    return Attachment.ROOT if chance < 0.3 else Attachment.END if chance < 0.6 else Attachment.TIP


@st.composite
def soft_robots(draw: st.DrawFn, max_joints: int = 4, flexible: bool = True) -> RobotDescription:
    """Hypothesis strategy: trees of 1 to ``max_joints`` joints, with rods, beams, springs and followers."""
    count = draw(st.integers(1, max_joints))
    parents = [draw(st.integers(max(0, index - 2), index)) for index in range(count)]
    kinds = [draw(st.sampled_from((*MOVING, JointKind.REVOLUTE, JointKind.FIXED))) for _ in range(count)]
    seed = draw(st.integers(0, 2**32 - 1))
    made = make_robot(parents, kinds, seed, draw(st.booleans()))
    with_beams = bent(made, seed, 0.3) if flexible and draw(st.booleans()) else massive(made, seed)
    return softened(with_beams, seed, draw(st.sampled_from((0.2, 0.5, 0.9))))


def massive(description: RobotDescription, seed: int) -> RobotDescription:
    """The robot with smooth friction, and a mass on every link."""
    rng = random.Random(f"masses of {seed}")
    joints = tuple(replace(own, losses=replace(own.losses, velocity_scale=0.05)) for own in description.joints)
    return replace(description, links=tuple(_massive(link, rng) for link in description.links), joints=joints)


def _massive(link: Link, rng: random.Random) -> Link:
    found = link.inertial
    while found is None:
        found = inertial(rng)
    return replace(link, inertial=found)
