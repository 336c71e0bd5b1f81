"""The oracle on flexible links against Lagrange's equations, formed by SymPy from positions along the beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
import sympy as sp
from mpmath import mp

from symdyn.description.flexible import Basis, Direction, Flexible, Modes, Profile
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.verify.oracle.truth import inverse_dynamics

GRAVITY = (0.5, -9.5, 1.25)
LENGTH, DENSITY = 1.5, 0.75
ROOT_OF_BEAM = (0.125, 0.0625, 0.0)
SECTION_Y, SECTION_Z = 0.03125, 0.015625
HUB_MASS, HUB_CENTER, HUB_MOMENTS = 2.0, (0.25, -0.125, 0.0), (0.25, 0.0, 0.0, 0.375, 0.0, 0.5)
HAND_MASS, HAND_CENTER, HAND_MOMENTS = 0.625, (0.125, 0.25, -0.0625), (0.0625, 0.0, 0.015625, 0.125, 0.0, 0.09375)
HAND_OFFSET = (0.0625, -0.1875, 0.25)
RETARDATION = 0.0078125
STEP = mp.mpf(2) ** -70
x = sp.Symbol("x")


def exact(values: Sequence[float]) -> sp.Matrix:
    return sp.Matrix([sp.Rational(value) for value in values])


def about(axis: int, angle: sp.Expr) -> sp.Matrix:
    turn = cross_matrix(sp.eye(3).col(axis))
    return sp.eye(3) + sp.sin(angle) * turn + (1 - sp.cos(angle)) * turn * turn


def cross_matrix(a: sp.Matrix) -> sp.Matrix:
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turned_by(phi: sp.Matrix) -> sp.Matrix:
    """Rodrigues' formula."""
    turn, angle = cross_matrix(phi), sp.sqrt(phi.dot(phi))
    return sp.eye(3) + sp.sin(angle) / angle * turn + (1 - sp.cos(angle)) / angle**2 * turn * turn


def profile(value: float) -> Profile:
    return Profile((LENGTH,), (repr(value),))


def modes(direction: Direction, count: int, stiffness: float) -> Modes:
    return Modes(direction, Basis.POLYNOMIAL, count, profile(stiffness), retardation_time=RETARDATION)


@dataclass(frozen=True)
class Bent:
    """A beam by its displacements u(x), sections' twist, coordinates and strain energy, from polynomial shapes."""

    symbols: list[sp.Symbol]
    displacement: sp.Matrix
    twist: sp.Expr
    slopes: sp.Matrix
    energy: sp.Expr


def bent(flexible: Flexible) -> Bent:
    """What the description says, written down once more."""
    symbols: list[sp.Symbol] = []
    along: dict[Direction, sp.Expr] = dict.fromkeys(Direction, sp.Integer(0))
    energy: sp.Expr = sp.Integer(0)
    length = sp.Rational(flexible.length)
    for family in flexible.modes:
        bends = family.direction in (Direction.BEND_Y, Direction.BEND_Z)
        own = [sp.Symbol(f"{family.direction.value}{k}") for k in range(family.count)]
        symbols += own
        along[family.direction] = sum(
            ((x / length) ** (k + (2 if bends else 1)) * d for k, d in enumerate(own)), sp.Integer(0)
        )
        strain = sp.diff(along[family.direction], x, 2 if bends else 1)
        stiffness = sp.sympify(family.stiffness.values[0], rational=True)
        energy += sp.integrate(sp.expand(stiffness * strain**2 / 2), (x, 0, length))
    y, z = along[Direction.BEND_Y], along[Direction.BEND_Z]
    taken: sp.Expr = sp.Integer(0)
    if flexible.stiffening:
        taken = sp.integrate(sp.expand((sp.diff(y, x) ** 2 + sp.diff(z, x) ** 2) / 2), (x, 0, x))
    return Bent(
        symbols,
        sp.Matrix([along[Direction.AXIAL] - taken, y, z]),
        along[Direction.TORSION],
        sp.Matrix([along[Direction.TORSION], -sp.diff(z, x), sp.diff(y, x)]).subs(x, length),
        energy,
    )


def robot(flexible: Flexible, axis: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> RobotDescription:
    """A hub that turns, its beam, and a hand that is fixed to the beam's tip."""
    at_hand = tuple(a + b + c for a, b, c in zip(ROOT_OF_BEAM, (LENGTH, 0.0, 0.0), HAND_OFFSET, strict=True))
    return RobotDescription(
        "beam",
        (
            Link("base"),
            Link("arm", Inertial(HUB_MASS, HUB_MOMENTS, Placement(HUB_CENTER)), flexible=flexible),
            Link("hand", Inertial(HAND_MASS, HAND_MOMENTS, Placement(HAND_CENTER))),
        ),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "arm", axis=axis),
            Joint("grip", JointKind.FIXED, "arm", "hand", Placement((at_hand[0], at_hand[1], at_hand[2]))),
        ),
    )


