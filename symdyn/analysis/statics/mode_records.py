"""What is found of a robot's small motions: its modes, and the matrices that they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Mode:
    """One natural mode.

    Attributes
    ----------
    frequency
        Without losses [rad/s]; 0 of a rigid mode.
    growth
        Rate at which it leaves the position without losses [1/s]; 0 if it does not.
    damping
        Ratio to critical damping, exact if losses do not couple modes; 0 without losses. Above 1 the mode returns
        without oscillation.
    shares
        The coordinates, those with the largest share first. A share is x_i^2 M_ii, divided by the sum over all.
    shape
        x (nv,) with x^T M x = 1, moves along the rows of v.
    """

    frequency: float
    growth: float
    damping: float
    shares: tuple[tuple[str, float], ...] = field(repr=False)
    shape: Array = field(repr=False)

    @property
    def hertz(self) -> float:
        """The frequency [Hz]."""
        return self.frequency / (2.0 * math.pi)

    @property
    def kind(self) -> str:
        """The kind of motion: ``"rigid"`` if no force drives it back, ``"unstable"`` if it grows, else ``"swings"``."""
        if self.growth:
            return "unstable"
        return "swings" if self.frequency else "rigid"


@dataclass(frozen=True, eq=False)
class Modes:
    """The modes of a robot about a position, the fastest growing first, then by frequency.

    Attributes
    ----------
    robot, rows
        Its name, and those of the rows of v.
    q
        The position (nq,), with loops closed.
    modes
        As many as the robot has ways to move.
    poles
        Eigenvalues s of x = exp(s t) with losses, two per mode [1/s].
    forces
        Generalised forces (nv,) that hold the robot there in addition to the inputs; 0 at a rest.
    multipliers
        Those of the loops (m,).
    mass, damping, stiffness
        M, D and K (nv, nv).
    ways
        The moves that loops allow, (nv, number of modes), with ways^T M ways = 1.
    """

    robot: str
    rows: tuple[str, ...]
    q: Array
    modes: tuple[Mode, ...]
    poles: NDArray[np.complex128] = field(repr=False)
    forces: Array = field(repr=False)
    multipliers: Array = field(repr=False)
    mass: Array = field(repr=False)
    damping: Array = field(repr=False)
    stiffness: Array = field(repr=False)
    ways: Array = field(repr=False)

    @property
    def frequencies(self) -> Array:
        """Those of all modes [Hz]."""
        return np.array([mode.hertz for mode in self.modes])

    @property
    def stable(self) -> bool:
        """Whether no small motion grows, losses included, beyond rounding beside the fastest pole."""
        largest = float(np.max(np.abs(self.poles), initial=0.0))
        return bool(np.all(self.poles.real <= _ROUNDING * largest))
