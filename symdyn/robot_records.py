"""What a robot tells of its joints' limits and of its closed loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symdyn.model.model import Model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Bounds per row: ``lower`` and ``upper`` of q (nq,), ``velocity`` of v (nv,), ``effort`` of tau (nv,).

    Rows without a limit are infinite.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    @classmethod
    def of(cls, model: Model) -> JointLimits:
        """Those of a robot."""
        import numpy as np

        sizes = ((model.nq, -np.inf), (model.nq, np.inf), (model.nv, np.inf), (model.nv, np.inf))
        found = cls(*(np.full(size, bound) for size, bound in sizes))
        for joint in model.independent_joints:
            if joint.limits is not None and len(joint.coordinates.q) == 1:
                found.lower[joint.q_index], found.upper[joint.q_index] = joint.limits.lower, joint.limits.upper
                found.velocity[joint.v_index], found.effort[joint.v_index] = joint.limits.velocity, joint.limits.effort
        return found


@dataclass(frozen=True, slots=True)
class Constraint:
    """A closed loop of a robot.

    Attributes
    ----------
    name, kind
        As the file has them.
    rows, units
        Names of the rows of its error that hold, and their units.
    dropped
        Rows that follow from others in all positions, and are left out.
    """

    name: str
    kind: str
    rows: tuple[str, ...]
    units: tuple[str, ...]
    dropped: tuple[str, ...]
