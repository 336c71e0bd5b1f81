"""Costs of poses beside Pinocchio's log6 and Jlog6, with the dense products of Gauss and Newton."""

from __future__ import annotations

import numpy as np
import pytest
from support.pinocchio.functions import TRUTHS, draw_states
from support.pinocchio.twins import load_peer

import symdyn

pytestmark = pytest.mark.peers

STATES = 20
ROUNDING = 1e-11
"""A pose and its logarithm keep some fourteen digits, and slopes of the logarithm lose up to three near half a turn."""


@pytest.mark.parametrize("name", ["ur5", "panda_mimic", "talos_reduced"])
def test_poses_are_pinocchios(name: str) -> None:
    import pinocchio as pin

    peer = load_peer(name)
    frame, weights = len(peer.robot.frame_names) - 1, np.array([1.0, 2.0, 0.5, 0.25, 3.0, 1.5])
    cost = symdyn.FramePose(peer.robot.frame_names[frame], weights=list(weights), weight=0.0, end=3.0)
    module = symdyn.compile(peer.robot, ["end_cost_derivatives"], problem=symdyn.OptimalControlProblem([cost]))
    at, rng, nv = draw_states(peer, STATES, seed=12), np.random.default_rng(12), peer.robot.nv
    for k in range(STATES):
        state = {key: rows[k] for key, rows in at.items()}
        X = np.asarray(TRUTHS["forward_kinematics"](peer, state)).reshape(-1, 4, 4)[frame]
        J = np.asarray(TRUTHS["jacobians"](peer, state)).reshape(-1, 6, nv)[frame]
        target = pin.SE3(pin.exp3(rng.uniform(-1.0, 1.0, 3)), rng.uniform(-1.0, 1.0, 3))
        off = target.actInv(pin.SE3(X[:3, :3], X[:3, 3]))
        e = pin.log6(off).vector
        moved = pin.Jlog6(off) @ np.kron(np.eye(2), X[:3, :3].T) @ J
        given = np.concatenate([target.translation, pin.Quaternion(target.rotation).coeffs()])
        found = module.end_cost_derivatives(state["q"], state["v"], given)
        wanted = (1.5 * e @ (weights * e), 3.0 * moved.T @ (weights * e), 0, 3.0 * moved.T @ (weights[:, None] * moved))
        for own, truth in zip(found, wanted, strict=False):
            if np.ndim(truth) or truth:
                assert np.abs(own - truth).max() <= ROUNDING * np.abs(truth).max()
