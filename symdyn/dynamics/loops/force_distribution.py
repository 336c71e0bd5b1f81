"""How the forces that a motion needs are shared between actuated rows: the linear system, and its factor.

With K = A_a W A_a^T + g A_p A_p^T, g such that both terms weigh about alike, or K = 1 where multipliers are made the
least,

    K lambda + A_p mu = s + A_a W t_a + g A_p t_p    (or s),    A_p^T lambda = t_p
    T = A_p^T K^-1 A_p,    mu = T^-1 (A_p^T K^-1 b - t_p),    lambda = K^-1 (b - A_p mu)

for forces t of the tree, b being the right-hand side. K and T are positive definite where rows of the loops do not
depend on each other. K + 1e-9 diag(K) is factored, T likewise, and two corrections with the equations themselves
follow: see ``proximal``, also for rows of A, and columns by passive rows of v, that vanish. g and the sizes below which
these vanish are constants of the robot, from its slopes at random positions (``vanishing``). Only for weights that are
an input, g is found where the robot stands.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from symdyn.algebra.scalars.algebra import Algebra, Scalar
from symdyn.algebra.spatial.vectors import Matrix, Vector, add, dot, scale, subtract
from symdyn.dynamics.loops.constraint_activation import Switches, switches_of, with_ones
from symdyn.dynamics.loops.proximal import CORRECTIONS, Factor, Guard, factor_size
from symdyn.dynamics.loops.vanishing import (
    SMALL,
    factor_constants,
    least_constants,
    least_of_columns,
    power_of_two,
    row_squares,
)
from symdyn.dynamics.tree.ports import Reads
from symdyn.model.model import Model

TORQUE = "torque"
_SHARE = "share"
"""The constant g."""
_LEAST_PASSIVE, _LEAST_TRACE = "least_passive", "least_trace"
"""Constants below which columns by passive rows, and whole traces, vanish."""


@dataclass(frozen=True, slots=True)
class ShareVariant:
    """What is structural: rows of the loops, which rows of v are actuated, what is made the least, and switches.

    ``weighed`` says that weights are an input.
    """

    count: int
    actuated: tuple[bool, ...]
    objective: str
    switches: Switches = ()
    weighed: bool = False

    @property
    def active(self) -> list[int]:
        """Rows of v that have forces."""
        return [row for row, own in enumerate(self.actuated) if own]

    @property
    def passive(self) -> list[int]:
        """Those that have none."""
        return [row for row, own in enumerate(self.actuated) if not own]

    @property
    def unique(self) -> bool:
        """Whether passive rows alone tell the multipliers."""
        return len(self.passive) == self.count

    @property
    def size(self) -> int:
        """How many scalars a :class:`Sharing` is made of."""
        rows, constraints = self.count, len(self.passive)
        pulled = rows * len(self.actuated) if self.objective == TORQUE else 0
        return rows * (rows + 1) // 2 + pulled + factor_size(rows) + rows * constraints + factor_size(constraints)


@dataclass(frozen=True, slots=True)
class Sharing:
    """The system at a position: K, columns of A by actuated rows and by passive ones, and factors.

    ``pulled`` are columns of A_a W, and then of g A_p, or none; ``across`` those of K^-1 A_p.
    """

    active: Matrix
    passive: Matrix
    matrix: Matrix
    pulled: Matrix
    factor: Factor
    across: Matrix
    inner: Factor

    @classmethod
    def of(
        cls, variant: ShareVariant, algebra: Algebra, constants: Mapping[str, Scalar], reads: Reads, weights: Vector
    ) -> Sharing:
        """That of ``slopes`` A (m, nv), weights of rows of v, and what is switched on; see :func:`share_constants`."""
        count = variant.count
        active, passive = _columns(variant, reads["slopes"])
        matrix: list[list[Scalar]] = [[float(row == other) for other in range(row + 1)] for row in range(count)]
        pulled: list[list[Scalar]] = []
        if variant.objective == TORQUE:
            own = [weights[row] for row in variant.active]
            weighed = [[weight * x for x in column] for weight, column in zip(own, active, strict=True)]
            share = constants[_SHARE]
            if variant.weighed and passive and active:
                sizes = (_trace(weighed, active), _trace(passive, passive))
                share = share * _quotient(algebra, constants, sizes)
            pulled = [*weighed, *([share * x for x in column] for column in passive)]
            matrix = with_ones(algebra, reads, variant.switches, _summed_products(pulled, [*active, *passive], count))
        factor = Factor.of(matrix, Guard(algebra, constants))
        across = [factor.solved(column) for column in passive]
        reached = [[dot(own, passive[other]) for other in range(row + 1)] for row, own in enumerate(across)]
        least = {name: x for name, x in constants.items() if name.startswith(_LEAST_PASSIVE)}
        inner = Factor.of(reached, Guard(algebra, least, name=_LEAST_PASSIVE))
        return cls(active, passive, matrix, pulled, factor, across, inner)

    @classmethod
    def loaded(cls, variant: ShareVariant, slopes: Vector, scalars: Vector) -> Sharing:
        """That whose :meth:`scalars` are given."""
        rest, rows, constraints = iter(scalars), variant.count, len(variant.passive)
        matrix = [list(islice(rest, row + 1)) for row in range(rows)]
        pulled = [list(islice(rest, rows)) for _ in variant.actuated] if variant.objective == TORQUE else []
        factor = Factor.loaded(list(islice(rest, factor_size(rows))), rows)
        across = [list(islice(rest, rows)) for _ in range(constraints)]
        return cls(*_columns(variant, slopes), matrix, pulled, factor, across, Factor.loaded(list(rest), constraints))

    def scalars(self) -> list[Scalar]:
        """All that it is made of besides A."""
        entries = [[x for row in rows for x in row] for rows in (self.matrix, self.pulled, self.across)]
        return [*entries[0], *entries[1], *self.factor.scalars(), *entries[2], *self.inner.scalars()]

    def solved(self, wanted: Vector, bound: Vector, more: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Lambda and mu for forces of actuated rows, of passive ones, and s."""
        right = list(more)
        if self.pulled:
            for column, force in zip(self.pulled, (*wanted, *bound), strict=True):
                right = [x + force * y for x, y in zip(right, column, strict=True)]
        return self.answered(right, bound)

    def answered(self, right: Vector, bound: Vector) -> tuple[list[Scalar], list[Scalar]]:
        """Lambda and mu for right-hand sides b and t_p."""
        found: list[Scalar] = [0.0] * len(right)
        constraints: list[Scalar] = [0.0] * len(bound)
        for _ in range(CORRECTIONS + 1):
            left = subtract(right, [dot(_row(self.matrix, row), found) for row in range(len(right))])
            for slope, force in zip(self.passive, constraints, strict=True):
                left = subtract(left, scale(force, slope))
            missed = [force - dot(column, found) for column, force in zip(self.passive, bound, strict=True)]
            needed = [dot(column, left) - rest for column, rest in zip(self.across, missed, strict=True)]
            update = self.inner.solved(needed)
            for slope, force in zip(self.passive, update, strict=True):
                left = subtract(left, scale(force, slope))
            found, constraints = add(found, self.factor.solved(left)), add(constraints, update)
        return found, constraints


