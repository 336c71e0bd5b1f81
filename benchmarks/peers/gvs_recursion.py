"""The rival for rods: the recursion of Mathew et al. (GVS) for one cone, written plainly in CasADi SX.

Twists and wrenches are pairs of columns, the angular one first, in the frames of the points. A step of the rod is an
exponential of Magnus order 4; series replace sine and cosine over angle, with as many terms as symdyn takes for steps
of up to one radian. The rate of a step's own twist is left to CasADi's forward mode. The mass matrix comes from the
columns of the points' Jacobians, and forward dynamics from its L D L^T.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

Array = NDArray[np.float64]
TERMS = 8
AT_REST = ca.DM([0, 0, 0, 1, 0, 0])
EXACT = 40
"""Gauss points for the elastic forces, which symdyn integrates once and for all."""


@dataclass(frozen=True)
class Cone:
    """A round rod with all six strains, by Legendre functions of these degrees; it hangs from its root."""

    length: float = 0.5
    radii: tuple[float, float] = (0.03, 0.015)
    modulus: float = 1e6
    poisson_ratio: float = 0.5
    density: float = 1000.0
    viscosity: float = 1e4
    degrees: tuple[int, ...] = (4, 4, 4, 2, 2, 2)
    points: int = 5
    gravity: float = 9.81

    @cached_property
    def strains(self) -> list[int]:
        """For each coordinate the strain that it moves."""
        return [strain for strain, degree in enumerate(self.degrees) for _ in range(degree + 1)]

    def functions(self, x: float) -> Array:
        """(6, n): what each coordinate adds to each strain at x."""
        found = np.zeros((6, len(self.strains)))
        for column, strain in enumerate(self.strains):
            degree = self.strains[:column].count(strain)
            scale = 1.0 / self.length if strain < 3 else 1.0
            found[strain, column] = scale * legendre.Legendre.basis(degree)(2.0 * x / self.length - 1.0)
        return found

    def section(self, x: float) -> tuple[float, float]:
        """Area and second moment of area."""
        radius = self.radii[0] + (self.radii[1] - self.radii[0]) * x / self.length
        return math.pi * radius**2, math.pi * radius**4 / 4

    def gauss(self, points: int) -> tuple[Array, Array]:
        """Places and weights along the rod."""
        places, weights = legendre.leggauss(points)
        return (places + 1.0) * self.length / 2.0, weights * self.length / 2.0

    @cached_property
    def elastic(self) -> tuple[Array, Array]:
        """Stiffness and damping, (n, n)."""
        n = len(self.strains)
        stiffness, damping = np.zeros((n, n)), np.zeros((n, n))
        shear = self.modulus / (2.0 * (1.0 + self.poisson_ratio))
        for x, weight in zip(*self.gauss(EXACT), strict=True):
            area, moment = self.section(x)
            phi = self.functions(x)
            moduli = np.array([2 * shear * moment, self.modulus * moment, self.modulus * moment])
            moduli = np.array([*moduli, self.modulus * area, shear * area, shear * area])
            losses = self.viscosity * np.array([2 * moment, 3 * moment, 3 * moment, 3 * area, area, area])
            stiffness += weight * phi.T @ np.diag(moduli) @ phi
            damping += weight * phi.T @ np.diag(losses) @ phi
        return tuple(np.where(abs(own) > 1e-12 * abs(own).max(), own, 0.0) for own in (stiffness, damping))

    @cached_property
    def steps(self) -> list[Step]:
        """From the root over the points to the tip."""
        places, weights = self.gauss(self.points)
        ends = [0.0, *places, self.length]
        found = []
        for (start, end), weight in zip(pairwise(ends), [*weights, 0.0], strict=True):
            h = end - start
            looks = [start + h * (0.5 + side * math.sqrt(3.0) / 6.0) for side in (-1, 1)]
            area, moment = self.section(end)
            mass, turning = weight * self.density * area, weight * self.density * moment
            functions = [ca.SX(ca.sparsify(ca.DM(self.functions(x)))) for x in looks]
            found.append(Step(h, functions, mass, ca.DM([2 * turning, turning, turning])))
        return found


@dataclass(frozen=True)
class Step:
    """Its length, the functions at its two points, and mass and principal moments at its end."""

    length: float
    functions: list[Any]
    mass: float
    moments: Any

    @property
    def bracket(self) -> float:
        """What the bracket of the two strains counts."""
        return math.sqrt(3) / 12 * self.length**2


def exponent(step: Step, first: Any, second: Any) -> Any:
    """Magnus order 4: h/2 (a + b) + sqrt(3)/12 h^2 ad(a) b."""
    return step.length / 2 * (first + second) + step.bracket * crossed(first, second)


def exponent_rates(step: Step, first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, Any]:
    """Of the exponent; ``first`` and ``second`` are the strains with their two rates."""
    rate = crossed(first[1], second[0]) + crossed(first[0], second[1])
    again = crossed(first[2], second[0]) + 2 * crossed(first[1], second[1]) + crossed(first[0], second[2])
    half = step.length / 2
    return (
        half * (first[1] + second[1]) + step.bracket * rate,
        half * (first[2] + second[2]) + step.bracket * again,
    )


def series(first: int, square: Any) -> Any:
    """The sum of (-square)^k / (2 k + first)!."""
    found = 0.0
    for k in reversed(range(TERMS)):
        found = found * -square + 1.0 / math.factorial(2 * k + first)
    return found


def step_kernel() -> Any:
    """From an exponent and its two rates: pose of the far frame, its tangent, the step's own twist and rate."""
    omega, rate, second = (ca.SX.sym(name, 6) for name in ("omega", "rate", "second"))
    x, y = omega[:3], omega[3:]
    square, product = ca.dot(x, x), ca.dot(x, y)
    c4, c5 = series(4, square), series(5, square)
    c2, c3 = 0.5 - square * c4, 1.0 / 6.0 - square * c5
    turn, slide = ca.skew(x), ca.skew(y)
    squared = turn @ turn
    unit = ca.SX.eye(3)
    rotation = unit + (1.0 - square * c3) * turn + c2 * squared
    position = y + c2 * ca.cross(x, y) + c3 * ca.cross(x, ca.cross(x, y))
    corner = unit - c2 * turn + c3 * squared
    both = turn @ slide
    below = c3 * (both + both.T) - c2 * slide + product * ((c3 - 2 * c4) * turn + (3 * c5 - c4) * squared)
    tangent = ca.blockcat([[corner, ca.SX(3, 3)], [below, corner]])
    twist = tangent @ rate
    change = ca.jtimes(twist, omega, rate) + tangent @ second
    return ca.Function("step", [omega, rate, second], [rotation, position, tangent, twist, change])


