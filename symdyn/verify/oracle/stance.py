"""The exact forces of contacts in stance: a convex problem per stage, minimised with fifty digits.

Stage by stage, from c = 0, mu is the minimum of |P(B mu)|^2 / 2 + (mu - c)^T e D (mu - c) / 2 - t_p^T mu, and c the mu
before; e is at least a part of what is missing, by its square over that of t_p in the norm of 1 / D. B are columns of J
by rows of v without force, of slots that stand; the forces are the last P(B mu).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from mpmath import mp

from symdyn.errors import VerificationError
from symdyn.verify.base.dense import (
    Rows,
    inverse,
    magnitudes,
    matrix_product,
    matrix_sum,
    matrix_times,
    zero_matrix,
)
from symdyn.verify.base.matrices import Real, Vector, add, dot, scale, subtract, transpose
from symdyn.verify.oracle.constrained import actuated_rows
from symdyn.verify.oracle.contact_problem import bounds_of, contact_rows
from symdyn.verify.oracle.exact import Exact, joined, summed
from symdyn.verify.oracle.joint_forces import inverse_dynamics
from symdyn.verify.oracle.partial_derivatives import in_reals
from symdyn.verify.oracle.setting import Inputs, Setting

_STAGES = ("3e-2", "3e-3", "3e-4", "3e-5", "3e-6", "1e-6")
_STANDING = "0.001"
_LEAST, _AWAY, _MISSING = "1e-9", "0.01", "3e-3"
_EXACT = "1e-30"
_MOST = 400


@dataclass(frozen=True, slots=True)
class _Set:
    """Rows of one slot or loop: the first one, how many, and the friction of a slot that stands, or None."""

    first: int
    count: int
    friction: Real | None
    stands: bool = True

    def projection(self, z: Vector) -> tuple[list[Real], Rows]:
        """Forces P(z) and their slopes."""
        nothing = zero_matrix(self.count, self.count)
        one = [[mp.mpf(i == j) for j in range(self.count)] for i in range(self.count)]
        if not self.stands:
            return [mp.mpf(0)] * self.count, nothing
        if self.friction is None:
            return list(z), one
        f, n, length = self.friction, z[2], mp.hypot(z[0], z[1])
        if f * length < -n:
            return [mp.mpf(0)] * 3, nothing
        if length <= f * n:
            return list(z), one
        # the nearest point of the ray s (f e, 1), with the circle across
        e = [z[0] / length, z[1] / length]
        ray, s = [f * e[0], f * e[1], mp.mpf(1)], (f * length + n) / (1 + f * f)
        around = [-e[1], e[0], mp.mpf(0)]
        slopes = [
            [ray[i] * ray[j] / (1 + f * f) + f * s / length * around[i] * around[j] for j in range(3)] for i in range(3)
        ]
        return scale(s, ray), slopes


def stance_forces(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` and ``lambda``."""
    given = in_reals(inputs)
    without = len(contact_rows(replace(setting, held=()), given).J)
    setting = replace(setting, held=setting.axes[1][0][without:])
    required, rows = inverse_dynamics(setting, given), contact_rows(setting, given)
    frictions, _ = bounds_of(setting, {**given, "h": [mp.mpf(1)]}, rows)
    standing = mp.mpf(float(_STANDING))
    sets = [_Set(3 * i, 3, frictions[3 * i + 2], slot.gap <= standing) for i, slot in enumerate(rows.slots)]
    sets += [_Set(row, 1, None) for row in range(3 * len(rows.slots) + len(rows.joints), len(rows.J))]
    actuated = setting.actuated if setting.actuated is not None else actuated_rows(setting)
    passive = [row for row in range(setting.tree.nv) if row not in actuated]
    count = len(rows.J)
    t = [required.values[row] for row in passive]
    B, B_sizes = ([[row[k] for k in passive] for row in matrix] for matrix in (rows.J, rows.sizes))
    if not passive:
        return joined([required, summed([mp.mpf(0)] * count, [mp.mpf(0)] * count)])

    def borne(mu: Vector) -> tuple[list[Real], Rows]:
        force, slopes = [mp.mpf(0)] * count, zero_matrix(count, count)
        for row_set in sets:
            place = range(row_set.first, row_set.first + row_set.count)
            parts, blocks = row_set.projection([dot(B[row], mu) for row in place])
            for i, row in enumerate(place):
                force[row] = parts[i]
                for j, column in enumerate(place):
                    slopes[row][column] = blocks[i][j]
        return force, slopes

    weights = [mp.mpf(float(_LEAST))] * len(passive)
    for row_set in sets:
        part = mp.mpf(1) if row_set.stands else mp.mpf(float(_AWAY))
        for row in range(row_set.first, row_set.first + row_set.count):
            weights = [x + part * y * y for x, y in zip(weights, B[row], strict=True)]
    mu, turns = [mp.mpf(0)] * len(passive), mp.mpf(0)
    whole, share = mp.fsum(x * x / d for x, d in zip(t, weights, strict=True)), mp.mpf(0)
    for least in _STAGES:
        e = max(mp.mpf(float(least)), mp.mpf(float(_MISSING)) * share)
        center, D = mu, scale(e, weights)
        mu = _minimum(B, t, D, center, borne)
        missing = mp.fsum(d * e * e * (x - y) ** 2 for d, x, y in zip(weights, mu, center, strict=True))
        share = missing / whole if whole > mp.mpf(_EXACT) else mp.mpf(0)
        turns += 1
    force, slopes = borne(mu)
    across = matrix_product(magnitudes(slopes), magnitudes(B))
    inverted = magnitudes(inverse(matrix_sum(matrix_product(transpose(B), matrix_product(slopes, B)), _diagonal(D))))
    felt = matrix_times(transpose(B_sizes), [abs(x) for x in force])
    felt = add(felt, matrix_times(transpose(magnitudes(B)), matrix_times(magnitudes(slopes), _reach(B_sizes, mu))))
    sizes = [abs(x) for x in t]
    reach = summed(required.scales, required.terms()).scales if required.terms is not None else required.scales
    sizes = [max(x, reach[row]) for x, row in zip(sizes, passive, strict=True)]
    pulled = [d * (abs(x) + abs(y)) for d, x, y in zip(D, mu, center, strict=True)]
    mu_sizes = scale(turns, matrix_times(inverted, add(add(felt, sizes), pulled)))
    force_sizes = add(matrix_times(across, mu_sizes), matrix_times(magnitudes(slopes), _reach(B_sizes, mu)))
    tau = subtract(required.values, matrix_times(transpose(rows.J), force))
    tau_sizes = add(reach, matrix_times(transpose(rows.sizes), [abs(x) for x in force]))
    tau_sizes = add(tau_sizes, matrix_times(transpose(magnitudes(rows.J)), force_sizes))
    return joined([summed(tau, tau_sizes), summed(force, force_sizes)])


