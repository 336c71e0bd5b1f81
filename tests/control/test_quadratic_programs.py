"""Quadratic programs of optimal control against a dense solver, and the Riccati recursion against SciPy's."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.linalg

from symdyn.analysis.control.quadratic_program import Limits, Linearised, riccati, solve
from symdyn.interface.optimal_control import NUMBERS, RowLimit

_NUMBERS = NUMBERS["float64"]


def _random(rng: np.random.Generator, count: int, n: int, m: int) -> Linearised:
    def positive(size: int) -> np.ndarray:
        root = rng.normal(size=(size, size))
        return root @ root.T / size + 0.1 * np.eye(size)

    A = np.stack([np.eye(n) + 0.3 * rng.normal(size=(n, n)) / n**0.5 for _ in range(count)])
    whole = [positive(n + m) for _ in range(count)]
    lxx = np.stack([*(item[:n, :n] for item in whole), positive(n)])
    lux, luu = np.stack([item[n:, :n] for item in whole]), np.stack([item[n:, n:] for item in whole])
    gap, lx = rng.normal(size=(count + 1, n)), rng.normal(size=(count + 1, n))
    return Linearised(gap, A, rng.normal(size=(count, n, m)), lx, 3.0 * rng.normal(size=(count, m)), lxx, lux, luu)


def _by_cvxpy(own: Linearised, limits: Limits, X: np.ndarray, U: np.ndarray) -> tuple[float, np.ndarray]:
    """The least cost and its inputs, by Clarabel: no code in common."""
    cvxpy = pytest.importorskip("cvxpy")  # here, because every process collects this file
    count, n, m = own.B.shape
    dx, du = cvxpy.Variable((count + 1, n)), cvxpy.Variable((count, m))
    held = [dx[0] == own.gap[0]]
    cost = own.lx[count] @ dx[count] + 0.5 * cvxpy.quad_form(dx[count], cvxpy.psd_wrap(own.lxx[count]))
    for k in range(count):
        held.append(dx[k + 1] == own.A[k] @ dx[k] + own.B[k] @ du[k] + own.gap[k + 1])
        both = np.block([[own.lxx[k], own.lux[k].T], [own.lux[k], own.luu[k]]])
        cost += own.lx[k] @ dx[k] + own.lu[k] @ du[k]
        cost += 0.5 * cvxpy.quad_form(cvxpy.hstack([dx[k], du[k]]), cvxpy.psd_wrap(both))
    for side in limits.inputs:
        held.append(side.sign * (U[:, side.at] + du[:, side.row] - side.bound) >= 0)
    for side in limits.states:
        inside = side.sign * (X[1:, side.at] + dx[1:, side.row] - side.bound)
        if side.soft:
            cost += 0.5 / side.soft * cvxpy.sum_squares(cvxpy.pos(-inside))
        else:
            held.append(inside >= 0)
    problem = cvxpy.Problem(cvxpy.Minimize(cost), held)
    problem.solve(solver=cvxpy.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert problem.status == cvxpy.OPTIMAL
    return problem.value, du.value


def _value(own: Linearised, limits: Limits, X: np.ndarray, dx: np.ndarray, du: np.ndarray) -> float:
    pairs = np.concatenate([dx[:-1], du], axis=1)
    both = [np.block([[own.lxx[k], own.lux[k].T], [own.lux[k], own.luu[k]]]) for k in range(len(du))]
    cost = (own.lx * dx).sum() + (own.lu * du).sum() + 0.5 * dx[-1] @ own.lxx[-1] @ dx[-1]
    cost += 0.5 * sum(pair @ matrix @ pair for pair, matrix in zip(pairs, both, strict=True))
    for side in limits.states:
        if side.soft:
            inside = side.sign * (X[1:, side.at] + dx[1:, side.row] - side.bound)
            cost += 0.5 / side.soft * (np.minimum(inside, 0.0) ** 2).sum()
    return float(cost)


@pytest.mark.parametrize("kind", ["inputs", "hard", "soft"])
@pytest.mark.parametrize("seed", range(6))
def test_bounded_programs_have_the_cost_and_the_inputs_of_a_dense_solver(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    count, n, m = int(rng.integers(3, 9)), 4, int(rng.integers(1, 4))
    own, X, U = _random(rng, count, n, m), rng.normal(size=(count + 1, n)), 0.2 * rng.normal(size=(count, m))
    inputs = [RowLimit(i, i, sign, -0.5 * sign, 0.0, 1.0) for i in range(m) for sign in (1, -1)]
    states = []
    if kind != "inputs":
        # A width at which the program is feasible by inputs without limits: those are left out for hard ones.
        soft, width = (0.02, 0.4) if kind == "soft" else (0.0, 1.5)
        states = [RowLimit(2, 2, sign, -width * sign, soft, 2.0 * width) for sign in (1, -1)]
        inputs = inputs if kind == "soft" else []
        U = U if kind == "soft" else 3.0 * U
    limits = Limits(inputs, states)
    found = solve(own, limits, X, U, _NUMBERS, 0.0, 50)
    assert found is not None and found.converged
    least, du = _by_cvxpy(own, limits, X, U)
    # The barrier leaves 1e-9 per side of a limit, so costs agree to that times their number, inputs to its root.
    assert _value(own, limits, X, found.dx, found.du) == pytest.approx(least, abs=1e-6 * max(1.0, abs(least)))
    np.testing.assert_allclose(found.du, du, atol=2e-4)
    for side in inputs:
        assert np.all(side.sign * (U[:, side.at] + found.du[:, side.row] - side.bound) > 0.0)


def test_limits_of_states_that_no_input_can_meet_are_a_code_and_not_an_endless_loop() -> None:
    rng = np.random.default_rng(3)
    own, X, U = _random(rng, 5, 4, 1), np.zeros((6, 4)), np.zeros((5, 1))
    inputs = [RowLimit(0, 0, sign, -1e-3 * sign, 0.0, 2e-3) for sign in (1, -1)]
    states = [RowLimit(i, i, 1, 50.0, 0.0, 1.0) for i in range(4)]
    found = solve(own, Limits(inputs, states), X, U, _NUMBERS, 0.0, 50)
    assert found is None or not found.converged


def test_gains_of_a_long_horizon_are_those_of_the_algebraic_riccati_equation() -> None:
    rng = np.random.default_rng(0)
    n, m, count = 6, 2, 400
    A, B = np.eye(n) + 0.2 * rng.normal(size=(n, n)), rng.normal(size=(n, m))
    Q, R = np.diag(rng.uniform(0.5, 2.0, n)), np.diag(rng.uniform(0.1, 1.0, m))
    P = scipy.linalg.solve_discrete_are(A, B, Q, R)
    known = -np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    many = Linearised(
        np.zeros((count + 1, n)),
        np.tile(A, (count, 1, 1)),
        np.tile(B, (count, 1, 1)),
        np.zeros((count + 1, n)),
        np.zeros((count, m)),
        np.tile(Q, (count + 1, 1, 1)),
        np.zeros((count, m, n)),
        np.tile(R, (count, 1, 1)),
    )
    gains = riccati(many, many.lx, many.lu, many.lxx, many.luu, 0.0)
    assert gains is not None
    np.testing.assert_allclose(gains[0][0], known, rtol=1e-9, atol=1e-11)


def test_gains_keep_their_digits_where_inputs_differ_by_ten_orders() -> None:
    """Near limits Q_uu has such rows; powers of two in place of units of inputs leave all digits as they are."""
    own = _random(np.random.default_rng(2), 6, 5, 4)
    D = np.exp2([0.0, -16.0, 17.0, 5.0])
    scaled = dataclasses.replace(
        own, B=own.B * D, lu=own.lu * D, lux=own.lux * D[:, None], luu=own.luu * D * D[:, None]
    )
    plain, wide = (
        riccati(own, own.lx, own.lu, own.lxx, own.luu, 0.0),
        riccati(scaled, scaled.lx, scaled.lu, scaled.lxx, scaled.luu, 0.0),
    )
    assert plain is not None and wide is not None
    np.testing.assert_allclose(wide[0] * D[:, None], plain[0], rtol=1e-14)
    np.testing.assert_allclose(wide[1] * D, plain[1], rtol=1e-14)


def test_a_program_that_is_not_convex_has_no_step() -> None:
    own = _random(np.random.default_rng(1), 4, 3, 2)
    bent = dataclasses.replace(own, luu=own.luu - 1e4 * np.eye(2))
    assert solve(bent, Limits([], []), np.zeros((5, 3)), np.zeros((4, 2)), _NUMBERS, 0.0, 50) is None
