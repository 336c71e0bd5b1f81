"""Generalised forces and their derivatives from momenta about the world's origin: a second oracle, of any order.

Every link's rotation R(t) and origin p(t) is a truncated series in mpmath. Its momentum m c' and its angular momentum
c x m c' + R I R^T omega are differentiated as series, and the force and moment that follow meet each joint's screw,
which is a series about the world's origin too. Nothing is interpolated, no velocity is handed from link to link, and
nothing comes from ``symdyn.verify``: the two oracles have the robot's description and its names in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from support.oracles.joint_paths import UNITS, joint_path
from support.oracles.mpmath_series import (
    Matrix,
    Series,
    Vector,
    constant,
    constant_matrix,
    cross,
    dot,
    hyperbolic_tangent,
    integral,
    plus,
    product,
    rate,
    scaled,
    transposed,
    turned,
)
from symdyn.description.robot import Actuator, Inertial, Joint, JointKind, Spring
from symdyn.robot.robot import Robot

Values = Sequence[Any]
_BASE = Joint("root", JointKind.FLOATING, "", "")


@dataclass(frozen=True)
class Screw:
    """What a row of v adds to a link: angular velocity, and the velocity of its point at the world's origin."""

    row: int
    angular: Vector
    linear: Vector


@dataclass(frozen=True)
class Placed:
    """A link's frame in the world, and the screws of all joints that carry it."""

    rotation: Matrix
    origin: Vector
    screws: tuple[Screw, ...]


def generalised_forces(robot: Robot, q: Values, V: Sequence[Values], f_ext: Values = (), axes: str = "body") -> list:
    """tau, tau', .. tau^(r), (r + 1, nv).

    Parameters
    ----------
    robot
        All its numbers are plain, and run-time parameters stand at their defaults.
    q
        (nq,), quaternions of unit length to working precision.
    V
        v, v', .. v^(r+1), (r + 2, nv).
    f_ext, axes
        Where given, (r + 1, nbodies, 6), flat, in ``"body"`` or ``"world"`` axes.
    """
    order = len(V) - 2
    moving = _Motion(robot, q, V)
    g = constant(robot.model.gravity, order + 3)
    tau = [[mp.mpf(0)] * (order + 1) for _ in range(robot.nv)]
    for link in robot.description.links:
        if link.inertial is not None:
            _push(tau, moving.links[link.name], *_momentum_rates(moving.links[link.name], link.inertial, g))
    spatial = robot.options.convention == "spatial"
    for body, name in enumerate(robot.body_names if len(f_ext) else ()):
        wrench = [_series(f_ext[6 * body + row :: 6 * len(robot.body_names)]) for row in range(6)]
        moment, force = (wrench[:3], wrench[3:]) if spatial else (wrench[3:], wrench[:3])
        link_at = moving.links[name]
        if axes == "body":
            moment, force = turned(link_at.rotation, moment), turned(link_at.rotation, force)
        moment = plus(moment, cross(link_at.origin, force))
        _push(tau, link_at, scaled(-1, force), scaled(-1, moment))
    for joint in robot.description.joints:
        _add_drive(tau, moving, joint)
    return [[mp.factorial(k) * row[k] for row in tau] for k in range(order + 1)]


def frame_twists(robot: Robot, q: Values, V: Sequence[Values]) -> list:
    """Velocity of each link's origin and angular velocity, world axes, with derivatives, (r + 1, nlinks, 6), flat."""
    moving = _Motion(robot, q, [*V, [0] * robot.nv])
    found = []
    for link in robot.description.links:
        placed = moving.links[link.name]
        found += [*[rate(part) for part in placed.origin], *_angular_velocity(placed.rotation)]
    return [mp.factorial(k) * part[k] for k in range(len(V)) for part in found]


def _series(derivatives: Values) -> Series:
    return [mp.mpf(value) / mp.factorial(k) for k, value in enumerate(derivatives)]


def _angular_velocity(R: Matrix) -> Vector:
    """The axial vector of R' R^T."""
    spin = product([[rate(entry) for entry in row] for row in R], transposed(R))
    return [spin[2][1], spin[0][2], spin[1][0]]