def outward(rotation: Any, position: Any, twist: Any) -> Any:
    """A twist of the near frame as the far one sees it."""
    return ca.vertcat(rotation.T @ twist[:3], rotation.T @ (twist[3:] + ca.cross(twist[:3], position)))


def inward(rotation: Any, position: Any, wrench: Any) -> Any:
    """A wrench on the far frame as the near one sees it."""
    force = rotation @ wrench[3:]
    return ca.vertcat(rotation @ wrench[:3] + ca.cross(position, force), force)


def crossed(twist: Any, other: Any) -> Any:
    """ad(twist) other."""
    w, v = twist[:3], twist[3:]
    return ca.vertcat(ca.cross(w, other[:3]), ca.cross(w, other[3:]) + ca.cross(v, other[:3]))


def crossed_back(twist: Any, wrench: Any) -> Any:
    """ad(twist)^T wrench."""
    w, v = twist[:3], twist[3:]
    return -ca.vertcat(ca.cross(w, wrench[:3]) + ca.cross(v, wrench[3:]), ca.cross(w, wrench[3:]))


def inverse_dynamics(cone: Cone, q: Any, v: Any, a: Any) -> Any:
    """Forces, (n,)."""
    kernel = step_kernel()
    motion, rate = ca.SX(6, 1), ca.SX(ca.DM([0, 0, 0, -cone.gravity, 0, 0]))
    kept = []
    for step in cone.steps:
        first, second = ([own @ q + AT_REST, own @ v, own @ a] for own in step.functions)
        omega = exponent(step, first[0], second[0])
        rotation, position, tangent, twist, change = kernel(omega, *exponent_rates(step, first, second))
        carried = outward(rotation, position, motion)
        motion, rate = carried + twist, outward(rotation, position, rate) + change + crossed(carried, twist)
        w, spin = motion[:3], step.moments * motion[:3]
        moment = step.moments * rate[:3] + ca.cross(w, spin)
        force = step.mass * (rate[3:] + ca.cross(w, motion[3:]))
        kept.append((step, first[0], second[0], rotation, position, tangent, ca.vertcat(moment, force)))
    tau, wrench = ca.SX(ca.DM(cone.elastic[0])) @ q + ca.SX(ca.DM(cone.elastic[1])) @ v, ca.SX(6, 1)
    for step, first, second, rotation, position, tangent, own in reversed(kept):
        wrench = wrench + own
        pulled = tangent.T @ wrench
        wrench = inward(rotation, position, wrench)
        half, bracket = step.length / 2 * pulled, step.bracket
        tau += step.functions[0].T @ (half - bracket * crossed_back(second, pulled))
        tau += step.functions[1].T @ (half + bracket * crossed_back(first, pulled))
    return tau


