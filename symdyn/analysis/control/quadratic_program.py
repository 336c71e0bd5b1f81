"""The bounded quadratic program of one iteration: an interior point, one Riccati recursion per inner iteration.

    min  sum_k l_x dx + l_u du + (dx, du)^T H (dx, du) / 2,   dx_(k+1) = A dx_k + B du_k + gap_(k+1),   dx_0 = gap_0

with limits s = sign (x + dx - bound) + soft z >= 0. With the barrier t a limit adds sigma = z / (s + soft z) to its
diagonal (Rao, Wright, Rawlings, Application of interior-point methods to model predictive control, 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.optimal_control import ControlNumbers, RowLimit

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Linearised:
    """A problem about a plan: ``gap`` (N + 1, n), ``A`` (N, n, n), ``B`` (N, n, m), and derivatives of the cost.

    ``lx`` (N + 1, n), ``lu`` (N, m), ``lxx`` (N + 1, n, n), ``lux`` (N, m, n), ``luu`` (N, m, m); n rows of (dq, dv).
    ``fixed`` are rows of inputs that do not move.
    """

    gap: Array
    A: Array
    B: Array
    lx: Array
    lu: Array
    lxx: Array
    lux: Array
    luu: Array
    fixed: tuple[int, ...] = ()

    def damped(self, share: float) -> Linearised:
        """With a share of their diagonals added to Hessians of states and of inputs (Marquardt 1963)."""
        lxx, luu = self.lxx.copy(), self.luu.copy()
        for own in (lxx, luu):
            rows = np.arange(own.shape[1])
            own[:, rows, rows] += share * np.abs(own[:, rows, rows])
        return replace(self, lxx=lxx, luu=luu)


@dataclass(frozen=True, slots=True)
class Limits:
    """One side of a limit per column: of inputs at nodes 0 .. N - 1, of their changes, then of states at nodes 1 .. N.

    With changes the last columns of X are the inputs of the step before.
    """

    inputs: Sequence[RowLimit]
    states: Sequence[RowLimit]
    rates: Sequence[RowLimit] = ()

    @property
    def all(self) -> tuple[RowLimit, ...]:
        """Of inputs, changes and states."""
        return (*self.inputs, *self.rates, *self.states)

    def distances(self, X: Array, U: Array) -> Array:
        """How far rows are inside their limits, (N, limits), below 0 outside."""
        inputs = [own.sign * (U[:, own.at] - own.bound) for own in self.inputs]
        rates = [own.sign * (U[:, own.at] - self.before(X, U)[:, own.at] - own.bound) for own in self.rates]
        states = [own.sign * (X[1:, own.at] - own.bound) for own in self.states]
        return np.stack([*inputs, *rates, *states], axis=1) if self.all else np.zeros((len(U), 0))

    def before(self, X: Array, U: Array) -> Array:
        """The last columns of X at nodes 0 .. N - 1: inputs of the step before."""
        return X[:-1, X.shape[1] - U.shape[1] :]

    def pulled(self, added: Array, lx: Array, lu: Array) -> tuple[Array, Array]:
        """Gradients with what sides (N, limits) add to them."""
        lx, lu = lx.copy(), lu.copy()
        for j, side in enumerate(self.all):
            if j >= len(self.all) - len(self.states):
                lx[1:, side.row] += added[:, j]
                continue
            lu[:, side.row] += added[:, j]
            if j >= len(self.inputs):
                lx[:-1, lx.shape[1] - lu.shape[1] + side.row] -= added[:, j]
        return lx, lu

    def moves(self, dx: Array, du: Array) -> list[Array]:
        """What rows with limits move by (N,), in the order of the sides."""
        rates = [du[:, own.row] - self.before(dx, du)[:, own.row] for own in self.rates]
        return [*(du[:, own.row] for own in self.inputs), *rates, *(dx[1:, own.row] for own in self.states)]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of all nodes: ``dx`` (N + 1, n), ``du`` (N, m), gains ``K`` (N, m, n); iterations, if it converged.

    ``z`` (N, limits) are multipliers of limits.
    """

    dx: Array
    du: Array
    K: Array
    iterations: int
    converged: bool
    z: Array


