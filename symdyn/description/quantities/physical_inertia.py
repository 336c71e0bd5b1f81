"""The nearest inertia that a body can have."""

from __future__ import annotations

import numpy as np

Moments = tuple[float, float, float, float, float, float]


def nearest_physical(moments: Moments) -> Moments:
    """Moments xx, xy, xz, yy, yz, zz [kg m^2] about the centre of mass that some distribution of mass has.

    A tensor J is physical where its second-moment matrix S = tr(J)/2 1 - J = integral r r^T dm has no negative
    eigenvalue, which is the triangle inequality of the principal moments. S is projected: negative eigenvalues become
    zero. That is the nearest such S in the Frobenius norm; mass, centre of mass and principal axes stay as they are.
    """
    xx, xy, xz, yy, yz, zz = moments
    spread = 0.5 * (xx + yy + zz) * np.eye(3) - np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    sizes, axes = np.linalg.eigh(spread)
    kept = (axes * np.maximum(sizes, 0.0)) @ axes.T
    mended = np.trace(kept) * np.eye(3) - kept
    a, b, c, d, e, f = (float(mended[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    return a, b, c, d, e, f
