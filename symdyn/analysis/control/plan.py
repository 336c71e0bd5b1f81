"""The plan of an optimal-control problem, and its figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symdyn.interface.optimal_control import ControlCode, ControlReport
from symdyn.interface.optional_packages import require

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ControlPlan:
    """A motion of a robot within limits that costs least, and the inputs that lead along it.

    Attributes
    ----------
    robot
        Its name.
    t
        Times (N + 1,) [s].
    X
        States (N + 1, nq + nv): coordinates, then velocities.
    U
        Inputs (N, nu) from each time to the next.
    K
        Gains (N, nu, 2 nv) of inputs on moves (dq, dv) of states from the plan.
    report
        How the solver ended: code, iterations, cost, sum of gaps.
    coordinate_names, velocity_names, input_names
        Of rows.
    lower, upper
        Limits (nu,) of inputs, infinite where there are none.
    """

    robot: str
    t: Array = field(repr=False)
    X: Array = field(repr=False)
    U: Array = field(repr=False)
    K: Array = field(repr=False)
    report: ControlReport
    coordinate_names: tuple[str, ...] = field(repr=False)
    velocity_names: tuple[str, ...] = field(repr=False)
    input_names: tuple[str, ...] = field(repr=False)
    lower: Array = field(repr=False)
    upper: Array = field(repr=False)

    @property
    def code(self) -> ControlCode:
        """How the solver ended."""
        return self.report.code

    @property
    def cost(self) -> float:
        """The cost of the plan."""
        return self.report.cost

    @property
    def q(self) -> Array:
        """Coordinates (N + 1, nq)."""
        return self.X[:, : len(self.coordinate_names)]

    @property
    def v(self) -> Array:
        """Velocities (N + 1, nv)."""
        return self.X[:, len(self.coordinate_names) :]

    def plot(self) -> Any:
        """A figure of matplotlib: coordinates, velocities, and inputs with their limits over time.

        Raises
        ------
        RequestError
            matplotlib is missing.
        """
        require("ControlPlan.plot", "matplotlib", "plot")
        figure: Any = import_module("matplotlib.figure").Figure(figsize=(8.0, 7.0), layout="constrained")
        above, middle, below = figure.subplots(3, 1, sharex=True)
        for axes, rows, names, label in (
            (above, self.q, self.coordinate_names, "q"),
            (middle, self.v, self.velocity_names, "v"),
        ):
            for row, name in zip(rows.T, names, strict=True):
                axes.plot(self.t, row, label=_shown(name))
            axes.set_ylabel(label)
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
        for k, name in enumerate(self.input_names):
            (line,) = below.step(self.t, np.append(self.U[:, k], self.U[-1, k]), where="post", label=_shown(name))
            for bound in (self.lower[k], self.upper[k]):
                if np.isfinite(bound):
                    below.axhline(bound, color=line.get_color(), linewidth=0.6, linestyle=":")
        below.set_ylabel("inputs, limits dotted")
        below.set_xlabel("time [s]")
        below.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
        return figure


def _shown(name: str) -> str:
    """A name from a file, which matplotlib neither sets as a formula nor hides."""
    return name.replace("$", r"\$").lstrip("_")
