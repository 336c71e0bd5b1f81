"""Robots that the tests of the verify room share."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest
from mpmath import mp

from symdyn.description.robot import Inertial, Joint, JointKind, Link, Losses, Mimic, Placement, RobotDescription

Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def turned(generator: random.Random) -> Rotation:
    """A random rotation matrix by the Gram-Schmidt process."""
    first = unit([generator.gauss(0, 1) for _ in range(3)])
    second = [generator.gauss(0, 1) for _ in range(3)]
    along = sum(a * b for a, b in zip(first, second, strict=True))
    second = unit([b - along * a for a, b in zip(first, second, strict=True)])
    third = cross(first, second)
    return (tuple(first), tuple(second), tuple(third))  # type: ignore[return-value]


def unit(a: list[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in a))
    return [value / length for value in a]


def cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def triple(generator: random.Random, size: float = 0.4) -> tuple[float, float, float]:
    return (generator.uniform(-size, size), generator.uniform(-size, size), generator.uniform(-size, size))


def inertial(generator: random.Random) -> Inertial:
    moments = (0.03, 0.002, -0.001, 0.04, 0.003, 0.05)
    return Inertial(generator.uniform(0.5, 3.0), moments, Placement(triple(generator), turned(generator)))


def mixed_tree(floating: bool = True) -> RobotDescription:
    """A branching robot with every joint kind, a fixed link, a mimic joint and losses; no number is special."""
    generator = random.Random(7)
    kinds = [
        ("b_turn", JointKind.REVOLUTE, "base", "arm"),
        ("c_slide", JointKind.PRISMATIC, "arm", "rail"),
        ("d_ball", JointKind.SPHERICAL, "rail", "ball"),
        ("a_flat", JointKind.PLANAR, "base", "plate"),
        ("e_weld", JointKind.FIXED, "plate", "cover"),
        ("f_screw", JointKind.HELICAL, "cover", "screw"),
        ("g_cardan", JointKind.UNIVERSAL, "screw", "shaft"),
        ("h_free", JointKind.FLOATING, "arm", "drone"),
        ("i_wheel", JointKind.CONTINUOUS, "drone", "wheel"),
        ("j_follow", JointKind.REVOLUTE, "ball", "finger"),
    ]
    links = [Link("base", inertial(generator))]
    joints = []
    for name, kind, parent, child in kinds:
        axis = unit(list(triple(generator)))
        second = unit(cross(axis, list(triple(generator))))
        joints.append(
            Joint(
                name,
                kind,
                parent,
                child,
                Placement(triple(generator), turned(generator)),
                (axis[0], axis[1], axis[2]),
                (second[0], second[1], second[2]),
                pitch=0.13,
                losses=Losses(0.3, 0.2, 0.05),
                mimic=Mimic("b_turn", -1.7, 0.4) if name == "j_follow" else None,
            )
        )
        links.append(Link(child, inertial(generator)))
    return RobotDescription("mixed", tuple(links), tuple(joints), floating_base=floating)


@pytest.fixture
def mixed() -> RobotDescription:
    """The floating mixed tree."""
    return mixed_tree()


@pytest.fixture
def mixed_fixed() -> RobotDescription:
    """The mixed tree on the ground."""
    return mixed_tree(floating=False)


@pytest.fixture(autouse=True)
def fifty_digits() -> Iterator[None]:
    """Comparisons of the tests themselves must not round."""
    with mp.workdps(50):
        yield
