"""What it takes to move the points of a beam: forces of inertia and weight, springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.verify.dense import matrix_times
from symdyn.verify.matrices import Real, Vector, add, cross, dot, scale, subtract, times, vector
from symdyn.verify.motion import BeamMotion
from symdyn.verify.tree import Tree


@dataclass(frozen=True, slots=True)
class BeamLoad:
    """Force and moment on a beam about its frame's origin, world axes, and the generalised forces of its coordinates.

    They are rates of momentum less weight; what springs and dampers take is not among them.
    """

    force: Vector
    moment: Vector
    rows: list[Real]


def beam_load(moving: BeamMotion, g: Vector) -> BeamLoad:
    """Newton's law for every point, and its power per unit of each coordinate's rate."""
    force, moment = vector((0, 0, 0)), vector((0, 0, 0))
    rows = [mp.mpf(0)] * moving.beam.size
    R, o = moving.frame.rotation, moving.frame.origin
    weightless = vector((0, 0, 0))
    for point in moving.beam.points:
        r = point.positions(moving.d)
        half = add(times(R[0], r[2]), add(times(R[1], r[1]), times(R[2], r[0])))
        lift = weightless if point.arm else subtract(scale(2, o[2]), g)
        load = scale(point.mass, add(scale(2, half), lift))
        if not point.arm:  # the forces at the two ends of an arm are a couple
            force = add(force, load)
        moment = add(moment, cross(times(R[0], r[0]), load))
        for row, slope in enumerate(point.slopes(moving.d[0])):
            rows[row] += dot(times(R[0], slope), load)
    return BeamLoad(force, moment, rows)


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
