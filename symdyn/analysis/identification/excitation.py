"""Motions that show base parameters well: Fourier series whose information matrix has the largest determinant.

q_j(t) = c_j + sum_k s_jk sin(k w t) + d_jk cos(k w t), w = 2 pi / T (Swevers et al. 1997), at rest at both ends. The
objective is -log det of W_b^T W_b with the rows of W_b weighed by the noise (D-optimality), whose gradient needs only
products of the regressor's derivatives, here by reverse differentiation. Bounds of q, v and a are linear; those of
torques are not, and have analytic slopes. The numbers are those of the robot's file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.analysis.identification.fit import WEAK, base_of
from symdyn.analysis.identification.fourier import Fourier
from symdyn.errors import SolverError
from symdyn.generation.generate import compile
from symdyn.interface.argument_arrays import given_numbers
from symdyn.interface.optional_packages import require

_HALVINGS = 40


@dataclass(frozen=True)
class Efforts:
    """Torques of a robot up to ``limits`` (nv,), which are infinite where there is no bound."""

    columns: Columns
    limits: Array

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Rows of tau that are bounded."""
        return np.flatnonzero(np.isfinite(np.broadcast_to(self.limits, self.columns.robot.nv)))

    @cached_property
    def _partials(self) -> Any:
        return compile(self.columns.robot, ["inverse_dynamics_partials"], lanes=False)

    def room(self, q: Array, v: Array, a: Array) -> Array:
        """Shares of the limits that torques leave in both directions, flat; at least 0 within the bounds."""
        shares = self.columns.torques(q, v, a)[:, self.rows] / self.limits[self.rows]
        return np.stack([1.0 - shares, 1.0 + shares]).ravel()

    def slopes(self, motion: tuple[Array, ...], moves: tuple[Array, ...]) -> Array:
        """Derivatives of :meth:`room` by coefficients of the motion.

        Parameters
        ----------
        motion
            q, v and a (n, nv).
        moves
            How q, v and a of each joint change with its own coefficients: (n, k) each.

        Returns
        -------
        (2 n rows, nv k): coefficients joint by joint.
        """
        count, nv = motion[1].shape
        by = self._partials.inverse_dynamics_partials(*motion)
        found = sum(
            part[:, self.rows, :, None] * move[:, None, None, :] for part, move in zip(by[:3], moves, strict=True)
        )
        shares = (found / self.limits[self.rows, None, None]).reshape(count * len(self.rows), nv * moves[0].shape[1])
        return np.concatenate([-shares, shares])

    def share_within(self, centre: Array, moving: tuple[Array, ...]) -> float:
        """The largest found share of a motion about a centre (nv,) that stays within the bounds; 0 where none does."""
        if not self.rows.size or self._held(centre, moving, 1.0):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self._held(centre, moving, middle) else (low, middle)
        return low

    def _held(self, centre: Array, moving: tuple[Array, ...], share: float) -> bool:
        q, v, a = (share * part for part in moving)
        return bool(self.room(centre + q, v, a).min() >= 0.0)


Array = NDArray[np.float64]
_PER_HARMONIC = 8
"""Samples of the objective and the bounds per period of the fastest harmonic."""
_TINY = 1e-300
_SINGULAR = 1e6
"""The objective where a motion does not show all: above that of any that does."""


@dataclass(frozen=True)
class Bounds:
    """Per row of v: positions from ``lower`` to ``upper``; velocities, accelerations and torques up to these."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array = field(default_factory=lambda: np.array(np.inf))


@dataclass(frozen=True)
class Excitation:
    """A motion that shows a robot's parameters.

    Attributes
    ----------
    duration
        Its period [s]; it may be repeated.
    coefficients
        (nv, 2 harmonics + 1): c, then s and d of each harmonic.
    information
        log det of the information matrix per sample, in base parameters.
    condition
        Condition number of the equations with columns of unit size.
    """

    duration: float
    coefficients: Array
    information: float
    condition: float

    @cached_property
    def _series(self) -> Fourier:
        return Fourier(self.duration, (self.coefficients.shape[1] - 1) // 2)

    def at(self, t: Any) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations (n, nv) at times [s]."""
        times = np.atleast_1d(given_numbers("t", t))
        q, v, a = (part @ self.coefficients.T for part in self._series.rows(times))
        return q, v, a


