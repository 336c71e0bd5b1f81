"""Random robots some of whose links bend: those of ``random_trees`` with beams from a small pool in them."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st

from support.robots.flexible_trees import hub_beam, spatial_beam, stepped, tapered_beam, uniform
from support.robots.kinds import MOVING
from support.robots.random_trees import inertial, make_robot, placement
from symdyn.description.checks.check import check
from symdyn.description.flexible import Basis, Direction, Flexible, Modes
from symdyn.description.robot import Attachment, Frame, Joint, JointKind, Link, RobotDescription


def _one_plane(length: float = 0.9) -> Flexible:
    """Natural modes with a payload at the end, in the plane z."""
    bends = Modes(Direction.BEND_Z, Basis.CLAMPED_TIP_MASS, 2, uniform(length, 15.0), damping_ratios=(0.01, 0.4))
    return Flexible(length, uniform(length, 0.7), (bends,), tip_mass=0.6, tip_inertia=0.02, stiffening=True)


def _formulas(length: float = 1.0) -> Flexible:
    """Shapes as formulas, two for one plane that are not orthogonal, and one that twists."""
    return Flexible(
        length,
        stepped(length, "0.9 - 0.5 * x", "0.4"),
        (
            Modes(
                Direction.BEND_Y,
                Basis.EXPRESSIONS,
                2,
                stepped(length, "20.0", "12.0 + x"),
                retardation_time=0.003,
                functions=("x ** 2", "x ** 3 - 0.2 * x ** 2"),
            ),
            Modes(Direction.TORSION, Basis.EXPRESSIONS, 1, uniform(length, 9.0), functions=("sin(1.3 * x)",)),
        ),
        section_inertia=(uniform(length, 0.006), uniform(length, 0.002)),
        stiffening=True,
    )


def _stretching(length: float = 0.7) -> Flexible:
    """It stretches and twists, and stays straight."""
    return Flexible(
        length,
        uniform(length, 1.3),
        (
            Modes(Direction.TORSION, Basis.CLAMPED_FREE, 2, uniform(length, 6.0), damping_ratios=(0.02, 0.05)),
            Modes(Direction.AXIAL, Basis.CLAMPED_FREE, 1, uniform(length, 300.0), retardation_time=0.001),
        ),
        section_inertia=(uniform(length, 0.01), uniform(length, 0.003)),
    )


def _table(length: float = 0.8) -> Flexible:
    """One sampled shape of each plane."""
    stations = (*(length * k / 8 for k in range(8)), length)
    samples = tuple(x * x * (3.0 * length - x) for x in stations)
    return Flexible(
        length,
        uniform(length, 1.0),
        (
            Modes(Direction.BEND_Y, Basis.TABLE, 1, uniform(length, 8.0), stations=stations, samples=(samples,)),
            Modes(Direction.BEND_Z, Basis.TABLE, 1, uniform(length, 14.0), stations=stations, samples=(samples,)),
        ),
    )


def _pool() -> tuple[Flexible, ...]:
    generator = random.Random(5)
    return (
        spatial_beam(generator, stiffening=True),
        spatial_beam(generator, stiffening=False),
        tapered_beam(generator),
        hub_beam(generator),
        _one_plane(),
        _formulas(),
        _stretching(),
        _table(),
    )


POOL = _pool()
"""Every basis, direction and damping, with and without stiffening; shapes are found once for each."""


def bent(description: RobotDescription, seed: int, share: float = 0.4) -> RobotDescription:
    """The robot with a beam in about ``share`` of its links, one at least; their children at the tip or the root.

    Beams keep the numbers of their shapes and lie in their links in any way. Links that bend have a hub or none, and
    all others a mass.
    """
    rng = random.Random(f"beams of {seed}")
    chosen = [link.name for link in description.links if rng.random() < share]
    chosen = chosen or [rng.choice(description.links).name]
    links = tuple(_bent(link, rng) if link.name in chosen else _massive(link, rng) for link in description.links)
    joints = tuple(_attached(joint, chosen, rng) for joint in description.joints)
    frames = [replace(frame, at=_where(frame.link, chosen, rng)) for frame in description.frames]
    frames.append(Frame("mark", chosen[0], placement(rng), _where(chosen[0], chosen, rng)))
    return check(replace(description, links=links, joints=joints, frames=tuple(frames)))


def _bent(link: Link, rng: random.Random) -> Link:
    return replace(link, flexible=replace(rng.choice(POOL), placement=placement(rng)))


def _massive(link: Link, rng: random.Random) -> Link:
    found = link.inertial
    while found is None:
        found = inertial(rng)
    return replace(link, inertial=found)


def _where(link: str, flexible: list[str], rng: random.Random) -> Attachment:
    if link not in flexible:
        return Attachment.TIP
    chance = rng.random()
    return Attachment.ROOT if chance < 0.35 else Attachment.END if chance < 0.6 else Attachment.TIP


def _attached(joint: Joint, flexible: list[str], rng: random.Random) -> Joint:
    return replace(joint, at=_where(joint.parent, flexible, rng), losses=replace(joint.losses, velocity_scale=0.05))


def make_flexible_robot(
    parents: list[int], kinds: list[JointKind], seed: int, floating: bool = False, share: float = 0.4
) -> RobotDescription:
    """A tree as :func:`make_robot` makes it, with beams in it."""
    return bent(make_robot(parents, kinds, seed, floating), seed, share)


@st.composite
def flexible_robots(draw: st.DrawFn, max_joints: int = 6) -> RobotDescription:
    """Hypothesis strategy: trees of 1 to ``max_joints`` joints of all kinds, some of whose links bend."""
    count = draw(st.integers(1, max_joints))
    parents = [draw(st.integers(max(0, index - 2), index)) for index in range(count)]
    kinds = [draw(st.sampled_from((*MOVING, JointKind.REVOLUTE, JointKind.FIXED))) for _ in range(count)]
    seed = draw(st.integers(0, 2**32 - 1))
    return make_flexible_robot(parents, kinds, seed, draw(st.booleans()), draw(st.sampled_from((0.2, 0.5, 0.9))))


def flexible_limbs(limbs: int = 2, floating: bool = False) -> RobotDescription:
    """A base with equal limbs of a flexible link, a hand at its tip and a wheel at its root; masses grow with them."""
    rng = random.Random(2)
    beam = replace(_one_plane(), placement=placement(rng))
    base, load = _massive(Link("base"), rng), _massive(Link("load"), rng).inertial
    assert load is not None
    links, joints = [base], []
    shoulder, wrist, axle = placement(rng), placement(rng), placement(rng)
    for limb in range(limbs):
        arm, hand, wheel = f"arm{limb}", f"hand{limb}", f"wheel{limb}"
        heavier = replace(load, mass=float(load.mass) * (1.0 + 0.1 * limb))
        links += [Link(arm, heavier, flexible=beam), Link(hand, heavier), Link(wheel, heavier)]
        joints += [
            Joint(f"shoulder{limb}", JointKind.REVOLUTE, "base", arm, shoulder, (0.0, 0.0, 1.0)),
            Joint(f"wrist{limb}", JointKind.REVOLUTE, arm, hand, wrist),
            Joint(f"axle{limb}", JointKind.PRISMATIC, arm, wheel, axle, (0.0, 1.0, 0.0), at=Attachment.ROOT),
        ]
    return check(RobotDescription("flexible_limbs", tuple(links), tuple(joints), (), floating_base=floating))
