"""Identities of robots with closed loops, at states where these are open as well: errors, multipliers, and work.

Results of linear solves are measured against ``|K^-1| (|K| |x| + |b|)`` with K = [M, -A^T; A, 0], in which M is the
oracle's. States where rows of A depend on each other, or nearly so, tell nothing of multipliers: there is no residual.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from mpmath import mp

from symdyn.interface.signature import option_word
from symdyn.verify.identities.bench import Bench, Values, relative, relative_by_unit
from symdyn.verify.identities.inertia_identities import oracle_mass
from symdyn.verify.identities.motion_identities import time_derivative
from symdyn.verify.oracle.loops import slopes
from symdyn.verify.oracle.truth import DIGITS

if TYPE_CHECKING:
    from symdyn.verify.identities.bench import Array

_LEAST = 1e-3
"""Of the largest singular value of the rows of A, each of length one in the metric of M^-1."""
_VANISHES = 1e-6
"""Of the terms that a row of A is a sum of: below it, the row is what rounding makes of it."""


def error_rate(bench: Bench, values: Values) -> float:
    """``e' - A v``, by the unit of the rows."""
    import numpy as np

    A, v = bench.call("constraint_jacobian", values), values["v"]
    rate, h = time_derivative(bench, values, lambda state: bench.call("constraint_error", state))
    sizes = np.abs(bench.call("constraint_error", values)) / h + np.abs(A) @ np.abs(v)
    # coordinates are rounded at every point of the motion
    sizes = sizes + np.abs(A).sum(axis=1) * np.abs(values["q"]).max() / h
    units = bench.signatures["constraint_error"].outputs[0].element_units
    return relative_by_unit(rate - A @ v, sizes, units) / bench.roundoff


def error_acceleration(bench: Bench, values: Values) -> float:
    """``(A v)' - A a - bias``."""
    import numpy as np

    def speed(state: Values) -> Array:
        return bench.call("constraint_jacobian", state) @ state["v"]

    A, bias = bench.call("constraint_jacobian", values), bench.call("constraint_bias", values)
    rate, h = time_derivative(bench, values, speed)
    reach = np.abs(A).sum(axis=1) * (np.abs(values["v"]).max() * (1.0 + np.abs(values["q"]).max()))
    sizes = reach / h + np.abs(A) @ np.abs(values["a"]) + np.abs(bias)
    return relative(rate - A @ values["a"] - bias, sizes) / bench.roundoff


def multipliers_hold(bench: Bench, values: Values) -> float | None:
    """``ID(a) - A^T lambda - tau`` and ``A a + bias + 2 / T A v + e / T^2`` with the a and lambda of given tau."""
    import numpy as np

    a, multipliers = bench.call_all("constrained_forward_dynamics", values)[:2]
    A, solved = _system(bench, values)
    if solved is None:
        return None
    required = bench.call("inverse_dynamics", {**values, "a": a})
    sizes = solved.forces(bench, values, a, multipliers)
    units = bench.signatures["inverse_dynamics"].outputs[0].element_units
    motion = relative_by_unit(required - A.T @ multipliers - values["tau"], sizes, units)
    bias = bench.call("constraint_bias", values)
    terms = [A @ a, bias]
    told = option_word(bench.signatures["constrained_forward_dynamics"].options, "stabilisation", "")
    if told:
        terms += [2.0 / float(told) * A @ values["v"], bench.call("constraint_error", values) / float(told) ** 2]
    # the multipliers' own rounding moves a by M^-1 A^T
    reach = np.abs(A) @ np.abs(np.linalg.inv(solved.M)) @ sizes + np.sum(np.abs(terms), axis=0)
    return max(motion, relative(np.sum(terms, axis=0), reach)) / bench.roundoff


