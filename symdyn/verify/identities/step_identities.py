"""Analytic partial derivatives against complex steps through the recursion of the function that they differentiate.

The recursion is run over complex numbers (see :mod:`symdyn.verify.base.complex_numbers`), once per direction, in double
precision; so this is a second way to the same derivatives, as exact as the functions themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpmath import mp

from symdyn.verify.base.complex_numbers import STEP
from symdyn.verify.identities.bench import Bench, Values, relative_by_unit
from symdyn.verify.identities.inertia_identities import acceleration_sizes, oracle_mass
from symdyn.verify.oracle.partial_derivatives import parameter_terms
from symdyn.verify.oracle.truth import DIGITS

if TYPE_CHECKING:
    from symdyn.interface.signature import Signature
    from symdyn.verify.identities.bench import Array


def inverse_steps(bench: Bench, values: Values) -> float:
    """Of inverse dynamics."""
    return _worst(bench, values, "inverse_dynamics", "a")


def forward_steps(bench: Bench, values: Values) -> float:
    """Of forward dynamics."""
    return _worst(bench, values, "forward_dynamics", "tau")


def hybrid_steps(bench: Bench, values: Values) -> float:
    """Of hybrid dynamics."""
    return _worst(bench, values, "hybrid_dynamics", "u")


def _worst(bench: Bench, values: Values, function: str, third: str) -> float:
    """The worst of all derivatives of a function, each matrix by its largest entry after its units are scaled away.

    Rows and columns are scaled by the roots of M's diagonal, forces one way and accelerations the other.
    """
    import numpy as np

    partials = f"{function}_partials"
    M = oracle_mass(bench, values)
    roots = np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    held = np.zeros(bench.nv, dtype=bool)
    held[list(bench.setting.prescribed)] = True
    gives_force = {"inverse_dynamics": np.ones_like(held), "hybrid_dynamics": held}.get(function, np.zeros_like(held))
    rows = np.where(gives_force, 1.0 / roots, roots)
    columns = {"q": roots, "v": roots, third: np.where(gives_force, roots, 1.0 / roots)}
    amplify, reached = np.eye(bench.nv), np.zeros(bench.nv)
    scaled = np.abs(M) / np.outer(roots, roots)
    swept = scaled * _rate(bench.signatures[partials], values["v"], roots)
    if function != "inverse_dynamics":
        amplify = np.abs(np.linalg.inv(M)) * np.outer(roots, roots) @ scaled
        reached = amplify @ (roots * acceleration_sizes(bench, values, values["tau"]))
    worst = 0.0
    outputs = bench.signatures[partials].outputs
    for name, output, found in zip(("q", "v", third, "p"), outputs, bench.call_all(partials, values), strict=False):
        stepped = _steps(bench, values, function, name)
        across = np.outer(rows, 1.0 / columns.get(name, np.ones(stepped.shape[1])))
        difference, sizes = (found - stepped) * across, amplify @ np.abs(stepped * across)
        if name in ("q", "p"):  # what the derivative inherits from the working precision of the acceleration
            sizes = sizes + reached[:, None]
        if name == "v":  # the terms of C, which may cancel in every state
            sizes = sizes + amplify @ swept
        if name == "p":
            sizes = sizes + amplify @ (_parameter_terms(bench, values) * across)
        kinds = output.element_units[: output.shape[1]] if name == "p" else ("",) * output.shape[1]
        worst = max(worst, relative_by_unit(difference, sizes, kinds * bench.nv))
    return worst / bench.roundoff


def _rate(signature: Signature, v: Array, roots: Array) -> float:
    """How fast [rad/s] the robot turns, or what its speeds are at the reach of the joint that turns most.

    Mass terms times this are the size of Coriolis terms. Where nothing turns there are none.
    """
    import numpy as np

    (units,) = (item.element_units for item in signature.inputs if item.name == "v")
    turns = np.array([unit == "rad/s" for unit in units])
    if not np.any(turns):
        return 0.0
    speeds = np.where(turns, np.abs(v), np.abs(v) * roots / np.max(roots[turns]))
    return float(np.max(speeds))


def _parameter_terms(bench: Bench, values: Values) -> Array:
    """The sizes of the terms that derivatives of forces by p are sums of."""
    import numpy as np

    inputs = {name: [float(value) for value in np.ravel(values[name])] for name in ("q", "v", "a", "p")}
    with mp.workdps(DIGITS):
        rows = parameter_terms(bench.setting, inputs)
    return np.array([[float(value) for value in row] for row in rows])


def _steps(bench: Bench, values: Values, function: str, name: str) -> Array:
    """Derivatives of a function's rows by the tangent rows of q, or the rows of v, a, tau, u or p, as columns."""
    import numpy as np

    flat = {key: [complex(value) for value in np.ravel(values[key])] for key in values}
    directions = bench.tangent_map(values["q"]).T if name == "q" else np.eye(len(flat[name]))
    columns = []
    for direction in directions:
        shifted = [value + 1j * STEP * float(share) for value, share in zip(flat[name], direction, strict=True)]
        columns.append([complex(row).imag / STEP for row in bench.complex_calls[function]({**flat, name: shifted})])
    return np.array(columns, dtype=np.float64).T