def _columns(variant: ShareVariant, slopes: Vector) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Columns of A by actuated rows of v, and by passive ones."""
    width = len(variant.actuated)
    by_row = [[slopes[width * row + column] for row in range(variant.count)] for column in range(width)]
    return [by_row[row] for row in variant.active], [by_row[row] for row in variant.passive]


def _quotient(algebra: Algebra, constants: Mapping[str, Scalar], sizes: Sequence[Scalar]) -> Scalar:
    """How much larger the trace of A_a W A_a^T is than that of A_p A_p^T; 1 where one of the two vanishes."""
    first, second = sizes
    vanish = [algebra.compare("less", x, constants[f"{_LEAST_TRACE}{number}"]) for number, x in enumerate(sizes)]
    quotient = first / algebra.select(vanish[1], 1.0, second)
    return algebra.select(vanish[0], 1.0, algebra.select(vanish[1], 1.0, quotient))


def share_variant(
    model: Model, count: int, actuated: Collection[int], objective: str, weights: Sequence[float] | str
) -> ShareVariant:
    """The variant of steps for so many rows of loops, of what ``constrained_inverse_dynamics_plan`` takes."""
    rows = tuple(row in actuated for row in range(model.nv))
    return ShareVariant(count, rows, objective, switches_of(model), isinstance(weights, str) and bool(weights))


def share_constants(model: Model, variant: ShareVariant, weights: Sequence[float] | str) -> dict[str, float]:
    """The constants of steps that make a :class:`Sharing`: g, and below what size rows and columns vanish.

    Parameters
    ----------
    model
        The robot, with loops.
    variant
        Of the step.
    weights
        Of rows of v; ones count where there are none, or where they are an input.
    """
    count, constraints = variant.count, variant.passive
    if variant.objective != TORQUE:
        least = least_of_columns(model, constraints, dict.fromkeys(range(count), 1.0))
        return least_constants(constraints, least, _LEAST_PASSIVE)
    given = {row: 1.0 if not weights or isinstance(weights, str) else weights[row] for row in variant.active}
    unit = dict.fromkeys(constraints, 1.0)
    traces = [math.fsum(row_squares(model, own)) for own in (given, unit)]
    share = power_of_two(traces[0] / traces[1]) if all(traces) else 1.0
    both = given | dict.fromkeys(constraints, share)
    squares = row_squares(model, both)
    inverse = {row: 1.0 / square for row, square in enumerate(squares) if square}
    found = factor_constants(model, range(count), both)
    found |= least_constants(constraints, least_of_columns(model, constraints, inverse), _LEAST_PASSIVE)
    if variant.weighed:
        least = {number: power_of_two(SMALL**2 * trace) for number, trace in enumerate(traces) if trace}
        return found | {_SHARE: 1.0, **{f"{_LEAST_TRACE}{number}": least.get(number, 1.0) for number in range(2)}}
    return found | {_SHARE: share}


def _trace(left: Matrix, right: Matrix) -> Scalar:
    total: Scalar = 0.0
    for own, other in zip(left, right, strict=True):
        total = total + dot(own, other)
    return total


def _summed_products(left: Matrix, right: Matrix, count: int) -> list[list[Scalar]]:
    """The lower triangle of the sum of products of columns."""
    found: list[list[Scalar]] = [[0.0] * (row + 1) for row in range(count)]
    for own, other in zip(left, right, strict=True):
        for row in range(count):
            for column in range(row + 1):
                found[row][column] = found[row][column] + own[row] * other[column]
    return found


def _row(lower: Matrix, row: int) -> Sequence[Scalar]:
    """A row of a symmetric matrix of which the lower triangle is given."""
    return [*lower[row], *(below[row] for below in lower[row + 1 :])]
