"""What is mutated: the shipped robots, the files that the tests of the readers read, and random trees."""

from __future__ import annotations

import functools
import random

from support.places import CORPUS
from support.robots.kinds import MOVING
from support.robots.loop_files import BENNETT, FOUR_BAR, SLIDER, platform
from support.robots.random_flexible_trees import make_flexible_robot
from support.robots.random_trees import make_robot
from support.robots.shipped_loops import LOOPED
from support.robots.shipped_soft import SOFT, SOFT_LOOPED
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.description.yaml.write import write_yaml
from symdyn.robot.shipped.catalogue import SHIPPED, example_path

URDF_KINDS = ("revolute", "revolute", "continuous", "prismatic", "fixed", "floating", "planar")


@functools.cache
def corpus(suffix: str) -> tuple[str, ...]:
    """Texts of the readers' corpus, refused ones too."""
    found = []
    for path in sorted(CORPUS.glob(f"*{suffix}")):
        if path.stat().st_size < 20_000:
            found.append(path.read_bytes().decode("utf-8", "replace"))
    return tuple(found)


@functools.cache
def shipped() -> tuple[str, ...]:
    """Texts of the shipped robots that have a file and no rods; rods are in the corpus."""
    found = []
    for name in sorted(SHIPPED):
        if name != "aerial_tree" and name not in (*SOFT, *SOFT_LOOPED):
            with example_path(name) as path:
                found.append(path.read_text(encoding="utf-8"))
    return tuple(found)


@functools.cache
def looped(sound: bool) -> tuple[str, ...]:
    """Texts of robots with closed loops: shipped ones and those of tests, or those of the corpus, most of them bad."""
    if not sound:
        return _of_corpus("loops:")
    return (*_shipped_of((*LOOPED, "parallel_robot")), FOUR_BAR, SLIDER, BENNETT, platform())


@functools.cache
def soft(sound: bool) -> tuple[str, ...]:
    """Texts of robots with soft links, shipped or of the corpus; not the fin-ray finger: 3 s to read its 17 rods."""
    return _shipped_of((*SOFT, "parallel_robot")) if sound else _of_corpus("soft:")


def _shipped_of(names: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for name in names:
        with example_path(name) as path:
            found.append(path.read_text(encoding="utf-8"))
    return tuple(found)


def _of_corpus(key: str) -> tuple[str, ...]:
    return tuple(text for text in corpus(".yaml") if key in text)


def random_description(rng: random.Random, most: int, flexible: bool) -> RobotDescription:
    """A tree with joints of all kinds."""
    count = rng.randrange(1, most + 1)
    parents = [rng.randrange(max(0, index - 3), index + 1) for index in range(count)]
    kinds = [rng.choice((*MOVING, JointKind.REVOLUTE, JointKind.FIXED)) for _ in range(count)]
    seed, floating = rng.randrange(2**32), rng.random() < 0.4
    make = make_flexible_robot if flexible else make_robot
    return make(parents, kinds, seed, floating)


def yaml_source(rng: random.Random) -> str:
    """Text of a robot in symdyn's YAML."""
    match rng.randrange(4):
        case 0:
            return rng.choice(shipped())
        case 1:
            return write_yaml(random_description(rng, 8, rng.random() < 0.3))
    return rng.choice(corpus(".yaml"))


def urdf_source(rng: random.Random) -> str:
    """Text of a URDF."""
    return random_urdf(rng) if rng.random() < 0.75 else rng.choice(corpus(".urdf"))


def random_urdf(rng: random.Random) -> str:
    """A URDF of a random tree, with limits, losses, mimic joints, shapes and transmissions."""
    count = rng.randrange(1, 9)
    rows = ['<?xml version="1.0"?>', '<robot name="tree">']
    for index in range(count + 1):
        shape = '\n    <visual><geometry><box size="1 1 1"/></geometry></visual>' if rng.random() < 0.3 else ""
        rows.append(f'  <link name="l{index}">{shape}')
        if rng.random() < 0.9:
            x, y, z = (rng.uniform(0.01, 0.1) for _ in range(3))
            rows += [
                "    <inertial>",
                f'      <origin xyz="{_triple(rng)}" rpy="{_triple(rng)}"/>',
                f'      <mass value="{rng.uniform(0.1, 5.0):.6g}"/>',
                f'      <inertia ixx="{y + z:.9g}" ixy="0" ixz="0" iyy="{x + z:.9g}" iyz="0" izz="{x + y:.9g}"/>',
                "    </inertial>",
            ]
        rows.append("  </link>")
    turning: list[str] = []
    for index in range(1, count + 1):
        kind = rng.choice(URDF_KINDS)
        rows += [
            f'  <joint name="j{index}" type="{kind}">',
            f'    <origin xyz="{_triple(rng)}" rpy="{_triple(rng)}"/>',
            f'    <parent link="l{rng.randrange(max(0, index - 3), index)}"/>',
            f'    <child link="l{index}"/>',
            f'    <axis xyz="{rng.choice(("1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0.6 0 0.8"))}"/>',
        ]
        if kind in ("revolute", "prismatic"):
            rows.append('    <limit lower="-2" upper="2" effort="50" velocity="3"/>')
        if rng.random() < 0.2:
            rows.append('    <dynamics damping="0.1" friction="0.2"/>')
        if kind in ("revolute", "prismatic") and turning and rng.random() < 0.2:
            rows.append(
                f'    <mimic joint="{rng.choice(turning)}" multiplier="{rng.uniform(-2, 2):.3g}" offset="0.1"/>'
            )
        elif kind in ("revolute", "prismatic"):
            turning.append(f"j{index}")
        rows.append("  </joint>")
    return "\n".join([*rows, "</robot>", ""])


def _triple(rng: random.Random) -> str:
    return " ".join(f"{rng.choice((0.0, rng.uniform(-1, 1), 1.5707963267948966)):.17g}" for _ in range(3))
