"""Exact time derivatives of forward and hybrid dynamics: one linear solve per order, with fifty digits.

The k-th derivative of the equations of motion is, with the mass matrix of order 0 at every order (Ali et al. 2026,
lemma 2),

    M(q) a^(k) + b_k = tau^(k)

where b_k is the k-th derivative of inverse dynamics along the trajectory through v, a, .. a^(k-1) with a^(k) = 0.
Prescribed rows have their a^(k) from the start; their tau^(k) is what remains.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.base.dense import Rows, block, flat, inverse, matrix_times, solution_scales
from symdyn.verify.base.matrices import Real, vector
from symdyn.verify.oracle.actuation import actuation_matrix
from symdyn.verify.oracle.exact import Exact
from symdyn.verify.oracle.mass_matrix import mass_terms
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.trajectory import Trajectory, samples

SMALL = "1e-15"
"""Part of their scales by which accelerations are shifted to see what their errors do to later orders."""


def forward_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``a`` and its derivatives, (r + 1, nv), from those of tau."""
    return _solve_orders(setting, inputs, "T")


def hybrid_dynamics_time_derivatives(setting: Setting, inputs: Inputs) -> Exact:
    """``w`` and its derivatives, (r + 1, nv), from those of u."""
    return _solve_orders(setting, inputs, "U")


def solved_samples(order: int) -> int:
    """How many states along trajectories are looked at."""
    return 2 * sum(samples(k) for k in range(order + 1))


def _solve_orders(setting: Setting, inputs: Inputs, known: str) -> Exact:
    """All orders, and what their errors are measured against; the input ``known`` has a where prescribed, else tau.

    An order has the scales of its linear solve (``solution_scales``). Errors of that size, with
    drawn signs, are made in the accelerations of every order, and where they move a later order by more than its own
    scale, that counts: the unknowns of one order are coefficients of the next one's equations.
    """
    return solved_orders(Equations.at(setting, inputs, known))


def solved_orders(equations: Equations) -> Exact:
    """What equations have as unknowns, order by order, and what these are measured against."""
    found, scales = equations.solved([])
    if equations.setting.order == 0:
        return Exact(flat(found), flat(scales))
    signs = random.Random(0)
    errors = [[signs.choice((-1, 1)) * mp.mpf(SMALL) * size for size in row] for row in equations.own_scales(scales)]
    moved, _ = equations.solved(errors)
    reached = [
        [max(size, abs(x - y) / mp.mpf(SMALL)) for size, x, y in zip(*rows, strict=True)]
        for rows in zip(scales, moved, found, strict=True)
    ]
    return Exact(flat(found), flat(reached))


@dataclass(frozen=True, slots=True)
class Equations:
    """The equations of motion at a state, to be solved one order after the other.

    ``known`` holds a where prescribed, else tau if no inputs of actuators give it. ``sizes`` are those of the terms of
    the mass matrix ``M``, and ``W`` is the inverse of the block of its free rows.
    """

    setting: Setting
    inputs: Inputs
    known: Rows
    free: tuple[int, ...]
    M: Rows
    sizes: Rows
    W: Rows

    @classmethod
    def at(cls, setting: Setting, inputs: Inputs, name: str) -> Equations:
        """Those of a state, where the input of some name holds what is known."""
        nv = setting.tree.nv
        if setting.inputs == "actuators":
            name = "A"
        known = vector(inputs.get(name, [0.0] * (nv * (setting.order + 1))))
        free = tuple(row for row in range(nv) if row not in setting.prescribed)
        M, sizes = mass_terms(robot_pose(setting, inputs["q"], inputs))
        orders = [list(known[first : first + nv]) for first in range(0, len(known), nv)]
        return cls(setting, inputs, orders, free, M, sizes, inverse(block(M, free, free)))

    def own_scales(self, scales: Rows) -> Rows:
        """Scales of accelerations alone: what is prescribed has no error."""
        return [[size if row in self.free else mp.mpf(0) for row, size in enumerate(sizes)] for sizes in scales]

    def solved(self, errors: Rows) -> tuple[Rows, Rows]:
        """The unknowns of every order, and their scales; ``errors`` are added to the accelerations, where given."""
        V = [vector(self.inputs["v"])]
        found: Rows = []
        scales: Rows = []
        for k, given in enumerate(self.known):
            a = [mp.mpf(0) if row in self.free else value for row, value in enumerate(given)]
            moving = Trajectory(self.setting, {**self.inputs, "V": [*flat(V), *a]})
            known = self.driven(moving, k, given)
            bias = moving.derivatives(k, self.setting.force)[k]
            sought = matrix_times(self.W, [known[row] - bias[row] for row in self.free])
            scales.append(self._scales(known, bias, sought))
            change = [mp.mpf(0)] * len(a)
            for row, value in zip(self.free, sought, strict=True):
                a[row] = change[row] = value + (errors[k][row] if errors else 0)
            V.append(a)
            pushed = matrix_times(self.M, change)
            found.append([a[row] if row in self.free else bias[row] + pushed[row] for row in range(len(a))])
        return found, scales

    def driven(self, moving: Trajectory, k: int, known: list[Real]) -> list[Real]:
        """Order k of what is known; that of forces of inputs is of B u by the product rule."""
        if self.setting.inputs != "actuators":
            return known
        U = vector(self.inputs["U"])
        count = len(U) // (self.setting.order + 1)
        rates = moving.derivatives(k, lambda state: actuation_matrix(self.setting, state).values)
        return [
            mp.fsum(
                mp.binomial(k, j)
                * mp.fdot(rates[j][row * count : (row + 1) * count], U[(k - j) * count : (k - j + 1) * count])
                for j in range(k + 1)
            )
            if row in self.free
            else value
            for row, value in enumerate(known)
        ]

    def _scales(self, known: Sequence[Real], bias: Sequence[Real], sought: Sequence[Real]) -> list[Real]:
        held = [mp.mpf(0) if row in self.free else abs(value) for row, value in enumerate(known)]
        terms = [abs(b) + size for b, size in zip(bias, matrix_times(self.sizes, held), strict=True)]
        right = [[abs(known[row]) + terms[row]] for row in self.free]
        own = [mp.mpf(0)] * len(known)
        inner = block(self.sizes, self.free, self.free)
        columns = solution_scales(inner, self.W, [[value] for value in sought], right) if self.free else []
        for row, (size,) in zip(self.free, columns, strict=True):
            own[row] = size
        reached = matrix_times(self.sizes, own)
        return [own[row] if row in self.free else terms[row] + reached[row] for row in range(len(known))]
