"""The shipped robots with loops: where they close, their equations at closed states, and what is published of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from mpmath import mp
from scipy.integrate import solve_ivp
from support.dense_loops import Dense
from support.robots.shipped_loops import (
    LOOPED,
    closed_state,
    found,
    left_over,
    shipped,
    singular_values,
    start,
)

import symdyn
from symdyn.errors import SymdynWarning

MOBILITY = dict(zip(LOOPED, (1, 1, 2, 6, 6, 1, 1), strict=True))
INDEPENDENT = 1e-6
"""Relative singular value of the rows above which multipliers are told; below it, motion alone."""


@pytest.mark.parametrize("name", LOOPED)
def test_they_close_from_where_their_files_say(name: str) -> None:
    robot = shipped(name)
    q = robot.close(start(name))
    (e,) = found(robot, "constraint_error", q=q)
    assert np.max(np.abs(e)) < 1e-14
    if name != "stewart_platform":
        assert robot.mobility == MOBILITY[name]
        drivers = [own for own in robot.velocity_names if own in robot.description.actuation.actuators]
        assert set(robot.independent_coordinates) <= set(drivers)
        assert list(robot.independent_coordinates) == drivers[: robot.mobility] or name == "quadruped"
    if name in ("slider_crank", "quadruped", "bricard", "andrews_squeezer"):
        assert q == pytest.approx(start(name), abs=1e-15), "closed as it is"


@pytest.mark.slow
def test_a_platform_on_six_legs_moves_in_six_ways() -> None:
    robot = shipped("stewart_platform")
    assert robot.independent_coordinates == robot.description.actuation.actuators


@pytest.mark.parametrize(
    ("name", "states"),
    [("four_bar", 4), ("bricard", 3), *(pytest.param(name, 25, marks=pytest.mark.slow) for name in LOOPED)],
)
def test_equations_of_motion_and_of_loops_hold(name: str, states: int) -> None:
    """Bricard's rows depend on each other wherever it is closed, and by one more where it is folded."""
    robot, rng = shipped(name), np.random.default_rng(1)
    for _ in range(states):
        q, v = closed_state(name, rng)
        state = {"q": q, "v": v, "tau": rng.standard_normal(robot.nv)}
        a, multipliers = found(robot, "constrained_forward_dynamics", **state)
        assert max(left_over(robot, state, a, multipliers)) < 1e-12
        assert (singular_values(robot, q)[-1] > INDEPENDENT) == (name != "bricard")


@pytest.mark.parametrize(
    "name",
    ["four_bar", "bricard", *(pytest.param(own, marks=pytest.mark.slow) for own in ("stewart_platform", "quadruped"))],
)
def test_the_dense_equations_agree(name: str) -> None:
    """With fifty digits. Of Bricard's multipliers, which no equation tells, the least are found to about 5e-7."""
    robot, rng = shipped(name), np.random.default_rng(2)
    q, v = closed_state(name, rng)
    tau = rng.standard_normal(robot.nv)
    with mp.workdps(50):
        motion, forces = Dense.at(robot, {"q": q.tolist(), "v": v.tolist()}).forward(tau.tolist())
    wanted, held = (np.array(list(map(float, own))) for own in (motion, forces))
    a, multipliers = found(robot, "constrained_forward_dynamics", q=q, v=v, tau=tau)
    assert np.max(np.abs(a - wanted)) < 1e-12 * np.max(np.abs(wanted))
    (A,) = found(robot, "constraint_jacobian", q=q)
    assert np.max(np.abs(A.T @ (multipliers - held))) < 1e-12 * np.max(np.abs(A.T @ held))
    limit = 1e-6 if name == "bricard" else 1e-12
    assert np.max(np.abs(multipliers - held)) < limit * np.max(np.abs(held))


MOTOR = 0.033
INITIAL = {"beta": 14222.4439199541138705911625887, "theta": -10666.8329399655854029433719415}
FIRST = (98.5668703962410896057654982170, -6.12268834425566265503114393122, 0.0, 0.0, 0.0, 0.0)
LAST = {
    "beta": (0.1581077119629904e2, 0.1139920302151208e4, -0.2463176316945196e5),
    "theta": (-0.1575637105984298e2, -0.1424379294994111e4, 0.5185037701610329e5),
    "gamma": (0.4082224013073101e-1, 0.1103291221937134e2, 0.3241025686413781e6),
    "phi": (-0.5347301163226948, 0.1929337464421385e2, 0.5667493645176213e6),
    "delta": (0.5244099658805304, 0.5735699284790808, 0.1674362929479361e5),
    "omega": (0.5347301163226948, -0.1929337464421385e2, -0.5667493645176222e6),
    "epsilon": (0.1048080741042263e1, 0.3231791658026955, 0.9826520791458422e4),
}
FINAL = (
    *(0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2),
    *(0.3145271365475927e2, 0.2264249232082739e2, 0.1161740700019673e2),
)
"""Of Andrews' mechanism, by the test set for IVP solvers: accelerations and multipliers at the start, and positions,
velocities, accelerations and multipliers after 0.03 s."""


