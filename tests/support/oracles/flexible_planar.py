"""One flexible link that turns in a plane, with hub and payload: equations of motion from its Lagrangian by SymPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from support.oracles.flexible_beams import Beam

Equations = Callable[..., Any]


@dataclass(frozen=True)
class Planar:
    """A beam along x of a link that turns about z at the origin, and what hangs at its tip."""

    beam: Beam
    hub_inertia: float
    """About the joint [kg m^2]."""
    payload_mass: float
    payload_inertia: float
    """About its own centre of mass [kg m^2]."""
    payload_center: tuple[float, float]
    """In the tip's frame [m]."""
    gravity: tuple[float, float]
    """In the plane, where the angle is zero along x."""


@dataclass(frozen=True)
class PlanarEquations:
    """tau(q, v, a), bias(q, v) and mass_matrix(q) of (theta, d_1 .. d_m), and the two energies."""

    tau: Equations
    bias: Equations
    mass_matrix: Equations
    kinetic: Equations
    potential: Equations


def planar_equations(planar: Planar) -> PlanarEquations:
    """Derive them: d/dt (dT/dv) - dT/dq + dV/dq + D v, all by SymPy's derivatives."""
    shapes = planar.beam
    count = len(shapes.shapes)
    theta, omega, alpha = sympy.symbols("theta omega alpha")
    d, rates, accelerations = (sympy.symbols(f"{letter}1:{count + 1}") for letter in ("d", "e", "f"))
    q, v, a = sympy.Matrix([theta, *d]), sympy.Matrix([omega, *rates]), sympy.Matrix([alpha, *accelerations])

    def flow(expression: Any) -> Any:
        return (sympy.Matrix([expression]).jacobian(q) * v)[0]

    def in_world(along: Any, across: Any) -> tuple[Any, Any]:
        return (
            sympy.cos(theta) * along - sympy.sin(theta) * across,
            sympy.sin(theta) * along + sympy.cos(theta) * across,
        )

    # A section at x: shapes and shortenings are symbols, whose monomials are then integrated over the mass.
    x, s = sympy.Symbol("x"), sympy.symbols(f"s1:{count + 1}")
    short = {(i, j): sympy.Symbol(f"Q{i}_{j}") for i in range(count) for j in range(i, count)}

    def section() -> tuple[Any, Any]:
        along = x
        if shapes.stiffening:
            along -= sum(d[i] * d[j] * short[min(i, j), max(i, j)] for i in range(count) for j in range(count)) / 2
        return along, sum(amplitude * shape for amplitude, shape in zip(d, s, strict=True))

    def at(station: Any) -> dict[Any, Any]:
        found = {x: _exact(station.x)} | {
            symbol: _exact(value) for symbol, value in zip(s, station.values, strict=True)
        }
        if shapes.stiffening:
            found |= {symbol: _exact(station.shortening[i][j]) for (i, j), symbol in short.items()}
        return found

    along, across = section()
    velocity = (flow(along) - omega * across, flow(across) + omega * along)
    places = (x, *s, *short.values())
    tables = [(at(station), _exact(station.mass)) for station in shapes.stations]

    def integrated(expression: Any) -> Any:
        polynomial = sympy.Poly(sympy.expand(expression), *places)
        total = sympy.Integer(0)
        for powers, coefficient in polynomial.terms():
            moment = sum(
                mass * sympy.Mul(*(values[symbol] ** p for symbol, p in zip(places, powers, strict=True) if p))
                for values, mass in tables
            )
            total += coefficient * moment
        return total

    kinetic = integrated(velocity[0] ** 2 + velocity[1] ** 2) / 2 + planar.hub_inertia * omega**2 / 2
    gravity = [sympy.Float(value) for value in planar.gravity]
    height = in_world(integrated(along), integrated(across))
    potential = -(gravity[0] * height[0] + gravity[1] * height[1])

    far = at(shapes.tip)
    turn = theta + sum(_exact(slope) * own for slope, own in zip(shapes.tip_slopes, d, strict=True))
    tip = in_world(sympy.sympify(along).subs(far), sympy.sympify(across).subs(far))
    cx, cy = planar.payload_center
    center = (
        tip[0] + sympy.cos(turn) * cx - sympy.sin(turn) * cy,
        tip[1] + sympy.sin(turn) * cx + sympy.cos(turn) * cy,
    )
    kinetic += planar.payload_mass * (flow(center[0]) ** 2 + flow(center[1]) ** 2) / 2
    kinetic += planar.payload_inertia * flow(turn) ** 2 / 2
    potential -= planar.payload_mass * (gravity[0] * center[0] + gravity[1] * center[1])

    stiffness = sympy.Matrix(count, count, lambda i, j: _exact(shapes.stiffness[i][j]))
    damping = sympy.Matrix(count, count, lambda i, j: _exact(shapes.damping[i][j]))
    amplitudes = sympy.Matrix(d)
    potential += (amplitudes.T * stiffness * amplitudes)[0] / 2
    momentum = sympy.Matrix([kinetic]).jacobian(v).T
    mass = momentum.jacobian(v)
    bias = momentum.jacobian(q) * v - sympy.Matrix([kinetic - potential]).jacobian(q).T
    bias += sympy.Matrix([0, *(damping * sympy.Matrix(rates))])
    arguments = {"q": list(q), "v": list(v), "a": list(a)}

    def callable_of(expression: Any, *inputs: str) -> Equations:
        names = [arguments[name] for name in inputs]
        made = sympy.lambdify(names, expression, modules="numpy", cse=True)
        return lambda *values: np.squeeze(np.asarray(made(*values), dtype=np.float64))

    return PlanarEquations(
        callable_of(mass * a + bias, "q", "v", "a"),
        callable_of(bias, "q", "v"),
        callable_of(mass, "q"),
        callable_of(kinetic, "q", "v"),
        callable_of(potential, "q"),
    )


def _exact(value: Any) -> Any:
    return sympy.Float(str(value), 30)
