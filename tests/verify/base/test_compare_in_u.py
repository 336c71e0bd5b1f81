"""Errors in units of u: exactness, blocks, floors, values that are no numbers."""

from __future__ import annotations

import math

import pytest
from mpmath import mp

from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, unit_blocks

BLOCKS = ((0, 1), (2,))


def test_units_make_blocks_in_order_of_appearance() -> None:
    assert unit_blocks(["N", "N m", "N", "1"]) == ((0, 2), (1,), (3,))


def test_each_block_has_its_own_norm() -> None:
    truth = [mp.mpf(1), mp.mpf(1000), mp.mpf(1)]
    assert error_in_u([1.0, 1000.0, 1.0], truth, BLOCKS) == 0.0
    assert error_in_u([1.0 + 2.0**-52, 1000.0, 1.0], truth, BLOCKS) == pytest.approx(0.002)
    assert error_in_u([1.0, 1000.0, 1.0 + 2.0**-52], truth, BLOCKS) == 2.0
    assert error_in_u([1.0, 1000.0, 1.0 + 2.0**-23], truth, BLOCKS, dtype="float32") == 2.0


def test_the_truth_keeps_digits_that_a_double_cannot() -> None:
    # 1/3 = 0.010101..b is rounded down at the 54th bit, by half of u relative to itself
    assert error_in_u([1 / 3], [mp.mpf(1) / 3], ((0,),)) == 0.5


def test_floors_forgive_what_cancels() -> None:
    hanging = [mp.mpf(0)] * 3
    floors = block_floors([[mp.mpf(5), mp.mpf(-8), mp.mpf(2)], hanging], BLOCKS)
    assert [float(floor) for floor in floors] == [0.008, 0.002]
    assert error_in_u([0.008 * 2.0**-53, 0.0, 0.0], hanging, BLOCKS, floors) == 1.0
    assert error_in_u([1e-300, 0.0, 0.0], hanging, BLOCKS) == math.inf
    assert error_in_u([-0.0, 0.0, 0.0], hanging, BLOCKS) == 0.0
    assert block_floors([], BLOCKS) == [0, 0]


def test_floors_are_not_those_of_one_state_near_a_singular_one() -> None:
    usual = [[mp.mpf(size)] * 3 for size in (1, 2, 3, 0)]
    near = [mp.mpf("1e20")] * 3
    assert [float(floor) for floor in block_floors([*usual, near], BLOCKS)] == [2.0, 2.0]
    assert [float(floor) for floor in block_floors([near, usual[0]], BLOCKS)] == [1.0, 1.0]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_infinitely_wrong(wrong: float) -> None:
    assert error_in_u([0.0, wrong, 1.0], [mp.mpf(1)] * 3, BLOCKS) == math.inf


def test_lengths_must_match() -> None:
    with pytest.raises(ValueError, match="value has 1 rows, truth has 2"):
        error_in_u([1.0], [mp.mpf(1)] * 2, ((0, 1),))


def test_deeper_robots_may_err_more() -> None:
    assert limit_in_u(7) < limit_in_u(20) < 2**-20 / 2**-53
