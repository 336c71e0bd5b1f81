"""What identification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symdyn.analysis.identification.columns import Columns
from symdyn.analysis.identification.residuals import Residuals
from symdyn.errors import RequestError
from symdyn.model.base_parameters import BaseParameter
from symdyn.robot.state_checks import given_coordinates, given_rates

if TYPE_CHECKING:
    from symdyn.robot.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Identification:
    """Parameters of a robot from measured torques.

    Attributes
    ----------
    base
        The combinations that torques show, each named after its first parameter.
    values, covariance
        Their estimates (nb,) and the covariance of these (nb, nb).
    expected
        Their values by the robot's file (nb,).
    noise
        Standard deviation of each torque (nv,) [N m or N], by what the fit leaves; with ``lowpass`` in its band.
    condition
        Condition number of the weighted, column-scaled equations: above some 100 the motion shows them badly.
    residuals
        Tests of what the fit leaves: ``whiteness`` and ``size``, and the factors ``widened`` (nv,) by which they widen
        the deviations of each torque; those of the estimates follow.
    standard
        One value per column of ``names``: the physically consistent set that was asked for, or None.
    """

    columns: Columns
    base: tuple[BaseParameter, ...]
    values: Array
    covariance: Array
    expected: Array
    noise: Array
    condition: float
    residuals: Residuals
    standard: Array | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters, such as ``forearm.Ixx`` and ``elbow.viscous``."""
        return self.columns.names

    @property
    def deviations(self) -> Array:
        """Standard deviation of each estimate (nb,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def parameters(self) -> Mapping[str, float]:
        """The consistent set by name.

        Raises
        ------
        RequestError
            None was asked for.
        """
        return dict(zip(self.names, self._consistent().tolist(), strict=True))

    def __str__(self) -> str:
        """A line per base parameter, the noise of each row, and whether the residuals are noise."""
        lines = [
            f"  {item}: {value:.6g} +- {deviation:.2g} (file: {own:.6g})"
            for item, value, deviation, own in zip(self.base, self.values, self.deviations, self.expected, strict=True)
        ]
        noise = ", ".join(f"{own:.3g}" for own in self.noise)
        head = f"{len(self.base)} base parameters of '{self.columns.robot.name}', condition {self.condition:.3g}"
        said = self.residuals.said(self.columns.robot.velocity_names)
        return "\n".join([head, *lines, f"noise of each torque: {noise}", said])

    def predict(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Torques (.., nv) of a motion by the estimates: consistent ones where they were asked for, else base ones."""
        robot = self.columns.robot
        position, velocity = given_coordinates(robot.model, "q", q), given_rates(robot.model, "v", v)
        acceleration = given_rates(robot.model, "a", a)
        matrix = self.columns.matrix(position, velocity, acceleration)
        if self.standard is not None:
            moved = matrix @ (self.standard - self.columns.known)
        else:
            kept = [self.names.index(item.name) for item in self.base]
            moved = matrix[..., kept] @ (self.values - self.expected)
        return self.columns.torques(position, velocity, acceleration) + moved

    def robot(self) -> Robot:
        """The robot with the consistent set in place of its file's masses, inertia, friction and rotors.

        Raises
        ------
        RequestError
            No consistent set was asked for, or parameters that are given at run time.
        """
        from symdyn.analysis.identification.identified_robot import identified_robot

        return identified_robot(self.columns, self._consistent())

    def pseudo_inertia(self, body: str) -> Array:
        """The matrix (4, 4) of second and first moments and mass of a body, positive definite where it can be one."""
        from symdyn.analysis.identification.consistent import pseudo_inertia

        at = self.names.index(f"{body}.m") if f"{body}.m" in self.names else None
        if at is None:
            raise RequestError(f"robot '{self.columns.robot.name}' has no body '{body}' with inertial parameters")
        found: Array = pseudo_inertia(self._consistent()[at : at + 10])
        return found

    def _consistent(self) -> Array:
        if self.standard is None:
            raise RequestError("only base parameters were identified; ask for consistent=True")
        return self.standard
