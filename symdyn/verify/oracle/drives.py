"""Rotors and springs at the joints, exactly: Lagrange's equations of ``B rate^2 / 2`` and ``K stretch^2 / 2``.

A spring stretches between a joint's links, from its rest, or between the link and the motor of an elastic joint. At a
ball its stretch is the rotation vector, whose length is the angle.

A rotor turns ``gear_ratio`` times as fast as its joint (or as the motor's coordinate, behind a spring), so that its
kinetic energy is ``J (gear_ratio rate)^2 / 2``; its own axis is taken as fixed in space. A ball has one of each axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpmath import mp

from symdyn.description.robot import Actuator, BallSpring, Limits, Number, Spring, Stop
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.tree import Tree

Rows = tuple[tuple[int, Real], ...]
"""Rows of v, each with how fast it moves what they share."""


def rotor_inertias(tree: Tree, quantities: Quantities) -> Iterator[tuple[Rows, Real]]:
    """Rows of v that turn a rotor, each with how fast it does, and its armature: of every rotor whose joint moves."""
    for place in tree.places:
        joint = place.joint
        if not place.names_body or place.implicit:
            continue
        if joint.elastic is not None:
            yield ((place.v_row + 1, mp.mpf(1)),), _armature(joint.elastic.actuator, joint.name, quantities)
        elif joint.actuator is not None or f"{joint.name}.armature" in quantities.given:
            actuator = joint.actuator or Actuator(armature=0.0)
            for own in range(place.rows[1]):
                yield place.moved_by(own), _armature(actuator, joint.name, quantities)


def springs(tree: Tree, quantities: Quantities) -> Iterator[tuple[Place, Real, Real]]:
    """Place, stiffness and damping of every elastic joint that moves."""
    for place in tree.places:
        elastic, name = place.joint.elastic, place.joint.name
        if elastic is not None and place.names_body:
            stiffness = quantities(elastic.stiffness, f"{name}.stiffness")
            yield place, stiffness, quantities(elastic.damping, f"{name}.spring_damping")


def parallel_springs(tree: Tree, quantities: Quantities) -> Iterator[tuple[Place, Real, Real]]:
    """Place, stiffness and rest of every spring between the links of a joint that moves."""
    for place in tree.places:
        name = place.joint.name
        for spring in (load for load in place.joint.loads if isinstance(load, Spring) and place.names_body):
            stiffness = quantities(spring.stiffness, f"{name}.spring.stiffness")
            yield place, stiffness, quantities(spring.rest, f"{name}.spring.rest")


def ball_springs(tree: Tree, quantities: Quantities, q: Sequence[Real]) -> Iterator[tuple[Place, Real, Vector]]:
    """Place, stiffness and rotation vector of every spring at a ball that moves."""
    for place in tree.places:
        for spring in (load for load in place.joint.loads if isinstance(load, BallSpring) and place.names_body):
            stiffness = quantities(spring.stiffness, f"{place.joint.name}.ball_spring.stiffness")
            yield place, stiffness, _turn(place.coordinates(q), place.mujoco)


def stops(tree: Tree, quantities: Quantities, q: Sequence[Real]) -> Iterator[tuple[Place, int, Real, Real, Real, Real]]:
    """Of every limit that a joint with stops is beyond: place, sign, by how much, stiffness, damping and width."""
    for place in tree.places:
        name, limits = place.joint.name, place.joint.limits or Limits()
        for stop in (load for load in place.joint.loads if isinstance(load, Stop) and place.names_body):
            parts = ((stop.stiffness, "stiffness"), (stop.damping, "damping"), (stop.width, "width"))
            numbers = [quantities(number, f"{name}.stops.{part}") for number, part in parts]
            for sign, limit in ((1, limits.upper), (-1, limits.lower)):
                if mp.isfinite(mp.mpf(limit)) and (over := sign * (place.coordinates(q)[0] - mp.mpf(limit))) > 0:
                    yield place, sign, over, *numbers


def _rise(part: Real) -> tuple[Real, Real, Real]:
    """The polynomial that rises from 0 at 0 to 1 at 1, flat to the fourth derivative, and its integrals from 0 on.

    Its slope is u^4 (1 - u)^4 / B(5, 5).
    """
    found = [mp.mpf(0)] * 3
    for power in range(5):
        weight = (-1) ** power * mp.binomial(4, power) / mp.beta(5, 5)
        for times in range(3):
            weight = weight / (5 + power + times)
            found[times] += weight * part ** (5 + power + times)
    return found[0], found[1], found[2]


def _pressed(over: Real, width: Real) -> tuple[Real, Real, Real]:
    """How far stops are engaged: from 0 to 1, its integral over the way, and that of the integral."""
    engaged, way, work = _rise(min(over / width, mp.mpf(1)))
    past = max(over - width, mp.mpf(0))
    return engaged, width * way + past, width**2 * work + past * (width / 2 + past / 2)


def add_rotors(tau: list[Real], tree: Tree, quantities: Quantities, a: Sequence[Real]) -> None:
    """Add what accelerates the rotors to the generalised forces."""
    for rows, armature in rotor_inertias(tree, quantities):
        for row, gain in rows:
            tau[row] += gain * armature * turned(rows, a)


def turned(rows: Rows, v: Sequence[Real]) -> Real:
    """How fast rates of the rows of v turn a rotor."""
    return mp.fsum(gain * v[row] for row, gain in rows)


def add_springs(tau: list[Real], tree: Tree, quantities: Quantities, q: Sequence[Real], v: Sequence[Real]) -> None:
    """Add the forces that hold springs and dampers, to the rows of link and motor or to the joint's own."""
    for place, stiffness, damping in springs(tree, quantities):
        row = place.v_row
        force = stiffness * (q[place.q_row] - q[place.q_row + 1]) + damping * (v[row] - v[row + 1])
        tau[row] += force
        tau[row + 1] -= force
    for place, stiffness, rest in parallel_springs(tree, quantities):
        for row, gain in place.moved_by(0):
            tau[row] += gain * stiffness * _stretch(place, rest, q)
    for place, sign, over, stiffness, damping, width in stops(tree, quantities, q):
        engaged, way, _ = _pressed(over, width)
        for row, gain in place.moved_by(0):
            tau[row] += gain * (sign * stiffness * way + damping * engaged * place.velocities(v)[0])
    for place, stiffness, turn in ball_springs(tree, quantities, q):
        for own, angle in enumerate(turn):
            tau[place.v_row + own] += stiffness * angle


