"""The search for positions at which loops are closed: Newton's method, and least squares where they cannot close."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symdyn.dynamics.loops.constraints import constraint_error_plan, constraint_jacobian_plan
from symdyn.dynamics.loops.redundancy import float_values
from symdyn.model import coordinates
from symdyn.model.model import Model
from symdyn.plan.plan import Plan
from symdyn.robot.loop_closure.gaps import gap_plan, gaps
from symdyn.robot.loop_closure.sizes import RANK, LoopSizes

Array = NDArray[np.float64]

CLOSED = 1e-10
"""Error up to which a position that was found counts as closed [m or rad]; most are at rounding."""
NEAR = 1e-3
"""Error relative to the sizes of rows below which rows that depend on each other keep loops from closing, and not the
lengths of links."""
FINE = 1e-10
"""Singular value relative to the largest up to which rows are followed that do not depend on others at most positions,
as they may at the one that is looked for."""
_SETTLED = 1e-9
"""Move that least squares may still ask for [rad, or as ``LoopSizes.columns``]: the next would be its square."""
_STEPS = 60
_FARTHEST = 1.0
"""Longest step of a coordinate [rad or m]."""
_HALVINGS = 8
_DAMPING = 0.01
"""Of a step, per squared error: far from closed positions steps turn towards steepest descent."""
_SHAKES = (0.1, 0.1, 0.3, 0.3, 0.3, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0)
"""Deviations of the perturbed positions to start from again [rad or m]."""
_QUARTER = 0.5 * math.pi
_LOOKS = 4
"""Random positions at which sizes and ranks are told."""


@dataclass(frozen=True, slots=True)
class Found:
    """A position where the search ended, with the errors there.

    ``wrong`` names a loop closed the wrong way round. ``settled`` tells whether no move makes errors less.
    """

    q: Array
    error: Array
    wrong: str = ""
    settled: bool = False

    @property
    def size(self) -> float:
        """The largest error."""
        return float(np.max(np.abs(self.error), initial=0.0))

    @property
    def closed(self) -> bool:
        """Whether all loops are closed the right way."""
        return self.size <= CLOSED and not self.wrong

    def within(self, tolerance: float) -> bool:
        """Whether they are closed as well as can be, with errors up to this [m or rad]."""
        return self.settled and self.size <= tolerance and not self.wrong


class Loops:
    """What is remembered of a model's loops: plans of errors, slopes and gaps, and what searches found."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.found: dict[tuple[object, ...], Found] = {}
        self.positions = np.array([not loop.velocity_rows for loop in model.loops for _ in loop.rows], dtype=bool)

    @cached_property
    def error_plan(self) -> Plan:
        """That of the errors e."""
        return constraint_error_plan(self.model)

    @cached_property
    def slope_plan(self) -> Plan:
        """That of the constraint Jacobian A."""
        return constraint_jacobian_plan(self.model)

    @cached_property
    def gap_plan(self) -> Plan | None:
        """That of the gaps, if any are smooth."""
        return gap_plan(self.model)

    @cached_property
    def looks(self) -> tuple[Array, ...]:
        """The matrix A at random positions; parameters without a value are 1."""
        rng, model = np.random.default_rng(0), self.model
        closing = Closing(self, np.array([1.0 if value is None else value for value in model.slots.defaults]))
        made = (closing.slopes(coordinates.random_configuration(model, rng, limited=False)) for _ in range(_LOOKS))
        return tuple(own for own in made if np.all(np.isfinite(own)))

    @cached_property
    def sizes(self) -> LoopSizes:
        """The sizes of rows and columns."""
        return LoopSizes.of(self.model, self.looks)

    @cached_property
    def rank(self) -> int:
        """How many rows of positions do not depend on others at random positions."""
        rows = self.sizes.part(self.positions)
        return max((rows.rank(own[self.positions]) for own in self.looks), default=0)

    @cached_property
    def touched(self) -> int:
        """How many rows of v loops depend on."""
        return int(
            np.sum(np.max([np.max(np.abs(self.sizes.scaled(own)), axis=0) for own in self.looks], axis=0) > RANK)
        )

    def least(
        self, slopes: Array, wanted: Array, free: Sequence[int], rows: NDArray[np.bool_] | slice = slice(None)
    ) -> Array:
        """The shortest move of free rows of v that changes errors as wanted, by the matrix A (m, nv)."""
        slopes, wanted = self.sizes.without_vanishing(slopes)[rows][:, free], wanted[rows]
        if self.crowded:
            sums = self.sizes.part(rows, free).sums(slopes)
            slopes, wanted = sums @ slopes, sums @ wanted
        return np.asarray(np.linalg.lstsq(slopes, wanted, rcond=FINE)[0], dtype=np.float64)

    @cached_property
    def crowded(self) -> bool:
        """Whether there are as many rows as coordinates that they hold, or rows that depend on each other anywhere.

        Such loops may be unable to close, or able to move by special dimensions alone, which rounding spoils.
        """
        count = int(np.sum(self.positions))
        return bool(count and self.looks) and (count > self.rank or count >= self.touched)


