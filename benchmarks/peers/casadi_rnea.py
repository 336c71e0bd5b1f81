"""The rival: a recursive Newton-Euler algorithm written plainly in CasADi SX, and CasADi's own C for it.

Spatial algebra in body frames with (angular; linear) vectors, as in Featherstone, *Rigid Body Dynamics Algorithms*
(2008), table 5.1, with the compact forms of appendix A for Pluecker transforms and rigid-body inertias. Nothing is
exploited by hand: SX drops zeros and ones as it builds the graph, and ``casadi.cse`` shares what repeats. That gives
628 instructions for the UR5, 1301 for the Panda's arm and 6626 for the floating TALOS, within 4 % of what Pinocchio's
own ``rnea`` gives when it is traced over SX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from peers.robots import joint_axis


@dataclass(frozen=True, slots=True)
class Spatial:
    """A motion vector (omega; v) or a force vector (moment; force)."""

    angular: Any
    linear: Any

    def __add__(self, other: Spatial) -> Spatial:
        return Spatial(self.angular + other.angular, self.linear + other.linear)


Transform = tuple[Callable[[Spatial], Spatial], Callable[[Spatial], Spatial]]


def casadi_rnea(model: Any) -> ca.Function:
    """Inverse dynamics of a Pinocchio model: (q, v, a) -> tau in Pinocchio's order and conventions."""
    q, v, a = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv), ca.SX.sym("a", model.nv)
    velocity = [Spatial(ca.SX(3, 1), ca.SX(3, 1))]
    acceleration = [Spatial(ca.SX(3, 1), _constant(-model.gravity.linear))]
    force: list[Spatial] = [Spatial(ca.SX(3, 1), ca.SX(3, 1))]
    transforms: list[Transform | None] = [None]
    subspaces = [_Subspace("", np.zeros(3))]
    motion = model.createData().joints
    for index in range(1, model.njoints):
        joint, place, parent = model.joints[index], model.jointPlacements[index], model.parents[index]
        rows = slice(joint.idx_v, joint.idx_v + joint.nv)
        subspace = _Subspace(*joint_axis(joint, motion[index]))
        rotation, translation = subspace.pose(q[joint.idx_q : joint.idx_q + joint.nq])
        fixed = _constant(place.rotation)
        transform = _pluecker(fixed @ rotation, _constant(place.translation) + fixed @ translation)
        along = subspace.times(v[rows])
        V = transform[0](velocity[parent]) + along
        A = transform[0](acceleration[parent]) + subspace.times(a[rows]) + _cross_motion(V, along)
        inertia = _inertia(model.inertias[index])
        velocity.append(V)
        acceleration.append(A)
        force.append(inertia(A) + _cross_force(V, inertia(V)))
        transforms.append(transform)
        subspaces.append(subspace)
    tau = ca.SX(model.nv, 1)
    for index in range(model.njoints - 1, 0, -1):
        joint, parent, above = model.joints[index], model.parents[index], transforms[index]
        tau[joint.idx_v : joint.idx_v + joint.nv] = subspaces[index].transpose_times(force[index])
        assert above is not None
        if parent > 0:
            force[parent] = force[parent] + above[1](force[index])
    return ca.Function("rnea", [q, v, a], [ca.cse(tau)], ["q", "v", "a"], ["tau"])


@dataclass(frozen=True, slots=True)
class _Subspace:
    """A joint's motion subspace: free, or along or about an axis."""

    kind: str
    axis: Any

    def pose(self, q: Any) -> tuple[Any, Any]:
        """Rotation and translation of the child in the joint frame."""
        if self.kind == "free":
            u = q[3:6]
            return ca.SX.eye(3) + 2 * q[6] * _skew(u) + 2 * (u @ u.T - ca.dot(u, u) * ca.SX.eye(3)), q[:3]
        if self.kind == "prismatic":
            return ca.SX.eye(3), _constant(self.axis) * q
        # Rodrigues in the form that leaves aligned axes their zeros: cos (1 - u u^T) + u u^T + sin [u]
        outer = np.outer(self.axis, self.axis)
        across = _constant(np.eye(3) - outer)
        turn = _constant(np.cross(np.eye(3), self.axis).T)
        return _constant(outer) + ca.cos(q) * across + ca.sin(q) * turn.T, ca.SX(3, 1)

    def times(self, rates: Any) -> Spatial:
        """``S rates``, with rates [linear; angular] for a free joint."""
        if self.kind == "free":
            return Spatial(rates[3:], rates[:3])
        moved = _constant(self.axis) * rates
        still = ca.SX(3, 1)
        return Spatial(moved, still) if self.kind == "revolute" else Spatial(still, moved)

    def transpose_times(self, force: Spatial) -> Any:
        """``S^T force``."""
        if self.kind == "free":
            return ca.vertcat(force.linear, force.angular)
        part = force.angular if self.kind == "revolute" else force.linear
        return _constant(self.axis).T @ part


def _constant(values: Any) -> Any:
    """Numbers with their zeros structural."""
    return ca.SX(ca.sparsify(ca.DM(np.asarray(values, dtype=float))))


def _skew(a: Any) -> Any:
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def _pluecker(R: Any, p: Any) -> Transform:
    """Motions from parent to child, and forces back (appendix A.2: rotation after shift of origin)."""

    def motion(m: Spatial) -> Spatial:
        return Spatial(R.T @ m.angular, R.T @ (m.linear - _skew(p) @ m.angular))

    def force(f: Spatial) -> Spatial:
        turned = R @ f.linear
        return Spatial(R @ f.angular + _skew(p) @ turned, turned)

    return motion, force


def _inertia(inertia: Any) -> Callable[[Spatial], Spatial]:
    """Rigid-body inertia about the body frame's origin: mass, first moment, rotational inertia."""
    lever, mass = np.asarray(inertia.lever), float(inertia.mass)
    central = np.asarray(inertia.inertia)
    about_origin = _constant(central + mass * (lever @ lever * np.eye(3) - np.outer(lever, lever)))
    first = _skew(_constant(mass * lever))

    def times(m: Spatial) -> Spatial:
        return Spatial(about_origin @ m.angular + first @ m.linear, mass * m.linear - first @ m.angular)

    return times


def _cross_motion(a: Spatial, b: Spatial) -> Spatial:
    return Spatial(_skew(a.angular) @ b.angular, _skew(a.angular) @ b.linear + _skew(a.linear) @ b.angular)


def _cross_force(a: Spatial, f: Spatial) -> Spatial:
    return Spatial(_skew(a.angular) @ f.angular + _skew(a.linear) @ f.linear, _skew(a.angular) @ f.linear)
