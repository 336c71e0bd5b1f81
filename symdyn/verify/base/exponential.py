"""The exponential of a strain matrix, with its derivatives, by nothing but power series.

A strain matrix is 4 x 4: [omega] beside v, above a row of zeros. Its exponential is a pose. The powers are summed in
integers that count units of 2^-bits: that is some eight times faster than ``mpmath``, and exact enough to round to the
working precision, because a pose has entries of the size of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpmath import mp

from symdyn.verify.base.curves import Curve, PartialVelocity
from symdyn.verify.base.matrices import Matrix, Real, Vector, cross

_GUARD = 64
"""Bits beyond the working precision: they cover small rods, and the rounding of all terms."""

Twist = Sequence[Real]
"""Six rows (omega; v): the axial vector of the matrix, and its last column."""
_Block = list[int]
"""The first three rows of a matrix whose last row is zero, one after the other."""


def exponential_curve(twists: Sequence[Twist]) -> Curve:
    """``exp(A(t))``, a series of the length of that of the twist of A."""
    bits = _bits(twists[0])
    factors = powers = sums = [_strain(twist, bits) for twist in twists]
    count = 1
    while any(abs(value) > 1 for block in powers for value in block):
        count += 1
        products = [
            [_product(powers[place], factors[order - place]) for place in range(order + 1)]
            for order in range(len(powers))
        ]
        powers = [[(sum(same) >> bits) // count for same in zip(*parts, strict=True)] for parts in products]
        sums = [list(map(sum, zip(*pair, strict=True))) for pair in zip(sums, powers, strict=True)]
    sums[0] = [value + (place % 5 == 0) * (1 << bits) for place, value in enumerate(sums[0])]
    read = [_read(block, bits) for block in sums]
    return Curve([rotation for rotation, _ in read], [translation for _, translation in read])


@lru_cache(maxsize=512)  # steps of a rod whose own coordinates stand still while others are moved
def exponential_slopes(twist: tuple[Real, ...], precision: int) -> tuple[PartialVelocity, ...]:
    """How ``exp(A)`` moves, in its own axes, per unit of each of the six rows of A's twist.

    ``exp(A)' = exp(A) (A' - [A, A'] / 2! + [A, [A, A']] / 3! - ..)``, with the brackets of matrices. ``precision`` is
    the working precision in bits, on which the result depends.
    """
    bits = _bits(twist)
    turn = [_fixed(value, bits) for value in twist[:3]]
    move = [_fixed(value, bits) for value in twist[3:]]
    found = []
    for unit in range(6):
        angular, linear = ([(place == unit) << bits for place in range(first, first + 3)] for first in (0, 3))
        turning, moving, count = angular, linear, 1
        while any(abs(value) > 1 for value in (*angular, *linear)):
            count += 1
            swept = zip(cross(turn, linear), cross(move, angular), strict=True)
            linear = [(-(own + other) >> bits) // count for own, other in swept]
            angular = [(-value >> bits) // count for value in cross(turn, angular)]
            turning = [total + value for total, value in zip(turning, angular, strict=True)]
            moving = [total + value for total, value in zip(moving, linear, strict=True)]
        found.append(PartialVelocity(_reals(turning, bits), _reals(moving, bits)))
    return tuple(found)


def _bits(twist: Twist) -> int:
    """Bits after the point; powers of a large matrix cancel, as those of a number do."""
    return int(mp.prec) + _GUARD + 3 * int(mp.ceil(sum(abs(value) for value in twist[:3])))


def _fixed(value: Real, bits: int) -> int:
    return int(mp.nint(mp.ldexp(value, bits)))


def _reals(values: Sequence[int], bits: int) -> Vector:
    return [mp.ldexp(mp.mpf(value), -bits) for value in values]


def _strain(twist: Twist, bits: int) -> _Block:
    x, y, z, a, b, c = (_fixed(value, bits) for value in twist)
    return [0, -z, y, a, z, 0, -x, b, -y, x, 0, c]


def _product(left: _Block, right: _Block) -> _Block:
    """Twice as many bits; the last column of the left factor meets the row of zeros."""
    a, b, c, d, e, f, g, h, i, j, k, m = right
    found = []
    for first in (0, 4, 8):
        x, y, z = left[first : first + 3]
        found += [x * a + y * e + z * i, x * b + y * f + z * j, x * c + y * g + z * k, x * d + y * h + z * m]
    return found


def _read(block: _Block, bits: int) -> tuple[Matrix, Vector]:
    rows = [_reals(block[first : first + 4], bits) for first in (0, 4, 8)]
    return [row[:3] for row in rows], [row[3] for row in rows]