def moments(values: Sequence[float]) -> sp.Matrix:
    xx, xy, xz, yy, yz, zz = exact(values)
    return sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def lagrange_forces(flexible: Flexible, axis: int, state: Sequence[Sequence[float]]) -> list:
    """d/dt dL/dx' - dL/dx + D x' at one state; derivatives of the mass matrix are differences with seventy digits."""
    beam = bent(flexible)
    symbols = [sp.Symbol("theta"), *beam.symbols]
    R = about(axis, symbols[0])
    length, rho, g = sp.Rational(LENGTH), sp.Rational(DENSITY), exact(GRAVITY)
    start = exact(ROOT_OF_BEAM)

    def jacobian(place: sp.Matrix) -> sp.Matrix:
        return sp.Matrix([[sp.diff(entry, s) for s in symbols] for entry in place])

    def integral(entry: sp.Expr) -> sp.Expr:
        return sp.integrate(sp.expand(entry), (x, 0, length)) if entry.has(x) else entry * length

    # every vector is given in the axes of the link, where the beam's polynomials stay free of the joint's angle:
    # (R c)' = R (theta' axis x c + c'), and the same for rotations of the hand
    spin = sp.eye(3).col(axis)

    def inertia_of(place: sp.Matrix, density: sp.Expr) -> sp.Matrix:
        columns = jacobian(place)
        columns[:, 0] = spin.cross(place)
        return density * columns.T * columns

    center = start + sp.Matrix([x, 0, 0]) + beam.displacement
    M = inertia_of(center, rho).applyfunc(integral)
    if flexible.section_inertia is not None:
        turned = cross_matrix(sp.eye(3).col(0)) * beam.twist
        if flexible.stiffening:  # the rotation about x to second order
            turned += turned * turned / 2
        for side, moment in ((1, SECTION_Y), (2, SECTION_Z)):
            arm = (sp.eye(3) + turned).col(side)
            M += inertia_of(arm, sp.Rational(moment)).applyfunc(integral)
    M += inertia_of(exact(HUB_CENTER), sp.Rational(HUB_MASS))
    M[0, 0] += moments(HUB_MOMENTS)[axis, axis]
    tip = center.subs(x, length)
    turn = turned_by(beam.slopes)
    hand = tip + turn * (exact(HAND_OFFSET) + exact(HAND_CENTER))
    M += inertia_of(hand, sp.Rational(HAND_MASS))
    turning = sp.zeros(3, len(symbols))
    turning[:, 0] = turn.T * spin
    for k, d in enumerate(symbols[1:], 1):
        rate = turn.T * sp.diff(turn, d)
        turning[:, k] = sp.Matrix([rate[2, 1], rate[0, 2], rate[1, 0]])
    M += turning.T * moments(HAND_MOMENTS) * turning
    fallen = center.applyfunc(integral) * rho + hand * sp.Rational(HAND_MASS)
    potential = -g.dot(R * (fallen + exact(HUB_CENTER) * sp.Rational(HUB_MASS))) + beam.energy
    size = len(symbols)
    coefficients = sp.lambdify(symbols, [*M, potential], "mpmath", cse=True)
    with mp.workdps(70):
        q, v, a = ([mp.mpf(number) for number in part] for part in state)

        def slope(k: int) -> list:
            ahead, behind = (coefficients(*[y + h * (j == k) for j, y in enumerate(q)]) for h in (STEP, -STEP))
            return [(later - before) / (2 * STEP) for later, before in zip(ahead, behind, strict=True)]

        masses, slopes = coefficients(*q), [slope(k) for k in range(size)]
        forces = []
        for k in range(size):
            force = mp.fdot(masses[size * k : size * k + size], a) + slopes[k][-1]
            for j in range(size):
                for i in range(size):
                    force += (slopes[i][size * k + j] - slopes[k][size * i + j] / 2) * v[i] * v[j]
            if k:  # retardation time times the strain energy's second derivative
                damping = [mp.mpf(str(sp.diff(beam.energy, symbols[k], other).evalf(60))) for other in symbols[1:]]
                force += mp.mpf(RETARDATION) * mp.fdot(damping, v[1:])
            forces.append(force)
    return forces


def agree(found: Sequence, expected: Sequence, tolerance: float = 1e-30) -> None:
    scale = max(abs(value) for value in expected)
    assert len(found) == len(expected)
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < tolerance * scale


PLANAR = Flexible(
    LENGTH,
    profile(DENSITY),
    (modes(Direction.BEND_Y, 2, 3.5), modes(Direction.AXIAL, 1, 40.0)),
    Placement(ROOT_OF_BEAM),
)
SPATIAL = Flexible(
    LENGTH,
    profile(DENSITY),
    (modes(Direction.BEND_Y, 1, 3.5), modes(Direction.BEND_Z, 2, 2.25), modes(Direction.TORSION, 1, 1.5)),
    Placement(ROOT_OF_BEAM),
    section_inertia=(profile(SECTION_Y), profile(SECTION_Z)),
)
STATE = ([0.4, 0.11, -0.07, 0.05, 0.13], [0.9, -0.7, 0.5, 0.3, -1.1], [-1.2, 0.8, 0.6, -0.4, 0.7])


@pytest.mark.parametrize("stiffening", [False, True])
def test_planar_beam_on_a_hub(stiffening: bool) -> None:
    flexible = replace(PLANAR, stiffening=stiffening)
    state = [part[:4] for part in STATE]
    agree(inverse_dynamics(robot(flexible), *state, gravity=GRAVITY), lagrange_forces(flexible, 2, state))


@pytest.mark.parametrize("stiffening", [False, True])
def test_beam_that_bends_in_two_planes_and_twists(stiffening: bool) -> None:
    flexible = replace(SPATIAL, stiffening=stiffening)
    tree = robot(flexible, axis=(0.0, 1.0, 0.0))
    agree(inverse_dynamics(tree, *STATE, gravity=GRAVITY), lagrange_forces(flexible, 1, STATE))


def test_a_missing_foreshortening_would_be_seen() -> None:
    state = [part[:4] for part in STATE]
    with pytest.raises(AssertionError):
        expected = lagrange_forces(replace(PLANAR, stiffening=True), 2, state)
        agree(inverse_dynamics(robot(PLANAR), *state, gravity=GRAVITY), expected, 1e-3)
