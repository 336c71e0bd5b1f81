"""Beams cut into weighted points: clamped-free modes from their characteristic equation, and quadrature by mpmath.

Written from textbooks on vibrations for tests to be compared with; only what the description says is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from mpmath import mp
from mpmath.calculus.quadrature import GaussLegendre

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile

DIGITS = 40
POINTS = 4
"""Degree of mpmath's Gauss rule: 3 * 2^(degree - 1) nodes, exact to some 25 digits for the products of four modes."""

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Shape:
    """A shape of one direction with its first two derivatives, as functions of x."""

    direction: Direction
    value: Function
    slope: Function
    curvature: Function


@dataclass(frozen=True)
class Station:
    """A section of the beam: where it is, what it weighs, and what every shape is there."""

    x: Any
    mass: Any
    second_y: Any
    second_z: Any
    values: tuple[Any, ...]
    shortening: tuple[tuple[Any, ...], ...]
    """Integral of s_k' s_l' from the root to here, for shapes of one bending direction."""


@dataclass(frozen=True)
class Beam:
    """A beam as points, with its tip; the last station is the far end and weighs nothing."""

    shapes: tuple[Shape, ...]
    stations: tuple[Station, ...]
    tip: Station
    tip_slopes: tuple[Any, ...]
    stiffness: tuple[tuple[Any, ...], ...]
    damping: tuple[tuple[Any, ...], ...]
    stiffening: bool


def uniform(profile: Profile) -> Any:
    """The one value of a profile; other beams are not for this reference."""
    (value,) = profile.values
    return mp.mpf(value)


@cache
def clamped_free_root(number: int) -> Any:
    """The root of 1 + cos x cosh x = 0 that lies near (number - 1/2) pi, counted from 1."""
    with mp.workdps(DIGITS + 10):
        return mp.findroot(lambda x: mp.cos(x) + 1 / mp.cosh(x), (mp.mpf(number) - mp.mpf(1) / 2) * mp.pi)


def clamped_free(number: int, length: Any, direction: Direction) -> Shape:
    """A bending mode whose mean square is one and whose tip is up."""
    root = clamped_free_root(number)
    sigma = (mp.cosh(root) + mp.cos(root)) / (mp.sinh(root) + mp.sin(root))
    wave = root / length
    # At the tip cosh - cos - sigma (sinh - sin) is 2 (-1)^(number + 1), and its mean square is 1.
    return _cantilever(sigma, wave, mp.mpf((-1) ** (number + 1)), direction)


def _cantilever(sigma: Any, wave: Any, up: Any, direction: Direction) -> Shape:
    return Shape(
        direction,
        lambda x: up * (mp.cosh(wave * x) - mp.cos(wave * x) - sigma * (mp.sinh(wave * x) - mp.sin(wave * x))),
        lambda x: up * wave * (mp.sinh(wave * x) + mp.sin(wave * x) - sigma * (mp.cosh(wave * x) - mp.cos(wave * x))),
        lambda x: (
            up * wave**2 * (mp.cosh(wave * x) + mp.cos(wave * x) - sigma * (mp.sinh(wave * x) + mp.sin(wave * x)))
        ),
    )


def _tip_conditions(x: Any, mass: Any, inertia: Any) -> Any:
    """Moment and shear at the far end, of cosh - cos and of sinh - sin, for wave number x over the length."""
    ch, c, sh, s = mp.cosh(x), mp.cos(x), mp.sinh(x), mp.sin(x)
    # Moment = inertia x^3 slope and shear = -mass x deflection, where all are over the beam's own.
    moment = (ch + c - inertia * x**3 * (sh + s), sh + s - inertia * x**3 * (ch - c))
    shear = (sh - s + mass * x * (ch - c), ch + c + mass * x * (sh - s))
    return moment, shear


def clamped_tip_mass(number: int, modes: Modes, flexible: Flexible) -> Shape:
    """A bending mode with mass and inertia at the tip, whose kinetic energy belongs to its norm, the beam's mass."""
    length, density = mp.mpf(flexible.length), uniform(flexible.mass_per_length)
    mass = mp.mpf(flexible.tip_mass) / (density * length)
    inertia = mp.mpf(flexible.tip_inertia) / (density * length**3)

    def determinant(x: Any) -> Any:
        moment, shear = _tip_conditions(x, mass, inertia)
        return (moment[0] * shear[1] - moment[1] * shear[0]) / mp.cosh(x)

    grid = [mp.mpf(k) / 20 for k in range(1, 400)]
    ends = [(a, b) for a, b in pairwise(grid) if determinant(a) * determinant(b) < 0]
    root = mp.findroot(determinant, ends[number - 1], solver="anderson")
    moment, _ = _tip_conditions(root, mass, inertia)
    sigma, wave = moment[0] / moment[1], root / length
    raw = _cantilever(sigma, wave, mp.mpf(1), modes.direction)
    square = mp.fsum(w * raw.value(x) ** 2 for x, w in _nodes(mp.mpf(0), length)) / length
    square += mass * raw.value(length) ** 2 + inertia * length**2 * raw.slope(length) ** 2
    return _cantilever(sigma, wave, mp.sign(raw.value(length)) / mp.sqrt(square), modes.direction)


