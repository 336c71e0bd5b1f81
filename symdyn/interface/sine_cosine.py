"""The polynomials behind a sine-cosine pair: the numbers that generated C and the evaluator share.

An angle x [rad] is reduced to r = x - n pi/2, with n the nearest whole number. pi/2 is taken away in three parts, of
which the first has so few digits that its multiples are exact. With z = r^2, the sine is r + r z odd(z) and the cosine
1 - z/2 + z^2 even(z). Both polynomials were fitted by Chebyshev interpolation at high precision.
"""

from __future__ import annotations

FARTHEST = 1e5
"""Largest angle [rad] for which the multiples are exact; the library's functions take larger ones."""

TURNS_PER_RADIAN = 0.6366197723675814
"""2 / pi."""

TO_WHOLE = 6755399441055744.0
"""1.5 * 2^52: adding and taking it away rounds to a whole number, whose last bits are those of the sum."""

QUARTER = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""pi / 2 in three parts."""

ODD = (
    -0.16666666666666666,
    0.008333333333330943,
    -0.0001984126983674939,
    2.755731609779019e-06,
    -2.505113085272846e-08,
    1.591805782353698e-10,
)
"""Coefficients of odd(z), the constant first."""

EVEN = (
    0.041666666666666664,
    -0.0013888888888887393,
    2.4801587298759943e-05,
    -2.755731726875062e-07,
    2.0876145647648735e-09,
    -1.1382587713671898e-11,
)
"""Coefficients of even(z), the constant first."""
