"""Identities along a motion of the robot: skew-symmetry of M' - 2 C, energy balance, the chain rule for tau'.

Time derivatives are central differences of eighth order of the module's own values, at q, v and a that follow a smooth
motion. With the step h a fiftieth of the time in which the robot's fastest terms turn by one radian, the formula's
own error, h^8 f^(9) / 630, is some units of u of f / h, and rounding of f is some units more: so f / h, beside the
terms that cancel, is what residuals are measured against.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symdyn.verify.identities.bench import Bench, Values, relative, relative_by_unit
from symdyn.verify.oracle.drives import near_stops
from symdyn.verify.oracle.joint_forces import lost_power

if TYPE_CHECKING:
    from symdyn.verify.identities.bench import Array

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Of ``f(k h) - f(-k h)``, k = 1 to 4, over h (Fornberg 1988)."""
_PER_RADIAN = 50.0


def time_derivative(bench: Bench, values: Values, function: Callable[[Values], Array]) -> tuple[Array, float]:
    """The rate of a function of the state along a motion, and the step that it was taken with.

    The motion has q' = v, v' = ``values["a"]`` and a' = ``values["jerk"]`` at the state.
    """
    import numpy as np

    h = step_along(bench, values)
    total = 0.0 * np.asarray(function(values), dtype=np.float64)
    for count, weight in enumerate(WEIGHTS, 1):
        for sign in (1.0, -1.0):
            t = sign * count * h
            later = {
                "q": bench.integrate(values["q"], t * values["v"]),
                "v": values["v"] + t * values["a"],
                "a": values["a"] + t * values["jerk"],
            }
            total = total + sign * weight / h * np.asarray(function({**values, **later}), dtype=np.float64)
    return total, h


def step_along(bench: Bench, values: Values) -> float:
    """The step for differences along a motion with these v, a and jerk."""
    import numpy as np

    turns = np.array([float(turn) for turn in bench.setting.tree.turns])
    speed, pull, jerk = (float(turns @ np.abs(values[name])) for name in ("v", "a", "jerk"))
    rate: float = 1.0 + speed + pull**0.5 + jerk ** (1.0 / 3.0)
    if bench.setting.with_losses:  # friction turns round within its velocity scale, twice as sharply as a sine
        scales = [joint.losses.velocity_scale for joint in bench.setting.description.joints if joint.losses.friction]
        rate = max([rate, *(2.0 * pull / scale for scale in scales if scale)])
    return 1.0 / (_PER_RADIAN * rate)


def skew_symmetric(bench: Bench, values: Values) -> float:
    """The symmetric part of ``M' - 2 C``, after scaling the diagonal of M to 1."""
    import numpy as np

    M, C = bench.call("mass_matrix", values), bench.call("coriolis_matrix", values)
    rate, h = time_derivative(bench, values, lambda state: bench.call("mass_matrix", state))
    root = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    scaled = np.outer(root, root)
    rest = (rate - 2.0 * C) / scaled
    return relative(rest + rest.T, (np.abs(M) / h + np.abs(rate) + 2.0 * np.abs(C)) / scaled) / bench.roundoff


def stops_rise(bench: Bench, values: Values) -> bool:
    """Whether a stop rises along the motion of differences, which its kinks of fifth order are no formula for."""
    import numpy as np

    reach = len(WEIGHTS) * step_along(bench, values)
    moves = reach * np.abs(values["v"]) + 0.5 * reach**2 * np.abs(values["a"])
    q, ways = (list(map(float, np.ravel(own))) for own in (values["q"], moves))
    told = {"p": values["p"].tolist()} if "p" in values else {}
    return near_stops(bench.setting.tree, bench.setting.quantities(told), q, ways)


def energy_balance(bench: Bench, values: Values) -> float | None:
    """``(T + U)' - (tau . v - losses)`` without external wrenches."""
    import numpy as np

    if stops_rise(bench, values):
        return None
    state = {name: 0.0 * value if name == "f_ext" else value for name, value in values.items()}

    def energies(now: Values) -> Array:
        return np.array([bench.call("kinetic_energy", now), bench.call("potential_energy", now)], dtype=np.float64)

    tau, v = bench.call("inverse_dynamics", state), values["v"]
    lost = float(lost_power(bench.setting, {name: np.ravel(value).tolist() for name, value in state.items()}))
    rate, h = time_derivative(bench, state, energies)
    terms = np.abs(energies(state)) / h + np.abs(rate)
    size = float(np.sum(terms) + np.abs(tau) @ np.abs(v) + lost)
    return relative(np.array([np.sum(rate) - tau @ v + lost]), np.array([size])) / bench.roundoff


def chain_rule(bench: Bench, values: Values) -> float | None:
    """``tau' - (dtau_dq q' + dtau_dv a + dtau_da a')``, with q' along rows of v."""
    import numpy as np

    if stops_rise(bench, values):
        return None
    dtau_dq, dtau_dv, dtau_da = bench.call_all("inverse_dynamics_partials", values)[:3]
    parts = ((dtau_dq, values["v"]), (dtau_dv, values["a"]), (dtau_da, values["jerk"]))
    rate, h = time_derivative(bench, values, lambda state: bench.call("inverse_dynamics", state))
    tau = bench.call("inverse_dynamics", values)
    rest = rate - sum(matrix @ row for matrix, row in parts)
    # q is rounded at every point of the motion, which a stiff spring turns into a force
    felt = np.abs(dtau_dq).sum(axis=1) * np.abs(values["q"]).max()
    sizes = (np.abs(tau) + felt) / h + sum(np.abs(matrix) @ np.abs(row) for matrix, row in parts)
    return relative_by_unit(rest, sizes, bench.signatures["inverse_dynamics"].outputs[0].element_units) / bench.roundoff
