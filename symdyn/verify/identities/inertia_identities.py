"""Identities between the functions of a module that hold at any one state: inertia, and what inverts what.

Every residual is relative to the terms that cancel in it, per unit block, in units of u. What comes out of a linear
solve is measured against ``|M^-1| (|M| |x| + |b|)``, as in ``solution_scales``; the M in this size, and only there, is
the oracle's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpmath import mp

from symdyn.verify.identities.bench import Bench, Values, relative, relative_by_unit
from symdyn.verify.oracle.mass_matrix import mass_rows
from symdyn.verify.oracle.pose import robot_pose
from symdyn.verify.oracle.truth import DIGITS

if TYPE_CHECKING:
    from symdyn.verify.identities.bench import Array


def oracle_mass(bench: Bench, values: Values) -> Array:
    """The mass matrix that sizes of errors are judged by."""
    import numpy as np

    inputs = {name: [float(value) for value in np.ravel(values[name])] for name in ("q", "p") if name in values}
    with mp.workdps(DIGITS):
        rows = mass_rows(robot_pose(bench.setting, inputs["q"], inputs))
    return np.array([[float(value) for value in row] for row in rows])


def forward_of_inverse(bench: Bench, values: Values) -> float:
    """``FD(q, v, ID(q, v, a)) - a``."""
    tau = bench.call("inverse_dynamics", values)
    found = bench.call("forward_dynamics", {**values, "tau": tau})
    units = bench.signatures["forward_dynamics"].outputs[0].element_units
    return relative_by_unit(found - values["a"], acceleration_sizes(bench, values, tau), units) / bench.roundoff


def hybrid_of_inverse(bench: Bench, values: Values) -> float:
    """``HD(q, v, u) - w`` with u and w picked from a and ``ID(q, v, a)``."""
    import numpy as np

    tau, a = bench.call("inverse_dynamics", values), values["a"]
    held = np.zeros(bench.nv, dtype=bool)
    held[list(bench.setting.prescribed)] = True
    found = bench.call("hybrid_dynamics", {**values, "u": np.where(held, a, tau)})
    reached = acceleration_sizes(bench, values, tau, held)
    sizes = np.where(held, np.abs(oracle_mass(bench, values)) @ reached + np.abs(tau), reached)
    units = bench.signatures["hybrid_dynamics"].outputs[0].element_units
    return relative_by_unit(found - np.where(held, tau, a), sizes, units) / bench.roundoff


def acceleration_sizes(bench: Bench, values: Values, tau: Array, held: Array | None = None) -> Array:
    """What errors of an acceleration are measured against.

    Nothing may resist a joint whose acceleration is ``held``: then the other rows alone are solved for.
    """
    import numpy as np

    M = oracle_mass(bench, values)
    loads = np.abs(M) @ np.abs(values["a"]) + np.abs(tau) + np.abs(tau - M @ values["a"])
    sizes: Array = np.abs(values["a"])
    try:
        sizes = np.abs(np.linalg.inv(M)) @ loads
    except np.linalg.LinAlgError:
        if held is None:
            raise
        free = np.logical_not(held)
        sizes[free] = np.abs(np.linalg.inv(M[np.ix_(free, free)])) @ loads[free]
    return sizes


def symmetric_and_positive(bench: Bench, values: Values) -> float:
    """The skew part of M, and how far its smallest eigenvalue lies below zero, after scaling its diagonal to 1.

    A mass matrix may be singular (a massless last link); one whose inverse or forward dynamics the module has may not,
    and an eigenvalue that is not above zero counts as an infinite residual.
    """
    import numpy as np

    M = bench.call("mass_matrix", values)
    diagonal = np.diag(M)
    if np.any(diagonal < 0.0) or not np.all(np.isfinite(M)):
        return float("inf")
    root = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled = M / np.outer(root, root)
    smallest = float(np.linalg.eigvalsh((scaled + scaled.T) / 2)[0])
    inverted = {"forward_dynamics", "mass_matrix_inverse"} & set(bench.signatures)
    if inverted and smallest <= 0.0:
        return float("inf")
    return max(relative(scaled - scaled.T, scaled), -smallest) / bench.roundoff


def force_is_affine(bench: Bench, values: Values) -> float:
    """``ID(a) - ID(0) - M a``."""
    import numpy as np

    tau, rest = (bench.call("inverse_dynamics", {**values, "a": a}) for a in (values["a"], 0 * values["a"]))
    M = bench.call("mass_matrix", values)
    sizes = np.abs(tau) + np.abs(rest) + np.abs(M) @ np.abs(values["a"])
    units = bench.signatures["inverse_dynamics"].outputs[0].element_units
    return relative_by_unit(tau - rest - M @ values["a"], sizes, units) / bench.roundoff


def inverse_is_inverse(bench: Bench, values: Values) -> float:
    """``M^-1 - W`` where W is the module's inverse: ``W M - 1``, measured against ``|M^-1| |M|``."""
    import numpy as np

    M, W = bench.call("mass_matrix", values), bench.call("mass_matrix_inverse", values)
    root = np.sqrt(np.abs(np.diag(M)))  # makes the entries of W M numbers without units
    rest = (W @ M - np.eye(bench.nv)) * np.outer(root, 1.0 / root)
    exact = oracle_mass(bench, values)
    sizes = np.abs(np.linalg.inv(exact)) @ np.abs(exact) @ np.abs(W) @ np.abs(M) * np.outer(root, 1.0 / root)
    return relative(rest, sizes) / bench.roundoff