def _forward(L: Array, b: Array) -> Array:
    """L^-1 b of a lower triangle, without pivots: near limits rows differ by ten digits, which these would mix."""
    x = b.copy()
    for i in range(len(L)):
        x[i] = (x[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def _backward(L: Array, b: Array) -> Array:
    """L^-T b likewise."""
    x = b.copy()
    for i in reversed(range(len(L))):
        x[i] = (x[i] - L[i + 1 :, i] @ x[i + 1 :]) / L[i, i]
    return x


Recursion = tuple[Array, Array, Array]
"""Gains K (N, m, n) and k (N, m) of a minimum, and the lower triangles L (N, m, m) of Q_uu = L L^T."""


def riccati(own: Linearised, lx: Array, lu: Array, lxx: Array, luu: Array, reg: float) -> Recursion | None:
    """Gains of the minimum and factors; None where it has none."""
    count, m, n = own.B.shape[0], own.B.shape[2], own.B.shape[1]
    K, k, L = np.empty((count, m, n)), np.empty((count, m)), np.empty((count, m, m))
    P, p = lxx[count], lx[count]
    for i in reversed(range(count)):
        A, B = own.A[i], own.B[i]
        r = p + P @ own.gap[i + 1]
        PA = P @ A
        Quu = B.T @ P @ B + luu[i] + reg * np.eye(m)
        Qux, qu = B.T @ PA + own.lux[i], B.T @ r + lu[i]
        for row in own.fixed:
            Quu[row], Quu[:, row], Qux[row], qu[row] = 0.0, 0.0, 0.0, 0.0
            Quu[row, row] = 1.0
        try:
            L[i] = np.linalg.cholesky(Quu)
        except np.linalg.LinAlgError:
            return None
        Y, y = _forward(L[i], Qux), _forward(L[i], qu)
        K[i], k[i] = -_backward(L[i], Y), -_backward(L[i], y)
        P = A.T @ PA + lxx[i] - Y.T @ Y
        P = 0.5 * (P + P.T)
        p = A.T @ r + lx[i] + Qux.T @ k[i]
    return K, k, L


def corrected(own: Linearised, made: Recursion, lx: Array, lu: Array) -> Recursion:
    """The same after a change of gradients by lx and lu."""
    K, k, L = made[0], made[1].copy(), made[2]
    p = lx[len(k)]
    for i in reversed(range(len(k))):
        qu = own.B[i].T @ p + lu[i]
        qu[list(own.fixed)] = 0.0
        p = own.A[i].T @ p + lx[i] + K[i].T @ qu
        k[i] -= _backward(L[i], _forward(L[i], qu))
    return K, k, L


def states_of(own: Linearised, du: Array) -> Array:
    """The states that follow from steps of inputs."""
    dx = np.empty_like(own.gap)
    dx[0] = own.gap[0]
    for i in range(len(du)):
        dx[i + 1] = own.A[i] @ dx[i] + own.B[i] @ du[i] + own.gap[i + 1]
    return dx


def _moved(own: Linearised, gains: Recursion, most: Sequence[tuple[RowLimit, Array, bool]] = ()) -> tuple[Array, Array]:
    """The states and inputs that follow from gains; inputs are cut at the largest moves (N,) of sides of limits.

    Those of changes are cut at moves beside those of the inputs before.
    """
    K, k, _ = gains
    dx, du = np.empty_like(own.gap), np.empty_like(k)
    dx[0] = own.gap[0]
    for i in range(len(k)):
        du[i] = k[i] + K[i] @ dx[i]
        for side, bound, changes in most:
            largest = bound[i] + (dx[i, dx.shape[1] - du.shape[1] + side.row] if changes else 0.0)
            du[i, side.row] = (max if side.sign > 0 else min)(du[i, side.row], largest)
        dx[i + 1] = own.A[i] @ dx[i] + own.B[i] @ du[i] + own.gap[i + 1]
    return dx, du


def _longest(values: Array, moves: Array, boundary: float) -> float:
    """The share of moves, 1 at most, after which all values are above 0."""
    falls = moves < 0.0
    return min(1.0, float(boundary * np.min(-values[falls] / moves[falls]))) if falls.any() else 1.0


@np.errstate(all="ignore")
def solve(
    own: Linearised,
    limits: Limits,
    X: Array,
    U: Array,
    numbers: ControlNumbers,
    reg: float,
    most: int,
    sample: bool = False,
    warm: bool = False,
    tolerance: float | None = None,
    count_of: list[int] | None = None,
    last: tuple[Array, float] | None = None,
) -> Step | None:
    """The step of a quadratic program; None where a factor fails. ``warm`` starts near the limits, for samples.

    A ``sample`` ends at a larger barrier, others at a ``tolerance`` where it is given. ``last`` are multipliers of the
    program before and a barrier: products of slacks and multipliers begin there, near those. Such a start, or a warm
    one, is given up where its first two steps lead hardly on. The step of an unsolved program is made by its last gains
    and cut at the limits of inputs. Without a point within hard limits of states numbers grow; the last finite inputs
    are given then, as not converged. ``count_of[0]`` grows by its iterations.
    """
    sides, count, m = limits.all, len(own.B), own.B.shape[2]
    share, first = numbers.warm if warm and last is None else numbers.restart if sample and not warm else numbers.cold
    tolerance = tolerance or (numbers.sample if sample else numbers.qp)
    g = limits.distances(X, U)
    du = np.zeros((count, m))
    sign, rows = np.array([side.sign for side in sides], float), [side.row for side in sides]
    soft, span = np.array([side.soft for side in sides]), np.array([side.span for side in sides])
    near = np.broadcast_to(share * span, g.shape)
    if last is not None:
        first, near = last[1], np.fmin(last[1] / last[0], near)
    for j, side in enumerate(limits.inputs):
        inside = near[:, j] - g[:, j]
        du[:, side.row] = np.maximum(du[:, side.row], inside) if side.sign > 0 else np.minimum(du[:, side.row], -inside)
    inputs = len(limits.inputs)
    s = np.maximum(g, near)
    s[:, :inputs] = g[:, :inputs] + sign[:inputs] * du[:, rows[:inputs]]
    z = first / s
    left, away = 1.0 if limits.states or limits.rates else 0.0, np.ones(2)
    rates = inputs + len(limits.rates)
    none = np.zeros_like(own.lx), np.zeros_like(own.lu)
    gains = np.zeros((count, m, own.B.shape[1])), none[1], np.zeros((count, m, m))
    mu = float(np.mean(s * z)) if sides else 0.0
    for iteration in range(1, most + 1):
        if count_of is not None:
            count_of[0] += 1
        D = s + soft * z
        sigma, pull = z / D, z * s / D
        lx, lu = limits.pulled(sign * (sigma * g - pull), own.lx, own.lu)
        lxx, luu, lux = own.lxx.copy(), own.luu.copy(), own.lux.copy()
        for j, row in enumerate(rows):
            if j < inputs:
                luu[:, row, row] += sigma[:, j]
            elif j < rates:
                before = lx.shape[1] - m + row
                luu[:, row, row] += sigma[:, j]
                lux[:, row, before] -= sigma[:, j]
                lxx[:-1, before, before] += sigma[:, j]
            else:
                lxx[1:, row, row] += sigma[:, j]
        made, t = riccati(replace(own, lux=lux), lx, lu, lxx, luu, reg), tolerance
        if made is None:
            return None
        dx, du_new, s_move, z_move = _sides_moved(own, limits, made, (g, s, z, sigma, pull, soft, sign))
        if sides and np.isfinite(dx).all() and np.isfinite(du_new).all():
            # Where the barrier vanished, a step would lead so far; that says which barrier to take (Mehrotra 1992).
            shares = _longest(s, s_move, 1.0), _longest(z, z_move, 1.0)
            after = float(np.mean((s + shares[0] * s_move) * (z + shares[1] * z_move))) / mu
            t = float(np.fmax(after**3 * mu, tolerance))
            bent = numbers.bent * max(t, mu)
            more = (t - np.clip(s_move * z_move, -bent, bent)) / D
            pull = pull + more
            made = corrected(own, made, *limits.pulled(-sign * more, *none))
            dx, du_new, s_move, z_move = _sides_moved(own, limits, made, (g, s, z, sigma, pull, soft, sign))
        if not (np.isfinite(dx).all() and np.isfinite(du_new).all()):
            return Step(states_of(own, du), du, gains[0], iteration, False, z) if iteration > 1 else None
        gains = made
        primal, dual = _longest(s, s_move, numbers.boundary), _longest(z, z_move, numbers.boundary)
        s, z = s + primal * s_move, z + dual * z_move
        du = du + primal * (du_new - du)
        left *= 1.0 - primal
        away *= (1.0 - primal, 1.0 - dual)
        mu = float(np.mean(s * z)) if sides else 0.0
        loose = sample or (last is None and tolerance > numbers.qp)
        even = loose or np.max(s * z, initial=0.0) <= numbers.even * tolerance
        whole = sample or last is None or away.max() <= numbers.closed
        if (
            even
            and whole
            and t <= tolerance
            and mu < 2.0 * tolerance
            and min(primal, dual) > numbers.full
            and left <= numbers.closed
        ):
            return Step(states_of(own, du), du, gains[0], iteration, True, z)
        if (warm or last is not None) and iteration == 2 and away.max() > numbers.stalled:
            break
    hard = [side for side in limits.rates if not side.soft]
    cut = [(side, side.bound - (U - limits.before(X, U))[:, side.at], True) for side in hard]
    cut += [(side, side.bound - U[:, side.at], False) for side in limits.inputs]
    dx, du = _moved(own, gains, cut)
    return Step(dx, du, gains[0], iteration, False, z)


def _sides_moved(
    own: Linearised, limits: Limits, made: Recursion, at: Sequence[Array]
) -> tuple[Array, Array, Array, Array]:
    """Moves of states and inputs by gains, then those of slacks and multipliers."""
    g, s, z, sigma, pull, soft, sign = at
    dx, du = _moved(own, made)
    ahead = g + sign * np.stack(limits.moves(dx, du), axis=1) if limits.all else g
    z_new = pull - sigma * ahead
    return dx, du, ahead + soft * z_new - s, z_new - z


def multipliers(own: Linearised, limits: Limits, step: Step) -> Array:
    """(N + 1, n): what the cost from a node on changes by with its state, at the step.

    Those of changes of inputs act on inputs alone, so they are left out.
    """
    found: Array = own.lx + np.einsum("kij,kj->ki", own.lxx, step.dx)
    for j, side in enumerate(limits.states, len(limits.all) - len(limits.states)):
        found[1:, side.row] -= side.sign * step.z[:, j]
    for k in reversed(range(len(own.B))):
        found[k] += own.lux[k].T @ step.du[k] + own.A[k].T @ found[k + 1]
    return found
