"""What the residuals of a fit say of its deviations: whether they are white, and as large as they should be.

Least squares finds deviations as if each residual were a new draw. Where residuals follow each other, as those of
torques that were filtered or of a model that misses something, that is too little. The test is that of Ljung and Box:
Q = n (n + 2) sum_k rho_k^2 / (n - k) over K lags is a chi-square variable of K degrees of freedom for white residuals.
Where it rejects, variances grow by max S / mean S, with the spectral density S of the residuals: the covariance of
least squares is at most what white noise of the density max S gives, whatever the motion (Grenander and Rosenblatt
1957, section 7.3). S is estimated from autocorrelations up to a quarter of the rows, by Parzen's lag window. What a
model misses in a way that the parameters can take up is in none of the residuals: the factors then warn, and bound
nothing. The size is tested where deviations of the noise were given: the sum of squared residuals, in these, is a
chi-square variable too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEVEL = 1e-3
"""Probability with which white residuals of the right size are said not to be so, over all rows together."""
_FEWEST = 20
"""Residuals of a row below which nothing is tested."""
_FREQUENCIES = 512


@dataclass(frozen=True)
class Residuals:
    """Tests of the residuals of each torque, and by what they widen deviations.

    Attributes
    ----------
    whiteness
        Probability (nv,) of a Ljung-Box statistic of such a size if residuals are white; NaN where nothing is tested.
    size
        Probability (nv,) of so large residuals by the deviations that were given; NaN without these.
    correlated, large
        Factors (nv,) by which deviations of the noise are widened for each, 1 where the test passes.
    """

    whiteness: Array
    size: Array
    correlated: Array
    large: Array

    @property
    def widened(self) -> Array:
        """Both factors together (nv,)."""
        return self.correlated * self.large

    def said(self, names: Sequence[str]) -> str:
        """One line on the residuals."""
        parts = []
        odd = [f"{name} (x {factor:.2g})" for name, factor in zip(names, self.correlated, strict=True) if factor > 1.0]
        if odd:
            parts.append(
                f"are not white in {', '.join(odd)}: torques were filtered alone, or the model misses something there"
            )
        large = [f"{name} (x {factor:.2g})" for name, factor in zip(names, self.large, strict=True) if factor > 1.0]
        if large:
            parts.append(f"are larger than the deviations given in {', '.join(large)}")
        if parts:
            return f"residuals {'; they '.join(parts)}; deviations are widened by these factors"
        if np.isnan(self.whiteness).all():
            return "residuals: too few, or too small, to be tested"
        least = f"p = {np.nanmin(self.whiteness):.2g}"
        sizes = "" if np.isnan(self.size).all() else f", of the size given (p = {np.nanmin(self.size):.2g})"
        return f"residuals: white (Ljung-Box, {least}){sizes}"


def examined(left: Array, noise: Array, floor: Array, deviations: Array | None, free: float) -> Residuals:
    """Tests of residuals (n, nv) in the order of time.

    Parameters
    ----------
    left
        Residuals.
    noise
        Their standard deviation (nv,).
    floor
        Deviations (nv,) below which residuals are rounding, and not tested.
    deviations
        Those of the noise (nv,) that were given, if any.
    free
        Degrees of freedom of each row.
    """
    count, rows = left.shape
    whiteness, size = np.full(rows, math.nan), np.full(rows, math.nan)
    correlated, large = np.ones(rows), np.ones(rows)
    level, lags = LEVEL / rows, max(10, round(math.sqrt(count)))
    for row in range(rows):
        if count < max(_FEWEST, 2 * lags) or noise[row] <= floor[row]:
            continue
        rho = _autocorrelations(left[:, row], lags)
        statistic = count * (count + 2.0) * float(np.sum(rho**2 / (count - np.arange(1, lags + 1))))
        whiteness[row] = chi_square(statistic, lags)
        if whiteness[row] < level:
            correlated[row] = math.sqrt(_peak(left[:, row]))
    if deviations is not None:
        for row in range(rows):
            ratio = float(noise[row] / deviations[row]) ** 2
            size[row] = chi_square(ratio * free, free)
            if size[row] < level:
                large[row] = math.sqrt(ratio)
    return Residuals(whiteness, size, correlated, large)


def chi_square(statistic: float, free: float) -> float:
    """The probability of a chi-square variable above a statistic (Wilson and Hilferty 1931).

    Of 10 and more degrees of freedom, probabilities down to 1e-3 are right to a tenth.
    """
    share = 2.0 / (9.0 * free)
    normal = ((statistic / free) ** (1.0 / 3.0) - (1.0 - share)) / math.sqrt(share)
    return 0.5 * math.erfc(normal / math.sqrt(2.0))


def _autocorrelations(row: Array, lags: int) -> Array:
    """rho_1 .. rho_K about zero."""
    spectrum = np.abs(np.fft.rfft(row, 2 * len(row))) ** 2
    products = np.fft.irfft(spectrum)[: lags + 1]
    found: Array = products[1:] / products[0]
    return found


def _peak(row: Array) -> float:
    """The largest spectral density over the mean one."""
    window = len(row) // 4
    share = np.arange(1, window + 1) / window
    weights = np.where(share <= 0.5, 1.0 - 6.0 * share**2 * (1.0 - share), 2.0 * (1.0 - share) ** 3)
    rho = weights * _autocorrelations(row, window)
    angles = np.linspace(0.0, math.pi, _FREQUENCIES)[:, None] * np.arange(1, window + 1)
    return max(1.0, float(np.max(1.0 + 2.0 * np.cos(angles) @ rho)))