def fixed_free(number: int, length: Any, direction: Direction) -> Shape:
    """A mode of torsion or of extension: a quarter wave and its odd multiples."""
    wave, up = (mp.mpf(number) - mp.mpf(1) / 2) * mp.pi / length, (-1) ** (number + 1) * mp.sqrt(2)
    return Shape(
        direction,
        lambda x: up * mp.sin(wave * x),
        lambda x: up * wave * mp.cos(wave * x),
        lambda x: -up * wave**2 * mp.sin(wave * x),
    )


def power(number: int, length: Any, direction: Direction) -> Shape:
    """(x / L)^(number + 1) for bending, one power less otherwise."""
    p = number + 1 if bends(direction) else number
    return Shape(
        direction,
        lambda x: (x / length) ** p,
        lambda x: p * (x / length) ** (p - 1) / length,
        lambda x: p * (p - 1) * (x / length) ** max(p - 2, 0) / length**2,
    )


def bends(direction: Direction) -> bool:
    """Whether a direction is one of the two of bending."""
    return direction in (Direction.BEND_Y, Direction.BEND_Z)


def _shapes(modes: Modes, flexible: Flexible) -> list[Shape]:
    length = mp.mpf(flexible.length)
    numbers = range(1, modes.count + 1)
    if modes.basis is Basis.POLYNOMIAL:
        return [power(number, length, modes.direction) for number in numbers]
    if modes.basis is Basis.CLAMPED_TIP_MASS and bends(modes.direction):
        return [clamped_tip_mass(number, modes, flexible) for number in numbers]
    if modes.basis is not Basis.CLAMPED_FREE:
        raise ValueError(f"{modes.direction} of basis {modes.basis} is not for this reference")
    natural = clamped_free if bends(modes.direction) else fixed_free
    return [natural(number, length, modes.direction) for number in numbers]


def _nodes(start: Any, end: Any) -> list[tuple[Any, Any]]:
    half, middle = (end - start) / 2, (end + start) / 2
    return [(middle + half * x, half * w) for x, w in GaussLegendre(mp).calc_nodes(POINTS, mp.prec)]


def _shortening(shapes: list[Shape], x: Any) -> tuple[tuple[Any, ...], ...]:
    nodes = _nodes(mp.mpf(0), x)
    slopes = [[shape.slope(node) for node, _ in nodes] for shape in shapes]
    weights = [weight for _, weight in nodes]
    return tuple(
        tuple(
            mp.fsum(w * p * r for w, p, r in zip(weights, a, b, strict=True))
            if bends(one.direction) and one.direction is other.direction
            else mp.mpf(0)
            for other, b in zip(shapes, slopes, strict=True)
        )
        for one, a in zip(shapes, slopes, strict=True)
    )


def beam(flexible: Flexible) -> Beam:
    """The beam that was described, as points, in mpmath numbers of ``DIGITS`` digits."""
    with mp.workdps(DIGITS):
        return _beam(flexible)


def _beam(flexible: Flexible) -> Beam:
    length, density = mp.mpf(flexible.length), uniform(flexible.mass_per_length)
    sections = flexible.section_inertia
    second_y, second_z = (uniform(each) for each in sections) if sections else (mp.mpf(0), mp.mpf(0))
    shapes = [shape for modes in flexible.modes for shape in _shapes(modes, flexible)]
    owners = [modes for modes in flexible.modes for _ in range(modes.count)]

    def station(x: Any, weight: Any) -> Station:
        shortening = _shortening(shapes, x) if flexible.stiffening else ()
        values = tuple(shape.value(x) for shape in shapes)
        return Station(x, density * weight, second_y * weight, second_z * weight, values, shortening)

    nodes = _nodes(mp.mpf(0), length)

    def inner(one: int, other: int) -> tuple[Any, Any]:
        """Modal mass and stiffness of two shapes of one direction."""
        a, b, modes = shapes[one], shapes[other], owners[one]
        if a.direction is not b.direction:
            return mp.mpf(0), mp.mpf(0)
        inertia = second_y + second_z if a.direction is Direction.TORSION else density
        mass = inertia * mp.fsum(w * a.value(x) * b.value(x) for x, w in nodes)
        if modes.basis is Basis.CLAMPED_TIP_MASS:
            mass += flexible.tip_mass * a.value(length) * b.value(length)
            mass += flexible.tip_inertia * a.slope(length) * b.slope(length)
        strains = [shape.curvature if bends(shape.direction) else shape.slope for shape in (a, b)]
        return mass, uniform(modes.stiffness) * mp.fsum(w * strains[0](x) * strains[1](x) for x, w in nodes)

    count = range(len(shapes))
    stiffness = tuple(tuple(inner(i, j)[1] for j in count) for i in count)
    damping = [[owners[i].retardation_time * stiffness[i][j] for j in count] for i in count]
    for i in count:
        own = [k for k in count if owners[k] is owners[i]]
        if owners[i].damping_ratios:
            if owners[i].basis is Basis.POLYNOMIAL and len(own) > 1:
                raise ValueError("damping ratios of shapes that are no modes are not for this reference")
            mass, spring = inner(i, i)
            damping[i][i] += 2 * mp.mpf(owners[i].damping_ratios[own.index(i)]) * mp.sqrt(mass * spring)
    return Beam(
        tuple(shapes),
        tuple(station(x, weight) for x, weight in nodes),
        station(length, mp.mpf(0)),
        tuple(shape.slope(length) if bends(shape.direction) else shape.value(length) for shape in shapes),
        stiffness,
        tuple(tuple(row) for row in damping),
        flexible.stiffening,
    )