def _momentum_rates(placed: Placed, inertial: Inertial, g: Vector) -> tuple[Vector, Vector]:
    """Force, and moment about the world's origin, that a link's motion takes."""
    length = len(placed.origin[0])
    mass = mp.mpf(inertial.mass)  # type: ignore[arg-type]
    center = constant(inertial.placement.translation, length)
    c = plus(placed.origin, turned(placed.rotation, center))
    momentum = scaled(mass, [rate(part) for part in c])
    xx, xy, xz, yy, yz, zz = inertial.moments
    moments = constant_matrix([(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)], length)
    axes = product(placed.rotation, _nearest(inertial.placement.rotation, length))
    spin = turned(axes, turned(moments, turned(transposed(axes), _angular_velocity(placed.rotation))))
    angular = plus(cross(c, momentum), spin)
    weight = scaled(mass, g)
    force = plus([rate(part) for part in momentum], scaled(-1, weight))
    return force, plus([rate(part) for part in angular], scaled(-1, cross(c, weight)))


def _push(tau: list[Series], placed: Placed, force: Vector, moment: Vector) -> None:
    for screw in placed.screws:
        power = plus([dot(screw.angular, moment)], [dot(screw.linear, force)])[0]
        tau[screw.row] = [x + y for x, y in zip(tau[screw.row], power, strict=False)]


def _add_drive(tau: list[Series], moving: _Motion, joint: Joint) -> None:
    """Rotor, springs, damping and friction of a joint."""
    if joint.kind is JointKind.FIXED:
        return
    q_row, v_row = moving.rows(joint)
    for moved_by in moving.moved_by(joint):
        driven = [(row + (joint.elastic is not None), factor) for row, factor in moved_by]
        speed = moving.rate(driven)
        losses = joint.losses
        if moving.robot.options.joint_losses:
            rubbing = hyperbolic_tangent([value / mp.mpf(losses.velocity_scale) for value in speed])
            lost = [
                mp.mpf(losses.damping) * x + mp.mpf(losses.friction) * y for x, y in zip(speed, rubbing, strict=True)
            ]  # type: ignore[arg-type]
            _add_all(tau, driven, lost)
        rotor = joint.elastic.actuator if joint.elastic is not None else joint.actuator
        if rotor is not None:
            _add_all(tau, driven, scaled(_armature(rotor), [rate(speed)])[0])
        if joint.elastic is not None:
            link, motor = (integral(moving.speeds[v_row + k], moving.q[q_row + k]) for k in (0, 1))
            stretch = [x - y for x, y in zip(link, motor, strict=True)]
            pull = plus(
                scaled(mp.mpf(joint.elastic.stiffness), [stretch]),  # type: ignore[arg-type]
                scaled(mp.mpf(joint.elastic.damping), [rate(stretch)]),  # type: ignore[arg-type]
            )
            _add(tau, v_row, pull)
            _add(tau, v_row + 1, scaled(-1, pull))
        for spring in (load for load in joint.loads if isinstance(load, Spring)):
            start = moving.coordinates(joint)[0] - mp.mpf(spring.rest)  # type: ignore[arg-type]
            stretch = integral(moving.rate(moved_by), start)
            _add_all(tau, moved_by, scaled(mp.mpf(spring.stiffness), [stretch])[0])  # type: ignore[arg-type]


def _add_all(tau: list[Series], moved_by: list[tuple[int, Any]], force: Series) -> None:
    """Add the force of a row of a joint to all rows that move it."""
    for row, factor in moved_by:
        _add(tau, row, scaled(factor, [force]))


def _add(tau: list[Series], row: int, more: Vector) -> None:
    tau[row] = [x + y for x, y in zip(tau[row], more[0], strict=False)]


def _armature(rotor: Actuator) -> Any:
    if rotor.armature is not None:
        return mp.mpf(rotor.armature)  # type: ignore[arg-type]
    return mp.mpf(rotor.gear_ratio) ** 2 * mp.mpf(rotor.rotor_inertia)  # type: ignore[arg-type]


