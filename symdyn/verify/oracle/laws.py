"""Actuators of joints by a law of their own: the force (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l' along a length l."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpmath import mp

from symdyn.description.actuation import JointActuator
from symdyn.description.robot import JointKind, RobotDescription
from symdyn.verify.base.matrices import Real, Vector
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.tree import Tree


def law_columns(tree: Tree, own: JointActuator, q: Sequence[Real], v: Sequence[Real]) -> list[Vector]:
    """The forces of one unit of input, (nv,); no input is left where all its joints are locked."""
    moves = any(place.locked is None for place, _ in _driven(tree, own))
    return [_pushed(tree, own, _along(tree, own, own.gain, q, v))] if moves else []


def unasked_forces(
    description: RobotDescription, tree: Tree, q: Sequence[Real], v: Sequence[Real]
) -> list[tuple[JointActuator, Vector]]:
    """Per actuator with a bias its forces without input, (nv,)."""
    found = []
    for own in description.actuation.actuators:
        if isinstance(own, JointActuator) and any(own.bias):
            found.append((own, _pushed(tree, own, _along(tree, own, own.bias, q, v))))
    return found


def rated(description: RobotDescription) -> bool:
    """Whether what inputs do depends on v."""
    return any(isinstance(own, JointActuator) and own.gain[2] for own in description.actuation.actuators)


def _along(tree: Tree, own: JointActuator, numbers: Sequence[float], q: Sequence[Real], v: Sequence[Real]) -> Real:
    """c0 + c1 l + c2 l'."""
    c0, c1, c2 = map(mp.mpf, numbers)
    length, rate = _length(tree, own, q, v)
    return c0 + c1 * length + c2 * rate


def _length(tree: Tree, own: JointActuator, q: Sequence[Real], v: Sequence[Real]) -> tuple[Real, Real]:
    """The length, ball joints left out, and its rate."""
    length, rate = mp.mpf(0), mp.mpf(0)
    for place, factors in _driven(tree, own):
        moves = place.locked is None
        if place.joint.elastic is not None and moves:
            coordinates, rates = [q[place.q_row + 1]], [v[place.v_row + 1]]
        else:
            coordinates, rates = place.coordinates(q), place.velocities(v)
        if place.joint.kind is not JointKind.SPHERICAL:
            length += mp.mpf(factors[0]) * coordinates[0]
        rate += mp.fsum(mp.mpf(factor) * own_rate for factor, own_rate in zip(factors, rates, strict=True))
    return length, rate


def _pushed(tree: Tree, own: JointActuator, force: Real) -> Vector:
    found = [mp.mpf(0)] * tree.nv
    for place, factors in _driven(tree, own):
        if place.locked is not None:
            continue
        motor = place.joint.elastic is not None
        for number, factor in enumerate(factors):
            rows = ((place.v_row + 1, mp.mpf(1)),) if motor else place.moved_by(number)
            for row, gain in rows:
                found[row] += mp.mpf(factor) * gain * force
    return found


def _driven(tree: Tree, own: JointActuator) -> Iterator[tuple[Place, tuple[float, ...]]]:
    factors = dict(own.joints)
    for place in tree.places:
        if place.joint.name in factors and not place.bends:
            yield place, factors[place.joint.name]
