"""Spatial algebra in body frames over CasADi SX, (angular; linear), written plainly for the rival recursions.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), with the compact forms of appendix A for Pluecker transforms,
rigid-body inertias and articulated inertias. Nothing is exploited by hand: SX drops zeros and ones as it builds the
graph.
"""

from __future__ import annotations

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

    def __mul__(self, factor: Any) -> Spatial:
        return Spatial(self.angular * factor, self.linear * factor)

    def dot(self, other: Spatial) -> Any:
        """Power of a force on a motion."""
        return ca.dot(self.angular, other.angular) + ca.dot(self.linear, other.linear)


def zero() -> Spatial:
    """The zero vector, structurally."""
    return Spatial(ca.SX(3, 1), ca.SX(3, 1))


def constant(values: Any) -> Any:
    """Numbers with their zeros structural."""
    return ca.SX(ca.sparsify(ca.DM(np.asarray(values, dtype=float))))


def skew(a: Any) -> Any:
    """The matrix of the cross product with ``a``."""
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def cross_motion(a: Spatial, b: Spatial) -> Spatial:
    """``a x b`` of motions."""
    return Spatial(skew(a.angular) @ b.angular, skew(a.angular) @ b.linear + skew(a.linear) @ b.angular)


def cross_force(a: Spatial, f: Spatial) -> Spatial:
    """``a x* f``."""
    return Spatial(skew(a.angular) @ f.angular + skew(a.linear) @ f.linear, skew(a.angular) @ f.linear)


@dataclass(frozen=True, slots=True)
class Transform:
    """Pose of a child in its parent: rotation R and translation p (appendix A.2)."""

    R: Any
    p: Any

    def motion(self, m: Spatial) -> Spatial:
        """From parent to child."""
        return Spatial(self.R.T @ m.angular, self.R.T @ (m.linear - skew(self.p) @ m.angular))

    def force(self, f: Spatial) -> Spatial:
        """From child to parent."""
        turned = self.R @ f.linear
        return Spatial(self.R @ f.angular + skew(self.p) @ turned, turned)


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Mass, first moment and rotational inertia about the frame's origin."""

    mass: Any
    first: Any
    rotational: Any

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.mass + other.mass, self.first + other.first, self.rotational + other.rotational)

    def times(self, m: Spatial) -> Spatial:
        """Momentum of a motion."""
        lever = skew(self.first)
        return Spatial(self.rotational @ m.angular + lever @ m.linear, self.mass * m.linear - lever @ m.angular)

    def to_parent(self, X: Transform) -> RigidInertia:
        """About the parent's origin and in its axes."""
        turned = X.R @ self.first
        first = turned + self.mass * X.p
        moved = skew(X.p) @ skew(turned) + skew(first) @ skew(X.p)
        return RigidInertia(self.mass, first, _congruent(X.R, self.rotational) - moved)

    def articulated(self) -> ArticulatedInertia:
        """The same as three blocks."""
        return ArticulatedInertia(self.rotational, skew(self.first), self.mass * ca.SX.eye(3))


@dataclass(frozen=True, slots=True)
class ArticulatedInertia:
    """Blocks of the symmetric ``[[I, H], [H^T, M]]``."""

    I: Any  # noqa: E741
    H: Any
    M: Any

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)

    def times(self, m: Spatial) -> Spatial:
        """Force on a motion."""
        return Spatial(self.I @ m.angular + self.H @ m.linear, self.H.T @ m.angular + self.M @ m.linear)

    def without(self, U: Spatial, D: Any) -> ArticulatedInertia:
        """``I^A - U D^-1 U^T`` for one column."""
        scaled = U * (1 / D)
        return ArticulatedInertia(
            self.I - _mirrored(scaled.angular @ U.angular.T),
            self.H - scaled.angular @ U.linear.T,
            self.M - _mirrored(scaled.linear @ U.linear.T),
        )

    def to_parent(self, X: Transform) -> ArticulatedInertia:
        """About the parent's origin and in its axes."""
        M, H = _congruent(X.R, self.M), X.R @ self.H @ X.R.T
        shifted = H + skew(X.p) @ M
        moved = skew(X.p) @ H.T - shifted @ skew(X.p)
        return ArticulatedInertia(_congruent(X.R, self.I) + _mirrored(moved), shifted, M)