def _reach(sizes: Rows, mu: Vector) -> list[Real]:
    return matrix_times(sizes, [abs(x) for x in mu])


def _diagonal(D: Vector) -> Rows:
    return [[x if i == j else mp.mpf(0) for j in range(len(D))] for i, x in enumerate(D)]


def _minimum(
    B: Rows, t: Vector, D: Vector, center: Vector, borne: Callable[[Vector], tuple[list[Real], Rows]]
) -> list[Real]:
    """The minimum of one stage, by Newton's method, with steps halved that pass it."""
    mu, size = list(center), mp.fsum(abs(x) for x in t)

    def left(at: Vector) -> list[Real]:
        pulled = [d * (x - y) for d, x, y in zip(D, at, center, strict=True)]
        return subtract(add(matrix_times(transpose(B), borne(at)[0]), pulled), t)

    for _ in range(_MOST):
        now = left(mu)
        if max(abs(x) for x in now) <= mp.mpf(_EXACT) * size:
            return mu
        H = matrix_sum(matrix_product(transpose(B), matrix_product(borne(mu)[1], B)), _diagonal(D))
        move, part = scale(-1, matrix_times(inverse(H), now)), mp.mpf(1)
        # a convex function falls as long as its slope along the way does not turn
        while dot(left(add(mu, scale(part, move))), move) > -dot(now, move) / 1000:
            part /= 2
        mu = add(mu, scale(part, move))
    raise VerificationError("the forces of contacts did not settle")
