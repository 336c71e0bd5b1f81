"""Small robots written out by hand, and their inverse dynamics by the float recursion."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from symdyn import api
from symdyn.description.robot import (
    IDENTITY,
    Frame,
    Inertial,
    Joint,
    JointKind,
    Link,
    Matrix3,
    Number,
    Placement,
    RobotDescription,
    Vector3,
)
from symdyn.errors import SymdynWarning
from symdyn.robot.robot import Robot

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
QUARTER_ABOUT_Z: Matrix3 = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
GENERIC = (0.03, 0.002, -0.001, 0.04, 0.003, 0.05)
"""Moments of inertia without a special value."""


def massive(
    name: str,
    mass: Number = 2.0,
    center: Vector3 = (0.1, -0.2, 0.3),
    moments: Sequence[Number] = GENERIC,
    turned: Matrix3 = IDENTITY,
) -> Link:
    """A link with inertia."""
    xx, xy, xz, yy, yz, zz = moments
    return Link(name, Inertial(mass, (xx, xy, xz, yy, yz, zz), Placement(center, turned)))


def point_mass(name: str, mass: Number, center: Vector3) -> Link:
    """A link that is one point."""
    return massive(name, mass, center, (0.0,) * 6)


def joint(
    name: str,
    kind: JointKind,
    parent: str,
    child: str,
    at: Vector3 = (0.0, 0.0, 0.0),
    axis: tuple[float, float, float] = Z,
    turned: Matrix3 = IDENTITY,
    **more: Any,
) -> Joint:
    """A joint at a place in its parent."""
    return Joint(name, kind, parent, child, Placement(at, turned), axis, **more)


def described(
    links: Sequence[Link], joints: Sequence[Joint], frames: Sequence[Frame] = (), **more: Any
) -> RobotDescription:
    """A description named ``bench``."""
    return RobotDescription("bench", tuple(links), tuple(joints), tuple(frames), source="bench.yaml", **more)


def loaded(description: RobotDescription, **options: Any) -> Robot:
    """A robot from a description, its warnings left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return api.from_description(description, **options)


def single(kind: JointKind, link: Link | None = None, **more: Any) -> RobotDescription:
    """The ground and one link on a joint named ``j``; keywords are those of :func:`joint`."""
    return described([Link("base"), link or massive("body")], [joint("j", kind, "base", "body", **more)])


def torque(
    robot: Robot,
    q: Iterable[float],
    v: Iterable[float],
    a: Iterable[float],
    external: str | None = None,
    **more: Iterable[float],
) -> list[float]:
    """tau by the float recursion; ``more`` are f_ext and p, flat."""
    recursion = api.float_recursion(robot, "inverse_dynamics", external_wrenches=external)
    inputs = {name: [float(value) for value in values] for name, values in {"q": q, "v": v, "a": a, **more}.items()}
    return list(recursion(inputs)["tau"])
