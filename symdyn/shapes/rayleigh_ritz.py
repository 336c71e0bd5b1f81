"""Natural modes of beams of any profile by Rayleigh-Ritz, over piecewise polynomials of strain.

Each smooth stretch of the beam is cut into panels, and on each of them the strain (curvature; for rods the slope) is a
polynomial. Panels are halved where the modes' energy is still in the highest polynomials, or where stiffness or inertia
are no polynomials yet, until the modes stand still; strain may jump where the stiffness does. Values approach the
frequencies from above and none is missed: the k-th Ritz value bounds the k-th frequency (Meirovitch, Fundamentals of
Vibrations, sec. 8.5).

Frequencies are the reciprocals of singular values of the operator from strains of unit energy to displacements weighed
by the root of the inertia (:mod:`symdyn.shapes.strain_panels`). The lowest are those that doubles resolve best, and the
k-th is known to rounding times the k-th over the first. A stiffness that ranges over any number of decades costs
panels, and no digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symdyn.description.flexible import Basis
from symdyn.errors import DescriptionError
from symdyn.shapes.elasticity import refuse_out_of_range
from symdyn.shapes.largest_singular import largest_singular
from symdyn.shapes.strain_panels import Rule, Samples, StrainPanels


class HeldBeam:
    """The operator of :class:`StrainPanels` under other ends; ``clamped-free`` ends leave it as it is.

    ``held`` keeps deflection and slope of the tip at zero, ``hinged`` the deflection at both ends, and ``turns`` takes
    the rigid rotation out of a beam that is free to turn.
    """

    def __init__(self, panels: StrainPanels, *, held: bool, hinged: bool, turns: bool) -> None:
        self._panels = panels
        self._turns, self._hinged = turns, hinged
        self._rotation = panels.rotation()
        self._reach = float(np.linalg.norm(self._rotation))
        rows = panels.tip_rows()
        self._tip = rows[:, 0]
        self._held = np.linalg.qr(rows)[0] if held else np.zeros((len(rows), 0))

    def allowed(self, strains: Array) -> Array:
        """The part of strains that leaves a held tip in place."""
        return np.asarray(strains - self._held @ (self._held.T @ strains))

    def root_slope(self, strains: Array) -> Array:
        """Slope at the root, (columns,)."""
        if self._hinged:
            return -self._tip @ strains
        if self._turns:
            return -(self._rotation @ self._panels.displaced(strains)) / self._reach**2
        return np.zeros(strains.shape[-1])

    def displaced(self, strains: Array) -> Array:
        """Weighed displacements, (displacements, columns)."""
        strains = self.allowed(strains)
        moved = self._panels.displaced(strains)
        if self._turns:
            return self._without_rotation(moved)
        return moved - np.outer(self._rotation, self._tip @ strains) if self._hinged else moved

    def strained(self, forces: Array) -> Array:
        """The transpose of :meth:`displaced`."""
        found = self._panels.strained(self._without_rotation(forces) if self._turns else forces)
        if self._hinged:
            found = found - np.outer(self._tip, self._rotation @ forces)
        return self.allowed(found)

    def _without_rotation(self, moved: Array) -> Array:
        direction = self._rotation / self._reach
        return np.asarray(moved - np.outer(direction, direction @ moved))


Array = np.ndarray[Any, Any]
SETTLED = 1e-11
"""Relative change of the frequencies by a finer solution at which the modes are taken."""
_DEGREE = 14
_FURTHER = 5
_TAIL = 1e-11
_POLYNOMIAL = 1e-8
_INDEPENDENT = 1e-6
_PANELS = 4096
_ROUNDS = 60
_NARROWEST = 2.0**-48
_SINGULAR = 1e-13
_ROUNDING = 64 * np.finfo(float).eps
_LOST = 1e-7


@dataclass(frozen=True, slots=True)
class RitzBeam:
    """A beam that deforms in one direction.

    ``order`` is 2 for bending (energy of curvature), 1 for torsion and axial (energy of strain). ``stiffness`` and
    ``inertia`` per length are functions of x, smooth within each of the stretches that ``ends`` close. ``tip`` holds
    the inertias that go with value and slope at the far end, ``hub`` that which goes with the slope at the root;
    ``root_free`` and ``tip_free`` are the derivatives (0: value, 1: slope) that may differ from zero there.
    """

    order: int
    ends: tuple[float, ...]
    stiffness: Callable[[Any], Any]
    inertia: Callable[[Any], Any]
    root_free: tuple[int, ...]
    tip_free: tuple[int, ...]
    tip: tuple[float, float]
    hub: float
    turns: bool
    """The root is free to turn and nothing holds the tip: the rigid rotation is taken out, a joint carries it."""


_ENDS: Mapping[Basis, tuple[tuple[int, ...], tuple[int, ...]]] = {
    Basis.CLAMPED_FREE: ((), (0, 1)),
    Basis.CLAMPED_TIP_MASS: ((), (0, 1)),
    Basis.PINNED_HUB: ((1,), (0, 1)),
    Basis.CLAMPED_CLAMPED: ((), ()),
    Basis.PINNED_PINNED: ((1,), (1,)),
}


def ritz_beam(
    basis: Basis,
    order: int,
    ends: tuple[float, ...],
    stiffness: Callable[[Any], Any],
    inertia: Callable[[Any], Any],
    tip: tuple[float, float],
    hub: float,
) -> RitzBeam:
    """The beam with the ends of a natural basis; ``tip`` and ``hub`` are used where the basis has them."""
    root_free, tip_free = _ENDS[basis]
    return RitzBeam(order, ends, stiffness, inertia, root_free, tip_free, tip, hub, turns=basis is Basis.PINNED_HUB)


@dataclass(frozen=True, slots=True)
class RitzModes:
    """The lowest modes: squared circular frequencies, ``(count,)``, and shapes whose modal mass is one.

    ``series[mode][stretch]`` are Legendre series on the stretches that ``ends`` close.
    """

    ends: tuple[float, ...]
    eigenvalues: tuple[float, ...]
    series: tuple[tuple[tuple[float, ...], ...], ...]


def ritz_modes(beam: RitzBeam, count: int) -> RitzModes:
    """The lowest ``count`` modes.

    Raises
    ------
    DescriptionError
        Frequencies that do not settle to SETTLED, that doubles cannot tell apart, or that lie beyond their range.
    """
    bounds = np.array((0.0, *beam.ends))
    for _ in range(_ROUNDS):
        wide = np.diff(bounds) > _NARROWEST * bounds[-1]
        trial = _Trial(beam, bounds, _DEGREE)
        unsettled = trial.unresolved() & wide
        if not unsettled.any():
            found = trial.solution(count)
            unsettled = found.unsettled & wide
            if not unsettled.any():
                finer = _Trial(beam, bounds, _DEGREE + _FURTHER).solution(count)
                if np.all(np.abs(finer.frequencies / found.frequencies - 1.0) <= SETTLED + finer.rounding):
                    return finer.modes(beam.ends)
                unsettled = wide
        if not unsettled.any() or len(bounds) + np.count_nonzero(unsettled) > _PANELS:
            break
        bounds = np.sort(np.concatenate([bounds, 0.5 * (bounds[:-1] + bounds[1:])[unsettled]]))
    raise DescriptionError(
        f"natural frequencies of the beam do not settle to {SETTLED:g}; its mass or stiffness varies too sharply "
        f"within a stretch: write it as steps, or give the shapes yourself"
    )


class _Trial:
    """One choice of panels and degree."""

    def __init__(self, beam: RitzBeam, bounds: Array, degree: int) -> None:
        self.beam, self.rule, self.bounds = beam, Rule(degree, beam.order), bounds
        samples = Samples.of(bounds, beam.stiffness, beam.inertia, self.rule)
        self.length = float(bounds[-1])
        with np.errstate(all="ignore"):
            self.soft, self.heavy = samples.stiffness.min(), samples.inertia.max()
            self._samples = Samples(
                samples.starts / self.length,
                samples.halves / self.length,
                samples.stiffness / self.soft,
                samples.inertia / self.heavy,
            )
            of_value = self.heavy * self.length
            of_slope = of_value * self.length**2
            tip, hub = (beam.tip[0] / of_value, beam.tip[1] / of_slope), beam.hub / of_slope
        for values in (self._samples.stiffness, self._samples.inertia, np.array([1.0 + sum(tip) + hub])):
            if not np.all(np.isfinite(values) & (values > 0.0)):
                raise DescriptionError(
                    "stiffness and inertia along the beam and at its ends range further than doubles do; check their "
                    "units and formulas"
                )
        self.panels = StrainPanels(self._samples, self.rule, tip, hub)

    def unresolved(self) -> Array:
        """Panels on which stiffness or inertia is no polynomial, or polynomials of strain are nearly dependent."""
        result = self.panels.independence < _INDEPENDENT
        for values in (self._samples.stiffness, self._samples.inertia):
            spectrum = np.abs((values / values.max(axis=1, keepdims=True)) @ self.rule.spectrum.T)
            result |= spectrum[:, -2:].max(axis=1) > _POLYNOMIAL * spectrum.max(axis=1)
        return np.asarray(result)

    def solution(self, count: int) -> _Solution:
        """The lowest modes over these panels."""
        if not self.panels.independence.min() > _SINGULAR:
            raise DescriptionError("the beam's stiffness varies too sharply for double precision: write it as steps")
        self.panels.prepare()
        beam = self.beam
        turns, tip_held = beam.turns, not beam.tip_free
        hinged = bool(beam.root_free) and not turns
        held = HeldBeam(self.panels, held=tip_held, hinged=hinged, turns=turns)
        values, strains = largest_singular(held.displaced, held.strained, self.panels.shape[1], count)
        return _Solution(self, held, values, strains)


class _Solution:
    """Modes over one choice of panels, in units of the beam's length, its least stiffness and its largest inertia."""

    def __init__(self, trial: _Trial, held: HeldBeam, values: Array, strains: Array) -> None:
        self._trial, self._held = trial, held
        self.rounding = _ROUNDING * values[0] / np.maximum(values, _ROUNDING**2 * values[0])
        """What doubles leave unknown of each frequency, relative to it."""
        self._strains, relative = _orthogonal(held, held.allowed(strains))
        with np.errstate(all="ignore"):
            unit = np.sqrt(trial.soft) / np.sqrt(trial.heavy) / trial.length**trial.beam.order
            self.frequencies = relative * unit
            """[rad/s]"""
        refuse_out_of_range(self.frequencies)
        rows = strains.reshape(len(trial.bounds) - 1, -1, len(values))
        tail = np.linalg.norm(rows[:, -2:], axis=1)
        self.unsettled = np.any(tail > np.clip(self.rounding, _TAIL, _LOST), axis=1)
        """Panels whose highest polynomials still hold energy."""

    def modes(self, ends: tuple[float, ...]) -> RitzModes:
        """The modes in SI units."""
        if self.rounding.max() > _LOST:
            lost = int(np.argmax(self.rounding > _LOST))
            raise DescriptionError(
                f"the frequencies of modes 0 and {lost} are further apart than "
                f"double precision tells; ask for at most {lost} mode{'s' if lost > 1 else ''} there"
            )
        trial = self._trial
        series = trial.panels.shape_series(self._strains, self._held.root_slope(self._strains))
        series = series / np.sqrt(trial.heavy * trial.length)
        return RitzModes(
            (*trial.bounds[1:-1].tolist(), ends[-1]),
            tuple(np.square(self.frequencies).tolist()),
            tuple(tuple(map(tuple, series[:, :, mode].tolist())) for mode in range(series.shape[2])),
        )


def _orthogonal(held: HeldBeam, strains: Array) -> tuple[Array, Array]:
    """Strains of unit modal mass, orthogonal to rounding in mass and stiffness, and their frequencies."""
    # One step of first-order correction takes out what the iteration left.
    strains = strains / np.linalg.norm(held.displaced(strains), axis=0)
    images = held.displaced(strains)
    moved, strained = images.T @ images, strains.T @ strains
    squares = np.diag(strained) / np.diag(moved)
    gaps = squares[None, :] - squares[:, None]
    np.fill_diagonal(gaps, 1.0)
    # Equal frequencies leave their shapes free; those of the iteration are orthogonal.
    correction = np.where(gaps == 0.0, 0.0, (strained - moved * squares[None, :]) / np.where(gaps == 0.0, 1.0, gaps))
    np.fill_diagonal(correction, 0.5 * (1.0 - np.diag(moved)))
    strains = strains + strains @ correction
    return strains, np.linalg.norm(strains, axis=0)
