"""What rigid contacts did in a motion: impulses, states, gaps and places at each time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symdyn.errors import one_line

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ContactHistory:
    """What rigid contacts did in a motion at n times.

    Attributes
    ----------
    names
        Of the k contacts, limits, dry joints and rows of loops.
    row_names
        Of the m rows of impulses.
    impulses
        (n, m) of the step that ends at each time [N s, N m s]; 0 at the first.
    states
        (n, k): 0 open, 1 sticks or bears, 2 slides or at the bound of dry friction.
    steps
        Length (n,) of the step that ends at each time [s]; 0 at the first. It is the option ``h`` or less, so that
        steps end at the times asked for.
    gaps, points, normals
        Of contacts: distances (n, ns) [m], points (n, ns, 3) of moving shapes [m] and normals (n, ns, 3), in the world.
    """

    names: tuple[str, ...]
    row_names: tuple[str, ...]
    impulses: Array
    states: NDArray[np.int32]
    steps: Array
    gaps: Array
    points: Array
    normals: Array

    @property
    def forces(self) -> Array:
        """Mean forces (n, m) of the step that ends at each time [N, N m]: impulses over its length; 0 at the first.

        Columns are those of ``row_names``: t1, t2, n of each contact on the moving shape, along its normal n and two
        tangents with t1 x t2 = n, of which t1 is x and t2 is y where n is the z axis of the world; then limits, dry
        joints and loops.
        """
        return np.divide(self.impulses, self.steps[:, None], out=0.0 * self.impulses, where=self.steps[:, None] > 0.0)

    def __repr__(self) -> str:
        return one_line(f"<ContactHistory of {', '.join(self.names)} at {len(self.steps)} times>")
