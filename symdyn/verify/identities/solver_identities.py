"""Identities of what solvers call: rates of states, residuals, and their Jacobians, against dynamics themselves.

Rates of states of robots with loops tell nothing here: residuals do, with the multipliers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpmath import mp

from symdyn.interface.signature import HELD_ROWS
from symdyn.verify.base.matrices import vector
from symdyn.verify.identities.bench import Bench, Values, relative, relative_by_unit
from symdyn.verify.identities.inertia_identities import acceleration_sizes, oracle_mass
from symdyn.verify.identities.motion_identities import WEIGHTS, step_along, stops_rise
from symdyn.verify.oracle.tangent import central_difference, moved
from symdyn.verify.oracle.truth import DIGITS

if TYPE_CHECKING:
    from symdyn.verify.identities.bench import Array


def inverse_of_rate(bench: Bench, values: Values) -> float | None:
    """``q' - N v``, and ``ID(q, v, v') - tau``, or ``v' - u`` in prescribed rows, with the rate of a state."""
    import numpy as np

    if HELD_ROWS in bench.signatures["state_derivative"].options:
        return None
    rate, given = _rate(bench, values)
    nq, held = len(values["q"]), _held(bench, "state_derivative")
    with mp.workdps(DIGITS):
        start, v = (vector(values[name].tolist()) for name in "qv")
        exact = central_difference(lambda h: moved(bench.setting, start, v, h))
    wanted = np.array([float(x) for x in exact])
    reach = np.abs(wanted) + np.max(np.abs(values["v"])) * (1.0 + np.max(np.abs(values["q"])))
    a, M = rate[nq:], np.abs(oracle_mass(bench, values))
    tau = bench.call("inverse_dynamics", {**values, "a": a})
    sizes = M @ acceleration_sizes(bench, {**values, "a": a}, tau, held) + np.abs(tau)
    units = bench.signatures["inverse_dynamics"].outputs[0].element_units
    motion = relative_by_unit(np.where(held, 0.0, tau - given), sizes, units)
    known = relative(np.where(held, a - given, 0.0), np.abs(given))
    return max(relative(rate[:nq] - wanted, reach), motion, known) / bench.roundoff


def slopes_of_rate(bench: Bench, values: Values) -> float | None:
    """``(y')' - d_dy y'`` along the straight line through y that has this slope, what is given held fixed."""
    import numpy as np

    if HELD_ROWS in bench.signatures["state_jacobian"].options:
        return None
    rate, _ = _rate(bench, values)
    nq, y = len(values["q"]), np.concatenate([values["q"], values["v"]])
    a = rate[nq:]
    moving = {**values, "a": a, "jerk": 0.0 * a}
    if stops_rise(bench, moving):
        return None
    h = step_along(bench, moving)
    changed = 0.0 * y
    for count, weight in enumerate(WEIGHTS, 1):
        for sign in (1.0, -1.0):
            later = bench.call("state_derivative", {**values, "y": y + sign * count * h * rate})
            changed = changed + sign * weight / h * later
    J = bench.call("state_jacobian", {**values, "y": y})
    loads = np.abs(oracle_mass(bench, values)) @ np.abs(a) + np.abs(values["tau"])
    reach = acceleration_sizes(bench, {**values, "a": a}, loads, _held(bench, "state_jacobian"))
    felt = np.abs(J) @ np.full(len(y), np.max(np.abs(y)))  # y is rounded at every point
    sizes = (np.concatenate([np.abs(rate[:nq]), reach]) + felt) / h + np.abs(J) @ np.abs(rate)
    units = bench.signatures["state_derivative"].outputs[0].element_units
    return relative_by_unit(changed - J @ rate, sizes, units) / bench.roundoff


def residual_of_force(bench: Bench, values: Values) -> float:
    """``R - (ID(q, v, a) - tau)`` without multipliers."""
    import numpy as np

    tau = bench.call("inverse_dynamics", values)
    rest = bench.call("implicit_residual", _without_multipliers(bench, "implicit_residual", values))
    sizes = np.abs(tau) + np.abs(values["tau"])
    units = bench.signatures["inverse_dynamics"].outputs[0].element_units
    return relative_by_unit(rest - tau + values["tau"], sizes, units) / bench.roundoff


def inertia_of_step(bench: Bench, values: Values) -> float:
    """``S - M`` for steps that change accelerations alone."""
    import numpy as np

    factors = {"c": np.array([0.0, 0.0, 1.0])}
    given = {**_without_multipliers(bench, "implicit_jacobian", values), **factors}
    M = bench.call("mass_matrix", values)
    S = bench.call("implicit_jacobian", given)[: bench.nv, : bench.nv]
    root = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    return relative((S - M) / np.outer(root, root), M / np.outer(root, root)) / bench.roundoff


def _rate(bench: Bench, values: Values) -> tuple[Array, Array]:
    """The rate of a state, and what is given for each row of v."""
    import numpy as np

    name = "state_derivative"
    given = "tau" if any(own.name == "tau" for own in bench.signatures[name].inputs) else "u"
    return bench.call(name, {**values, "y": np.concatenate([values["q"], values["v"]])}), values[given]


def _held(bench: Bench, name: str) -> Array:
    """Which rows of v are prescribed to a function."""
    import numpy as np

    held = np.zeros(bench.nv, dtype=bool)
    if any(own.name == "u" for own in bench.signatures[name].inputs):
        held[list(bench.setting.prescribed)] = True
    return held


def _without_multipliers(bench: Bench, name: str, values: Values) -> Values:
    import numpy as np

    found = {own.name: np.zeros(own.size) for own in bench.signatures[name].inputs if own.name == "lambda"}
    return {**values, **found}