def stop_damping_power(tree: Tree, quantities: Quantities, q: Sequence[Real], v: Sequence[Real]) -> Real:
    """Power that the dampers of stops take."""
    found = stops(tree, quantities, q)
    return mp.fsum(D * _pressed(over, width)[0] * place.velocities(v)[0] ** 2 for place, _, over, _, D, width in found)


def near_stops(tree: Tree, quantities: Quantities, q: Sequence[Real], moves: Sequence[Real]) -> bool:
    """Whether a joint is, or within its own move gets, where its stops rise."""
    for place in tree.places:
        limits = place.joint.limits or Limits()
        for stop in (load for load in place.joint.loads if isinstance(load, Stop) and place.names_body):
            width = quantities(stop.width, f"{place.joint.name}.stops.width")
            own, reach = place.coordinates(q)[0], mp.fsum(abs(gain * moves[row]) for row, gain in place.moved_by(0))
            for over in (own - mp.mpf(limits.upper), mp.mpf(limits.lower) - own):
                if -reach <= over <= width + reach:
                    return True
    return False


def spring_energy(tree: Tree, quantities: Quantities, q: Sequence[Real]) -> Real:
    """Energy that the springs hold."""
    twisted = [(k, q[place.q_row] - q[place.q_row + 1]) for place, k, _ in springs(tree, quantities)]
    pulled = [(k, _stretch(place, rest, q)) for place, k, rest in parallel_springs(tree, quantities)]
    turned = [(k, angle) for _, k, turn in ball_springs(tree, quantities, q) for angle in turn]
    pressed = mp.fsum(k * _pressed(over, width)[2] for _, _, over, k, _, width in stops(tree, quantities, q))
    return pressed + mp.fsum(k * stretch**2 / 2 for k, stretch in (*twisted, *pulled, *turned))


def _stretch(place: Place, rest: Real, q: Sequence[Real]) -> Real:
    return place.coordinates(q)[0] - rest


def _turn(quaternion: Sequence[Real], scalar_first: bool) -> Vector:
    """The shortest rotation vector of a quaternion."""
    *axis, scalar = (*quaternion[1:], quaternion[0]) if scalar_first else quaternion
    sine = mp.sqrt(mp.fsum(entry**2 for entry in axis))
    if not sine:
        return [mp.mpf(0)] * 3
    share = 2 * mp.atan2(sine if scalar >= 0 else -sine, abs(scalar)) / sine
    return [share * entry for entry in axis]


def _armature(actuator: Actuator, name: str, quantities: Quantities) -> Real:
    if actuator.armature is not None:
        return quantities(actuator.armature, f"{name}.armature")
    parts: tuple[tuple[Number, str], ...] = (
        (actuator.gear_ratio, f"{name}.gear_ratio"),
        (actuator.rotor_inertia, f"{name}.rotor_inertia"),
    )
    ratio, inertia = (quantities(number, leaf) for number, leaf in parts)
    return ratio**2 * inertia
