"""The oracle on soft links against Lagrange's equations, formed from poses alone.

The kinetic energy of a body is ``tr(W' J W'^T) / 2`` with its pose W and J the integral of ``(r; 1) (r; 1)^T dm``,
so that no angular velocity and no inertia tensor is written down. Poses are differentiated by imaginary steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest
from mpmath import mp
from support.oracles import plain_rods
from support.oracles.exact_results import agree, matrix
from support.oracles.plain_rods import Matrix, combined, times

from symdyn.description.robot import Attachment, Inertial, Joint, JointKind, Link, Placement, RobotDescription
from symdyn.description.soft import CoupledStrains, Material, Section, Soft, Strain, StrainBasis, StrainFunctions
from symdyn.verify.oracle.setting import Setting
from symdyn.verify.oracle.tree import public_tree
from symdyn.verify.oracle.truth import inverse_dynamics

GRAVITY = (0.5, -9.5, 1.25)
PARTS = {"base": (2.0, (0.25, -0.125, 0.0)), "arm": (0.5, (0.0, 0.125, 0.0)), "hand": (0.625, (0.125, 0.25, -0.0625))}
MOMENTS = (0.25, 0.375, 0.5)
AT_TURN, AT_ROD, AT_HAND, AT_FOOT = (0.25, 0.5, -0.125), (0.125, 0.0, 0.0625), (0.875, 0.125, 0.0), (0.0, 0.25, 0.0)
TURNED = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
"""Of the rod in its link."""
RADIUS, DENSITY, YOUNG, VISCOSITY = 0.0625, 1000.0, 2e5, 300.0
IMAGINARY, STEP, DIGITS = mp.mpf(2) ** -140, mp.mpf(2) ** -60, 75


def robot(stations: int, magnus: int) -> RobotDescription:
    """A floating base, a hub that turns on it, its rod, a hand fixed to the tip and a foot at the root."""
    rod = Soft(
        0.75,
        Section("circle", radius=repr(RADIUS)),
        Material(YOUNG, 0.5, DENSITY, viscosity=VISCOSITY),
        (StrainFunctions(Strain.CURVATURE_Z, StrainBasis.LEGENDRE, 2),),
        (CoupledStrains("coil", ((Strain.TWIST, "1"), (Strain.STRETCH, "0.5"))),),
        ((Strain.CURVATURE_Y, "1"),),
        Placement(AT_ROD, TURNED),
        stations,
        magnus,
    )
    links = {name: Link(name, inertial(*own)) for name, own in PARTS.items()}
    foot = replace(links["hand"], name="foot")
    return RobotDescription(
        "rod",
        (links["base"], replace(links["arm"], soft=rod), links["hand"], foot),
        (
            Joint("turn", JointKind.REVOLUTE, "base", "arm", Placement(AT_TURN), (0.0, 0.0, 1.0)),
            Joint("grip", JointKind.FIXED, "arm", "hand", Placement(AT_HAND)),
            Joint("stand", JointKind.FIXED, "arm", "foot", Placement(AT_FOOT), at=Attachment.ROOT),
        ),
        floating_base=True,
    )


def inertial(mass: float, center: tuple[float, float, float]) -> Inertial:
    xx, yy, zz = MOMENTS
    return Inertial(mass, (xx, 0.0, 0.0, yy, 0.0, zz), Placement(center))


def pose(place: Sequence[Any], rotation: Sequence[Sequence[Any]] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))) -> Matrix:
    return [*([*map(mp.mpmathify, row), mp.mpmathify(x)] for row, x in zip(rotation, place, strict=True)), [0, 0, 0, 1]]


def rigid(mass: float, center: Sequence[float]) -> Matrix:
    """J of a rigid body about its frame's origin."""
    half = mp.mpf(sum(MOMENTS)) / 2
    seconds = [half - mp.mpf(moment) for moment in MOMENTS]
    r = [*map(mp.mpf, center), mp.mpf(1)]
    return [[mass * r[i] * r[j] + (seconds[i] if i == j < 3 else 0) for j in range(4)] for i in range(4)]


