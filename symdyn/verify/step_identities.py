"""Analytic partial derivatives against complex steps through the recursion of the function that they differentiate.

The recursion is run over complex numbers (see :mod:`symdyn.verify.complex_numbers`), once per direction, in double
precision; so this is a second way to the same derivatives, as exact as the functions themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symdyn.verify.bench import Bench, Values, relative_by_unit
from symdyn.verify.complex_numbers import STEP
from symdyn.verify.inertia_identities import acceleration_sizes, oracle_mass

if TYPE_CHECKING:
    from symdyn.verify.bench import Array


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
    import numpy as np

    partials = f"{function}_partials"
    solved = function != "inverse_dynamics"
    amplify = magnify = np.eye(bench.nv)
    reached = np.zeros(bench.nv)
    if solved:
        M = oracle_mass(bench, values)
        amplify = np.abs(np.linalg.inv(M)) @ np.abs(M)
        reached = acceleration_sizes(bench, values, values["tau"])
        magnify = amplify if function == "forward_dynamics" else amplify + np.abs(M) @ amplify
    worst = 0.0
    outputs = bench.signatures[partials].outputs
    for name, output, found in zip(("q", "v", third, "p"), outputs, bench.call_all(partials, values), strict=False):
        stepped = _steps(bench, values, function, name)
        # what the derivative by q or p inherits from the working precision of the acceleration
        inherited = (amplify @ reached)[:, None] if name in ("q", "p") else 0.0
        sizes = magnify @ (np.abs(stepped) + inherited)
        worst = max(worst, relative_by_unit(found - stepped, sizes, output.element_units))
    return worst / bench.roundoff


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
