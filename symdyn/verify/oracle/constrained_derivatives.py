"""Exact time derivatives of dynamics of robots with closed loops, with fifty digits.

Forward and hybrid dynamics take one linear solve per order. With the matrices of order 0,

    M a^(k) - A^T lambda^(k) = tau^(k) - b_k + sum over j < k of binomial(k, j) (A^T)^(k-j) lambda^(j)
    A a^(k) = -(e^(k+2) + 2 e^(k+1) / T + e^(k) / T^2)

where b_k and the derivatives of e are those along the trajectory through v, a, .. a^(k-1) with a^(k) = 0: errors are
differentiated as they are, and nothing is said of how they accelerate. Inverse dynamics solve the linear system of
order 0, every entry of which is differentiated along the trajectory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.base.dense import (
    Rows,
    block,
    flat,
    inverse,
    magnitudes,
    matrix_times,
    solution_scales,
)
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.acceleration_derivatives import Equations, solved_orders
from symdyn.verify.oracle.constrained import Sharing, bordered
from symdyn.verify.oracle.dependence import BORDERED, refuse_dependent, refuse_vanishing
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.loops import constraint_error, held_rows, slopes
from symdyn.verify.oracle.pfaffian import excess_derivatives
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory, samples


def constrained_forward_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``a`` and ``lambda`` with their derivatives, (r + 1, nv) and (r + 1, m), from those of tau."""
    return _solved(setting, inputs, "T")


