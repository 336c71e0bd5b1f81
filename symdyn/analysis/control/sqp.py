"""The solver of ``--solver mpc`` in NumPy: the same iterates, for targets without C and to check it.

Multiple shooting with the Gauss-Newton method: states and inputs of all nodes are unknowns, and the gaps between a
node's step and the next node close with the iterations (Bock, Plitt, A multiple shooting algorithm, 1984). The merit
function is the cost plus nu times the sum of gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.control.nodes import Nodes
from symdyn.analysis.control.quadratic_program import Limits, Linearised, Step, multipliers, solve
from symdyn.interface.optimal_control import (
    QP_ITERATIONS,
    ControlCode,
    ControlNumbers,
    ControlReport,
    ControlSettings,
)

Array = NDArray[np.float64]

_NONE = ControlReport(ControlCode.NOT_FINITE, 0, 0, -1, float("nan"), float("nan"), float("nan"))


@dataclass
class Sqp:
    """A plan and what the solver remembers of it: ``X`` (N + 1, nq + nv), ``U`` (N, m), gains ``K`` (N, m, n).

    ``L`` (N + 1, n) are multipliers of states, where Hessians have second derivatives of steps. Where the problem is
    ``rated``, states end with the inputs of the step before, and ``before`` are those of the last call; callers give
    states without them.
    """

    nodes: Nodes
    limits: Limits
    numbers: ControlNumbers
    settings: ControlSettings
    X: Array = field(init=False)
    U: Array = field(init=False)
    K: Array = field(init=False)
    L: Array = field(init=False)
    reg: float = field(init=False)
    nu: float = field(init=False)
    before: Array = field(init=False)
    z: Array | None = field(init=False, default=None)
    """Multipliers of limits (N, limits) of the last program, None where it was not solved."""
    damping: float = field(init=False, default=0.0)
    """A share of their diagonals that Hessians of a plan get on top, after short steps."""
    _failed: bool = field(init=False, default=False)
    _y: Array = field(init=False)
    _straight: Linearised | None = field(init=False, default=None)
    """The last program without second derivatives of steps, None where it has none of them."""
    _prepared: tuple[Linearised | None, ControlReport] = field(init=False, default=(None, _NONE))

    def start(self, x: ArrayLike, u: ArrayLike) -> None:
        """A plan that stays at a state with constant inputs."""
        self.nu, self._failed, self.z = 0.0, False, None
        self.before = np.where(np.isfinite(u), u, 0.0)
        for side in self.limits.inputs:
            at = side.at
            self.before[at] = (max if side.sign > 0 else min)(self.before[at], side.bound)
        for at, value in self.settings.fixed:
            self.before[at] = value
        self._rest_at(self._state(x), u)

    def _state(self, x: ArrayLike) -> Array:
        """What callers give as the solver has it."""
        own = np.asarray(x, float)
        return np.concatenate([own, self.before]) if self.settings.rated else own

    @property
    def gains(self) -> Array:
        """Gains (N, m, n) on moves of q and v."""
        return self.K[:, :, : self._moves]

    @property
    def _moves(self) -> int:
        """Rows of dq and dv."""
        rows: int = self.K.shape[2]
        return rows - self.U.shape[1] if self.settings.rated else rows

    def _joined(self, X: Array, U: Array) -> Array:
        """States with the inputs before them, exactly."""
        if self.settings.rated:
            m = U.shape[1]
            X[:, -m:] = np.vstack([self.before, U])
        return X

    def _rest_at(self, x: ArrayLike, u: ArrayLike) -> None:
        finite = np.where(np.isfinite(u), u, 0.0)
        self.U = self._within(np.tile(finite, (self.nodes.count, 1)))
        self.X = self._joined(np.tile(np.asarray(x, float), (self.nodes.count + 1, 1)), self.U)
        self.reg = self.numbers.least
        self.L = np.zeros((len(self.X), self.nodes.difference(self.X[0], self.X[0]).size))
        self.K = np.zeros((*self.U.shape, self.L.shape[1]))

    def solve(self, x: ArrayLike, y: Array, iterations: int) -> ControlReport:
        """Iterate from the plan until it converges."""
        x, numbers = self._state(x), self.numbers
        self._keep(None)
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            return _NONE
        found = replace(_NONE, code=ControlCode.ITERATIONS)
        inner, decrease, nodes = 0, 0.0, self.nodes.count
        self.damping = 0.0
        for iteration in range(1, iterations + 1):
            own, found = self._linearised(x, y)
            if own is None:
                return replace(found, iterations=iteration, qp_iterations=inner)
            each = abs(decrease if iteration > 1 else found.cost) / max(len(self.limits.all) * nodes, 1)
            loose = min(numbers.loose, numbers.exact * each)
            tolerance = max(numbers.qp, loose if iteration < iterations else 0.0)
            barrier = max(numbers.follow * each, numbers.even * tolerance)
            last = (self.z, barrier) if self.z is not None and barrier < numbers.cold[1] else None
            own, step, spent = self._solved(own, QP_ITERATIONS, tolerance=tolerance, last=last)
            if last is not None and step is not None and not step.converged and spent < QP_ITERATIONS:
                own, step, more = self._solved(own, QP_ITERATIONS - spent, tolerance=tolerance)
                spent += more
            self._keep(step)
            code, taken = ControlCode.REGULARISATION, False
            inner += spent
            if step is not None:
                slope, decrease = self._change(own, step)
                found = replace(found, decrease=decrease)
                taken = (
                    self._search(own, step, x, y, found, slope) if self.settings.globalise else self._whole(own, step)
                )
                code = ControlCode.LINE_SEARCH
            found = replace(found, code=ControlCode.ITERATIONS, iterations=iteration, qp_iterations=inner)
            if not taken:
                self.L = np.zeros_like(self.L)
                self.reg *= 10.0
                if self.reg > numbers.most:
                    return replace(found, code=code)
                continue
            self.reg = max(numbers.least, 0.1 * self.reg)
            if step is not None and not step.converged:
                found = replace(found, code=ControlCode.QP_ITERATIONS)
            elif abs(found.decrease) < self.settings.tolerance and found.gap < numbers.gap:
                return replace(found, code=ControlCode.DONE)
        return found

    def prepare(self, y: Array) -> ControlCode:
        """Shift the plan by a node and linearise about it, before the state is measured."""
        self.before = self.U[0].copy()
        for own in (self.X, self.U, self.K, self.L, *(() if self.z is None else (self.z,))):
            own[:-1] = own[1:].copy()
        self.X[-1] = self.nodes.step(self.X[-2], self.U[-1], y)
        if not np.isfinite(self.X[-1]).all():
            self.X[-1] = self.X[-2]
            self._joined(self.X, self.U)
        self._y = y.copy()
        self._prepared = self._linearised(self.X[0], y) if np.isfinite(y).all() else (None, _NONE)
        return self._prepared[1].code

    def feedback(self, x: ArrayLike) -> tuple[Array, Array, ControlReport]:
        """The first input for a measured state and its gains (m, n), by a quadratic program and a search along it."""
        x, (own, found), self.damping = self._state(x), self._prepared, 0.0
        self._prepared = (None, _NONE)
        if own is None or not np.isfinite(x).all():
            u, K = self.U[0].copy(), self.gains[0].copy()
            if own is None and found.node >= 0 and np.isfinite(x).all():
                self._rest_at(x, u)  # the plan is of no use: the next begins at this state
                K = self.gains[0]
            return u, K, found if own is None else _NONE
        inner, taken, again = 0, False, True
        for iteration in (1, 2):  # once more, where no step leads on, about the motion that the gains make
            if own is None or not again:
                break
            own.gap[0] = self.nodes.difference(self.X[0], x)
            told = replace(found, gap=found.gap + float(np.abs(own.gap[0]).sum()), iterations=iteration)
            most = self.settings.qp_iterations
            bound = most - most // 3 if iteration == 1 else most  # what is left is for once more
            own, step, spent = self._program(own, bound - inner)
            inner += spent
            told, taken = replace(told, code=ControlCode.REGULARISATION, qp_iterations=inner), False
            if step is not None:
                slope, decrease = self._change(own, step)
                told = replace(told, decrease=decrease)
                search = self.settings.globalise
                asked = (own, step, x, self._y, told, slope)
                taken = self._search(*asked, sample=True) if search else self._whole(own, step)
                failed = ControlCode.LINE_SEARCH if search else ControlCode.NOT_FINITE
                solved = ControlCode.DONE if step.converged else ControlCode.QP_ITERATIONS
                told = replace(told, code=solved if taken else failed)
            if taken:
                self.reg = max(self.numbers.least, 0.1 * self.reg)
                break
            self.reg = self.reg if step is not None else min(10.0 * self.reg, self.numbers.most)
            again = self._follow(x) and iteration == 1 and inner < most
            if again:
                own, found = self._linearised(self.X[0], self._y)
        found = told
        return self.U[0], self.gains[0], found

    def _program(self, own: Linearised, most: int) -> tuple[Linearised, Step | None, int]:
        """The step of a sample and its inner iterations: a warm start, then, where that stalls, one further inside."""
        numbers = self.numbers
        last = None if self.z is None else (self.z, numbers.even * numbers.sample)
        own, step, inner = self._solved(own, most, True, True, last=last)
        if step is not None and not step.converged and inner < most:
            own, step, more = self._solved(own, most - inner, True)
            inner += more
        self._keep(step)
        return own, step, inner

    def _keep(self, step: Step | None) -> None:
        self.z = step.z if step is not None and step.converged and self.limits.all else None

    def _solved(
        self,
        own: Linearised,
        most: int,
        sample: bool = False,
        warm: bool = False,
        tolerance: float | None = None,
        last: tuple[Array, float] | None = None,
    ) -> tuple[Linearised, Step | None, int]:
        """The program that was solved, its step and inner iterations; where it has no minimum, without curvature."""
        count, step = [0], None
        for made in (own, self._straight):
            if made is not None and count[0] < most:
                damped = made.damped(self.damping) if self.damping > 0.0 else made
                own, asked = made, (damped, self.limits, self.X, self.U, self.numbers, self.reg, most - count[0])
                step, last = solve(*asked, sample, warm, tolerance, count, last), None
            if step is not None:
                break
        return own, step, count[0]

    def _follow(self, x: Array) -> bool:
        """After a program without a step: the states and inputs to which the plan's own gains lead, true of those.

        A plan that stays there, where those are not finite or where the last sample had no step either.
        """
        nodes, X, U, finite = self.nodes, self.X.copy(), self.U.copy(), not self._failed
        X[0], k = x, 0
        while finite and k < nodes.count:
            u = U[k] + self.K[k] @ nodes.difference(self.X[k], X[k])
            U[k] = self._within(u[None], U[k - 1] if k else self.before)[0]
            X[k + 1] = nodes.step(X[k], U[k], self._y)
            finite, k = bool(np.isfinite(u).all() and np.isfinite(X[k + 1]).all()), k + 1
        if finite:
            self.X, self.U = X, U
        else:
            reg = self.reg
            self._rest_at(x, self.U[0].copy())
            self.reg = reg
        self._failed, self.L = True, np.zeros_like(self.L)
        return finite

    def _within(self, U: Array, before: Array | None = None) -> Array:
        """Inputs within hard limits, one after the other where those are of changes too."""
        found, before = U.copy(), self.before if before is None else before
        hard = [(side, True) for side in self.limits.rates if not side.soft]
        sides = [*hard, *((side, False) for side in self.limits.inputs)]
        for k in range(len(found) if hard else 1):
            rows = slice(k, k + 1) if hard else slice(None)
            for side, changes in sides:
                own, bound = found[rows, side.at], side.bound + (before[side.at] if changes else 0.0)
                found[rows, side.at] = np.fmax(own, bound) if side.sign > 0 else np.fmin(own, bound)
            for at, value in self.settings.fixed:
                found[rows, at] = value
            before = found[k]
        return found

    def _linearised(self, x: Array, y: Array) -> tuple[Linearised | None, ControlReport]:
        nodes, X, U = self.nodes, self.X, self.U
        found = replace(_NONE, code=ControlCode.DONE)
        made, costs, gap = [], [], [nodes.difference(X[0], x)]
        for k in range(nodes.count):
            ahead, A, B = nodes.slopes(X[k], U[k], y)
            if not (np.isfinite(ahead).all() and np.isfinite(A).all() and np.isfinite(B).all()):
                return None, replace(found, code=ControlCode.STEP_FAILED, node=k)
            gap.append(nodes.difference(X[k + 1], ahead))
            made.append((A, B))
        for k in range(nodes.count + 1):
            costs.append(nodes.cost_slopes(k, X[k], U[min(k, nodes.count - 1)], y))
            if not all(np.isfinite(item).all() for item in costs[-1]):
                return None, replace(found, code=ControlCode.NOT_FINITE, node=k)
        cost, lx, lu, lxx, lux, luu = zip(*costs, strict=True)
        A, B = (np.stack(item) for item in zip(*made, strict=True))
        fixed = tuple(row for row, _ in self.settings.fixed)
        inner = np.stack(lux[:-1]), np.stack(luu[:-1]), fixed
        own = Linearised(np.stack(gap), A, B, np.stack(lx), np.stack(lu[:-1]), np.stack(lxx), *inner)
        soft, hard = self._outside(self.limits.distances(X, U))
        if self.settings.curvature:
            own, self._straight = self._curved(own, y), own
        return own, replace(found, cost=float(sum(cost)) + soft, gap=float(np.abs(own.gap).sum()) + hard)

    def _curved(self, own: Linearised, y: Array) -> Linearised:
        """With second derivatives of steps, where they are finite."""
        lxx, lux, luu = own.lxx.copy(), own.lux.copy(), own.luu.copy()
        for k in range(self.nodes.count):
            made = self.nodes.curvature(self.X[k], self.U[k], y, self.L[k + 1])
            if all(np.isfinite(item).all() for item in made):
                for item, more in zip((lxx, lux, luu), made, strict=True):
                    item[k] += more
        return replace(own, lxx=lxx, lux=lux, luu=luu)

    def _tried(self, step: Step, share: float) -> tuple[Array, Array]:
        """The plan after a share of a step."""
        pairs = zip(self.X, step.dx, strict=True)
        U = self._within(self.U + share * step.du)
        return self._joined(np.stack([self.nodes.moved(x, share * dx) for x, dx in pairs]), U), U

    def _outside(self, g: Array) -> tuple[float, float]:
        """What violated soft limits cost, and the sum of violations of hard ones, of all but inputs."""
        outside, cost, hard = np.minimum(g[:, len(self.limits.inputs) :], 0.0), 0.0, 0.0
        for j, side in enumerate((*self.limits.rates, *self.limits.states)):
            if side.soft:
                cost += float(0.5 * (outside[:, j] ** 2).sum() / side.soft)
            else:
                hard -= float(outside[:, j].sum())
        return cost, hard

    def _change(self, own: Linearised, step: Step) -> tuple[float, float]:
        """The slope of the cost along a step, and what its quadratic model changes by; soft limits are in both."""
        dx, du, inputs = step.dx, step.du, len(self.limits.inputs)
        g = self.limits.distances(self.X, self.U)
        ahead = g.copy()
        for j, move in enumerate(self.limits.moves(dx, du)[inputs:], inputs):
            ahead[:, j] += self.limits.all[j].sign * move
        slope = float((own.lx * dx).sum() + (own.lu * du).sum()) + self._outside(ahead)[0] - self._outside(g)[0]
        curved = np.einsum("ki,kij,kj->", dx, own.lxx, dx) + np.einsum("ki,kij,kj->", du, own.luu, du)
        curved += 2.0 * np.einsum("ki,kij,kj->", du, own.lux, dx[:-1])
        return slope, slope + 0.5 * float(curved)

    def _whole(self, own: Linearised, step: Step) -> bool:
        """Whether the plan moved along a whole step, which it does where the new one is finite."""
        X, U = self._tried(step, 1.0)
        finite = bool(np.isfinite(X).all() and np.isfinite(U).all())
        if finite:
            self._take(X, U, own, step)
        return finite

    def _take(self, X: Array, U: Array, own: Linearised, step: Step) -> None:
        if self.settings.curvature:
            self.L = multipliers(own, self.limits, step)
        self.X, self.U, self.K, self._failed = X, U, step.K, False

    def _adapt_damping(self, halvings: int) -> None:
        """That of the next program: more after a short step, less after a whole one."""
        first, least, most = self.numbers.damping
        if halvings >= self.numbers.short:
            self.damping = min(max(10.0 * self.damping, first), most)
        elif halvings == 0:
            self.damping = 0.0 if 0.1 * self.damping < least else 0.1 * self.damping

    def _search(
        self,
        own: Linearised,
        step: Step,
        x: Array,
        y: Array,
        found: ControlReport,
        slope: float,
        sample: bool = False,
    ) -> bool:
        """Whether the plan moved along a step: the first of its halves that lowers the merit function enough.

        It opens gaps no further than by a share of the way of all states.
        A sample takes the best of them where none does, unless it is far worse.
        """
        numbers, nodes, best, least = self.numbers, self.nodes, 0.0, np.inf
        self.nu = 0.0 if sample else self.nu
        if not np.isfinite(found.decrease):
            return False
        if found.gap > numbers.rounding:
            self.nu = max(self.nu, found.decrease / (numbers.merit * found.gap))
        fall, before, share = slope - self.nu * found.gap, found.cost + self.nu * found.gap, 1.0
        strayed = numbers.strayed * float(np.abs(step.dx[:, : self._moves]).sum())
        for halving in range(numbers.halvings):
            X, U = self._tried(step, share)
            cost, gaps = self._outside(self.limits.distances(X, U))
            gaps += float(np.abs(nodes.difference(X[0], x)).sum())
            cost += nodes.cost(nodes.count, X[-1], U[-1], y)
            for k in range(nodes.count):
                gaps += float(np.abs(nodes.difference(X[k + 1], nodes.step(X[k], U[k], y))).sum())
                cost += nodes.cost(k, X[k], U[k], y)
            after = cost + self.nu * gaps
            near = sample or gaps <= found.gap + numbers.gap + share * strayed
            if near and after <= before + numbers.armijo * share * fall + numbers.rounding * abs(before):
                if not sample:
                    self._adapt_damping(halving)
                self._take(X, U, own, step)
                return True
            if np.isfinite(after) and after < least:
                best, least = share, after
            share *= 0.5
        taken = sample and best > 0.0 and least <= 2.0 * abs(before)
        if taken:
            self._take(*self._tried(step, best), own, step)
        return taken
