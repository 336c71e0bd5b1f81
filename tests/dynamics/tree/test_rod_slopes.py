"""Slopes of rods' steps in closed form equal those of dual numbers, for all Magnus orders and what may be asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from symdyn.algebra.scalars.dual import DualAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.tree.rod_slopes import ROD_POSES
from symdyn.dynamics.tree.rod_steps import RodVariant, rod_poses

TOLERANCE = 2e-15
ASKED = (("b_q",), ("b_q", "b_v"), ("b_q", "b_v", "b_a"))


def reads(moments: int, asked: tuple[str, ...], turn: float) -> dict[str, list[float]]:
    rng = np.random.default_rng(moments)
    found = {port: rng.uniform(-1.0, 1.0, 6 * moments) for port in asked}
    found["b_q"] *= turn / np.linalg.norm(found["b_q"])
    return {port: own.tolist() for port, own in found.items()}


def by_duals(variant: RodVariant, given: dict[str, list[float]], column: tuple[str, int]) -> dict[str, list[float]]:
    port, place = column
    varied: dict[str, list[Any]] = {name: list(own) for name, own in given.items()}
    over = DualAlgebra(FloatAlgebra())
    varied[port][place] = over.dual(varied[port][place], {0: 1.0})
    found = rod_poses(variant, over, {}, varied)
    return {name: [over.slope(x, 0) for x in own] for name, own in found.items()}


@pytest.mark.parametrize("moments", [1, 2, 3])
@pytest.mark.parametrize("asked", ASKED, ids="".join)
@pytest.mark.parametrize("turn", [0.0, 0.8])
def test_closed_forms_are_slopes(moments: int, asked: tuple[str, ...], turn: float) -> None:
    rule = ROD_POSES.slopes
    assert rule is not None
    variant, given = RodVariant(moments, 0, 12, (), (), 2.0), reads(moments, asked, turn)
    for port in (port for port in asked if port in rule.by):
        columns = tuple((port, place) for place in range(6 * moments))
        shared = dict(rule.shared((variant, columns), FloatAlgebra(), {}, given))
        plain = rod_poses(variant, FloatAlgebra(), {}, given)
        for name, own in plain.items():
            assert np.allclose(shared[name], own, rtol=0.0, atol=TOLERANCE * max(1.0, np.abs(own).max()))
        width = len(shared["starts"]) // len(columns)
        for number, column in enumerate(columns):
            start = shared["starts"][number * width : (number + 1) * width]
            kind = rule.kind(variant, column, tuple(given))
            found = rule.column(kind, FloatAlgebra(), {}, {**shared, "start": start})
            for name, expected in by_duals(variant, given, column).items():
                scale = max(1.0, np.abs(expected).max())
                assert np.abs(np.subtract(found.get(name, 0.0), expected)).max() <= 10 * TOLERANCE * scale, (
                    name,
                    column,
                )


def test_what_turns_too_far_has_no_slopes() -> None:
    variant, given, column = RodVariant(2, 0, 12, (), (), 0.05), reads(2, ASKED[2], 0.8), ("b_q", 3)
    rule = ROD_POSES.slopes
    assert rule is not None
    for widest, finite in ((0.05, False), (2.0, True)):
        own = replace(variant, widest=widest)
        shared = rule.shared((own, (column,)), FloatAlgebra(), {}, given)
        kind = rule.kind(own, column, tuple(given))
        found = rule.column(kind, FloatAlgebra(), {}, {**shared, "start": shared["starts"]})
        assert all(np.isfinite(found[name]).all() == finite for name in ("pose", "twist", "rate"))
