"""The numbers of the generalised-alpha method and of its solver, for steps in Python and in generated C."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.errors import RequestError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RADIUS = 0.8
"""Spectral radius at infinite frequency where nobody gives one."""
ITERATIONS = 12
"""Most iterations of Newton's method with one factor."""
KEPT_RATE = 0.3
"""Rate of convergence below which a factor is kept."""
KEPT_STEP = 0.2
"""Relative change of the step up to which a factor is kept."""
SAME_STEP = 1e-9
"""Relative change of the step that is rounding."""
FAST, SLOW, TRUST = 1e-3, 0.99, 0.8
"""Rates of convergence that are believed at the start of a step, and where nothing is known; the power to which a
rate of the step before is believed."""


@dataclass(frozen=True, slots=True)
class AlphaTolerances:
    """What the solver takes for small, by the type of its numbers.

    ``newton`` is the move that Newton's method may leave, of the step's move; ``floor`` a move of coordinates of size 1
    that is rounding; ``met`` an error of constraints that counts as none, at the start [m or rad]; ``difference`` the
    step of differences of fourth order [s, or s per velocity]; ``rounding`` a change of an acceleration within a step,
    of itself, that is rounding: differences of prescribed motions leave 1e-9.
    """

    newton: float
    floor: float
    met: float
    difference: float
    rounding: float


DOUBLE = AlphaTolerances(newton=1e-11, floor=4e-16, met=1e-12, difference=1e-3, rounding=1e-6)
SINGLE = AlphaTolerances(newton=1e-5, floor=2e-7, met=1e-5, difference=2e-2, rounding=1e-2)
TOLERANCES: Mapping[str, AlphaTolerances] = {"double": DOUBLE, "float": SINGLE}


@dataclass(frozen=True, slots=True)
class AlphaRule:
    """Numbers of one method of the family (Chung & Hulbert 1993).

    The auxiliary accelerations w follow (1 - alpha_m) w_1 + alpha_m w_0 = (1 - alpha_f) a_1 + alpha_f a_0. The
    increment is h v_0 + h^2 ((1/2 - beta) w_0 + beta w_1), and v_1 = v_0 + h ((1 - gamma) w_0 + gamma w_1).
    """

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float

    @classmethod
    def of(cls, rho: float) -> AlphaRule:
        """The method of second order with spectral radius ``rho`` at infinity; 1 gives Newmark's trapezoidal rule.

        Raises
        ------
        RequestError
            ``rho`` is not within 0 and 1.
        """
        if not 0.0 <= rho <= 1.0:
            raise RequestError(f"rho_inf of generalised-alpha: expected a number from 0 to 1, got {rho!r}")
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 + alpha_f - alpha_m
        return cls(alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma)

    @property
    def shift(self) -> float:
        """How far after t, in steps, the auxiliary acceleration stands for: w_n = a(t_n + shift h) + O(h^2)."""
        return self.alpha_m - self.alpha_f

    @property
    def position_error(self) -> float:
        """The constant C of the local error C h^3 a' of positions."""
        return 0.5 * self.shift + self.beta - 1.0 / 6.0

    @property
    def velocity_error(self) -> float:
        """The constant C of the local error C h^3 a'' of velocities, by Taylor series of the rule."""
        late, early = 1.0 + self.shift, self.shift
        # w_n = a(t_n + shift h) + k h^2 a'': what the recursion of w leaves in second order
        k = 0.5 * ((1.0 - self.alpha_f) - (1.0 - self.alpha_m) * late**2 - self.alpha_m * early**2)
        return 0.5 * (self.gamma * late**2 + (1.0 - self.gamma) * early**2) + k - 1.0 / 6.0

    @property
    def mass_weight(self) -> float:
        """How much a_1 moves per move of w_1."""
        return (1.0 - self.alpha_m) / (1.0 - self.alpha_f)

    def prediction(self, h: float) -> Array:
        """The matrix that takes (v, a, w, change of a) at the start of a step to its increment and v, a, w at its end.

        The acceleration is taken to change again as it did.
        """
        import numpy as np

        v, a, w, change = np.eye(4)
        a1 = a + change
        w1 = ((1.0 - self.alpha_f) * a1 + self.alpha_f * a - self.alpha_m * w) / (1.0 - self.alpha_m)
        increment = h * v + (h * h) * ((0.5 - self.beta) * w + self.beta * w1)
        v1 = v + h * ((1.0 - self.gamma) * w + self.gamma * w1)
        return np.stack([increment, v1, a1, w1])

    def moves(self, h: float) -> Array:
        """How much the increment and v, a, w at the end of a step move per move of w there; a column (4, 1)."""
        import numpy as np

        return np.array([[self.beta * h * h], [self.gamma * h], [self.mass_weight], [1.0]])
