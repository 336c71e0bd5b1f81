"""One flexible link in a plane, with hub and payload, against equations that SymPy derives from its Lagrangian."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.oracles.flexible_beams import beam
from support.oracles.flexible_lagrangian import LagrangeRobot
from support.oracles.flexible_planar import Planar, PlanarEquations, planar_equations
from support.robots.flexible import planar
from support.robots.small import loaded

from symdyn import api
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
GRAVITY = (0.0, -9.81, 0.0)
TOLERANCE = 1e-10


@cache
def robot(stiffening: bool) -> Robot:
    return loaded(planar(stiffening), gravity=GRAVITY)


@cache
def equations(stiffening: bool) -> PlanarEquations:
    (flexible,) = (link.flexible for link in planar(stiffening).links if link.flexible is not None)
    return planar_equations(Planar(beam(flexible), 0.3, 0.8, 0.02, (0.1, 0.03), GRAVITY[:2]))


def states(count: int = 5) -> list[tuple[Array, Array, Array]]:
    rng = np.random.default_rng(3)
    q, v = np.array([1.0, 0.1, 0.03, 0.01]), np.array([1.0, 0.5, 0.5, 0.5])
    return [tuple(rng.standard_normal(4) * scale for scale in (q, v, np.ones(4))) for _ in range(count)]


def called(stiffening: bool, function: str, **inputs: Array) -> Any:
    return np.array(next(iter(api.float_recursion(robot(stiffening), function)(inputs).values())))


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE * np.abs(expected).max())


@pytest.mark.parametrize("stiffening", [pytest.param(False, marks=pytest.mark.slow), True])
def test_tau_mass_matrix_and_bias_follow_from_the_lagrangian(stiffening: bool) -> None:
    derived = equations(stiffening)
    assert robot(stiffening).coordinate_names == ("turn", *(f"arm.bend_y[{k}]" for k in range(3)))
    for q, v, a in states():
        close(called(stiffening, "inverse_dynamics", q=q, v=v, a=a), derived.tau(q, v, a))
        close(called(stiffening, "mass_matrix", q=q).reshape(4, 4), derived.mass_matrix(q))
        close(called(stiffening, "bias", q=q, v=v), derived.bias(q, v))


@pytest.mark.parametrize("stiffening", [False, True])
def test_forward_dynamics_solves_the_same_equations(stiffening: bool) -> None:
    derived = equations(stiffening)
    for q, v, tau in states():
        expected = np.linalg.solve(derived.mass_matrix(q), tau - derived.bias(q, v))
        close(called(stiffening, "forward_dynamics", q=q, v=v, tau=tau), expected)


@pytest.mark.parametrize("stiffening", [False, True])
def test_energies_are_those_of_the_lagrangian(stiffening: bool) -> None:
    derived = equations(stiffening)
    (q, v, _), (other, _, _) = states(2)
    close(called(stiffening, "kinetic_energy", q=q, v=v)[0], derived.kinetic(q, v))
    # potential energy has a constant of its own
    found = [called(stiffening, "potential_energy", q=each)[0] for each in (q, other)]
    close(found[0] - found[1], derived.potential(q) - derived.potential(other))


def test_stiffening_is_felt() -> None:
    q, v, a = states(1)[0]
    plain, stiff = (equations(stiffening).tau(q, v, a) for stiffening in (False, True))
    assert np.abs(plain - stiff).max() > 1e-3


@pytest.mark.parametrize("stiffening", [False, True])
def test_points_of_the_beam_obey_the_same_equations(stiffening: bool) -> None:
    """What the spatial tests compare with, held against SymPy's equations here, where both can be had."""
    names = ("turn", *(f"arm.bend_y[{k}]" for k in range(3)))
    points, derived = LagrangeRobot(planar(stiffening), names, GRAVITY), equations(stiffening)
    for q, v, a in states():
        close(points.inverse_dynamics(q, v, a), derived.tau(q, v, a))
        close(points.mass_matrix(q), derived.mass_matrix(q))
