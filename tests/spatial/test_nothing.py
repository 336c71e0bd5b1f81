"""The inertia of nothing."""

from __future__ import annotations

from symdyn.algebra.spatial.inertia import ZERO, Inertia, from_center_of_mass
from symdyn.algebra.spatial.rotations import IDENTITY, AboutZ
from symdyn.algebra.spatial.transform import Transform

SOME = Inertia(2.0, (0.1, -0.2, 0.3), (0.3, 0.01, 0.02, 0.4, 0.03, 0.5))


def test_nothing_adds_nothing() -> None:
    total = SOME.plus(ZERO)
    assert total.scalars() == SOME.scalars() == ZERO.plus(SOME).scalars()


def test_nothing_has_no_momentum_and_is_nothing_from_everywhere() -> None:
    assert ZERO.momentum([1.0, -2.0, 3.0, 4.0, -5.0, 6.0]) == [0.0] * 6
    moved = ZERO.seen_from_parent(Transform(IDENTITY, AboutZ(0.6, 0.8), [1.0, 2.0, 3.0]))
    assert moved.scalars() == ZERO.scalars()


def test_a_body_without_mass_is_nothing_wherever_its_centre_is() -> None:
    assert from_center_of_mass(0.0, (1.0, 2.0, 3.0), (0.0,) * 6).scalars() == ZERO.scalars()