def section(weight: Any) -> Matrix:
    """J of a section: it lies in the plane x = 0."""
    second = mp.pi * mp.mpf(RADIUS) ** 4 / 4
    sizes = [0, second, second, mp.pi * mp.mpf(RADIUS) ** 2]
    return [[weight * DENSITY * sizes[i] if i == j else mp.mpf(0) for j in range(4)] for i in range(4)]


@dataclass
class Lagrangian:
    """Energies of the robot in coordinates near a state: base displacement and turn in its axes, angle, strains."""

    soft: Soft
    start: Matrix

    @cached_property
    def straight(self) -> Matrix:
        """Pose of the tip with all coordinates 0."""
        return plain_rods.poses(self.soft, [mp.mpf(0)] * self.soft.coordinates)[-1]

    def masses(self) -> list[Matrix]:
        """J of every body."""
        own = [rigid(*PARTS[name]) for name in ("base", "arm", "hand", "hand")]
        return own + [section(weight) for _, weight in plain_rods.stations(self.soft)]

    def poses(self, c: Sequence[Any]) -> list[Matrix]:
        """W of every body."""
        x, y, z = c[3:6]
        turn = plain_rods.exponential([[0, -z, y, 0], [z, 0, -x, 0], [-y, x, 0, 0], [0, 0, 0, 0]])
        base = times(self.start, times(pose(c[:3]), turn))
        cosine, sine = mp.cos(c[6]), mp.sin(c[6])
        arm = times(times(base, pose(AT_TURN)), pose((0, 0, 0), ((cosine, -sine, 0), (sine, cosine, 0), (0, 0, 1))))
        root = pose(AT_ROD, TURNED)
        bent = plain_rods.poses(self.soft, c[7:])
        carried = times(times(root, bent[-1]), inverse(times(root, self.straight)))
        hand, foot = times(arm, times(carried, pose(AT_HAND))), times(arm, pose(AT_FOOT))
        return [base, arm, hand, foot, *(times(arm, times(root, own)) for own in bent)]

    def slopes(self, c: Sequence[Any], direction: Sequence[Any]) -> tuple[list[Matrix], list[Matrix]]:
        """All poses, and their derivatives along a direction."""
        moved = self.poses([x + 1j * IMAGINARY * y for x, y in zip(c, direction, strict=True)])
        real = [[[mp.re(x) for x in row] for row in W] for W in moved]
        return real, [[[mp.im(x) / IMAGINARY for x in row] for row in W] for W in moved]

    def energy(self, c: Sequence[Any], rates: Sequence[Any]) -> Any:
        """Kinetic less potential energy, without springs."""
        found = mp.mpf(0)
        for W, rate, J in zip(*self.slopes(c, rates), self.masses(), strict=True):
            found += inner(rate, J, rate) / 2 + mp.fsum(g * mp.fdot(W[i], J[3]) for i, g in enumerate(GRAVITY))
        return found

    def columns(self, c: Sequence[Any]) -> list[list[Matrix]]:
        """Derivatives of all poses by each coordinate."""
        return [self.slopes(c, [mp.mpf(i == r) for i in range(len(c))])[1] for r in range(len(c))]

    def mass_matrix(self, c: Sequence[Any]) -> list[list[Any]]:
        """Second derivatives of the kinetic energy by the rates."""
        columns, masses = self.columns(c), self.masses()
        return [
            [mp.fsum(inner(a, J, b) for a, J, b in zip(left, masses, right, strict=True)) for right in columns]
            for left in columns
        ]

    def forces(self, c: Sequence[Any], rates: Sequence[Any], seconds: Sequence[Any]) -> list[Any]:
        """``(dL/dc')' - dL/dc``."""

        def momenta(t: Any) -> list[Any]:
            place = [x + t * y + t * t * z / 2 for x, y, z in zip(c, rates, seconds, strict=True)]
            speed = [y + t * z for y, z in zip(rates, seconds, strict=True)]
            columns, masses = self.columns(place), self.masses()
            moving = [combined(*zip(speed, same, strict=True)) for same in zip(*columns, strict=True)]
            return [mp.fsum(inner(*parts) for parts in zip(moving, masses, own, strict=True)) for own in columns]

        found = [(x - y) / (2 * STEP) for x, y in zip(momenta(STEP), momenta(-STEP), strict=True)]
        for row in range(len(c)):
            ahead, behind = ([x + h * (i == row) for i, x in enumerate(c)] for h in (STEP, -STEP))
            found[row] -= (self.energy(ahead, rates) - self.energy(behind, rates)) / (2 * STEP)
        return found


