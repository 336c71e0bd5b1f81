"""Task-space inertia, bias and control, and computed torque, of Pinocchio's matrices by dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from support.pinocchio.functions import TRUTHS, draw_states, inverse_dynamics
from support.pinocchio.twins import load_peer

import symdyn

pytestmark = pytest.mark.peers

STATES = 20
SOLVED = 1e-8
"""S = J M^-1 J^T is solved on top of M: an arm's has a condition of up to 1e5 where eps is a hundredth of it."""


@pytest.mark.parametrize("name", ["ur5", "panda_mimic", "talos_reduced"])
def test_laws_of_frames(name: str) -> None:
    peer = load_peer(name)
    frame = len(peer.robot.frame_names) - 1
    functions = ["task_inertia", "task_bias", "operational_space_control"]
    module = symdyn.compile(peer.robot, functions, frames=[peer.robot.frame_names[frame]])
    at, rng, nv = draw_states(peer, STATES, seed=8), np.random.default_rng(8), peer.robot.nv
    for k in range(STATES):
        state = {key: rows[k] for key, rows in at.items()}
        M, bias = TRUTHS["mass_matrix"](peer, state), TRUTHS["bias"](peer, state)
        J = np.asarray(TRUTHS["jacobians"](peer, state)).reshape(-1, 6, nv)[frame]
        rate = np.asarray(TRUTHS["jacobians_time_derivative"](peer, state)).reshape(-1, 6, nv)[frame] @ state["v"]
        eps, wanted, given = np.full((1, 6), 1e-2), rng.standard_normal((1, 6)), rng.standard_normal(nv)
        moved = J @ np.linalg.inv(M)
        L = np.linalg.inv(moved @ J.T + np.diag(eps[0]))
        mu = L @ (moved @ bias - rate)
        tau = J.T @ (L @ wanted[0] + mu) + given - J.T @ (L @ (moved @ given))
        assert_close(module.task_inertia(state["q"], eps), L)
        assert_close(module.task_bias(state["q"], state["v"], eps)[0], mu)
        assert_close(module.operational_space_control(state["q"], state["v"], wanted, given, eps), tau)


@pytest.mark.parametrize("name", ["panda_mimic", "solo12"])
def test_computed_torque(name: str) -> None:
    peer = load_peer(name)
    module = symdyn.compile(peer.robot, ["computed_torque"])
    at, rng, nv = draw_states(peer, STATES, seed=9), np.random.default_rng(9), peer.robot.nv
    for k in range(STATES):
        state = {key: rows[k] for key, rows in at.items()}
        off, v_d, a_d, K_p, K_d = rng.uniform(-1.0, 1.0, (5, nv))
        wanted = a_d + K_d * (v_d - state["v"]) + K_p * off
        q_d = peer.robot.integrate(state["q"], off)
        found = module.computed_torque(state["q"], state["v"], q_d, v_d, a_d, K_p, K_d)
        assert_close(found, inverse_dynamics(peer, {**state, "a": wanted}))


def assert_close(found: np.ndarray, truth: np.ndarray) -> None:
    assert found.shape == truth.shape
    assert np.abs(found - truth).max() <= SOLVED * np.abs(truth).max()