def mass_matrix(cone: Cone, q: Any) -> list[list[Any]]:
    """Rows of the lower triangle, from the columns of the points' twists."""
    kernel, n, nothing = step_kernel(), q.shape[0], ca.SX(6, 1)
    columns: list[Any] = [nothing] * n
    plain, weighted = [[[] for _ in range(n)] for _ in range(2)]
    for step in cone.steps:
        first, second = (own @ q + AT_REST for own in step.functions)
        rotation, position, tangent, _, _ = kernel(exponent(step, first, second), nothing, nothing)
        for i in range(n):
            one, two = (own[:, i] for own in step.functions)
            moved = step.length / 2 * (one + two) + step.bracket * (crossed(one, second) + crossed(first, two))
            columns[i] = outward(rotation, position, columns[i]) + tangent @ moved
            if step.mass:
                plain[i].append(columns[i])
                weighted[i].append(ca.vertcat(step.moments, *[step.mass] * 3) * columns[i])
    plain, weighted = ([ca.vertcat(*own) for own in lists] for lists in (plain, weighted))
    return [[ca.dot(plain[i], weighted[j]) for j in range(i + 1)] for i in range(n)]


def forward_dynamics(cone: Cone, q: Any, v: Any, tau: Any) -> Any:
    """Accelerations (n,), by L D L^T of the mass matrix."""
    matrix, n = mass_matrix(cone, q), q.shape[0]
    rest = ca.vertsplit(tau - inverse_dynamics(cone, q, v, ca.SX(n, 1)))
    diagonal: list[Any] = []
    for i, row in enumerate(matrix):
        for j in range(i):
            row[j] -= sum(row[k] * matrix[j][k] for k in range(j))  # times D, until the row is done
        scaled = [row[k] / diagonal[k] for k in range(i)]
        diagonal.append(row[i] - sum(row[k] * scaled[k] for k in range(i)))
        row[:i] = scaled
        rest[i] -= sum(scaled[k] * rest[k] for k in range(i))
    found = [own / pivot for own, pivot in zip(rest, diagonal, strict=True)]
    for i in reversed(range(n)):
        for k in range(i):
            found[k] -= matrix[i][k] * found[i]
    return ca.vertcat(*found)
