"""What it takes to move the points of a beam: forces of inertia and weight, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.base.dense import matrix_times
from symdyn.verify.base.matrices import (
    Real,
    Vector,
    add,
    cross,
    dot,
    product,
    scale,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.oracle.motion import BeamMotion
from symdyn.verify.oracle.tree import Tree


@dataclass(frozen=True, slots=True)
class BeamLoad:
    """Force and moment on a beam about its frame's origin, world axes, and the generalised forces of its coordinates.

    They are rates of momentum less weight; what springs and dampers take is not among them.
    """

    force: Vector
    moment: Vector
    rows: list[Real]


def beam_load(moving: BeamMotion, g: Vector) -> BeamLoad:
    """Newton's law for every point, and its power per unit of each coordinate's rate; summed in the beam's axes."""
    R, o = moving.frame.rotation, moving.frame.origin
    inward = transpose(R[0])
    turning = [product(inward, part) for part in R[1:]]
    lift = times(inward, subtract(scale(2, o[2]), g))
    force, moment = vector((0, 0, 0)), vector((0, 0, 0))
    rows = [mp.mpf(0)] * moving.beam.size
    for point in moving.beam.points:
        r = point.positions(moving.d)
        acceleration = scale(2, add(r[2], add(times(turning[0], r[1]), times(turning[1], r[0]))))
        load = scale(point.mass, acceleration if point.arm else add(acceleration, lift))
        if not point.arm:  # the forces at the two ends of an arm are a couple
            force = add(force, load)
        moment = add(moment, cross(r[0], load))
        for row, slope in enumerate(point.slopes(moving.d[0])):
            rows[row] += dot(slope, load)
    return BeamLoad(times(R[0], force), times(R[0], moment), rows)


def add_beam_springs(tau: list[Real], tree: Tree, q: Sequence[Real], v: Sequence[Real]) -> None:
    """Add the forces that hold the beams bent, and that move their dampers."""
    for place in tree.flexures:
        stretched = matrix_times(place.beam.stiffness, place.coordinates(q))
        damped = matrix_times(place.beam.damping, place.velocities(v))
        for row, (held, moved) in enumerate(zip(stretched, damped, strict=True), place.v_row):
            tau[row] += held + moved


def beam_spring_energy(tree: Tree, q: Sequence[Real]) -> Real:
    """Energy that the beams hold by being bent."""
    energy = mp.mpf(0)
    for place in tree.flexures:
        d = place.coordinates(q)
        energy += mp.fdot(d, matrix_times(place.beam.stiffness, d)) / 2
    return energy


def beam_damping_power(tree: Tree, v: Sequence[Real]) -> Real:
    """Power that the beams' dampers take."""
    lost = mp.mpf(0)
    for place in tree.flexures:
        rates = place.velocities(v)
        lost += mp.fdot(rates, matrix_times(place.beam.damping, rates))
    return lost
