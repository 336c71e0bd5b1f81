"""How exact time derivatives are, order by order, on the flying robots: against momenta as series with fifty digits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from mpmath import mp
from support.oracles.taylor_momenta import generalised_forces

import symdyn
from symdyn import api
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import error_in_u, output_blocks, unit_blocks
from symdyn.verify.harness.states import nearly_unit
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

INVERSE, FORWARD = "inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"
DIGITS, LIMIT = 50, 200.0


@cache
def flying(convention: str, branches: int, bodies: int) -> Robot:
    """A free base at ``branches`` chains of ``bodies``; 2 and 3 make the aerial manipulator."""
    return symdyn.load_example("aerial_tree", branches=branches, bodies_per_branch=bodies, convention=convention)


def drawn(robot: Robot, order: int, seed: int) -> tuple[list[float], list[list[float]]]:
    """q, with a quaternion whose norm is 1 far below rounding, and v, v', .. v^(r+1)."""
    rng = np.random.default_rng(seed)
    q = [float(value) for value in robot.random_state(rng)[0]]
    q[3:7] = nearly_unit(q[3:7])
    return q, rng.standard_normal((order + 2, robot.nv)).tolist()


def errors(robot: Robot, found: Sequence[Sequence[float]], exact: Sequence[Sequence[object]]) -> list[float]:
    """In units of u per order: normwise over the rows of the base's force, its moment and the joints."""
    blocks = unit_blocks(["N" if unit == "m/s" else "N m" for unit in robot.velocity_units])
    with mp.workdps(DIGITS):
        return [error_in_u(own, truth, blocks) for own, truth in zip(found, exact, strict=True)]


def forces(robot: Robot, q: list[float], V: list[list[float]]) -> np.ndarray:
    """tau and its derivatives by the recursion, (r + 1, nv)."""
    order = len(V) - 2
    found = api.float_recursion(robot, INVERSE, order=order)({"q": q, "V": [x for row in V for x in row]})["tau"]
    return np.reshape(np.array(found), (order + 1, robot.nv))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_inverse_dynamics_of_seven_bodies(convention: str, seed: int) -> None:
    robot = flying(convention, 2, 3)
    q, V = drawn(robot, 8, seed)
    with mp.workdps(DIGITS):
        exact = generalised_forces(robot, q, V)
    found = errors(robot, forces(robot, q, V).tolist(), exact)
    assert max(found) <= LIMIT, found


def accelerations(robot: Robot, q: list[float], v: list[float], T: np.ndarray) -> np.ndarray:
    """a and its derivatives by the recursion, (r + 1, nv)."""
    inputs = {"q": q, "v": v, "T": T.ravel().tolist()}
    found = api.float_recursion(robot, FORWARD, order=len(T) - 1)(inputs)["A"]
    return np.reshape(np.array(found), T.shape)


def relative(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Largest error of each order, relative to its largest row."""
    return np.asarray(np.abs(found - expected).max(axis=1) / np.abs(expected).max(axis=1))


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_forces_of_a_motion_are_met(convention: str) -> None:
    """However ill-conditioned the accelerations of high order are, the forces that they take are those given."""
    robot, order = flying(convention, 2, 3), 8
    q, V = drawn(robot, order, 0)
    T = forces(robot, q, V)
    A = accelerations(robot, q, V[0], T)
    assert relative(forces(robot, q, [V[0], *A.tolist()]), T).max() <= 1e-12


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_any_forces_are_met(convention: str) -> None:
    """Forces of 1 N m, derivatives alike, make light links turn ever faster: a^(8) is 1e15, and b_8 nearly cancels M a.

    Residuals are therefore measured against the terms of M a^(k) = tau^(k) - b_k.
    """
    robot, order = flying(convention, 2, 3), 8
    q, V = drawn(robot, order, 1)
    T = np.array(V[1:])
    A = accelerations(robot, q, V[0], T).tolist()
    left = np.abs(forces(robot, q, [V[0], *A]) - T).max(axis=1)
    still = [0.0] * robot.nv
    for k in range(order + 1):
        bias = forces(robot, q, [V[0], *A[:k], still])[k]
        assert left[k] <= 1e-12 * max(np.abs(T[k]).max(), np.abs(bias).max()), k


@pytest.mark.parametrize("seed", [0, 1])
def test_accelerations_come_back_from_their_forces(seed: int) -> None:
    """Rounding the forces alone moves a^(5) by up to 5e-11 here, as fifty digits show."""
    robot = flying("pinocchio", 2, 3)
    q, V = drawn(robot, 5, seed)
    found = relative(accelerations(robot, q, V[0], forces(robot, q, V)), np.array(V[1:]))
    assert found.max() <= 1e-9, found


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_forward_dynamics_against_fifty_digits(convention: str) -> None:
    robot, order = flying(convention, 2, 3), 5
    q, V = drawn(robot, order, 0)
    T = forces(robot, q, V)
    ((entry, request),) = requests(robot.model, [FORWARD], order=order)
    signature = entry.signature(robot.model, request)
    inputs = {"q": q, "v": V[0], "T": T.ravel().tolist()}
    exact = find_truth(FORWARD)(make_setting(robot.description, signature, robot.load_options()), inputs)
    found = accelerations(robot, q, V[0], T).ravel().tolist()
    assert error_in_u(found, exact.values, output_blocks(signature.outputs), scales=exact.scales) <= LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_inverse_dynamics_of_a_hundred_bodies(convention: str) -> None:
    robot = flying(convention, 5, 20)
    q, V = drawn(robot, 5, 0)
    with mp.workdps(DIGITS):
        exact = generalised_forces(robot, q, V)
    found = errors(robot, forces(robot, q, V).tolist(), exact)
    assert max(found) <= LIMIT, found


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_forces_of_a_hundred_bodies_are_met(convention: str) -> None:
    """Their accelerations of eighth order are lost in double precision, and still they take the forces given."""
    robot, order = flying(convention, 5, 20), 8
    q, V = drawn(robot, order, 0)
    T = forces(robot, q, V)
    A = accelerations(robot, q, V[0], T)
    assert relative(A, np.array(V[1:]))[0] <= 1e-11
    assert relative(forces(robot, q, [V[0], *A.tolist()]), T).max() <= 1e-12
