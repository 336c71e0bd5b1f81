"""Exponentials of strain matrices by power series in integers, against ``mpmath``."""

from __future__ import annotations

from typing import Any

import pytest
from mpmath import mp
from support.oracles.exact_results import agree

from symdyn.verify.base.dense import flat
from symdyn.verify.base.exponential import exponential_curve, exponential_slopes

DIRECTION = (3, -1, 2, 1, -2, 4)


def strain(twist: list[Any]) -> Any:
    x, y, z, a, b, c = twist
    return mp.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]])


@pytest.mark.parametrize("size", ["0", "1e-30", "1e-6", "0.25", "3", "12"])
def test_poses_and_slopes_are_exact_at_any_size(size: str) -> None:
    twist = [mp.mpf(size) * part / 5 for part in DIRECTION]
    curve = exponential_curve([twist, [mp.mpf(1)] * 6])
    slopes = exponential_slopes(tuple(twist), mp.prec)
    with mp.workdps(130):
        step = mp.mpf(10) ** -40
        pose = mp.expm(strain(twist))
        moved = []
        for row in range(6):
            near = [mp.expm(strain([x + h * (place == row) for place, x in enumerate(twist)])) for h in (step, -step)]
            moved.append((near[0] - near[1]) / (2 * step))
        seen = [pose**-1 * part for part in moved]
    agree(flat(curve.rotation[0]), [pose[i, j] for i in range(3) for j in range(3)], 1e-48)
    agree(curve.translation[0], [pose[i, 3] for i in range(3)], 1e-48)
    together = sum(moved, mp.zeros(4))
    agree(flat(curve.rotation[1]), [together[i, j] for i in range(3) for j in range(3)], 1e-47)
    for slope, part in zip(slopes, seen, strict=True):
        agree(slope.angular, [part[2, 1], part[0, 2], part[1, 0]], 1e-47)
        agree(slope.linear, [part[i, 3] for i in range(3)], 1e-47)


def test_small_rods_keep_their_relative_precision() -> None:
    twist = [mp.mpf(10) ** -12 * part for part in DIRECTION]
    place = exponential_curve([twist]).translation[0]
    with mp.workdps(90):
        pose = mp.expm(strain(twist))
    agree([x / y for x, y in zip(place, twist[3:], strict=True)], [pose[i, 3] / twist[3 + i] for i in range(3)], 1e-48)
