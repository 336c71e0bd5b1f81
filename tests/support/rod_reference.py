"""Rods for tests, and a plain reference for one that is held at its root: nothing here draws on symdyn's recursions.

Poses are products of matrix exponentials of 4 x 4 matrices, Magnus expansions are commutators of these, and columns of
the Jacobian are steps into the complex plane. Tables of numbers are what the rod is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symdyn.description.soft import Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.shapes.tables import RodTables

Array = np.ndarray[Any, Any]
_STEP = 1e-30


def legendre_rod(counts: dict[str, int], section: Section | None = None, **rest: Any) -> Soft:
    """Half a metre of soft matter; ``counts`` are numbers of Legendre functions by strain."""
    strains = [StrainFunctions(one, StrainBasis.LEGENDRE, counts[one.value]) for one in Strain if one.value in counts]
    own = {
        "length": 0.5,
        "material": Material(1e6, 0.5, 1000.0),
        "section": section or Section("circle", radius="0.02"),
    }
    return Soft(strains=tuple(strains), **(own | rest))


def papers_rod(**rest: Any) -> Soft:
    """The rod of 24 coordinates of Mathew et al., section 4.5."""
    counts = {one.value: 5 if one.angular else 3 for one in Strain}
    return legendre_rod(counts, Section("circle", radius="0.03 - 0.03 * x"), **rest)


def hat(strain: Any) -> Array:
    """A twist or strain (v; omega) as a 4 x 4 matrix."""
    v, w = strain[:3], strain[3:]
    rows = [[0.0, -w[2], w[1], v[0]], [w[2], 0.0, -w[0], v[1]], [-w[1], w[0], 0.0, v[2]], [0.0] * 4]
    return np.array(rows)


def vee(matrix: Array) -> Array:
    return np.array([*matrix[:3, 3], matrix[2, 1], matrix[0, 2], matrix[1, 0]])


def exponential(matrix: Array) -> Array:
    """By Taylor's series of a small part of it, squared."""
    halvings = max(0, math.ceil(math.log2(max(float(np.abs(matrix).sum()), 1e-300))) + 3)
    small = matrix / 2**halvings
    total = term = np.eye(4)
    for k in range(1, 18):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def exponent(strains: Sequence[Array], h: float) -> Array:
    """Blanes & Moan's expansions; theirs are for X' = A X, so that brackets change sign."""

    def bracket(a: Array, b: Array) -> Array:
        return b @ a - a @ b

    if len(strains) == 1:
        return h * strains[0]
    if len(strains) == 2:
        one, two = strains
        return h / 2 * (one + two) - math.sqrt(3) * h * h / 12 * bracket(one, two)
    one, two, three = strains
    a1, a2, a3 = h * two, math.sqrt(15) * h / 3 * (three - one), 10 * h / 3 * (three - 2 * two + one)
    c1 = bracket(a1, a2)
    c2 = -bracket(a1, 2 * a3 + c1) / 60
    return a1 + a3 / 12 + bracket(-20 * a1 - a3 + c1, a2 + c2) / 240


def node_poses(tables: RodTables, q: Array) -> list[Array]:
    """Poses (4, 4) at the ends of all steps."""
    found, place = [], np.eye(4)
    for step in tables.steps:
        strains = []
        for functions, reference in zip(step.functions, step.reference, strict=True):
            strain = np.array(reference, dtype=q.dtype)
            for own, rows, values in zip(q, tables.moved, functions, strict=True):
                strain[list(rows)] += own * np.array(values)
            strains.append(hat(strain))
        place = place @ exponential(exponent(strains, step.length))
        found.append(place)
    return found


def jacobians(tables: RodTables, q: Array) -> list[Array]:
    """Per step the columns (6, n) of the twist (v; omega) of the node at its end, in its own axes."""
    poses = node_poses(tables, q)
    columns = []
    for i in range(len(q)):
        stepped = q.astype(complex)
        stepped[i] += 1j * _STEP
        columns.append([pose.imag / _STEP for pose in node_poses(tables, stepped)])
    return [
        np.stack([vee(np.linalg.solve(pose, column[k])) for column in columns], axis=1) for k, pose in enumerate(poses)
    ]


def mass_matrix(tables: RodTables, q: Array) -> Array:
    total = np.zeros((len(q), len(q)))
    for step, columns in zip(tables.steps, jacobians(tables, q), strict=True):
        total += columns.T @ np.diag([step.mass] * 3 + list(step.inertia)) @ columns
    return total


def gravity_force(tables: RodTables, q: Array, field: Array) -> Array:
    """What the joints of a rod at rest must hold, (n,): the gradient of the potential -m g . p."""
    found = np.zeros(len(q))
    for i in range(len(q)):
        stepped = q.astype(complex)
        stepped[i] += 1j * _STEP
        poses = node_poses(tables, stepped)
        found[i] = -sum(step.mass * field @ pose[:3, 3].imag for step, pose in zip(tables.steps, poses, strict=True))
    return found / _STEP


def static_force(tables: RodTables, q: Array, field: Array, tip: Array) -> Array:
    """Residual (n,) of equilibrium under a field [m/s^2] and a wrench (f; n) on the tip, in the tip's axes."""
    elastic = np.array(tables.stiffness) @ q
    return np.asarray(elastic + gravity_force(tables, q, field) - jacobians(tables, q)[-1].T @ tip)


def pose_by_series(strain: Array, end: float, pieces: int = 16, terms: int = 40) -> Array:
    """X(end) of X' = X hat(strain(x)), X(0) = 1, by Taylor's series over short pieces; exact to rounding.

    ``strain`` (powers, 6) has the coefficients of a polynomial in x.
    """
    place, h = np.eye(4), end / pieces
    for piece in range(pieces):
        shifted = np.array([_taylor(row, piece * h) for row in strain.T]).T
        matrices = [hat(row) for row in shifted]
        coefficients = [place]
        for k in range(terms):
            total = sum(coefficients[k - j] @ matrices[j] for j in range(min(k + 1, len(matrices))))
            coefficients.append(np.asarray(total) / (k + 1))
        place = np.asarray(sum(own * h**k for k, own in enumerate(coefficients)))
    return place


def _taylor(powers: Array, start: float) -> Array:
    polynomial = np.polynomial.Polynomial(powers)
    return np.array([polynomial.deriv(k)(start) / math.factorial(k) for k in range(len(powers))])
