"""The joint between the two ends of a beam: where the far section is as a function of time, to second order.

The far section turns by the exponential of the rotation vector phi = sum of turns times coordinates:
``exp [phi] = 1 + f(s) [phi] + g(s) [phi]^2`` with s = |phi|^2, f = sin |phi| / |phi| and g = (1 - cos |phi|) / |phi|^2.
Both are entire functions of s, and are summed as the power series that they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mpmath import mp

from symdyn.verify.base.curves import Curve, PartialVelocity
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    VectorSeries,
    add,
    add_matrices,
    dot,
    identity,
    product,
    rotation_rate,
    scale,
    scale_matrix,
    skew,
    times,
    vector,
    zeros,
)
from symdyn.verify.oracle.beam import Beam


def flexure_curve(beam: Beam, rotation: Matrix, d: VectorSeries) -> Curve:
    """The curve of the far section, parallel to the link's frame at rest.

    Parameters
    ----------
    beam
        The beam.
    rotation
        Of the beam's axes in the link's.
    d
        Series of the coordinates.
    """
    turns = []
    for order in d:
        total = vector((0, 0, 0))
        for value, turn in zip(order, beam.tip_turns, strict=True):
            total = add(total, scale(value, turn))
        turns.append(times(rotation, total))
    places = beam.tip.positions(d)
    places[0] = [x - rest for x, rest in zip(places[0], beam.tip.place, strict=True)]
    return Curve(exponential_series(turns), [times(rotation, place) for place in places])


def flexure_velocities(beam: Beam, rotation: Matrix, d: Sequence[Real]) -> list[PartialVelocity]:
    """What each coordinate's rate adds to the motion of the far section: first coefficients along unit rows."""
    found = []
    for row in range(beam.size):
        direction = [mp.mpf(other == row) for other in range(beam.size)]
        curve = flexure_curve(beam, rotation, [list(d), direction])
        found.append(PartialVelocity(rotation_rate(curve.rotation)[0], curve.translation[1]))
    return found


def exponential_series(phi: VectorSeries) -> MatrixSeries:
    """``exp [phi(t)]`` as a series of the length of phi's, three at most."""
    size = len(phi)
    s = [mp.fsum(dot(phi[j], phi[k - j]) for j in range(k + 1)) for k in range(size)]
    sine, rest = (_composed(_entire(s[0], first, mp.dps), s) for first in (1, 2))
    turns = [skew(part) for part in phi]
    squares = [_convolved(turns, turns, k) for k in range(size)]
    found = []
    for k in range(size):
        total = identity() if k == 0 else zeros()
        for j in range(k + 1):
            total = add_matrices(total, scale_matrix(sine[j], turns[k - j]))
            total = add_matrices(total, scale_matrix(rest[j], squares[k - j]))
        found.append(total)
    return found


def _convolved(a: MatrixSeries, b: MatrixSeries, order: int) -> Matrix:
    total = zeros()
    for j in range(order + 1):
        total = add_matrices(total, product(a[j], b[order - j]))
    return total


@lru_cache(maxsize=32)  # every direction in which a beam may move asks for the same
def _entire(s: Real, first: int, digits: int) -> tuple[Real, ...]:
    """The sum of ``(-s)^n / (2 n + first)!`` with its first two derivatives by s."""
    found = [mp.mpf(0)] * 3
    with mp.workdps(digits + 2 + int(mp.sqrt(s))):  # its terms grow as those of a sinh before they fall
        n, term = 0, 1 / mp.factorial(first)
        power = [term, mp.mpf(0), mp.mpf(0)]  # the term and its derivatives
        while n < 3 or any(abs(part) > mp.eps * abs(total) for part, total in zip(power, found, strict=True)):
            found = add(found, power)
            n += 1
            ratio = mp.mpf(-1) / ((2 * n + first) * (2 * n + first - 1))
            power = [
                ratio * s * power[0],
                ratio * (power[0] + s * power[1]),
                ratio * (2 * power[1] + s * power[2]),
            ]
    return tuple(+value for value in found)


def _composed(values: Sequence[Real], s: Sequence[Real]) -> list[Real]:
    """The series of a function of s(t) from its value and derivatives at s(0)."""
    found = [values[0]]
    if len(s) > 1:
        found.append(values[1] * s[1])
    if len(s) > 2:
        found.append(values[1] * s[2] + values[2] * s[1] ** 2 / 2)
    return found