def _nearest(rows: Sequence[Sequence[float]], length: int) -> Matrix:
    """The rotation that a matrix of doubles stands for: Newton's iteration X <- (X + X^-T) / 2."""
    found = mp.matrix([[mp.mpf(value) for value in row] for row in rows])
    for _ in range(3):
        found = (found + (found**-1).T) / 2
    return constant_matrix(found.tolist(), length)


class _Motion:
    """Where every link is, as series."""

    def __init__(self, robot: Robot, q: Values, V: Sequence[Values]) -> None:
        self.robot = robot
        self.q = [mp.mpf(value) for value in q]
        self.speeds = [_series(column) for column in zip(*V, strict=True)]
        self._length = len(V) + 1
        self._joints = {joint.name: joint for joint in robot.description.joints}
        ground = Placed(constant_matrix(UNITS, self._length), constant((0, 0, 0), self._length), ())
        floats = any(name.startswith("root.") for name in robot.velocity_names)
        self.links = {robot.description.root: self._carried(_BASE, ground) if floats else ground}
        pending = list(robot.description.joints)
        while pending:
            joint = next(own for own in pending if own.parent in self.links)
            pending.remove(joint)
            self.links[joint.child] = self._carried(joint, self.links[joint.parent])

    def rows(self, joint: Joint) -> tuple[int, int]:
        """First rows of q and of v of a joint, or of its first leader; leaders follow none."""
        name = joint.mimic.joint if joint.mimic is not None else joint.name
        q_row, v_row = (
            next(i for i, own in enumerate(names) if own == name or own.startswith(f"{name}."))
            for names in (self.robot.coordinate_names, self.robot.velocity_names)
        )
        return q_row, v_row

    def moved_by(self, joint: Joint) -> list[list[tuple[int, Any]]]:
        """Per row of the joint itself, without a motor's, the rows of v that move it, with factors."""
        if joint.mimic is not None:
            return [[(self.rows(self._joints[name])[1], mp.mpf(gain)) for name, gain in joint.mimic.terms]]
        names = (n for n in self.robot.velocity_names if n == joint.name or n.startswith(f"{joint.name}."))
        own = len(list(names)) - int(joint.elastic is not None)
        return [[(self.rows(joint)[1] + row, mp.mpf(1))] for row in range(own)]

    def rate(self, moved_by: list[tuple[int, Any]]) -> Series:
        """The rate of a row of a joint."""
        return plus(*(scaled(factor, [self.speeds[row]]) for row, factor in moved_by))[0]

    def coordinates(self, joint: Joint) -> Values:
        """The joint's own coordinates, and what lies behind them."""
        q_row, _ = self.rows(joint)
        if joint.mimic is None:
            return self.q[q_row : q_row + 7]  # no joint has more rows
        led = (mp.mpf(gain) * self.q[self.rows(self._joints[name])[0]] for name, gain in joint.mimic.terms)
        return [mp.mpf(joint.mimic.offset) + mp.fsum(led)]

    def _carried(self, joint: Joint, parent: Placed) -> Placed:
        length = self._length
        R = product(parent.rotation, _nearest(joint.placement.rotation, length))
        p = plus(parent.origin, turned(parent.rotation, constant(joint.placement.translation, length)))
        q: Values = ()
        v: list[Series] = []
        rows: list[list[tuple[int, Any]]] = []
        if joint.kind is not JointKind.FIXED:
            q, rows = self.coordinates(joint), self.moved_by(joint)
            v = [self.rate(moved_by) for moved_by in rows]
        right_invariant = joint is _BASE and self.robot.options.convention == "spatial"
        path = joint_path(joint, q, v, length, right_invariant=right_invariant)
        origin = plus(p, turned(R, path.origin))
        screws = list(parent.screws)
        for moved_by, (angular, linear) in zip(rows, path.columns, strict=True):
            for row, factor in moved_by:
                omega = scaled(factor, turned(R, angular))
                screws.append(Screw(row, omega, plus(scaled(factor, turned(R, linear)), cross(origin, omega))))
        return Placed(product(R, path.rotation), origin, tuple(screws))
