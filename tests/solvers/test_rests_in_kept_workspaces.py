"""Rests of a mast with a linkage, and without, one after another in one workspace that holds NaN at first.

Forces are made from a chosen rest and chosen multipliers, tau = G(q) - A(q)^T lambda, so the answers are known.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.raw_calls import RawCalls
from support.robots.mast import built, built_with_a_prescribed_crank, mast

from symdyn.toolchain.solvers import SolveCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
Array = np.ndarray
RESTS = 100
LOOPED = pytest.mark.parametrize("looped", [False, True])


@cache
def calls(looped: bool) -> RawCalls:
    return RawCalls(mast(looped), built(looped))


def turned(q: Array, move: Array) -> Array:
    """The ball after a rotation vector in its own axes, and hinges that moved."""
    angle = np.linalg.norm(move[:3])
    u = np.array([*np.sinc(angle / (2.0 * np.pi)) / 2.0 * move[:3], np.cos(angle / 2.0)])
    vector = q[3] * u[:3] + u[3] * q[:3] + np.cross(q[:3], u[:3])
    return np.concatenate([vector, [q[3] * u[3] - q[:3] @ u[:3]], q[4:] + move[3:]])


def rest(looped: bool, rng: np.random.Generator) -> Array:
    """A turned mast; the linkage is closed from the crank's angle by two circles."""
    turn = rng.standard_normal(4)
    crank = rng.uniform(0.3, 0.8)
    q = np.array([*turn / np.linalg.norm(turn), crank])
    if not looped:
        return q
    x, y = 0.45 - 0.2 * np.cos(crank), 0.2 * np.sin(crank)  # from the crank's end to the rocker's foot, down
    far = np.hypot(x, y)
    way = np.arctan2(y, x) + np.arccos((0.25 + far**2 - 0.16) / far)  # turned about y the other way: up is negative
    coupler = -way
    end = np.array([0.2 * np.cos(crank), -0.2 * np.sin(crank)]) + 0.5 * np.array([np.cos(coupler), -np.sin(coupler)])
    rocker = np.arctan2(-end[1], end[0] - 0.45)
    return np.append(q, [coupler - crank, rocker])


def made_for(module: Any, q: Array, *pull: Array) -> Array:
    """tau = G(q) - A(q)^T lambda with springs, by functions that other tests hold to other libraries."""
    still = np.zeros(len(q) - 1)
    weight: Array = module.implicit_residual(q, still, still, still, *(np.zeros(2) for _ in pull))
    return weight - module.constraint_jacobian(q).T @ pull[0] if pull else weight


def down(q: Array) -> Array:
    """The direction of gravity in the mast's axes."""
    u, g = -q[:3], np.array([1.2, -0.7, -9.3])
    return g + 2.0 * np.cross(u, np.cross(u, g) + q[3] * g)


@LOOPED
def test_chosen_rests_are_found(looped: bool) -> None:
    """With the tether matrices are regular; the linkage without it may turn about the direction of gravity."""
    own, robot, module = calls(looped), mast(looped), built(looped)
    own.forget()
    rng = np.random.default_rng(8)
    others, tried = 0, []
    for _ in range(RESTS):
        q, pull = rest(looped, rng), [3.0 * rng.standard_normal(2)] if looped else []
        tau = made_for(module, q, *pull)
        start = turned(q, 0.02 * rng.standard_normal(robot.nv))
        code, (found, *multipliers), counts = own.solve(start, tau, outputs=[2] * looped)
        assert code is SolveCode.DONE
        assert 2 <= counts[0] <= 60 and 1 <= counts[1] <= counts[0]
        tried.append(counts)
        np.testing.assert_allclose(made_for(module, found, *multipliers), tau, rtol=0.0, atol=1e-11)
        assert np.linalg.norm(found[:4]) == pytest.approx(1.0, abs=1e-14)
        if np.abs(down(found) - down(q)).max() > 1e-6:
            others += 1
            continue
        np.testing.assert_allclose(found[4:], q[4:], rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(down(found), down(q), rtol=0.0, atol=1e-8)
        if looped:
            np.testing.assert_allclose(multipliers[0], pull[0], rtol=0.0, atol=1e-9)
        else:
            np.testing.assert_allclose(found[:4] * np.sign(found[:4] @ q[:4]), q[:4], rtol=0.0, atol=1e-10)
    assert others <= RESTS // 20, "where several rests are near, another may be found"
    iterations, jacobians, steps = np.mean(tried, axis=0)
    assert iterations < (5.0 if looped else 14.0), "factors of singular matrices are not kept, others are"
    assert jacobians < (5.0 if looped else 1.5) and 1.0 <= steps < 1.1


def test_prescribed_rows_stay() -> None:
    """The crank stays where it is, the force that holds it is found, and all other rows are rests."""
    robot, module = mast(True, True), built_with_a_prescribed_crank()
    own, rng = RawCalls(robot, module), np.random.default_rng(9)
    others, tried = 0, []
    for _ in range(RESTS):
        q, pull = rest(True, rng), 3.0 * rng.standard_normal(2)
        tau = made_for(module, q, pull)
        move = 0.02 * rng.standard_normal(6)
        move[3] = 0.0
        told = tau.copy()
        told[3] = 5.0 * rng.standard_normal()
        code, (found, forces, multipliers), counts = own.solve(turned(q, move), told, outputs=[6, 2])
        assert code is SolveCode.DONE
        assert found[4] == q[4]
        tried.append(counts)
        left = made_for(module, found, multipliers) - (told + np.eye(6)[3] * (forces - told))
        np.testing.assert_allclose(left, 0.0, rtol=0.0, atol=1e-11)
        if np.abs(np.abs(found[:4] @ q[:4]) - 1.0) > 1e-9:
            others += 1
            continue
        q[:4] *= np.sign(found[:4] @ q[:4])
        np.testing.assert_allclose(found, q, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(multipliers, pull, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(forces, np.eye(6)[3] * tau, rtol=0.0, atol=1e-8)
    assert others <= RESTS // 20
    iterations, jacobians, steps = np.mean(tried, axis=0)
    assert iterations < 13.0 and jacobians < 1.4 and 1.0 <= steps < 1.1


@LOOPED
def test_what_was_in_a_workspace_does_not_matter(looped: bool) -> None:
    """Bit by bit the same from NaN, after another search, and after searches that failed."""
    own, module = calls(looped), built(looped)
    own.forget()
    rng = np.random.default_rng(10)
    q, other = (rest(looped, rng) for _ in range(2))
    pull = [np.array([2.0, -1.0])] if looped else []
    tau, outputs = made_for(module, q, *pull), [2] * looped
    start = turned(q, np.full(len(q) - 1, 0.02))
    first = own.solve(start, tau, outputs=outputs)
    assert first[0] is SolveCode.DONE
    assert own.solve(other, made_for(module, other, *pull), outputs=outputs)[0] is SolveCode.DONE
    code, _, counts = own.solve(start, tau, outputs=outputs, most=1)
    assert (code, counts[0]) == (SolveCode.TOO_MANY_ITERATIONS, 1)
    assert own.solve(start, tau + np.inf, outputs=outputs)[0] is not SolveCode.DONE
    assert own.solve(start * np.nan, tau, outputs=outputs)[0] is SolveCode.NOT_FINITE
    assert own.solve(start, tau + 1e3, outputs=outputs)[0] is SolveCode.NO_REST
    again = own.solve(start, tau, outputs=outputs)
    assert again[0] is SolveCode.DONE and again[2] == first[2]
    for now, before in zip(again[1], first[1], strict=True):
        np.testing.assert_array_equal(now, before)
