"""The benchmark tree of the higher-order paper: a free base that carries equal chains of any length."""

from __future__ import annotations

from math import cos, pi, sin

from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.errors import ModelError
from symdyn.interface.argument_words import given_whole

_BASE = Inertial(2.5, (0.03, 0.0, 0.0, 0.03, 0.0, 0.05))
_MOST = 100_000
_DROP = 0.10
"""b: the first joint axes pass this far below the base's centre of mass [m]."""
_HALF_LENGTH = 0.06
"""d: from a link's joint to its centre of mass, and from there to the next joint [m]."""
_SPACING = 0.18
"""c: the chains are attached on a circle of this diameter [m]."""
_LINK = Inertial(0.25, (0.002, 0.0, 0.0, 0.002, 0.0, 0.001), Placement((0.0, 0.0, -_HALF_LENGTH)))
_AXES = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def aerial_tree(bodies_per_branch: int = 20, branches: int = 5) -> RobotDescription:
    """Free base of 2.5 kg with hanging chains of 0.25 kg links; at q = 0 all frames are parallel to the world's.

    Ali et al. (2026), tables 3 and 4, give masses, inertias and lengths for this tree but neither the attachment points
    nor the order of the axes. Here branch k leaves the base at the angle 2 pi k / ``branches`` on a circle of diameter
    c = 0.18 m, and the axes of each chain cycle y, x, z from the base outwards. Two branches of three bodies are the
    paper's aerial manipulator (figure 2).

    Parameters
    ----------
    bodies_per_branch
        Links per chain, at least 1; the robot has ``1 + branches * bodies_per_branch`` bodies.
    branches
        Number of chains, at least 1.

    Raises
    ------
    RequestError, ModelError
        A count below 1, or one that is too large.
    """
    for name, value in (("bodies_per_branch", bodies_per_branch), ("branches", branches)):
        if given_whole(f"aerial_tree: {name}", value, 1) > _MOST:
            raise ModelError(f"aerial_tree: {name} is {value}, expected at most {_MOST}")
    # Names sort as they count, so that the coordinates run branch by branch.
    branch_digits, body_digits = len(str(branches)), len(str(bodies_per_branch))
    links = [Link("base", _BASE)]
    joints: list[Joint] = []
    for branch in range(branches):
        parent = "base"
        for body in range(bodies_per_branch):
            tail = f"{branch + 1:0{branch_digits}}_{body + 1:0{body_digits}}"
            offset = _attachment(branch, branches) if body == 0 else (0.0, 0.0, -2.0 * _HALF_LENGTH)
            joints.append(
                Joint(
                    f"joint_{tail}",
                    JointKind.CONTINUOUS,
                    parent,
                    f"link_{tail}",
                    Placement(offset),
                    _AXES[body % len(_AXES)],
                )
            )
            parent = f"link_{tail}"
            links.append(Link(parent, _LINK))
    return RobotDescription("aerial_tree", tuple(links), tuple(joints), floating_base=True, source="aerial_tree")


def _attachment(branch: int, branches: int) -> tuple[float, float, float]:
    angle = 2.0 * pi * branch / branches
    x, y = (_SPACING / 2.0 * _snap(value) for value in (cos(angle), sin(angle)))
    return (x, y, -_DROP)


def _snap(value: float) -> float:
    """A zero or one of a right angle, exactly: the generator then leaves its products out."""
    for exact in (-1.0, 0.0, 1.0):
        if abs(value - exact) < 1e-15:
            return exact
    return value
