"""Fourier series of a period, as matrices from coefficients to positions, velocities and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fourier:
    """A constant, and a sine and a cosine of each harmonic."""

    duration: float
    harmonics: int

    def times(self, per_harmonic: int) -> Array:
        """Even times over one period, so many per period of the fastest harmonic."""
        return np.linspace(0.0, self.duration, per_harmonic * self.harmonics, endpoint=False)

    def rows(self, times: Array) -> tuple[Array, Array, Array]:
        """Matrices (n, 2 harmonics + 1) to positions, velocities and accelerations."""
        rates = 2.0 * np.pi / self.duration * np.arange(1, self.harmonics + 1)
        sine, cosine = np.sin(np.outer(times, rates)), np.cos(np.outer(times, rates))
        none = np.zeros((len(times), 1))
        q = np.concatenate([none + 1.0, sine, cosine], axis=1)
        v = np.concatenate([none, cosine * rates, -sine * rates], axis=1)
        a = np.concatenate([none, -sine * rates**2, -cosine * rates**2], axis=1)
        return q, v, a

    def at_rest(self) -> Array:
        """Directions of coefficients (2 harmonics + 1, ..) without velocity and acceleration at the ends.

        The first is the constant.
        """
        _, v, a = self.rows(np.zeros(1))
        held = np.concatenate([v, a])[:, 1:]
        _, _, right = np.linalg.svd(held / np.linalg.norm(held, axis=1, keepdims=True))
        free = right[2:].T
        found = np.zeros((1 + len(free), 1 + free.shape[1]))
        found[0, 0] = 1.0
        found[1:, 1:] = free
        return found
