"""The pseudo-inverse in a fixed number of steps, against singular values with fifty digits."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import mp

from symdyn.algebra.scalars.counted import CountingAlgebra
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.actuation.pseudo_inverse import BEGIN, CORRECT, LeastVariant, solving_sweeps
from symdyn.plan.plan import Access, Field, FieldKind, Plan, Sweep, Visit
from symdyn.plan.run import run_plan


def least_plan(m: int, n: int) -> Plan:
    variant, r = LeastVariant(m, n), min(m, n)
    sizes = {"weighed": m * n, "unturned": m * n, "total": 1, "solving": r * (m + n)}
    whole = {name: Access(name, 0, size) for name, size in (sizes | {"columns": m * n, "left": m}).items()}
    begun = {port: whole[port] for port in ("columns", "weighed", "unturned", "total")}
    found = {port: whole[port] for port in ("columns", "solving", "left")}
    found |= {"inputs": Access("u", 0, n), "taken": Access("taken", 0, m)}
    given = [Field("columns", FieldKind.INPUT, m * n), Field("left", FieldKind.INPUT, m)]
    made = [Field("u", FieldKind.OUTPUT, n), Field("taken", FieldKind.OUTPUT, m)]
    fields = (*given, *(Field(name, FieldKind.STATE, size) for name, size in sizes.items()), *made)
    sweeps = [Sweep(BEGIN, (Visit(-1, variant, {}, begun),)), *solving_sweeps(variant, "")]
    return Plan("least", fields, (*sweeps, Sweep(CORRECT, (Visit(-1, variant, {}, found),))), (), ())


def with_singular_values(m: int, n: int, values: list[float], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((size, size)))[0] for size in (m, n))
    return left[:, : len(values)] * values @ right[: len(values)]


@pytest.mark.parametrize(
    ("m", "n", "values"),
    [
        (1, 1, [3.0]),
        (6, 3, [1e4, 1.0, 1e-5]),
        (5, 5, [1.0, 1e-2, 1e-4, 1e-6, 1e-8]),
        (8, 9, [2.0, 1.0, 1.0, 1e-3]),  # of rank 4
        (3, 6, [1.0, 1e-3]),
        (4, 2, []),  # nothing acts
    ],
)
def test_as_singular_values_have_it(m: int, n: int, values: list[float]) -> None:
    """One pass errs by the condition, as any does; columns and forces are exact doubles for both."""
    B, tau = with_singular_values(m, n, values, m), np.random.default_rng(n).standard_normal(m)
    found = run_plan(least_plan(m, n), FloatAlgebra(), {"columns": B.T.ravel().tolist(), "left": tau.tolist()})
    with mp.workdps(50):
        U, S, V = mp.svd_r(mp.matrix(B.tolist()) if m >= n else mp.matrix(B.T.tolist()))
        if m < n:
            U, V = V.T, U.T
        kept = [k for k in range(len(S)) if S[k] > 1e-12]
        expected = [
            float(mp.fsum(V[k, i] * mp.fsum(U[j, k] * float(tau[j]) for j in range(m)) / S[k] for k in kept))
            for i in range(n)
        ]
    assert len(kept) == len(values)
    worst = max(values, default=1.0) / min(values, default=1.0)
    scale = max((np.linalg.norm(tau) / value for value in values), default=0.0)
    assert found["u"] == pytest.approx(expected, rel=0.0, abs=1e-14 * worst * scale)
    assert found["taken"] == pytest.approx(
        (-B @ np.array(found["u"])).tolist(), abs=1e-14 * scale * max(values, default=0)
    )


def test_many_inputs_take_few_operations() -> None:
    """Rotations of all pairs of 9 columns in 9 rounds took some 70 thousand: a text of megabytes in one line."""
    algebra = CountingAlgebra()
    given = {"columns": algebra.variables(12 * 9), "left": algebra.variables(12)}
    found = run_plan(least_plan(12, 9), algebra, given)
    assert algebra.total([*found["u"], *found["taken"]]) <= 15_000