def forward_of_shared(bench: Bench, values: Values) -> float | None:
    """``FD(q, v, ID(q, v, a)) - a`` for an a that the loops allow: that of given tau."""
    import numpy as np

    a, multipliers = bench.call_all("constrained_forward_dynamics", values)[:2]
    shared, others = bench.call_all("constrained_inverse_dynamics", {**values, "a": a})[:2]
    again = bench.call_all("constrained_forward_dynamics", {**values, "tau": shared})[0]
    _, solved = _system(bench, values)
    if solved is None:
        return None
    largest = np.maximum(np.abs(multipliers), np.abs(others))
    sizes = solved.accelerations(
        bench, {**values, "tau": np.maximum(np.abs(shared), np.abs(values["tau"]))}, a, largest
    )
    units = bench.signatures["constrained_forward_dynamics"].outputs[0].element_units
    return relative_by_unit(again - a, sizes, units) / bench.roundoff


def virtual_work(bench: Bench, values: Values) -> float | None:
    """``w . (tau - ID(a))`` over all w with ``A w = 0``, with the tau that constrained inverse dynamics share."""
    import numpy as np

    tau, multipliers = bench.call_all("constrained_inverse_dynamics", values)[:2]
    A, solved = _system(bench, values)
    if solved is None:
        return None
    ways = np.linalg.svd(A)[2][len(A) :]
    required = bench.call("inverse_dynamics", values)
    sizes = np.abs(ways) @ solved.forces(bench, {**values, "tau": tau}, values["a"], multipliers)
    return relative(ways @ (tau - required), sizes) / bench.roundoff


class _System:
    """K and what is measured by it."""

    def __init__(self, M: Array, A: Array) -> None:
        import numpy as np

        count = len(A)
        self.M, self.A = M, A
        self.K = np.block([[M, -A.T], [A, np.zeros((count, count))]])

    def forces(self, bench: Bench, values: Values, a: Array, multipliers: Array) -> Array:
        """Sizes of the terms of the equations of motion."""
        import numpy as np

        rest = bench.call("inverse_dynamics", {**values, "a": 0.0 * a})
        terms = np.abs(self.M) @ np.abs(a) + np.abs(rest) + np.abs(values["tau"])
        found: Array = terms + np.abs(self.A.T) @ np.abs(multipliers)
        return found

    def accelerations(self, bench: Bench, values: Values, a: Array, multipliers: Array) -> Array:
        """What errors of a are measured against."""
        import numpy as np

        terms = self.forces(bench, values, a, multipliers)
        held = np.abs(self.A) @ (np.abs(a) + np.abs(np.linalg.inv(self.M)) @ terms)
        found: Array = (np.abs(np.linalg.inv(self.K)) @ np.concatenate([terms, held]))[: len(a)]
        return found


def _row_sizes(bench: Bench, values: Values) -> Array:
    """Lengths that rows of A would have if nothing cancelled."""
    import numpy as np

    inputs = {name: [float(value) for value in np.ravel(values[name])] for name in ("q", "p") if name in values}
    names = bench.signatures["constraint_jacobian"].outputs[0].rows[0]
    with mp.workdps(DIGITS):
        sizes = slopes(replace(bench.setting, held=tuple(names)), inputs)[1]
    return np.array([math.sqrt(math.fsum(float(x) ** 2 for x in row)) for row in sizes])


def _system(bench: Bench, values: Values) -> tuple[Array, _System | None]:
    """A, and the system, unless rows of A nearly depend on each other."""
    import numpy as np

    A, M = bench.call("constraint_jacobian", values), oracle_mass(bench, values)
    rows = np.linalg.solve(np.linalg.cholesky(M), A.T).T
    lengths = np.linalg.norm(rows, axis=1)
    if len(A) > A.shape[1] or np.any(np.linalg.norm(A, axis=1) <= _VANISHES * _row_sizes(bench, values)):
        return A, None
    sizes = np.linalg.svd(rows / lengths[:, None], compute_uv=False)
    return A, _System(M, A) if sizes[-1] > _LEAST * sizes[0] else None
