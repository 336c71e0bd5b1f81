"""Random robots for the whole suite: every joint kind, mimic, fixed links, awkward and plain placements."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from hypothesis import strategies as st

from support.robots.kinds import MOVING, ONE_COORDINATE
from symdyn.description.checks.check import check
from symdyn.description.robot import (
    IDENTITY,
    Actuator,
    Elastic,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    Losses,
    Matrix3,
    Mimic,
    Placement,
    RobotDescription,
    Spring,
)


def unit_vector(rng: random.Random) -> tuple[float, float, float]:
    """An axis: often a coordinate axis, sometimes any."""
    if rng.random() < 0.6:
        axis = [0.0, 0.0, 0.0]
        axis[rng.randrange(3)] = rng.choice((1.0, -1.0))
        return (axis[0], axis[1], axis[2])
    values = [rng.gauss(0.0, 1.0) for _ in range(3)]
    norm = math.sqrt(sum(value * value for value in values))
    return (values[0] / norm, values[1] / norm, values[2] / norm)


def orthogonal_to(axis: tuple[float, float, float], rng: random.Random) -> tuple[float, float, float]:
    """A unit vector at right angles to an axis."""
    while True:
        other = unit_vector(rng)
        cross = (
            axis[1] * other[2] - axis[2] * other[1],
            axis[2] * other[0] - axis[0] * other[2],
            axis[0] * other[1] - axis[1] * other[0],
        )
        norm = math.sqrt(sum(value * value for value in cross))
        if norm > 0.1:
            return (cross[0] / norm, cross[1] / norm, cross[2] / norm)


def rotation(rng: random.Random) -> Matrix3:
    """A rotation matrix: identity, a quarter turn, or any."""
    draw = rng.random()
    if draw < 0.3:
        return IDENTITY
    if draw < 0.6:
        return (
            ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
            if draw < 0.45
            else ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
        )
    q = [rng.gauss(0.0, 1.0) for _ in range(4)]
    norm = math.sqrt(sum(value * value for value in q))
    x, y, z, w = (value / norm for value in q)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )


def placement(rng: random.Random) -> Placement:
    """A placement whose translation has zeros as often as real robots have."""
    translation = [rng.choice((0.0, rng.uniform(-0.5, 0.5))) for _ in range(3)]
    return Placement((translation[0], translation[1], translation[2]), rotation(rng))


def inertial(rng: random.Random) -> Inertial | None:
    """A physical inertial: moments of a random set of points."""
    if rng.random() < 0.1:
        return None
    points = [[rng.gauss(0.0, 0.1) for _ in range(3)] for _ in range(4)]
    second = [[sum(point[i] * point[j] for point in points) for j in range(3)] for i in range(3)]
    trace = second[0][0] + second[1][1] + second[2][2]
    moments = [(trace if i == j else 0.0) - second[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    return Inertial(rng.uniform(0.1, 5.0), tuple(moments), placement(rng))  # type: ignore[arg-type]


def driven(joint: Joint, rng: random.Random) -> Joint:
    """The joint with a rotor in one case of four, or a rotor behind a spring in one of eight."""
    draw = rng.random()
    rotor = Actuator(rng.uniform(1e-4, 2e-4), rng.uniform(20.0, 60.0))
    if rng.random() < 0.5:
        rotor = Actuator(armature=rng.uniform(0.05, 0.5))
    if draw < 0.25:
        return replace(joint, actuator=rotor)
    if draw < 0.375 and joint.mimic is None:
        return replace(joint, elastic=Elastic(rng.uniform(5.0, 50.0), rng.choice((0.0, 0.5)), rotor))
    return joint


def sprung(joint: Joint, rng: random.Random) -> Joint:
    """The joint with a spring between its links in one case of three, half of them at rest where q = 0."""
    spring = Spring(rng.uniform(5.0, 50.0), rng.choice((0.0, rng.uniform(-1.0, 1.0))))
    return replace(joint, loads=(spring,)) if rng.random() < 1.0 / 3.0 else joint


def following_more(mimic: Mimic, leaders: list[str], rng: random.Random) -> Mimic:
    """The same with up to two leaders more, if there are so many."""
    names = rng.sample([name for name in leaders if name != mimic.joint], min(rng.randrange(3), len(leaders) - 1))
    return replace(mimic, others=tuple((name, rng.uniform(-1.0, 1.0)) for name in names))


_DRAWN = ("drives", "springs", "leaders")
"""What has a generator of its own, so that other numbers stay as they are."""


def make_robot(
    parents: list[int],
    kinds: list[JointKind],
    seed: int,
    floating: bool = False,
    mimics: bool = True,
    drives: bool = True,
) -> RobotDescription:
    """A robot whose link i + 1 hangs on link ``parents[i]`` by a joint of ``kinds[i]``; numbers come from ``seed``."""
    rng, *others = (random.Random(text) for text in (seed, *(f"{what} of {seed}" for what in _DRAWN)))
    of_drives, of_springs, of_leaders = others
    links = [Link(f"link{index}", inertial(rng)) for index in range(len(kinds) + 1)]
    joints: list[Joint] = []
    for index, kind in enumerate(kinds):
        axis = unit_vector(rng)
        joint = Joint(
            f"joint{rng.randrange(1000):03d}-{index}",
            kind,
            f"link{parents[index]}",
            f"link{index + 1}",
            placement(rng),
            axis,
            orthogonal_to(axis, rng),
            pitch=rng.uniform(-0.2, 0.2) if kind is JointKind.HELICAL else 0.0,
            limits=Limits(-2.0, 2.0, 10.0, 100.0) if kind in ONE_COORDINATE else None,
            losses=Losses(rng.choice((0.0, 0.3)), rng.choice((0.0, 0.2)), rng.choice((0.0, 0.05))),
        )
        leaders = [other for other in joints if other.kind in ONE_COORDINATE and other.mimic is None]
        if mimics and kind in ONE_COORDINATE and leaders and rng.random() < 0.15:
            led = Mimic(rng.choice(leaders).name, rng.uniform(-2.0, 2.0), rng.uniform(-0.5, 0.5))
            joint = replace(joint, mimic=following_more(led, [other.name for other in leaders], of_leaders))
        if drives and kind in ONE_COORDINATE:
            joint = sprung(driven(joint, of_drives), of_springs)
        joints.append(joint)
    if all(joint.kind is JointKind.FIXED for joint in joints) and not floating:
        joints[0] = replace(joints[0], kind=JointKind.REVOLUTE)
    frames = (Frame("tool", f"link{len(kinds)}", placement(rng)),)
    return check(
        RobotDescription(f"random-{seed}", tuple(links), tuple(joints), frames, floating_base=floating, source="random")
    )


@st.composite
def robots(draw: st.DrawFn, max_joints: int = 30, mimics: bool = True, drives: bool = True) -> RobotDescription:
    """Hypothesis strategy: trees of 1 to ``max_joints`` joints of all kinds, fixed ones among them.

    Joints with one coordinate may follow others (``mimics``), and may have rotors, springs before these, and springs
    between their links (``drives``).
    """
    count = draw(st.one_of(st.integers(1, min(8, max_joints)), st.integers(1, max_joints)))
    parents = [draw(st.integers(max(0, index - 3), index)) for index in range(count)]
    kinds = [draw(st.sampled_from((*MOVING, JointKind.REVOLUTE, JointKind.FIXED))) for _ in range(count)]
    return make_robot(parents, kinds, draw(st.integers(0, 2**32 - 1)), draw(st.booleans()), mimics, drives)
