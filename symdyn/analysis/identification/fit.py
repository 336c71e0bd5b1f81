"""Weighted least squares for base parameters (Gautier & Khalil 1990), with their covariance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.analysis.identification.lowpass import LowPass
from symdyn.analysis.identification.residuals import Residuals, examined
from symdyn.errors import RequestError
from symdyn.functions.regressor_sizes import regressor_sizes
from symdyn.model.base_parameters import BaseParameter, base_parameters

Array = NDArray[np.float64]
WEAK = 1e-10
"""Share of the largest singular value below which a motion does not show a combination at all."""
LEAST_NOISE = 1e-6
"""Noise below this share of a row's torques counts as so much: computed torques have none."""
_PASSES = 3
"""Times that the noise of each row is estimated and used as its weight."""


@dataclass(frozen=True)
class Fit:
    """Estimates as differences from what the file says, in base parameters."""

    base: tuple[BaseParameter, ...]
    shares: Array
    moved: Array
    covariance: Array
    noise: Array
    condition: float
    residuals: Residuals


def base_of(columns: Columns) -> tuple[tuple[BaseParameter, ...], Array]:
    """Base parameters, and the matrix (nb, columns) that makes them of all."""
    names = columns.names

    def regressor(inputs: Mapping[str, list[float]]) -> list[float]:
        q, v, a = (np.array(inputs[name]) for name in ("q", "v", "a"))
        found: list[float] = columns.matrix(q, v, a).ravel().tolist()
        return found

    inertial = regressor_sizes(columns.robot.model)

    def sizes(inputs: Mapping[str, list[float]]) -> list[float]:
        v, a = (np.array(inputs[name]) for name in ("v", "a"))
        found = np.reshape(inertial(inputs), (columns.robot.nv, -1))
        known: list[float] = np.hstack([found, np.abs(columns.of_joints(v, a))]).ravel().tolist()
        return known

    base = base_parameters(columns.robot.model, names, regressor, sizes=sizes).base
    shares = np.zeros((len(base), len(names)))
    for row, item in enumerate(base):
        for name, share in item.terms:
            shares[row, names.index(name)] = share
    return base, shares


def fitted(
    columns: Columns, q: Array, v: Array, a: Array, tau: Array, deviations: Array | None, lowpass: LowPass | None
) -> Fit:
    """The fit of base parameters to torques at states (n, ..), in the order of time.

    ``deviations`` of the noise of each row (nv,) are weights; None estimates them from what is left. ``lowpass``
    filters both sides of the equations. What residuals say against the deviations widens these.

    Raises
    ------
    RequestError
        Fewer equations than parameters, a motion that does not show some of them, or torques that are not finite.
    """
    base, shares = base_of(columns)
    kept = [columns.names.index(item.name) for item in base]
    matrix = columns.matrix(q, v, a)[..., kept]
    rest = tau - columns.torques(q, v, a)
    if not (np.isfinite(matrix).all() and np.isfinite(np.square(rest)).all()):
        late = int(np.argmin(np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(np.square(rest)).all(axis=1)))
        raise RequestError(
            f"in row {late} of the measurements, torques are too large for a fit or are no numbers; check its q, v, a "
            "and tau"
        )
    if lowpass is not None:
        matrix, rest, tau = lowpass.of(matrix), lowpass.of(rest), lowpass.of(tau)
        deviations = None if deviations is None else lowpass.gain * deviations
    free = rest.size - len(kept)
    if free <= 0:
        raise RequestError(f"{rest.size} torques cannot tell {len(kept)} base parameters; give a longer motion")
    weights = np.ones(columns.robot.nv) if deviations is None else deviations
    least = np.maximum(LEAST_NOISE * np.sqrt((tau**2).mean(axis=0)), np.finfo(np.float64).tiny)
    for _ in range(_PASSES if deviations is None else 1):
        moved, covariance, condition = _solved(matrix / weights[:, None], rest / weights, base)
        left = rest - matrix @ moved
        # Each row loses its share of the degrees of freedom.
        noise = np.sqrt((left**2).sum(axis=0) / (free / columns.robot.nv))
        if deviations is None:
            weights = np.maximum(noise, least)
    residuals = examined(left, noise, least, deviations, free / columns.robot.nv)
    if (residuals.widened > 1.0).any():
        covariance = _widened(covariance, matrix / weights[:, None], residuals.widened)
    return Fit(base, shares, moved, covariance, noise, condition, residuals)


def _widened(covariance: Array, matrix: Array, factors: Array) -> Array:
    """The covariance of a least-squares fit whose rows have other deviations than its weights say, by factors (nv,)."""
    rows = (factors[:, None] * matrix).reshape(-1, matrix.shape[-1])
    half = covariance @ rows.T
    found: Array = half @ half.T
    return found


def _solved(matrix: Array, rest: Array, base: tuple[BaseParameter, ...]) -> tuple[Array, Array, float]:
    """Solution, covariance for noise of variance 1, and condition number."""
    rows = matrix.reshape(-1, matrix.shape[-1])
    scales = np.linalg.norm(rows, axis=0)
    if not scales.all():
        name = base[int(np.argmin(scales))].name
        raise RequestError(f"the motion does not show base parameter '{name}' at all; give one that moves its joint")
    left, sizes, right = np.linalg.svd(rows / scales, full_matrices=False)
    if sizes[-1] <= WEAK * sizes[0]:
        worst = np.argsort(-np.abs(right[-1]))[:3]
        names = ", ".join(base[place].name for place in worst)
        raise RequestError(f"the motion does not tell base parameters {names} from each other; give a richer one")
    moved = right.T @ ((left.T @ rest.ravel()) / sizes) / scales
    half = right.T / sizes / scales[:, None]
    return moved, half @ half.T, float(sizes[0] / sizes[-1])
