"""Integrals over the mass of a beam's centre line.

Points of the line move by s = e g(x), e the axis of the amplitude: bending along y or z, axial along x, and what
bending takes from the length along x, g = -1/2 integral_0^x s_k' s_l' (twice that for two different coordinates).
Torsion and its products leave the line where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symdyn.description.flexible import Basis, Direction
from symdyn.shapes.closed_form import exact_integral
from symdyn.shapes.formula import X
from symdyn.shapes.modes import NATURAL, ModeShapes
from symdyn.shapes.profile import joined_ends
from symdyn.shapes.quadrature import Quadrature, adaptive_quadrature
from symdyn.shapes.shape import FormulaShape, Shape, value_at

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One amplitude that is a coordinate: shape ``number`` of its direction."""

    modes: ModeShapes
    number: int

    @property
    def direction(self) -> Direction:
        """The way in which the beam deforms."""
        return self.modes.direction

    @property
    def shape(self) -> Shape:
        """The deflection per unit of the coordinate."""
        return self.modes.shapes[self.number]


@dataclass(frozen=True)
class CentreLine:
    """The line with ``density`` [kg/m], its n = m + len(pairs) amplitudes in the order of BeamIntegrals.

    Integrals are scalars: axes are the caller's.
    """

    length: float
    density: FormulaShape
    coordinates: tuple[Coordinate, ...]
    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def moments(self) -> tuple[float, float, float]:
        """Integrals of dm, x dm and x^2 dm."""
        station = FormulaShape((self.length,), (X,))
        exact = [exact_integral(self.length, (self.density, 0), *[(station, 0)] * power) for power in range(3)]
        mass = self._mass_weights
        values = [
            float(mass @ self._quadrature.nodes**power) if value is None else value for power, value in enumerate(exact)
        ]
        return values[0], values[1], values[2]

    @cached_property
    def first(self) -> Array:
        """Per amplitude the integral of g dm, (n,)."""
        return self._linear(0)

    @cached_property
    def second(self) -> Array:
        """Per amplitude the integral of g x dm, (n,)."""
        return self._linear(1)

    def _linear(self, power: int) -> Array:
        station = FormulaShape((self.length,), (X,))
        result = self._displacements @ (self._mass_weights * self._quadrature.nodes**power)
        for k, coordinate in self._moving():
            exact = exact_integral(self.length, (self.density, 0), (coordinate.shape, 0), *[(station, 0)] * power)
            if exact is not None:
                result[k] = exact
        return np.asarray(result)

    @cached_property
    def products(self) -> Array:
        """Per pair of amplitudes the integral of g_i g_j dm, (n, n)."""
        result = (self._displacements * self._mass_weights) @ self._displacements.T
        for i, one in self._moving():
            for j, two in self._moving():
                if j > i:
                    continue
                exact = self._product(one, two)
                if exact is not None:
                    result[i, j] = result[j, i] = exact
        return np.asarray(result)

    def _product(self, one: Coordinate, two: Coordinate) -> float | None:
        if one.modes is two.modes and one.modes.basis in NATURAL and one.modes.basis is not Basis.PINNED_HUB:
            # Orthogonal in the product of their basis, by their derivation; seen from a hub they are not.
            return one.modes.inertia[one.number][two.number] - one.modes.end_share(one.number, two.number)
        return exact_integral(self.length, (self.density, 0), (one.shape, 0), (two.shape, 0))

    def _moving(self) -> list[tuple[int, Coordinate]]:
        return [
            (k, coordinate)
            for k, coordinate in enumerate(self.coordinates)
            if coordinate.direction is not Direction.TORSION
        ]

    @cached_property
    def tip_displacements(self) -> Array:
        """Per amplitude g at the tip, (n,)."""
        values = [
            0.0 if coordinate.direction is Direction.TORSION else value_at(coordinate.shape, self.length)
            for coordinate in self.coordinates
        ]
        slopes = self._slopes
        for k, j in self.pairs:
            bends = k in slopes
            values.append(
                self._factor(k, j) * float(self._quadrature.integral(slopes[k] * slopes[j])) if bends else 0.0
            )
        return np.array(values)

    @staticmethod
    def _factor(k: int, j: int) -> float:
        return -0.5 if k == j else -1.0

    @cached_property
    def _quadrature(self) -> Quadrature:
        def factors(x: Array) -> Array:
            weight = np.sqrt(self.density(x))
            rows = [weight, weight * x]
            for k, coordinate in self._moving():
                rows.append(weight * coordinate.shape(x))
                if any(k in pair for pair in self.pairs):
                    rows.append(coordinate.shape(x, 1))
            return np.array(rows)

        ends = joined_ends(self.density.ends, *(coordinate.shape.ends for coordinate in self.coordinates))
        return adaptive_quadrature(ends, factors, "flexible link")

    @cached_property
    def _mass_weights(self) -> Array:
        return np.asarray(self._quadrature.weights * self.density(self._quadrature.nodes))

    @cached_property
    def _slopes(self) -> dict[int, Array]:
        """Of the coordinates that take from the length."""
        used = {k for pair in self.pairs for k in pair if self.coordinates[k].direction is not Direction.TORSION}
        return {k: np.asarray(self.coordinates[k].shape(self._quadrature.nodes, 1)) for k in sorted(used)}

    @cached_property
    def _displacements(self) -> Array:
        nodes = self._quadrature.nodes
        rows = [
            np.zeros_like(nodes) if coordinate.direction is Direction.TORSION else coordinate.shape(nodes)
            for coordinate in self.coordinates
        ]
        for k, j in self.pairs:
            bends = k in self._slopes
            taken = self._quadrature.running(self._slopes[k] * self._slopes[j]) if bends else np.zeros_like(nodes)
            rows.append(self._factor(k, j) * taken)
        return np.array(rows)
