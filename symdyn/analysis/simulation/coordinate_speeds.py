"""How fast coordinates change with velocities, q' = N(q) v, and the slopes of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.model.joints.rate_joint import RateJoint
from symdyn.model.model import Model

Array = NDArray[np.float64]

_SHIFT = 1e-6


class CoordinateSpeeds:
    """N(q) of a robot. Where v are rates of coordinates it is a 1; other joints tell their own."""

    def __init__(self, model: Model) -> None:
        self._algebra = FloatAlgebra(fused=False)
        joints = model.independent_joints
        self._turning = [joint for joint in joints if not isinstance(joint.kind, RateJoint)]
        self._plain = np.zeros((model.nq, model.nv))
        for joint in joints:
            if isinstance(joint.kind, RateJoint):
                self._plain[joint.q_rows, joint.v_rows] = np.eye(joint.q_rows.stop - joint.q_rows.start)

    def of(self, q: Array, v: Array) -> Array:
        """The rates (nq,) of the coordinates."""
        found: Array = self._plain @ v
        for joint in self._turning:
            found[joint.q_rows] = joint.kind.speeds(self._algebra, q[joint.q_rows].tolist(), v[joint.v_rows].tolist())
        return found

    def matrix(self, q: Array) -> Array:
        """N (nq, nv)."""
        found = self._plain.copy()
        for joint in self._turning:
            count, own = joint.v_rows.stop - joint.v_rows.start, q[joint.q_rows].tolist()
            columns = [joint.kind.speeds(self._algebra, own, unit) for unit in np.eye(count).tolist()]
            found[joint.q_rows, joint.v_rows] = np.array(columns, dtype=np.float64).T
        return found

    def moves(self, q: Array) -> Array:
        """The moves along v (nv, nq) that changes of q stand for; changes of a quaternion's length for none."""
        if not self._turning:
            return self._plain.T
        found, matrix = self._plain.T.copy(), self.matrix(q)
        for joint in self._turning:
            found[joint.v_rows, joint.q_rows] = np.linalg.pinv(matrix[joint.q_rows, joint.v_rows])
        return found

    def brackets(self, v: Array) -> Array:
        """By how much moves along v fail to commute with those along each row (nv, nv), a column per row."""
        found = np.zeros((len(v), len(v)))
        for joint in self._turning:
            own = v[joint.v_rows].tolist()
            columns = [joint.kind.bracket(unit, own) for unit in np.eye(len(own)).tolist()]
            found[joint.v_rows, joint.v_rows] = np.array(columns, dtype=np.float64).T
        return found

    def slopes(self, q: Array, v: Array) -> Array:
        """The slopes (nq, nq) of N(q) v by q, by differences."""
        found = np.zeros((len(q), len(q)))
        for joint in self._turning:
            own, rates = q[joint.q_rows], v[joint.v_rows].tolist()
            for column, unit in enumerate(_SHIFT * np.eye(len(own))):
                ahead, behind = (
                    np.array(joint.kind.speeds(self._algebra, place.tolist(), rates), dtype=np.float64)
                    for place in (own + unit, own - unit)
                )
                found[joint.q_rows, joint.q_rows.start + column] = (ahead - behind) / (2.0 * _SHIFT)
        return found