def inner(a: Matrix, J: Matrix, b: Matrix) -> Any:
    """``tr(A J B^T)``."""
    return mp.fsum(mp.fdot(times([row], J)[0], other) for row, other in zip(a[:3], b[:3], strict=True))


def inverse(a: Matrix) -> Matrix:
    """Of a pose."""
    turned = [[a[j][i] for j in range(3)] for i in range(3)]
    return pose([-mp.fdot(row, [a[k][3] for k in range(3)]) for row in turned], turned)


@pytest.mark.parametrize(
    ("stations", "magnus"),
    [(1, 6), pytest.param(3, 4, marks=pytest.mark.slow), pytest.param(2, 2, marks=pytest.mark.slow)],
)
def test_inverse_dynamics_and_mass_matrix_are_lagranges(stations: int, magnus: int) -> None:
    description = robot(stations, magnus)
    soft = description.links[1].soft
    assert soft is not None
    quaternion, place = [mp.mpf(x) / 9 for x in (4, -1, 8, 0)], [0.25, -0.5, 0.75]
    angles = [0.625, 0.75, -0.5, 0.25]
    v = [0.5, -0.25, 0.75, 1.5, -0.5, 0.25, 2.0, -1.5, 0.75, 0.5]
    a = [0.25, 0.5, -0.75, 0.5, 1.0, -1.25, 0.25, 2.0, -0.5, 1.5]
    q = [*place, *quaternion, *angles]
    found = inverse_dynamics(description, q, v, a, gravity=GRAVITY)
    setting = Setting(description, public_tree(description), {"gravity": GRAVITY})
    M = matrix("mass_matrix", setting, {"q": q}, 10)
    with mp.workdps(DIGITS):
        x, y, z, w = (mp.mpf(part) / 9 for part in (4, -1, 8, 0))
        turned = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        lagrangian = Lagrangian(soft, pose(place, turned))
        c = [*[mp.mpf(0)] * 6, *map(mp.mpf, angles)]
        spun = [v[4] * v[2] - v[5] * v[1], v[5] * v[0] - v[3] * v[2], v[3] * v[1] - v[4] * v[0]]
        seconds = [*(mp.mpf(x) + y for x, y in zip(a[:3], spun, strict=True)), *map(mp.mpf, a[3:])]
        expected = lagrangian.forces(c, [mp.mpf(rate) for rate in v], seconds)
        area, second, length = mp.pi * mp.mpf(RADIUS) ** 2, mp.pi * mp.mpf(RADIUS) ** 4 / 4, mp.mpf(0.75)
        bent = [second / length, second / (3 * length)]
        held = [YOUNG * x for x in bent] + [mp.mpf(YOUNG) / 3 * 2 * second / length + YOUNG * area * length / 4]
        lost = [3 * VISCOSITY * x for x in bent] + [VISCOSITY * (2 * second / length + 3 * area * length / 4)]
        for row, (stiff, lossy) in enumerate(zip(held, lost, strict=True), 7):
            expected[row] += stiff * angles[row - 6] + lossy * v[row]
        hessian = lagrangian.mass_matrix(c)
    agree(found, expected, 1e-31)
    agree([x for row in M for x in row], [x for row in hessian for x in row], 1e-45)
