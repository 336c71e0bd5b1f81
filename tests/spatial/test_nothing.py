"""The inertia of nothing."""

from __future__ import annotations

from symdyn.spatial.inertia import ZERO, Inertia


def test_nothing_has_no_moments() -> None:
    assert Inertia(0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) == ZERO
