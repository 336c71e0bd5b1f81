"""The shipped soft robots: what costs a few seconds with others takes minutes with the larger of them."""

from __future__ import annotations

import symdyn
from support.robots.shipped_loops import LOOPED

SOFT = (
    "cable_manipulator",
    "gaussian_tentacle",
    "soft_serial_robot",
    "flagellate_vehicle",
    "cylinder_contact",
    "bulging_arm",
)
"""From the quickest to the slowest."""
SOFT_LOOPED = ("parallel_robot", "fin_ray_finger")
TREES = tuple(name for name in sorted(symdyn.examples()) if name not in (*SOFT, *LOOPED, *SOFT_LOOPED))
"""Neither soft nor with closed loops, of which most functions know nothing."""
