"""Maps between the rows of q and v of a robot and other coordinates of the same motion: mimic joints, mixed twists."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from symdyn.robot.edit import Changeable
from symdyn.robot.state_checks import given_coordinates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from symdyn.model.bodies import Body

    Array = NDArray[np.float64]


_FREE_ROWS = (7, 6)
"""Rows of q and v of a free body, in any convention."""


class JointMaps(Changeable):
    """A model, and what its joints do where rows of q and v are others than theirs."""

    @property
    def mimic_names(self) -> tuple[str, ...]:
        """Names of the rows of :attr:`mimic_matrix`: the velocities of all joints, those of mimic joints among them."""
        found = []
        for body in self._moving:
            own = body.joint
            suffixes = own.kind.moving.coordinates.v if own.leaders else own.coordinates.v
            found += [(own.label or own.joint) + suffix for suffix in suffixes]
        return tuple(found)

    @cached_property
    def mimic_matrix(self) -> Array:
        """The matrix G (n, nv) that gives the velocities of all joints from v: v_all = G v.

        A joint that follows no other has rows of the identity, a mimic joint its multipliers. :attr:`mimic_names` names
        the rows. Forces of all joints go back to rows of v by tau = G^T tau_all, and the mass matrix by
        M = G^T M_all G, where M_all is that of the robot without its mimic rules. Positions of joints with one
        coordinate follow by the same rows and :attr:`mimic_offset`; :meth:`joint_positions` gives those of all joints.

        Source: Featherstone 2008, section 3.2 (implicit and explicit constraints).
        """
        import numpy as np

        matrix = np.zeros((len(self.mimic_names), self.model.nv))
        row = 0
        for body in self._moving:
            own, numbers = body.joint, dict(body.joint.numbers)
            if own.leaders:
                gains = [numbers[name] for name in own.kind.coordinate_map.multipliers]
                np.add.at(matrix[row], list(own.v_places), gains)
                row += 1
            else:
                count = len(own.coordinates.v)
                matrix[row : row + count, own.v_rows] = np.eye(count)
                row += count
        matrix.flags.writeable = False
        return matrix

    @property
    def mimic_offset(self) -> Array:
        """The g (n,) of q_all = G q + g, rows as in :attr:`mimic_matrix`: offsets of mimic joints [rad or m], or 0.

        The equation is for robots whose joints have one coordinate each, so that q has the rows of v.
        """
        import numpy as np

        found: list[float] = []
        for body in self._moving:
            own = body.joint
            found += [dict(own.numbers)["offset"]] if own.leaders else [0.0] * len(own.coordinates.v)
        return np.array(found)

    def joint_positions(self, q: ArrayLike) -> dict[str, Array]:
        """The coordinates of every joint that moves, by name, those of mimic joints among them.

        Parameters
        ----------
        q
            (..., nq), quaternions unit.

        Returns
        -------
        Per joint an array (..., k) of its k coordinates [rad or m], quaternions among them.

        Raises
        ------
        RequestError
            The last axis has the wrong length, numbers are not finite, a quaternion is not unit.
        """
        given = given_coordinates(self.model, "q", q)
        found: dict[str, Array] = {}
        for body in self._moving:
            own, numbers = body.joint, dict(body.joint.numbers)
            if own.leaders:
                gains = [numbers[name] for name in own.kind.coordinate_map.multipliers]
                found[own.label or own.joint] = (given[..., list(own.q_places)] @ gains + numbers["offset"])[..., None]
            else:
                found[own.label] = given[..., own.q_rows].copy()
        return found

    def mixed_velocity_matrix(self, q: ArrayLike) -> Array:
        """The matrix T (..., nv, nv) that gives v in the mixed representation: v_mixed = T v.

        There the six rows of a floating base are the velocity of its origin [m/s], then its angular velocity [rad/s],
        both along the axes of the world (``LOCAL_WORLD_ALIGNED`` in Pinocchio, ``MIXED_REPRESENTATION`` in iDynTree),
        whatever the robot's convention. All other rows stay, so T is the identity without a floating base.

        A function of v follows by T: Jacobians are J T^-1, forces T^-T tau, the mass matrix T^-T M T^-1. The rows of
        ``jacobians`` themselves are already in this representation.

        Source: Traversaro & Saccon 2019, Multibody dynamics notation, section 2.

        Parameters
        ----------
        q
            (..., nq), quaternions unit.

        Raises
        ------
        RequestError
            As for :meth:`joint_positions`.
        """
        import numpy as np

        from symdyn.interface.stepping import ROWS

        given = given_coordinates(self.model, "q", q)
        found = np.broadcast_to(np.eye(self.model.nv), (*given.shape[:-1], self.model.nv, self.model.nv)).copy()
        bases = [
            body
            for body in self.model.bodies
            if body.parent < 0 and ROWS.get(body.joint.kind.coordinate_rates) == _FREE_ROWS
        ]
        for body in bases:
            for place in np.ndindex(given.shape[:-1]):
                own = given[place][body.joint.q_rows].tolist()
                found[place][body.joint.v_rows, body.joint.v_rows] = _mixed_columns(body, own)
        return found

    @property
    def _moving(self) -> list[Body]:
        """Bodies with a joint of a file that moves by rows of q and v."""
        return [body for body in self.model.bodies if not body.joint.inner]


def _mixed_columns(body: Body, q: list[float]) -> Array:
    """The Jacobian of a free body in its rows of v: velocity of its origin, and angular, along the world's axes."""
    import numpy as np

    from symdyn.algebra.scalars.floats import FloatAlgebra
    from symdyn.algebra.spatial.motion import motion_at_offset
    from symdyn.algebra.spatial.vectors import product

    kind, numbers = body.joint.kind, dict(body.joint.numbers)
    pose = kind.placed(kind.pose(FloatAlgebra(), q, numbers))
    screws = kind.world_columns(product(body.rotation, pose.rotation.matrix()), pose, numbers)
    if kind.about_ground:
        assert pose.translation is not None
        screws = [motion_at_offset(screw, pose.translation) for screw in screws]
    return np.array(screws).T