class _Search:
    """The objective and its gradient over coefficients that start and end at rest."""

    def __init__(self, columns: Columns, series: Fourier, deviations: Array) -> None:
        self.columns, self.series = columns, series
        base, _ = base_of(columns)
        self.kept = [columns.names.index(item.name) for item in base]
        self.weights = 1.0 / deviations
        self.times = series.times(_PER_HARMONIC)
        self.rows = series.rows(self.times)
        self.free = series.at_rest()
        self.inertial = len(columns.inertial)
        self.scales = np.ones(len(self.kept))
        self.adjoint = self._adjoint()

    def _adjoint(self) -> Any:
        from symdyn.generation.symbolic_functions import symbolic

        function = symbolic(self.columns.robot, "inverse_dynamics_regressor")
        return function.reverse(1).map(len(self.times))

    def coefficients(self, x: Array) -> Array:
        """(nv, 2 k + 1) of the free numbers."""
        return np.asarray(x.reshape(self.columns.robot.nv, -1) @ self.free.T)

    def matrix(self, x: Array) -> tuple[Array, tuple[Array, ...]]:
        """Weighted, scaled columns of base parameters (n, nv, nb), and the motion."""
        motion = tuple(part @ self.coefficients(x).T for part in self.rows)
        found = self.columns.matrix(*motion)[..., self.kept] * self.weights[:, None] / self.scales
        return found, motion

    def objective(self, x: Array) -> tuple[float, Array]:
        """-log det of the information per sample, and its gradient."""
        matrix, motion = self.matrix(x)
        rows = matrix.reshape(-1, matrix.shape[-1])
        information = rows.T @ rows / len(self.times)
        sign, size = np.linalg.slogdet(information)
        if sign <= 0.0:
            return _SINGULAR, np.zeros_like(x)
        seed = -2.0 * np.linalg.solve(information, rows.T).T.reshape(matrix.shape) / len(self.times)
        seed = seed * self.weights[:, None] / self.scales
        return -float(size), self._gradient(seed, motion)

    def _gradient(self, seed: Array, motion: tuple[Array, ...]) -> Array:
        """Of the sum of seed times columns, by the coefficients."""
        count, nv = motion[1].shape
        full = np.zeros((count, nv, len(self.columns.names)))
        full[..., self.kept] = seed
        inertial = full[..., : self.inertial]
        given = [part.T for part in motion]
        # CasADi lies matrices side by side, one per sample.
        seeds = inertial.transpose(1, 0, 2).reshape(nv, -1)
        slopes = self.adjoint(*given, np.zeros_like(seeds), seeds)
        by_q, by_v, by_a = (np.array(part).T for part in slopes)
        own = full[..., self.inertial :].reshape(count, nv, len(self.columns.joints), len(self.columns.rows))
        rows = list(self.columns.rows)
        for at, kind in enumerate(self.columns.joints):
            part = own[:, rows, at, range(len(rows))]
            if kind == "viscous":
                by_v[:, rows] += part
            elif kind == "rotor":
                by_a[:, rows] += part
            elif kind == "coulomb":
                scale = self.columns.velocity_scales[rows]
                by_v[:, rows] += part / np.cosh(np.clip(motion[1][:, rows] / scale, -300.0, 300.0)) ** 2 / scale
        slope = sum(side.T @ part for side, part in zip((by_q, by_v, by_a), self.rows, strict=True))
        return np.asarray(slope @ self.free).ravel()


