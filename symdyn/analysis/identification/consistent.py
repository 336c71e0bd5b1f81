"""The physically consistent parameters nearest to estimates of base parameters, by semidefinite programming.

A body's ten parameters are those of some distribution of mass if and only if its pseudo-inertia
P = [[Sigma, h], [h^T, m]], with Sigma the second moments, has no negative eigenvalue (Wensing, Kim & Slotine 2018).
The prior is the body of the file: tr(P0^-1 P) - log det P, the divergence of normal distributions (Lee, Wensing & Park
2019), or the squared Frobenius norm of P - P0.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.analysis.identification.fit import Fit
from symdyn.errors import SolverError
from symdyn.interface.optional_packages import require

Array = NDArray[np.float64]
PRIORS = ("entropic", "frobenius")
PER_BODY = 10
PAIRS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of the moments of inertia, in the order of the regressor."""
_REMEDY = "give a richer motion, larger deviations, or a larger prior_weight"
_CLEAR = 1e-8
"""Share of the largest eigenvalue that the smallest one has at least; files are checked to such a share."""
_LEAST = 1e-6
"""A prior's eigenvalues are raised to this share of its largest, so that a thin rod has one."""


def pseudo_inertia(standard: Any) -> Any:
    """P (4, 4) of m, h and Ixx, Ixy, Iyy, Ixz, Iyz, Izz: Sigma = tr(I) / 2 - I."""
    return np.einsum("i,ijk->jk", np.asarray(standard), basis())


def basis() -> Array:
    """P of a unit of each of the ten parameters (10, 4, 4)."""
    found = np.zeros((PER_BODY, 4, 4))
    found[0, 3, 3] = 1.0
    for axis in range(3):
        found[1 + axis, axis, 3] = found[1 + axis, 3, axis] = 1.0
    for at, (row, column) in enumerate(PAIRS, 4):
        if row == column:
            found[at, :3, :3] = np.eye(3) / 2.0
            found[at, row, row] -= 1.0
        else:
            found[at, row, column] = found[at, column, row] = -1.0
    return found


def consistent(columns: Columns, fit: Fit, prior: str, weight: float) -> Array:
    """All parameters: nearest to the fit in its own covariance, and to the file's bodies with ``weight``.

    Raises
    ------
    RequestError
        cvxpy is not installed.
    SolverError
        The solver gave up.
    """
    cvxpy = _cvxpy()
    known, own = columns.known, len(columns.inertial)
    x = cvxpy.Variable(len(known))
    # The Cholesky factor of the information makes the misfit a sum of squares of order 1.
    half = np.linalg.cholesky(_inverse(fit.covariance)).T
    target = fit.shares @ known + fit.moved
    cost = cvxpy.sum_squares(half @ (fit.shares @ x - target))
    limits: list[Any] = []
    for at in range(0, own, PER_BODY):
        sizes = known[at : at + PER_BODY]
        root = _root(pseudo_inertia(sizes))
        turned = np.linalg.inv(root) @ basis() @ np.linalg.inv(root).T
        body = cvxpy.Variable((4, 4), PSD=True)
        limits.append(body == sum(x[at + k] * turned[k] for k in range(PER_BODY)))
        if prior == "entropic":
            cost += weight * (cvxpy.trace(body) - cvxpy.log_det(body))
        else:
            cost += weight * cvxpy.sum_squares(body - np.eye(4))
    signed = [at for at in range(own, len(known)) if not columns.names[at].endswith(".offset")]
    if signed:
        limits.append(x[signed] >= 0.0)
    # Of order 1 at the file's bodies.
    scale = float(np.sum((half @ (fit.shares @ known - target)) ** 2)) + weight * own
    problem = cvxpy.Problem(cvxpy.Minimize(cost / scale), limits)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what it says is in the status, too
            problem.solve(solver=cvxpy.CLARABEL)
    except cvxpy.SolverError as failure:
        raise SolverError(f"no consistent parameters were found ({failure}); {_REMEDY}") from None
    if problem.status != cvxpy.OPTIMAL:
        raise SolverError(f"no consistent parameters were found ({problem.status}); {_REMEDY}")
    return _possible(np.array(x.value), own, signed)


def _possible(found: Array, own: int, signed: list[int]) -> Array:
    """What the solver found to its tolerance, on the side of what a body can have."""
    for at in range(0, own, PER_BODY):
        sizes, vectors = np.linalg.eigh(pseudo_inertia(found[at : at + PER_BODY]))
        if sizes[-1] > 0.0 and sizes[0] < _CLEAR * sizes[-1]:
            raised = (vectors * np.maximum(sizes, _CLEAR * sizes[-1])) @ vectors.T
            found[at : at + PER_BODY] = standard_of(raised)
    found[signed] = np.maximum(found[signed], 0.0)
    return found


def standard_of(matrix: Array) -> Array:
    """m, h and Ixx, Ixy, Iyy, Ixz, Iyz, Izz of a pseudo-inertia: I = tr(Sigma) 1 - Sigma."""
    second = matrix[:3, :3]
    inertia = np.trace(second) * np.eye(3) - second
    entries = [inertia[row, column] for row, column in PAIRS]
    return np.array([matrix[3, 3], *matrix[:3, 3], *entries])


def _cvxpy() -> Any:
    require("a fit of consistent parameters", "cvxpy", "identify")
    return importlib.import_module("cvxpy")


def _inverse(covariance: Array) -> Array:
    scales = np.sqrt(np.diag(covariance))
    return np.asarray(np.linalg.inv(covariance / np.outer(scales, scales)) / np.outer(scales, scales))


def _root(matrix: Array) -> Array:
    """L with L L^T = P, its eigenvalues raised to a least share; of a body without mass the identity."""
    sizes, vectors = np.linalg.eigh(matrix)
    largest = float(sizes[-1])
    if largest <= 0.0:
        return np.eye(4)
    return np.asarray(vectors * np.sqrt(np.maximum(sizes, _LEAST * largest)))
