"""Dynamics of the robot canadarm_rigid, for editors and type checkers: written by symdyn 0.1.0; do not edit.

Units are SI and radians. Inputs broadcast over leading dimensions; results have them too. Numbers are float64.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array: TypeAlias = NDArray[np.float64]
_Number: TypeAlias = np.float64 | NDArray[np.float64]
_Given: TypeAlias = ArrayLike

def inverse_dynamics(q: _Given, v: _Given, a: _Given, *, out: _Array | tuple[_Array] | None = None) -> _Array:
    """Joint forces tau that give the robot acceleration a at position q and velocity v.

    in  q[3] [rad]: coordinates
        0 joint_1, 1 joint_2, 2 joint_3
    in  v[3] [rad/s]: velocities
        0 joint_1, 1 joint_2, 2 joint_3
    in  a[3] [rad/s^2]: accelerations, the time derivative of v
        0 joint_1, 1 joint_2, 2 joint_3
    out tau[3] [N m]: generalised forces, dual to v
        0 joint_1, 1 joint_2, 2 joint_3
    """

def signature(name: str) -> dict[str, Any]:
    """Names, shapes, units, row names and operation counts of a function, as plain data."""