def excitation(
    columns: Columns, bounds: Bounds, series: Fourier, deviations: Array, seeds: Sequence[int], steps: int
) -> Excitation:
    """The best motion of several starts.

    Raises
    ------
    RequestError
        SciPy is not installed.
    SolverError
        No start found a motion within the bounds.
    """
    require("excitation", "scipy", "identify")
    from scipy.optimize import minimize

    search = _Search(columns, series, deviations)
    sides, limit = _bounds(search, bounds)
    constraints = [{"type": "ineq", "fun": lambda x: limit - sides @ x, "jac": lambda x: -sides}]
    if np.isfinite(bounds.effort).any():
        constraints.append(_effort_constraint(search, Efforts(columns, bounds.effort)))
    best: Excitation | None = None
    for seed in seeds:
        start = _start(search, bounds, np.random.default_rng(seed))
        search.scales = np.ones_like(search.scales)
        matrix, _ = search.matrix(start)
        search.scales = np.maximum(np.sqrt((matrix**2).sum(axis=1).mean(axis=0)), _TINY)
        found = minimize(
            search.objective, start, jac=True, method="SLSQP", constraints=constraints, options={"maxiter": steps}
        )
        x = _within(search, bounds, found.x)
        rows = search.matrix(x)[0].reshape(-1, len(search.kept))
        condition = float(np.linalg.cond(rows / np.maximum(np.linalg.norm(rows, axis=0), _TINY)))
        if not condition < 1.0 / WEAK:
            continue
        # Starts have scales of their own; without them their information can be compared.
        size = -search.objective(x)[0] + 2.0 * float(np.log(search.scales).sum())
        if best is None or size > best.information:
            best = Excitation(series.duration, search.coefficients(x), size, condition)
    if best is None:
        raise SolverError(
            "no motion within the bounds shows all base parameters; allow more harmonics or starts, or wider bounds, "
            "also of torques"
        )
    return best


def _bounds(search: _Search, bounds: Bounds) -> tuple[Array, Array]:
    """Rows of sides and their limits: sides x <= limit at every sample."""
    nv, sides, limits = search.columns.robot.nv, [], []
    for part, low, high in (
        (search.rows[0], bounds.lower, bounds.upper),
        (search.rows[1], -bounds.velocity, bounds.velocity),
        (search.rows[2], -bounds.acceleration, bounds.acceleration),
    ):
        own = part @ search.free
        for sign, edge in ((1.0, high), (-1.0, -low)):
            sides.append(np.kron(np.eye(nv), sign * own))
            limits.append(np.repeat(edge, len(own)))
    return np.vstack(sides), np.concatenate(limits)


def _effort_constraint(search: _Search, efforts: Efforts) -> dict[str, Any]:
    """Torques at every sample."""
    moves = tuple(part @ search.free for part in search.rows)

    def motion(x: Array) -> tuple[Array, ...]:
        return tuple(part @ search.coefficients(x).T for part in search.rows)

    return {
        "type": "ineq",
        "fun": lambda x: efforts.room(*motion(x)),
        "jac": lambda x: efforts.slopes(motion(x), moves),
    }


def _start(search: _Search, bounds: Bounds, rng: np.random.Generator, share: float = 0.5) -> Array:
    """Random coefficients, a share of what the bounds allow."""
    nv = search.columns.robot.nv
    x = rng.standard_normal((nv, search.free.shape[1]))
    x[:, 0] = 0.0
    return _within(search, bounds, x.ravel(), share)


def _within(search: _Search, bounds: Bounds, x: Array, share: float = 1.0) -> Array:
    """The same motion, smaller where it leaves its bounds between samples; a start is in the middle of its range.

    For torques all of it becomes smaller. Where those of rest are too large it stops; a start is left to the optimiser.
    """
    free = x.reshape(search.columns.robot.nv, -1)
    moving = free.copy()
    moving[:, 0] = 0.0
    fine = search.series.rows(search.series.times(8 * _PER_HARMONIC))
    q, v, a = parts = tuple(part @ (moving @ search.free.T).T for part in fine)
    begins = share < 1.0
    centre = (bounds.upper + bounds.lower) / 2.0 if begins else np.clip(free[:, 0], bounds.lower, bounds.upper)
    shrink = np.min(
        [
            (bounds.upper - centre) / np.maximum(q.max(axis=0), _TINY),
            (centre - bounds.lower) / np.maximum(-q.min(axis=0), _TINY),
            bounds.velocity / np.maximum(np.abs(v).max(axis=0), _TINY),
            bounds.acceleration / np.maximum(np.abs(a).max(axis=0), _TINY),
        ],
        axis=0,
    )
    shrink = share * shrink if begins else np.minimum(shrink, 1.0)
    held = Efforts(search.columns, bounds.effort).share_within(centre, tuple(shrink * own for own in parts))
    shrink = shrink * (held or float(begins))
    return np.asarray(np.concatenate([centre[:, None], moving[:, 1:] * shrink[:, None]], axis=1)).ravel()
