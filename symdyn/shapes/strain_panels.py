"""Beams as an operator from strain to displacement, panel by panel, over piecewise polynomials.

The unknown is the strain (curvature; for rods that twist or stretch the slope), a polynomial on each panel. In the
energy of strain the panels know nothing of each other, so that orthonormal polynomials of each panel make the
stiffness the unit matrix, however far it ranges along the beam. Displacements follow by running sums from the root.
So nothing is ever factorised that could be nearly singular, and one application costs as much as there are panels.

Lengths are parts of the beam's length here; stiffness and inertia are relative to references.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.polynomial import legendre

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """Polynomials of strain up to a degree on [-1, 1], their running integrals, and Gauss nodes."""

    degree: int
    order: int
    nodes: Array = field(init=False)
    weights: Array = field(init=False)
    strains: Array = field(init=False)
    """Normalised Legendre polynomials at the nodes, (nodes, degree + 1)."""
    moved: Array = field(init=False)
    """Their ``order``-fold integrals from -1, at the nodes."""
    series: Array = field(init=False)
    """The same integrals as Legendre series, (degree + 1, degree + 1 + order)."""
    end_turn: Array = field(init=False)
    """The first integrals at 1."""
    end_move: Array = field(init=False)
    """The ``order``-fold integrals at 1."""
    spectrum: Array = field(init=False)
    """From values at the nodes to Legendre coefficients, (nodes, nodes)."""

    def __post_init__(self) -> None:
        size = self.degree + 1
        nodes, weights = legendre.leggauss(size + 10)
        factors = np.sqrt(np.arange(size) + 0.5)
        first = [legendre.legint(row, lbnd=-1) for row in np.diag(factors)]
        last = [legendre.legint(row, self.order, lbnd=-1) for row in np.diag(factors)]
        basis = legendre.legvander(nodes, len(nodes) - 1)
        # Rounding leaves traces of what vanishes beyond the second polynomial.
        kept = np.where(np.arange(size) < self.order, 1.0, 0.0)
        found = {
            "nodes": nodes,
            "weights": weights,
            "strains": basis[:, :size] * factors,
            "moved": legendre.legval(nodes, np.array(last).T).T,
            "series": np.array(last),
            "end_turn": legendre.legval(1.0, np.array(first).T) * np.where(np.arange(size) < 1, 1.0, 0.0),
            "end_move": legendre.legval(1.0, np.array(last).T) * kept,
            "spectrum": (np.arange(len(nodes))[:, None] + 0.5) * basis.T * weights,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Stiffness and inertia at the nodes of all panels, (panels, nodes), and the panels' half widths, (panels,)."""

    starts: Array
    halves: Array
    stiffness: Array
    inertia: Array

    @classmethod
    def of(cls, bounds: Array, stiffness: Callable[[Any], Any], inertia: Callable[[Any], Any], rule: Rule) -> Samples:
        """Values on the panels between ``bounds`` [m]; what is not finite or not positive stays so."""
        halves = 0.5 * np.diff(bounds)
        places = bounds[:-1, None] + halves[:, None] * (rule.nodes + 1.0)
        with np.errstate(all="ignore"):
            rows = [np.reshape(function(places.ravel()), places.shape) for function in (stiffness, inertia)]
        return cls(bounds[:-1], halves, *rows)


