"""What a robot says of its closed loops, and how it closes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from symdyn.robot.joint_maps import JointMaps
from symdyn.robot.records import Constraint
from symdyn.robot.state_checks import (
    given_parameters,
    given_position,
    given_tolerance,
    given_velocity,
    named_rows,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from symdyn.robot.loop_closure.search import Loops

    Array = NDArray[np.float64]


class Looped(JointMaps):
    """Closed loops of a loaded robot."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The closed loops, in the order of their rows."""
        return tuple(
            Constraint(own.constraint.name, own.kind, own.row_names, own.row_units, own.dropped)
            for own in self.model.loops
        )

    @cached_property
    def independent_coordinates(self) -> tuple[str, ...]:
        """Rows of v that may be chosen freely while all loops stay closed; the others follow from them.

        Rows of the file's actuators are preferred, then rows that come first. They are chosen at a closed position that
        is not singular; run-time parameters have the file's values, or 1.

        Raises
        ------
        RequestError
            No closed position is found.
        """
        import numpy as np

        from symdyn.description.loops import MET
        from symdyn.robot.loop_closure.close import independent_rows

        p = np.array([1.0 if value is None else value for value in self.model.slots.defaults])
        return tuple(self.model.velocity_names[row] for row in independent_rows(self.loop_closure, p, MET))

    @property
    def mobility(self) -> int:
        """In how many ways the robot can move while all loops stay closed: nv minus the rank of their Jacobian.

        Raises
        ------
        RequestError
            No closed position is found.
        """
        return len(self.independent_coordinates)

    def close(
        self,
        q0: ArrayLike | Mapping[str, ArrayLike],
        hold: Iterable[str] = (),
        p: ArrayLike | None = None,
        tolerance: float | None = None,
    ) -> Array:
        """The closed position near q0: Newton's method on the errors of loops, by the smallest steps in v.

        If that fails, or closes a loop with an error of half a turn, it starts again from some positions around q0.
        Limits of joints are ignored.

        Overconstrained loops may be unable to close, for instance where a file has axes with nine decimals. With
        ``tolerance`` they are closed by least squares, lengths relative to the longest lever of the loops.

        Parameters
        ----------
        q0
            (nq,), quaternions unit.
        hold
            Coordinates that do not change: names of rows of v, of rows of q, or of joints.
        p
            Run-time parameters (np,); their usual values by default.
        tolerance
            Largest error that may be left where no move makes errors less [m or rad]. Motions and rests start from
            errors up to 1e-6.

        Returns
        -------
        (nq,), quaternions unit; errors of the loops are at rounding, or below 1e-10 in special positions, or else below
        ``tolerance``.

        Raises
        ------
        RequestError
            No closed position was found (the message has the remaining error, and says whether the loops are
            overconstrained); an unknown name; or arrays as for :meth:`integrate`.
        """
        from symdyn.robot.loop_closure.close import close

        return close(
            self.loop_closure,
            given_position(self.model, q0, "q0"),
            given_parameters(self.model, p),
            named_rows(self.model, hold),
            given_tolerance(tolerance),
        )

    def project(
        self, q: ArrayLike, v: ArrayLike, p: ArrayLike | None = None, tolerance: float | None = None
    ) -> tuple[Array, Array]:
        """The closed position near q, and the velocity nearest to v that keeps the loops closed there.

        Nearest means that the difference has the least kinetic energy.

        Parameters
        ----------
        q, v
            (nq,) and (nv,), quaternions unit.
        p, tolerance
            As for :meth:`close`.

        Returns
        -------
        (nq,) and (nv,).

        Raises
        ------
        RequestError
            As for :meth:`close`.
        """
        from symdyn.robot.loop_closure.close import projected

        velocity, parameters = given_velocity(self.model, v), given_parameters(self.model, p)
        closed = self.close(q, p=parameters, tolerance=tolerance)
        return closed, projected(self.loop_closure, closed, velocity, parameters)

    @cached_property
    def loop_closure(self) -> Loops:
        """What searches for closed positions share and remember."""
        from symdyn.robot.loop_closure.search import Loops

        return Loops(self.model)
