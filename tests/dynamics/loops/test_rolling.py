"""Constraints on velocities against mechanics by hand, elimination by SymPy, and dense equations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from support.robots.rolling import DISC, MIXED, SLEIGH, drive, robot
from support.soft_calls import call
from support.states import relative_error

FORWARD, INVERSE = "constrained_forward_dynamics", "constrained_inverse_dynamics"
ORDERS = "_time_derivatives"
G = 9.81
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def test_chaplygins_sleigh_moves_as_by_hand() -> None:
    """m (u' - a w^2) = F, (I + m a^2) w' + m a u w = N, for the blade's speed u and the centre of mass a ahead."""
    own, (m, a, I) = robot(SLEIGH), (2.0, 0.3, 0.3)  # noqa: E741
    rng = np.random.default_rng(0)
    for _ in range(5):
        yaw, u, w, force, moment = rng.standard_normal(5)
        ahead, aside = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        found, (held,) = call(own, FORWARD, q=[0.3, -0.2, yaw], v=[*(u * ahead), w], tau=[*(force * ahead), moment])
        assert found[:2] @ ahead == pytest.approx(force / m + a * w * w, **CLOSE)
        assert found[:2] @ aside == pytest.approx(u * w, **CLOSE)
        assert found[2] == pytest.approx((moment - m * a * u * w) / (I + m * a * a), **CLOSE)
        assert held == pytest.approx(m * (u * w + a * found[2]), **CLOSE)


def test_a_knife_edge_on_a_slope_draws_a_cycloid() -> None:
    """With the turn w: x = g sin(s) sin(wt)^2 / (2 w^2) down the slope s, y = g sin(s) (wt - sin(2wt)/2) / (2 w^2)."""
    text = SLEIGH.replace("com: [0.3, 0, 0], ", "")
    slope, w, order = 0.4, 1.7, 4
    own = robot(text, gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    g = G * np.sin(slope)
    for t in (0.0, 0.3, 1.1, 2.0):
        x, y = (g / (2 * w * w) * s for s in (np.sin(w * t) ** 2, w * t - 0.5 * np.sin(2 * w * t)))
        v = [g / (2 * w) * np.sin(2 * w * t), g / (2 * w) * (1 - np.cos(2 * w * t)), w]
        A, _ = call(own, FORWARD + ORDERS, q=[x, y, w * t], v=v, T=np.zeros((order + 1, 3)), order=order)
        turned = g * (2j * w) ** np.arange(order + 1) * np.exp(2j * w * t)
        expected = np.stack([turned.real, turned.imag, np.zeros(order + 1)], axis=1)
        assert abs(A - expected).max() < 1e-11 * abs(expected).max()


def disc_rates(yaw: float, roll: float) -> list[float]:
    return [0.4 * np.cos(yaw) * roll, 0.4 * np.sin(yaw) * roll]


def test_a_disc_turns_steadily() -> None:
    """A W^2 sin(l) cos(l) - (C + m R^2) w3 W cos(l) = m g R sin(l) at the lean l, for the turn W and the spin w3."""
    own, (m, R) = robot(DISC), (1.5, 0.4)
    across, along = m * R * R / 4, m * R * R / 2
    for lean, turn in ((0.3, 1.2), (-0.5, 2.0), (0.8, -1.5)):
        lifted = np.sin(lean) * (across * turn**2 * np.cos(lean) - m * G * R)
        roll = lifted / ((along + m * R * R) * turn * np.cos(lean)) - turn * np.sin(lean)
        q = [0.0, 0.0, 0.7, lean, 0.2]
        v = [*disc_rates(0.7, roll), turn, 0.0, roll]
        a, _ = call(own, FORWARD, q=q, v=v, tau=np.zeros(5))
        assert a[2:] == pytest.approx(np.zeros(3), abs=1e-12)


@cache
def reduced_disc() -> Any:
    """The rolling disc's yaw'', lean'' and roll'' by Lagrange and elimination of x' and y', as a function of states."""
    m, R, g = sympy.Rational(3, 2), sympy.Rational(2, 5), sympy.Symbol("g")
    q, v = sympy.symbols("x y yaw lean roll", real=True), sympy.symbols("v0:5", real=True)
    _, _, yaw, lean, _ = q
    turn = sympy.Matrix(sympy.rot_ccw_axis3(yaw)) * sympy.Matrix(sympy.rot_ccw_axis1(lean))
    centre = sympy.Matrix([q[0], q[1], 0]) + turn * sympy.Matrix([0, 0, R])
    velocity = centre.jacobian(q) * sympy.Matrix(v)
    spin = turn.T * sympy.Matrix([0, 0, v[2]]) + sympy.Matrix([v[3], v[4], 0])  # in axes that lean but do not roll
    moments = sympy.diag(m * R**2 / 4, m * R**2 / 2, m * R**2 / 4)
    energy = (m * velocity.dot(velocity) + spin.dot(moments * spin)) / 2
    M = sympy.hessian(energy, v)
    lagrangian = energy - m * g * centre[2]
    momenta = sympy.Matrix([lagrangian]).jacobian(v).T
    h = momenta.jacobian(q) * sympy.Matrix(v) - sympy.Matrix([lagrangian]).jacobian(q).T
    ways = sympy.Matrix([[0, 0, R * sympy.cos(yaw)], [0, 0, R * sympy.sin(yaw)], *sympy.eye(3).tolist()])
    changes = ways.diff(yaw) * v[2]
    return sympy.lambdify([q, v, g], [M, h, ways, changes], "numpy", cse=True)


def test_a_rolling_disc_equals_elimination_by_sympy() -> None:
    own, rng, parts = robot(DISC), np.random.default_rng(3), reduced_disc()
    for _ in range(5):
        q, slow, tau = rng.standard_normal(5), rng.standard_normal(3), rng.standard_normal(5)
        M, h, ways, changes = (np.array(part, dtype=float) for part in parts(q, [*disc_rates(q[2], slow[2]), *slow], G))
        force = ways.T @ (tau - h.ravel() - M @ changes @ slow)
        expected = np.linalg.solve(ways.T @ M @ ways, force)
        v = [*disc_rates(q[2], slow[2]), *slow]
        a, held = call(own, FORWARD, q=q, v=v, tau=tau)
        assert a[2:] == pytest.approx(expected, **CLOSE)
        needed = M @ a + h.ravel() - tau
        assert held == pytest.approx(needed[:2], rel=1e-11, abs=1e-11)


def test_a_differential_drive_moves_as_by_hand() -> None:
    own, r, b, (m, a, zz), (w, iyy, izz) = drive("b"), 0.05, 0.25, (8.0, 0.06, 0.12), (0.4, 5e-4, 3e-4)
    whole, turning = m + 2 * w, zz + m * a * a + 2 * (izz + w * b * b)
    u, omega, forces = 0.7, -1.3, (0.2, 0.5)
    v = [u, 0.0, omega, (u - b * omega) / r, (u + b * omega) / r]
    given = {"q": [0.1, 0.2, 0.4, 0.0, 0.0], "v": v, "p": [b]}
    found, _ = call(drive("b"), FORWARD, tau=[0, 0, 0, *forces], **given)
    assert found[0] == pytest.approx((sum(forces) / r + m * a * omega**2) / (whole + 2 * iyy / r**2), **CLOSE)
    moment = b / r * (forces[1] - forces[0]) - m * a * u * omega
    assert found[2] == pytest.approx(moment / (turning + 2 * iyy * (b / r) ** 2), **CLOSE)
    tau, _ = call(drive("b"), INVERSE, a=found, **given)  # of the two motors of the file
    assert tau == pytest.approx([0, 0, 0, *forces], **CLOSE)
    assert own.mobility == 2 and len(own.constraints[0].rows) == 3
    assert own.constraints[0].rows == ("wheels.0", "wheels.1", "wheels.2") and own.constraints[0].kind == "pfaffian"


@pytest.mark.parametrize("text", [DISC, MIXED])
def test_dense_equations_are_met(text: str) -> None:
    own, rng = robot(text), np.random.default_rng(5)
    p = {"p": own.runtime_defaults} if own.runtime_parameters else {}
    q, v = own.random_state(rng)
    tau = rng.standard_normal(own.nv)
    A, bias = call(own, "constraint_jacobian", q=q, **p)[0], call(own, "constraint_bias", q=q, v=v, **p)[0]
    M = call(own, "mass_matrix", q=q, **p)[0]
    h = call(own, "inverse_dynamics", q=q, v=v, a=np.zeros(own.nv), **p)[0]
    count = len(A)
    system = np.block([[M, -A.T], [A, np.zeros((count, count))]])
    expected = np.linalg.solve(system, [*(tau - h), *-bias])
    a, held = call(own, FORWARD, q=q, v=v, tau=tau, **p)
    assert relative_error(np.concatenate([a, held]), expected) < 1e-12
    assert relative_error(call(own, "operational_inertia", q=q, **p)[0], A @ np.linalg.solve(M, A.T)) < 1e-12
    assert call(own, "constraint_error", q=q, **p)[0][-2:] == pytest.approx([0.0, 0.0], abs=0.0)


def test_what_velocities_have_lost_comes_back_like_one_over_t() -> None:
    own, T = robot(SLEIGH), 0.5
    q, v = [0.0, 0.0, 0.4], np.array([0.3, 0.5, 0.7])
    a, _ = call(own, FORWARD, q=q, v=v, tau=[1, 2, 3], stabilisation=T)
    A, bias = call(own, "constraint_jacobian", q=q)[0], call(own, "constraint_bias", q=q, v=v)[0]
    assert A @ a + bias == pytest.approx(-(A @ v) / T, **CLOSE)