class StrainPanels:
    """The operator from strains of unit energy to displacements weighed by the root of the inertia.

    Strains are vectors of ``size`` numbers: factors of each panel's orthonormal polynomials, in ascending degree.
    Weighed displacements are those at all nodes, then deflection and slope at the tip and slope at the root, each times
    the root of the inertia there.
    """

    def __init__(self, samples: Samples, rule: Rule, tip: tuple[float, float], hub: float) -> None:
        self.rule, self.halves, self._starts = rule, samples.halves, samples.starts
        roots = np.sqrt(samples.stiffness) * np.sqrt(rule.weights * self.halves[:, None])
        self._factors = np.linalg.qr(roots[:, :, None] * rule.strains, mode="r")
        diagonal = np.abs(np.diagonal(self._factors, axis1=1, axis2=2))
        self.independence = diagonal.min(axis=1) / np.maximum(diagonal.max(axis=1), np.finfo(float).tiny)
        """Per panel, how far its polynomials are from dependent in the energy of strain."""
        self._weights = np.sqrt(samples.inertia) * np.sqrt(rule.weights * self.halves[:, None])
        self._ends = np.sqrt(np.array([*tip, hub]))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of displacements and of strains."""
        panels, nodes = self._weights.shape
        return panels * nodes + 3, panels * (self.rule.degree + 1)

    def prepare(self) -> None:
        """Invert the panels' factors: once all panels are resolved."""
        rule, h = self.rule, self.halves[:, None]
        self.inverse = np.linalg.inv(self._factors)
        self._inside = h[:, :, None] ** rule.order * (rule.moved @ self.inverse)
        self._turn = h * (rule.end_turn @ self.inverse) if rule.order == 2 else np.zeros(self.inverse.shape[:2])
        self._move = h**rule.order * (rule.end_move @ self.inverse)
        self._stations = self._starts[:, None] + h * (rule.nodes + 1.0)

    def starts(self, strains: Array) -> tuple[Array, Array]:
        """Deflection and slope at the panels' starts and at the tip, (panels + 1, columns), from a clamped root."""
        rows = strains.reshape(len(self.halves), -1, strains.shape[-1])
        turns = np.einsum("jk,jkb->jb", self._turn, rows)
        slopes = _running(turns)
        moves = np.einsum("jk,jkb->jb", self._move, rows) + 2.0 * self.halves[:, None] * slopes[:-1]
        return _running(moves), slopes

    def displaced(self, strains: Array) -> Array:
        """Weighed displacements, (displacements, columns)."""
        rule = self.rule
        rows = strains.reshape(len(self.halves), -1, strains.shape[-1])
        moved, slopes = self.starts(strains)
        inside = self._inside @ rows + moved[:-1, None, :]
        if rule.order == 2:
            inside += (self.halves[:, None] * (rule.nodes + 1.0))[:, :, None] * slopes[:-1, None, :]
        ends = self._ends[:, None] * np.stack([moved[-1], slopes[-1], np.zeros_like(moved[-1])])
        return np.concatenate([(self._weights[:, :, None] * inside).reshape(-1, strains.shape[-1]), ends])

    def strained(self, forces: Array) -> Array:
        """The transpose of :meth:`displaced`: what forces along the beam strain, (strains, columns)."""
        columns, rule = forces.shape[-1], self.rule
        nodal = self._weights[:, :, None] * forces[:-3].reshape(*self._weights.shape, columns)
        pushed = _beyond(nodal.sum(axis=1), self._ends[0] * forces[-3])
        rows = np.swapaxes(self._inside, 1, 2) @ nodal + self._move[:, :, None] * pushed[:, None, :]
        if rule.order == 2:
            arms = self.halves[:, None] * (rule.nodes + 1.0)
            moments = np.einsum("jq,jqb->jb", arms, nodal) + 2.0 * self.halves[:, None] * pushed
            turned = _beyond(moments, self._ends[1] * forces[-2])
            rows += self._turn[:, :, None] * turned[:, None, :]
        return np.asarray(rows.reshape(-1, columns))

    def rotation(self) -> Array:
        """Weighed displacements of the rigid rotation whose deflection is the distance from the root."""
        return np.concatenate([(self._weights * self._stations).ravel(), self._ends])

    def tip_rows(self) -> Array:
        """What makes deflection and slope at the tip of strains, (strains, order)."""
        after = 1.0 - (self._starts + 2.0 * self.halves)
        deflection = self._move + (after[:, None] * self._turn if self.rule.order == 2 else 0.0)
        rows = [deflection, self._turn][: self.rule.order]
        return np.stack([row.ravel() for row in rows], axis=-1)

    def shape_series(self, strains: Array, slope: Array) -> Array:
        """Deflections as Legendre series, (panels, terms, columns); ``slope`` is that of the root."""
        moved, slopes = self.starts(strains)
        factors = self.inverse @ strains.reshape(len(self.halves), -1, strains.shape[-1])
        h = self.halves[:, None]
        result = h[:, :, None] ** self.rule.order * np.einsum("kn,jkb->jnb", self.rule.series, factors)
        turn = slopes[:-1] + slope
        result[:, 0] += moved[:-1] + slope * self._starts[:, None] + h * turn
        result[:, 1] += h * turn
        return np.asarray(result)


def _running(values: Array) -> Array:
    """Sums from the root, one more than there are values."""
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])


def _beyond(values: Array, end: Array) -> Array:
    """Per panel what acts nearer to the tip than it."""
    return _running(values[::-1])[-2::-1] + end