def constrained_hybrid_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` and ``lambda`` with their derivatives, (r + 1, nv) and (r + 1, m), from those of u."""
    return _solved(setting, inputs, "U")


def held_samples(setting: Setting) -> int:
    """About how many times the links are walked along trajectories."""
    return sum(2 * (2 * samples(k) + samples(k + 2)) for k in range(setting.order + 1))


def shared_samples(setting: Setting) -> int:
    """The same for inverse dynamics."""
    return 3 * samples(setting.order)


def _solved(setting: Setting, inputs: Inputs, known: str) -> Exact:
    """All orders of both outputs.

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in the free rows of this state: multipliers are not unique.
    """
    found, nv = solved_orders(_Held.held_at(setting, inputs, known)), setting.tree.nv
    each = nv + len(setting.held)
    orders = range(0, len(found.values), each)

    def by_output(rows: Sequence[Real]) -> list[Real]:
        motion = [x for start in orders for x in rows[start : start + nv]]
        return motion + [x for start in orders for x in rows[start + nv : start + each]]

    return Exact(by_output(found.values), by_output(found.scales))


@dataclass(frozen=True, slots=True)
class _Held(Equations):
    """The equations of motion and of the loops; unknowns of an order are those of motion, then the multipliers.

    ``A`` are the slopes of the errors and ``A_sizes`` the sizes of their terms, ``system`` and ``inverted`` the matrix
    of all free rows and its inverse, ``error_sizes`` those of the terms of the errors' accelerations.
    """

    A: Rows
    A_sizes: Rows
    inverted: Rows
    error_sizes: list[Real]

    @classmethod
    def held_at(cls, setting: Setting, inputs: Inputs, name: str) -> _Held:
        plain = Equations.at(setting, inputs, name)
        A, sizes = slopes(setting, inputs)
        free_M, free_A = block(plain.M, plain.free, plain.free), block(A, range(len(A)), plain.free)
        refuse_vanishing(A, sizes, setting.held)
        refuse_dependent(free_M, free_A, setting.held)
        errors = [2 * size[2] for size in held_rows(setting, inputs, vector(inputs["v"]), 2).sizes]
        return cls(
            setting,
            inputs,
            plain.known,
            plain.free,
            plain.M,
            plain.sizes,
            plain.W,
            A,
            sizes,
            inverse(bordered(free_M, free_A, -1), *BORDERED),
            errors,
        )

    def own_scales(self, scales: Rows) -> Rows:
        """Scales of accelerations and multipliers alone: what is prescribed has no error."""
        count = self.setting.tree.nv
        return [
            [size if row in self.free or row >= count else mp.mpf(0) for row, size in enumerate(sizes)]
            for sizes in scales
        ]

    def solved(self, errors: Rows) -> tuple[Rows, Rows]:
        """The unknowns of every order, and their scales; ``errors`` are added to what is found, where given."""
        nv, count = self.setting.tree.nv, len(self.A)
        V, multipliers = [vector(self.inputs["v"])], list[list[Real]]()
        found: Rows = []
        scales: Rows = []
        for k, given in enumerate(self.known):
            a = [mp.mpf(0) if row in self.free else value for row, value in enumerate(given)]
            moving = Trajectory(self.setting, {**self.inputs, "V": [*flat(V), *a]})
            known = self.driven(moving, k, given)
            bias = moving.derivatives(k, self.setting.force)[k]
            pushed, pushes = self._pushed(moving, k, multipliers)
            asked = self._asked(moving, k)
            right = [known[row] - bias[row] + pushed[row] for row in self.free] + [-x for x in asked]
            sought = matrix_times(self.inverted, right)
            grown = [max(abs(x), size * moving.swiftness**k) for x, size in zip(asked, self.error_sizes, strict=True)]
            sizes = [abs(b) + size for b, size in zip(bias, pushes, strict=True)]
            scales.append(self._held_scales(known, sizes, grown, sought))
            if errors:
                drawn = [errors[k][row] for row in self.free] + errors[k][nv:]
                sought = [x + error for x, error in zip(sought, drawn, strict=True)]
            change = [mp.mpf(0)] * nv
            for row, value in zip(self.free, sought, strict=False):
                a[row] = change[row] = value
            V.append(a)
            multipliers.append(sought[len(self.free) :])
            moved = matrix_times(self.M, change)
            held = [mp.fdot([own[row] for own in self.A], multipliers[-1]) for row in range(nv)]
            forces = [bias[row] + moved[row] - held[row] - pushed[row] for row in range(nv)]
            found.append([a[row] if row in self.free else forces[row] for row in range(nv)] + multipliers[-1])
        assert all(len(row) == nv + count for row in found)
        return found, scales

    def _pushed(self, moving: Trajectory, k: int, multipliers: Rows) -> tuple[list[Real], list[Real]]:
        """Order k of A^T lambda without lambda^(k), and the sizes of its terms."""
        nv = self.setting.tree.nv
        total, sizes = [mp.mpf(0)] * nv, [mp.mpf(0)] * nv
        rates = moving.derivatives(k, lambda state: flat(slopes(self.setting, state)[0])) if k else []
        for j, own in enumerate(multipliers):
            for place, multiplier in enumerate(own):
                for row in range(nv):
                    part = mp.binomial(k, j) * rates[k - j][place * nv + row] * multiplier
                    total[row] += part
                    sizes[row] += abs(part)
        return total, sizes

    def _asked(self, moving: Trajectory, k: int) -> list[Real]:
        """Order k of what must vanish of the errors, without a^(k)."""
        rates = moving.derivatives(k + 2, lambda state: constraint_error(self.setting, state).values)
        w = excess_derivatives(self.setting, moving, k + 1)
        T = self.setting.stabilisation
        if T is None:
            return [x + y for x, y in zip(rates[k + 2], w[k + 1], strict=True)]
        time = mp.mpf(T)
        parts = zip(*rates[k : k + 3], *w[k:], strict=True)
        return [z + 2 * y / time + x / time**2 + own_rate + own / time for x, y, z, own, own_rate in parts]

    def _held_scales(
        self, known: Sequence[Real], sizes: Sequence[Real], errors: Sequence[Real], sought: Sequence[Real]
    ) -> list[Real]:
        nv, count = self.setting.tree.nv, len(self.A)
        given = [mp.mpf(0) if row in self.free else abs(value) for row, value in enumerate(known)]
        terms = [size + x for size, x in zip(sizes, matrix_times(self.sizes, given), strict=True)]
        right = [abs(known[row]) + terms[row] for row in self.free]
        right += [x + mp.fdot(own, given) for x, own in zip(errors, self.A_sizes, strict=True)]
        inner = bordered(block(self.sizes, self.free, self.free), block(self.A_sizes, range(count), self.free), 1)
        columns = solution_scales(inner, self.inverted, [[x] for x in sought], [[x] for x in right])
        own = [size for (size,) in columns]
        reached = [mp.mpf(0)] * nv
        for row, size in zip(self.free, own, strict=False):
            reached[row] = size
        multipliers = own[len(self.free) :]
        forces = matrix_times(self.sizes, reached)
        held = [mp.fdot([row[column] for row in self.A_sizes], multipliers) for column in range(nv)]
        motion = [reached[row] if row in self.free else terms[row] + forces[row] + held[row] for row in range(nv)]
        return motion + multipliers


def constrained_inverse_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``tau`` and ``lambda`` with their derivatives, (r + 1, nv) and (r + 1, m).

    Raises
    ------
    SingularMatrixError
        Rows of the loops depend on each other in this state, or passive rows do; a row that nothing moves at first
        order, of which the motion is what its multiplier rests on.
    """
    moving, nv = Trajectory(setting, inputs), setting.tree.nv
    start = Sharing.at(setting, moving.at(mp.mpf(0)))
    count, size = len(start.A), len(start.right)

    def terms_of(state: Inputs) -> list[Real]:
        at = Sharing.at(setting, state)
        return [*at.right, *at.required, *flat(at.system), *flat(at.A)]

    rates = moving.derivatives(setting.order, terms_of)
    inverted = inverse(start.system, *BORDERED)
    found: Rows = []
    scales: Rows = []
    forces: Rows = []
    reached: Rows = []
    for k, own in enumerate(rates):
        right, required = own[:size], own[size : size + nv]
        terms = [max(abs(x), y) for x, y in zip(right, start.terms, strict=True)]
        tau, sizes = list(required), [max(abs(x), y) for x, y in zip(required, start.reach, strict=True)]
        for j in range(1, k + 1):
            factor, entries = mp.binomial(k, j), rates[j][size + nv :]
            system = [entries[size * row : size * (row + 1)] for row in range(size)]
            right = [x - factor * y for x, y in zip(right, matrix_times(system, found[k - j]), strict=True)]
            moved = matrix_times(magnitudes(system), scales[k - j])
            terms = [x + factor * y for x, y in zip(terms, moved, strict=True)]
        found.append(matrix_times(inverted, right))
        scales.append(start.scales(inverted, found[-1], terms))
        for j in range(k + 1):
            factor, entries = mp.binomial(k, j), rates[j][size + nv + size**2 :]
            for place in range(count):
                for row in range(nv):
                    slope = factor * entries[place * nv + row]
                    tau[row] -= slope * found[k - j][place]
                    sizes[row] += max(abs(slope), start.A_sizes[place][row]) * scales[k - j][place]
        forces.append([x if row in start.actuated else mp.mpf(0) for row, x in enumerate(tau)])
        reached.append([x if row in start.actuated else mp.mpf(0) for row, x in enumerate(sizes)])
    multipliers, measures = ([x for order in rows for x in order[:count]] for rows in (found, scales))
    return Exact([*flat(forces), *multipliers], [*flat(reached), *measures])