def as_published(robot: symdyn.Robot, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """Multipliers of gaps in the plane's axes, of equations with M a + G^T lambda on the left."""
    at = dict(zip(robot.coordinate_names, q, strict=True))
    angles = (at["gamma"], at["phi"] + at["delta"], at["omega"] + at["epsilon"])
    turned = []
    for angle, (x, y) in zip(angles, multipliers.reshape(3, 2), strict=True):
        turned += [-np.cos(angle) * x + np.sin(angle) * y, -np.sin(angle) * x - np.cos(angle) * y]
    return np.array(turned)


def test_andrews_mechanism_starts_as_published() -> None:
    robot = shipped("andrews_squeezer")
    q, tau = start("andrews_squeezer"), np.zeros(7)
    tau[robot.velocity_names.index("beta")] = MOTOR
    a, multipliers = found(robot, "constrained_forward_dynamics", q=q, v=np.zeros(7), tau=tau)
    wanted = np.array([INITIAL.get(name, 0.0) for name in robot.velocity_names])
    assert np.max(np.abs(a - wanted)) < 1e-12 * np.max(np.abs(wanted))
    assert as_published(robot, q, multipliers) == pytest.approx(FIRST, abs=1e-12 * FIRST[0])


@pytest.mark.slow
@pytest.mark.needs_cc
def test_andrews_mechanism_ends_as_published() -> None:
    """The published accelerations and multipliers are those of the published positions to 1e-7 and 1e-6 only."""
    robot = shipped("andrews_squeezer")
    module = symdyn.compile(robot, ["constrained_forward_dynamics", "constraint_error"])
    tau = np.zeros(7)
    tau[robot.velocity_names.index("beta")] = MOTOR

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[7:], module.constrained_forward_dynamics(y[:7], y[7:], tau)[0]])

    begin = np.concatenate([start("andrews_squeezer"), np.zeros(7)])
    y = solve_ivp(rate, (0.0, 0.03), begin, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    a, multipliers = module.constrained_forward_dynamics(y[:7], y[7:], tau)
    for found_rows, column, limit in ((y[:7], 0, 1e-9), (y[7:], 1, 1e-8), (a, 2, 2e-7)):
        wanted = np.array([LAST[name][column] for name in robot.velocity_names])
        assert np.max(np.abs(found_rows - wanted)) < limit * np.max(np.abs(wanted))
    assert as_published(robot, y[:7], multipliers) == pytest.approx(FINAL, rel=3e-6)
    assert np.max(np.abs(module.constraint_error(y[:7]))) < 1e-13


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(("name", "drift"), [("four_bar", 1e-8), ("bricard", 1e-6)])
def test_ten_seconds_keep_energy_and_loops(name: str, drift: float) -> None:
    """Let go at rest; ten times a second the state is projected."""
    robot = shipped(name)
    module = symdyn.compile(
        robot, ["constrained_forward_dynamics", "constraint_error", "kinetic_energy", "potential_energy"]
    )
    n, idle = robot.nv, np.zeros(robot.nv)

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], module.constrained_forward_dynamics(y[:n], y[n:], idle)[0]])

    q, v = robot.project(start(name), idle)
    first, totals, fastest = float(module.potential_energy(q)), [], 0.0
    for _ in range(100):
        y = solve_ivp(rate, (0.0, 0.1), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        assert np.max(np.abs(module.constraint_error(y[:n]))) < 1e-9
        q, v = robot.project(y[:n], y[n:])
        kinetic = float(module.kinetic_energy(q, v))
        fastest = max(fastest, kinetic)
        totals.append(kinetic + float(module.potential_energy(q)))
    assert fastest > 1.0, "it moves"
    assert np.max(np.abs(np.array(totals) - first)) < drift * fastest


def test_a_planar_robot_says_what_follows() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        symdyn.load_example("slider_crank")
    assert [own.category for own in told] == [SymdynWarning]
    assert "rows z, tilt_x, tilt_y follow from others in all positions" in str(told[0].message)
