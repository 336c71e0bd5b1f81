"""The numbers of a body given by its map: over NumPy arrays of points, with slopes by steps into the complex plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from symdyn.description.mapped import MATERIAL, Mapped
from symdyn.description.quantities.beam_expression import BEAM_FUNCTIONS
from symdyn.description.quantities.expression import evaluate_arithmetic
from symdyn.description.quantities.map_expression import parse_map_expression

Array = np.ndarray[Any, Any]

_STEP = 1e-30
_SHARE = 0.1
_HALVINGS = 40
_FUNCTIONS = {name: getattr(np, name) for name in BEAM_FUNCTIONS}


class MapValues:
    """A body whose expressions are sound.

    Parameters
    ----------
    body
        The body.
    """

    def __init__(self, body: Mapped) -> None:
        self._body = body

    def points(self) -> Array:
        """Material coordinates of the quadrature points, (points, 3)."""
        inner = [
            start + (end - start) * (np.polynomial.legendre.leggauss(count)[0] + 1.0) / 2.0
            for (start, end), count in zip(self._body.domain, self._body.quadrature, strict=True)
        ]
        return np.stack([axis.ravel() for axis in np.meshgrid(*inner, indexing="ij")], axis=1)

    def weights(self) -> Array:
        """Their weights, (points,)."""
        one, two, three = (
            (end - start) * np.polynomial.legendre.leggauss(count)[1] / 2.0
            for (start, end), count in zip(self._body.domain, self._body.quadrature, strict=True)
        )
        return (one[:, None, None] * two[:, None] * three).ravel()

    def places(self, points: Array, state: Array) -> Array:
        """Places of points (points, 3) in a state (n,), (3, points)."""
        return np.stack([self._value(text, self._names(points, state), len(points)) for text in self._body.map])

    def slopes(self, points: Array, state: Array) -> Array:
        """Slopes of places by material coordinates, (points, 3, 3)."""
        found = [self._stepped(points, state, MATERIAL[row]) for row in range(3)]
        return np.moveaxis(np.stack(found, axis=-1), 1, 0)

    def columns(self, points: Array, state: Array) -> Array:
        """Slopes of places by coordinates, (3, points, n)."""
        return np.stack([self._stepped(points, state, name) for name in self._body.rows], axis=-1)

    def energies(self, key: str, points: Array, state: Array) -> Array:
        """``energy`` or ``energy_density`` at points."""
        text = getattr(self._body, key)
        return self._value(text, self._names(points, state), len(points)) if text else np.zeros(len(points))

    @cached_property
    def size(self) -> float:
        """The largest extent of the points at rest [m]."""
        places = self.places(self.points(), np.zeros(len(self._body.rows)))
        root = self.places(np.array([self._body.root]), np.zeros(len(self._body.rows)))
        return float(np.max(np.nan_to_num(np.abs(places - root))))

    @cached_property
    def reach(self) -> Array:
        """Usual amplitudes (n,): together they move points by a tenth of the body, and all is finite there."""
        points, count = self.points(), len(self._body.rows)
        largest = np.nan_to_num(np.abs(self.columns(points, np.zeros(count)))).max(axis=(0, 1))
        reach = _SHARE * self.size / count / np.where(largest > 0.0, largest, 1.0)
        for _ in range(_HALVINGS):
            if all(np.all(np.isfinite(self.columns(points, state))) for state in self._corners(reach)):
                break
            reach = reach / 2.0
        return reach

    def states(self, number: int) -> Iterator[Array]:
        """States within usual amplitudes, the same ones each time."""
        generator = np.random.default_rng(1)
        for _ in range(number):
            yield self.reach * generator.uniform(-1.0, 1.0, len(self.reach))

    @staticmethod
    def _corners(reach: Array) -> list[Array]:
        return [sign * reach for sign in (-1.0, 1.0)]

    def _names(self, points: Array, state: Array) -> dict[str, Any]:
        return dict(zip(MATERIAL, points.T, strict=True)) | dict(zip(self._body.rows, state, strict=True))

    def _stepped(self, points: Array, state: Array, name: str) -> Array:
        names = self._names(points, state)
        names[name] = names[name] + 1j * _STEP
        return np.stack([self._value(text, names, len(points)).imag / _STEP for text in self._body.map])

    @staticmethod
    def _value(text: str, names: Mapping[str, Any], count: int) -> Array:
        with np.errstate(all="ignore"):
            try:
                value = evaluate_arithmetic(parse_map_expression(text), names, _FUNCTIONS)
            except ZeroDivisionError:  # of plain numbers
                value = np.nan
        return np.broadcast_to(np.asarray(value), (count,))
