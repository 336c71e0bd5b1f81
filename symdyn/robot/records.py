"""What a robot tells of its joints' limits and of its closed loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symdyn.model.model import Model

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointLimits:
    """Bounds per row: ``lower`` and ``upper`` of q (nq,), ``velocity`` of v (nv,), ``effort`` of tau (nv,).

    ``acceleration`` and ``deceleration`` are of v' (nv,), where motion speeds up and slows down, ``jerk`` of v'' (nv,).
    Rows without a limit are infinite.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array
    acceleration: Array
    deceleration: Array
    jerk: Array

    @classmethod
    def of(cls, model: Model) -> JointLimits:
        """Those of a robot."""
        import numpy as np

        of_v = ("velocity", "effort", "acceleration", "deceleration", "jerk")
        found = cls(
            np.full(model.nq, -np.inf), np.full(model.nq, np.inf), **{name: np.full(model.nv, np.inf) for name in of_v}
        )
        for joint in model.independent_joints:
            if joint.limits is not None and len(joint.coordinates.q) == 1:
                found.lower[joint.q_index], found.upper[joint.q_index] = joint.limits.lower, joint.limits.upper
                for name in of_v:
                    getattr(found, name)[joint.v_index] = getattr(joint.limits, name)
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