class Closing:
    """The errors of a model's loops in floats, and the search for positions without any.

    Parameters
    ----------
    loops
        The loops.
    p
        Run-time parameters (np,).
    """

    def __init__(self, loops: Loops, p: Array) -> None:
        self._loops, self._model, self._p = loops, loops.model, p.tolist()

    def error(self, q: Array) -> Array:
        """The errors e (m,); infinite where they have no value, as turns half a turn from closed, or overflow."""
        return self._of(self._loops.error_plan, q)

    def slopes(self, q: Array) -> Array:
        """The matrix A (m, nv); infinite where it has no value."""
        return self._of(self._loops.slope_plan, q, self._model.nv).reshape(-1, self._model.nv)

    def _of(self, plan: Plan, q: Array, width: int = 1) -> Array:
        """What a plan finds, ``width`` numbers per row of the loops; infinite where some are none."""
        rows = len(self._model.loop_row_names)
        if not rows:
            return np.zeros(0)
        try:
            found = np.array(float_values(plan, q.tolist(), self._p))
        except (ArithmeticError, ValueError):
            found = np.full(rows * width, np.inf)
        return found if np.all(np.isfinite(found)) else np.full(rows * width, np.inf)

    def search(self, q: Array, held: Collection[int], tolerance: float = 0.0) -> Found:
        """The closed position that Newton's method finds from q, or from positions near it.

        Else it is the first of those where dependent rows keep small errors, or the best one. Rows of v in ``held`` do
        not move. Errors up to ``tolerance`` are left where no move makes them less.
        """
        best: Found | None = None
        settled: Found | None = None
        for start in self._starts(q, held):
            found = self._newton(start, held)
            if not found.closed and self._loops.sizes.largest(found.error) <= NEAR:
                found = self._settled(found, held)
                settled = found if settled is None and found.settled else settled
            if found.closed or found.within(tolerance):
                return found
            if best is None or (found.size, bool(found.wrong)) < (best.size, bool(best.wrong)):
                best = found
        assert best is not None
        return self._settled(best, held) if settled is None else settled

    def from_here(self, q: Array) -> Found:
        """What Newton's method finds from q itself."""
        return self._newton(q, ())

    def _starts(self, q: Array, held: Collection[int]) -> Iterator[Array]:
        yield q
        rng, free = np.random.default_rng(0), np.ones(self._model.nv)
        free[list(held)] = 0.0
        for shake in _SHAKES:
            yield coordinates.integrate(self._model, q, shake * free * rng.standard_normal(self._model.nv))

    def _newton(self, q: Array, held: Collection[int]) -> Found:
        if self._loops.crowded:
            found = self._descended(q, held, coarse=True)
            if found.closed or self._loops.sizes.largest(found.error) <= NEAR:
                return found
        return self._descended(q, held, coarse=False)

    def _descended(self, q: Array, held: Collection[int], coarse: bool) -> Found:
        """Where steps end; those that are ``coarse`` leave errors of rows that depend on others."""
        error = self.error(q)
        for _ in range(_STEPS):
            size = float(error @ error)
            if not 0.0 < size < math.inf:
                break
            move = self._move(q, error, held, _DAMPING * min(1.0, size), coarse)
            if move is None:
                break
            move *= min(1.0, _FARTHEST / max(float(np.max(np.abs(move), initial=0.0)), 1e-300))
            for halving in range(_HALVINGS):
                moved = coordinates.integrate(self._model, q, 0.5**halving * move)
                missed = self.error(moved)
                if float(missed @ missed) < (1.0 - 0.1 * 0.5**halving) * size:
                    break
            else:
                break
            q, error = moved, missed
        return Found(q, error, self._wrong(q))

    def _settled(self, found: Found, held: Collection[int]) -> Found:
        """The position of least squares near one: steps of Gauss and Newton while they get shorter."""
        q, error, last = found.q, found.error, math.inf
        for _ in range(_STEPS):
            move = self._move(q, error, held, 0.0, coarse=True) if np.all(np.isfinite(error)) else None
            if move is None:
                break
            size = float(np.max(np.abs(move / self._loops.sizes.columns), initial=0.0))
            if not size < 0.5 * last or size > _FARTHEST:
                break
            q = coordinates.integrate(self._model, q, move)
            error, last = self.error(q), size
        if np.max(np.abs(error), initial=0.0) > 2.0 * found.size:  # it has left what was found
            return found
        return Found(q, error, self._wrong(q), last <= _SETTLED)

    def _move(self, q: Array, error: Array, held: Collection[int], damping: float, coarse: bool) -> Array | None:
        """The shortest move that takes errors of positions away to first order; None where numbers overflow."""
        free, at = [row for row in range(self._model.nv) if row not in held], self._loops.positions
        slopes, wanted = self._loops.sizes.without_vanishing(self.slopes(q))[at][:, free], error[at]
        move = np.zeros(self._model.nv)
        try:
            if coarse:
                sums = self._loops.sizes.part(at, free).sums(slopes)
                slopes, wanted = sums @ slopes, sums @ wanted
            move[free] = _least(slopes, wanted, damping)
        except np.linalg.LinAlgError:
            return None
        return move

    def _wrong(self, q: Array) -> str:
        """The first loop that is half a turn off."""
        found = gaps(self._model, self._loops.gap_plan, q.tolist(), self._p)
        return next((gap.loop.name for gap in found if gap.angle > _QUARTER), "")


def _least(slopes: Array, error: Array, damping: float) -> Array:
    """The shortest move that takes the error away to first order."""
    left, values, right = np.linalg.svd(slopes, full_matrices=False)
    kept = values > FINE * max(float(np.max(values, initial=0.0)), 1e-300)
    gains = np.where(kept, values / np.where(kept, values * values + damping, 1.0), 0.0)
    move: Array = -(right.T @ (gains * (left.T @ error)))
    return move
