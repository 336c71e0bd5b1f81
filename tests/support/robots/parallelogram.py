"""Cranks of equal length and a coupler, all along one line at the neutral position: a row of a pin vanishes there."""

from __future__ import annotations

from support.robots.looped import bar, hinge
from symdyn.description.external_loads import Site
from symdyn.description.loops import Loop, LoopKind
from symdyn.description.robot import Link, RobotDescription

_Y = (0.0, 1.0, 0.0)
PULL = 9.81 * 0.4 / (0.08 / 3.0 + 0.04)
"""Angular acceleration of two horizontal cranks [1/s^2]: they weigh 1 kg each, as the coupler does, over 0.2 m."""


def parallelogram(third: bool = False) -> RobotDescription:
    """Two cranks, or three, which are then held once too often."""
    names = {"left": 0.0, "right": 0.4, **({"middle": 0.2} if third else {})}
    links = [bar("left", 0.2), bar("top", 0.4), *(bar(name, 0.2) for name in names if name != "left")]
    joints = [hinge(f"at_{name}", "ground", name, x) for name, x in names.items()]
    joints.append(hinge("elbow", "left", "top", 0.2))
    pins = [
        Loop(
            f"pin_{name}",
            (Site("top", point=(x, 0.0, 0.0)), Site(name, point=(0.2, 0.0, 0.0))),
            LoopKind.REVOLUTE,
            (_Y, _Y),
        )
        for name, x in names.items()
        if name != "left"
    ]
    return RobotDescription("parallelogram", (Link("ground"), *links), tuple(joints), acting=tuple(pins))
