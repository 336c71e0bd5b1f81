"""Moves on the configuration space, made fast for integrators: joints of one kind move in one call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symdyn.model.joints.rate_joint import RateJoint
from symdyn.model.model import Model

Array = NDArray[np.float64]


def advance_of(model: Model) -> Callable[[Array, Array], Array]:
    """The function q, dq -> q after moving with the constant velocity dq for unit time, (nq,), (nv,) -> (nq,).

    It is :func:`symdyn.model.coordinates.integrate` for one state, without a loop over joints.
    """
    turning = [joint for joint in model.independent_joints if not isinstance(joint.kind, RateJoint)]
    if not turning:
        return np.add
    places = {joint.kind: joint.kind for joint in turning}
    groups = []
    for kind in places.values():
        own = [joint for joint in turning if joint.kind == kind]
        groups.append(
            (
                kind.integrate,
                np.array([range(joint.q_rows.start, joint.q_rows.stop) for joint in own]),
                np.array([range(joint.v_rows.start, joint.v_rows.stop) for joint in own]),
            )
        )
    added = [joint for joint in model.independent_joints if isinstance(joint.kind, RateJoint)]
    q_added = np.array([row for joint in added for row in range(joint.q_rows.start, joint.q_rows.stop)], dtype=np.intp)
    v_added = np.array([row for joint in added for row in range(joint.v_rows.start, joint.v_rows.stop)], dtype=np.intp)

    def advance(q: Array, dq: Array) -> Array:
        moved = q.copy()
        moved[q_added] += dq[v_added]
        for integrate, q_rows, v_rows in groups:
            moved[q_rows] = integrate(q[q_rows], dq[v_rows])
        return moved

    return advance