def rigid_inertia(inertia: Any) -> RigidInertia:
    """Of one of Pinocchio's bodies."""
    lever, mass = np.asarray(inertia.lever), float(inertia.mass)
    about_origin = np.asarray(inertia.inertia) + mass * (lever @ lever * np.eye(3) - np.outer(lever, lever))
    return RigidInertia(ca.SX(mass), constant(mass * lever), constant(about_origin))


def _mirrored(m: Any) -> Any:
    """A symmetric matrix from its upper triangle: the lower is not computed again."""
    return ca.triu2symm(ca.triu(m))


def _congruent(R: Any, m: Any) -> Any:
    return _mirrored(R @ m @ R.T)


@dataclass(frozen=True, slots=True)
class Subspace:
    """A joint's motion subspace: free, or along or about an axis."""

    kind: str
    axis: Any

    def columns(self) -> list[Spatial]:
        """One motion per row of v."""
        identity = np.eye(3)
        if self.kind == "free":
            linear = [Spatial(ca.SX(3, 1), constant(column)) for column in identity]
            return linear + [Spatial(constant(column), ca.SX(3, 1)) for column in identity]
        return [self.times(ca.SX(1))]

    def pose(self, q: Any) -> tuple[Any, Any]:
        """Rotation and translation of the child in the joint frame."""
        if self.kind == "free":
            u = q[3:6]
            return ca.SX.eye(3) + 2 * q[6] * skew(u) + 2 * (u @ u.T - ca.dot(u, u) * ca.SX.eye(3)), q[:3]
        if self.kind == "prismatic":
            return ca.SX.eye(3), constant(self.axis) * q
        # Rodrigues in the form that leaves aligned axes their zeros: cos (1 - u u^T) + u u^T + sin [u]
        outer = np.outer(self.axis, self.axis)
        across = constant(np.eye(3) - outer)
        turn = constant(np.cross(np.eye(3), self.axis).T)
        return constant(outer) + ca.cos(q) * across + ca.sin(q) * turn.T, ca.SX(3, 1)

    def times(self, rates: Any) -> Spatial:
        """``S rates``, with rates [linear; angular] for a free joint."""
        if self.kind == "free":
            return Spatial(rates[3:], rates[:3])
        moved = constant(self.axis) * rates
        still = ca.SX(3, 1)
        return Spatial(moved, still) if self.kind == "revolute" else Spatial(still, moved)

    def transpose_times(self, force: Spatial) -> Any:
        """``S^T force``."""
        if self.kind == "free":
            return ca.vertcat(force.linear, force.angular)
        part = force.angular if self.kind == "revolute" else force.linear
        return constant(self.axis).T @ part


@dataclass(frozen=True, slots=True)
class Body:
    """A body at the coordinates q: its parent's index (0: the world), its rows of v and its quantities."""

    parent: int
    rows: slice
    subspace: Subspace
    transform: Transform
    inertia: RigidInertia


def bodies_at(model: Any, q: Any) -> dict[int, Body]:
    """The bodies of a Pinocchio model by joint index, parents first."""
    motion = model.createData().joints
    found = {}
    for index in range(1, model.njoints):
        joint, place = model.joints[index], model.jointPlacements[index]
        subspace = Subspace(*joint_axis(joint, motion[index]))
        rotation, translation = subspace.pose(q[joint.idx_q : joint.idx_q + joint.nq])
        fixed = constant(place.rotation)
        found[index] = Body(
            model.parents[index],
            slice(joint.idx_v, joint.idx_v + joint.nv),
            subspace,
            Transform(fixed @ rotation, constant(place.translation) + fixed @ translation),
            rigid_inertia(model.inertias[index]),
        )
    return found
