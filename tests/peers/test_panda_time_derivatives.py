"""A Panda's torques and their first two derivatives, by three methods that have the URDF in common.

Ours; Pinocchio's partial derivatives along the path, of which a Chebyshev interpolant gives the second order; CasADi's
differentiation of a recursion of order 0 by time.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np
import pinocchio as pin
import pytest
from numpy.polynomial import chebyshev
from support.pinocchio.twins import Array, Peer, load_peer, relative

import symdyn
from symdyn.algebra.scalars.casadi_sx import CasadiAlgebra
from symdyn.analysis.compare.plain_newton_euler import plain_inverse_dynamics

pytestmark = pytest.mark.peers

ORDER, STATES = 2, 20
NODES, REACH = 16, 0.4
"""The interpolant's degree, and the time on either side [s]: torques of these paths are smooth over seconds."""


@pytest.fixture(scope="module")
def panda() -> Peer:
    return load_peer("panda_locked")


@pytest.fixture(scope="module")
def states(panda: Peer) -> tuple[Array, Array]:
    """q (STATES, nq) and V (STATES, ORDER + 2, nv)."""
    rng = np.random.default_rng(6)
    nv = panda.robot.nv
    return rng.uniform(-1.5, 1.5, (STATES, nv)), rng.uniform(-1.0, 1.0, (STATES, ORDER + 2, nv))


@pytest.fixture(scope="module")
def ours(panda: Peer, states: tuple[Array, Array]) -> Array:
    module = symdyn.compile(panda.robot, ["inverse_dynamics_time_derivatives"], order=ORDER)
    return np.asarray(module.inverse_dynamics_time_derivatives(*states))


def path(q: Array, V: Array, t: float) -> list[Array]:
    """q, v, a and the rate of a at a time; the last derivative given is constant."""
    rows = [q, *V]
    later = [rows[k:] for k in range(len(rows))]
    return [sum(row * t**k / float(np.prod(range(1, k + 1))) for k, row in enumerate(own)) for own in later[:4]]


def slope(function: Callable[[float], Array]) -> Array:
    """The derivative at 0 of the interpolant in Chebyshev points."""
    points = chebyshev.chebpts1(NODES)
    coefficients = chebyshev.chebfit(points, np.array([function(REACH * point) for point in points]), NODES - 1)
    return np.asarray(chebyshev.chebval(0.0, chebyshev.chebder(coefficients))) / REACH


def pinocchio_rate(peer: Peer, q: Array, v: Array, a: Array, jerk: Array) -> Array:
    """tau' = dtau_dq v + dtau_dv a + M jerk."""
    by_q, by_v, M = peer.call(pin.computeRNEADerivatives, {"q": q, "v": v, "a": a}, "v", "a")
    M = np.triu(M) + np.triu(M, 1).T
    G = peer.expansion
    return np.asarray(G.T @ (by_q @ G @ v + by_v @ G @ a + M @ G @ jerk))


def test_the_panda_is_an_arm_of_seven_joints(panda: Peer) -> None:
    assert panda.robot.nv == 7


def test_torques(panda: Peer, states: tuple[Array, Array], ours: Array) -> None:
    expected = [panda.inverse_dynamics(q, V[0], V[1]) for q, V in zip(*states, strict=True)]
    assert relative(ours[:, 0], np.array(expected)) < 1e-13


def test_first_derivative(panda: Peer, states: tuple[Array, Array], ours: Array) -> None:
    by_partials = [pinocchio_rate(panda, q, *V[:3]) for q, V in zip(*states, strict=True)]
    assert relative(ours[:, 1], np.array(by_partials)) < 1e-13

    def torques(q: Array, V: Array) -> Callable[[float], Array]:
        return lambda t: panda.inverse_dynamics(*path(q, V, t)[:3])

    by_interpolation = [slope(torques(q, V)) for q, V in zip(*states, strict=True)]
    assert relative(ours[:, 1], np.array(by_interpolation)) < 1e-11


def test_second_derivative(panda: Peer, states: tuple[Array, Array], ours: Array) -> None:
    def rates(q: Array, V: Array) -> Callable[[float], Array]:
        return lambda t: pinocchio_rate(panda, *path(q, V, t))

    expected = [slope(rates(q, V)) for q, V in zip(*states, strict=True)]
    assert relative(ours[:, 2], np.array(expected)) < 1e-11


def test_automatic_differentiation(panda: Peer, states: tuple[Array, Array], ours: Array) -> None:
    algebra, nv = CasadiAlgebra(), panda.robot.nv
    rows = [casadi.SX.sym(f"x{k}", nv) for k in range(ORDER + 3)]
    tau = casadi.vertcat(*plain_inverse_dynamics(panda.robot.model, algebra, *map(casadi.vertsplit, rows[:3])))
    derivatives = [tau]
    for _ in range(ORDER):
        last = casadi.vertcat(*rows[:-1])
        derivatives.append(casadi.jtimes(derivatives[-1], last, casadi.vertcat(*rows[1:])))
    function = casadi.Function("derivatives", rows, [casadi.horzcat(*derivatives).T])
    expected = np.array([np.array(function(q, *V)) for q, V in zip(*states, strict=True)])
    for order in range(ORDER + 1):
        assert relative(ours[:, order], expected[:, order]) < 1e-13
