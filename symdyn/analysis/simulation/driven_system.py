"""A robot as an implicit system with what :func:`symdyn.simulate` was asked: inputs, prescribed joints, parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.analysis.simulation.system import System

Array = NDArray[np.float64]

_SHIFT = 1e-6


class DrivenSystem(RobotSystem):
    """The implicit system of a :class:`System`."""

    def __init__(self, system: System) -> None:
        self._source = system
        self._held: Array | None = None
        self._actuated = system.drive == "actuators"
        held = {name: own.motion for name, own in system.prescribed.items()}
        super().__init__(
            system.robot,
            self._given if self._actuated else None,
            None if self._actuated else self._given,
            held,
            system.p,
        )

    def _given(self, t: float, q: Array, v: Array) -> Array:
        return self._source.inputs(t, q, v) if self._held is None else self._held

    def rates(self, t: float) -> Array:
        """How fast the errors of constraints change where nothing moves but prescribed joints, with its sign turned."""
        found = np.zeros(self.m)
        driven = [own.motion(t)[1] for own in self._source.prescribed.values()]
        found[self.m - len(driven) :] = driven
        return found

    def feedback(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> tuple[Array, Array]:
        """The slopes (nv, nv) of the residual by moves of q and by v that inputs cause, by differences of these."""
        if not self._source.feedback:
            nothing = np.zeros((self.nv, self.nv))
            return nothing, nothing
        inputs, units = self._source.inputs, _SHIFT * np.eye(self.nv)
        by_q = [inputs(t, self.advance(q, unit), v) - inputs(t, self.advance(q, -unit), v) for unit in units]
        by_v = [inputs(t, q, v + unit) - inputs(t, q, v - unit) for unit in units]
        effect = self._effect(t, q, v, a, lam) / (2.0 * _SHIFT)
        return effect @ np.array(by_q).T, effect @ np.array(by_v).T

    def _effect(self, t: float, q: Array, v: Array, a: Array, lam: Array) -> Array:
        """How the residual changes with each input, in which it is linear."""
        if not self._actuated:
            return -np.eye(self.nv)
        given = self._source.inputs(t, q, v)
        try:
            residuals = []
            for self._held in (given, *(given + unit for unit in np.eye(given.size))):
                residuals.append(self.residual(t, q, v, a, lam))
        finally:
            self._held = None
        return np.array([found - residuals[0] for found in residuals[1:]]).T
