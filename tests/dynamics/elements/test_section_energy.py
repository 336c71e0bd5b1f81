"""Energy of a point of a section that deforms, and its forces: strain in NumPy, and differences."""

from __future__ import annotations

import numpy as np
import pytest

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.dynamics.elements.section_energy import SectionEnergyVariant, section_energy, section_force

MOVED = ((3, 0), (1,), (4, 5, 2))
"""Rows of the strain (linear, angular) that coordinates move; two shapes of the section follow."""
SHAPES = 2


def energy(table: np.ndarray, q: np.ndarray) -> float:
    """W = lambda tr(E)^2 / 2 + mu E : E of F = [x' + k x r, dr/dy, dr/dz]."""
    (first, second, y, z), rest = table[:4], table[4:]
    strain = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    at = 0
    for rows, amplitude in zip(MOVED, q, strict=False):
        for row in rows:
            strain[row] += rest[at] * amplitude
            at += 1
    shapes = rest[at:].reshape(SHAPES, 4, 2)  # y and z of a shape, and their slopes along x, y and z
    moves = np.tensordot(q[len(MOVED) :], shapes, 1)
    place = np.array([0.0, y + moves[0, 0], z + moves[0, 1]])
    slopes = np.eye(3)
    slopes[:, 0] = strain[:3] + np.cross(strain[3:], place)
    slopes[1:] += moves[1:].T
    green = 0.5 * (slopes.T @ slopes - np.eye(3))
    return float(0.5 * first * np.trace(green) ** 2 + second * np.sum(green * green))


@pytest.mark.parametrize("factor", [False, True])
def test_energy_and_forces(factor: bool) -> None:
    rng, count = np.random.default_rng(4), len(MOVED) + SHAPES
    variant, constants = SectionEnergyVariant(MOVED, SHAPES, factor), {"stiffness": 3.0} if factor else {}
    share, step = (3.0 if factor else 1.0), 1e-3
    for _ in range(5):
        table, q = rng.uniform(-1.0, 1.0, 4 + 6 + 8 * SHAPES), rng.uniform(-0.5, 0.5, count)
        reads = {"table": table.tolist(), "q": q.tolist()}
        (found,) = section_energy(variant, FloatAlgebra(), constants, reads)["energy"]
        assert found == pytest.approx(share * energy(table, q), rel=1e-13)
        forces = section_force(variant, FloatAlgebra(), constants, reads)["force"]
        # W is a polynomial of degree eight, so differences of eighth order err by rounding alone
        weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
        wanted = [
            sum(w * (energy(table, q + k * move) - energy(table, q - k * move)) for k, w in weights.items()) / step
            for move in step * np.eye(count)
        ]
        np.testing.assert_allclose(forces, share * np.array(wanted), rtol=0.0, atol=1e-11)
