"""Inverse dynamics of real robots against Pinocchio, in every target, layout and format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symdyn

pytestmark = pytest.mark.peers
STATES = 100


@pytest.fixture(scope="module")
def expected(peer: Any) -> tuple[tuple[Any, Any, Any], Any]:
    """A hundred states, and Pinocchio's tau at each."""
    states = peer.states(STATES, seed=11)
    return states, np.array([peer.inverse_dynamics(*state) for state in zip(*states, strict=True)])


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize("target", ["c", "python"])
def test_tau(peer: Any, expected: Any, relative_error: Callable[..., float], target: str, layout: str) -> None:
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], target=target, layout=layout)
    states, tau = expected
    # 1e-12 leaves room for Pinocchio's own rounding, whose frames and inertias are sums of rounded products
    assert relative_error(module.inverse_dynamics(*states), tau) < 1e-12


@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize("target", ["c", "python"])
def test_tau_in_single_precision(
    peer: Any, expected: Any, relative_error: Callable[..., float], target: str, layout: str
) -> None:
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], target=target, layout=layout, dtype="float32")
    states, tau = expected
    found = module.inverse_dynamics(*(part.astype(np.float32) for part in states))
    assert found.dtype == np.float32
    assert relative_error(found.astype(float), tau) < 1e-5


def test_mimic_and_locked_joints_own_no_rows(peers: Callable[..., Any]) -> None:
    sizes = {name: (peers(name).robot.nv, peers(name).model.nv) for name in ("panda_mimic", "panda_locked", "baxter")}
    assert sizes == {"panda_mimic": (8, 9), "panda_locked": (7, 9), "baxter": (17, 19)}


@pytest.mark.parametrize("axes", ["body", "world"])
@pytest.mark.parametrize("name", ["solo12", "panda_mimic", "anymal"])
def test_external_wrenches(
    peers: Callable[..., Any], relative_error: Callable[..., float], name: str, axes: str
) -> None:
    peer = peers(name)
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], external_wrenches=axes)
    q, v, a = peer.states(20, seed=12)
    f_ext = np.random.default_rng(13).uniform(-5, 5, (20, len(peer.robot.body_names), 6))
    tau = []
    for state in zip(q, v, a, f_ext, strict=True):
        in_body = state[3]
        if axes == "world":
            turned = zip(peer.body_rotations(state[0]), in_body.reshape(-1, 2, 3), strict=True)
            in_body = np.array([(wrench @ rotation).ravel() for rotation, wrench in turned])
        tau.append(peer.inverse_dynamics(*state[:3], peer.wrenches(in_body)))
    found = module.inverse_dynamics(q, v, a, f_ext)
    assert relative_error(found, np.array(tau)) < 1e-12
    assert relative_error(found, symdyn.compile(peer.robot, ["inverse_dynamics"]).inverse_dynamics(q, v, a)) > 1e-2


@pytest.mark.parametrize("name", ["solo12", "talos_reduced"])
def test_spatial_base(peers: Callable[..., Any], relative_error: Callable[..., float], name: str) -> None:
    peer, spatial = peers(name), peers(name, convention="spatial")
    q, v, a = peer.states(20, seed=14)
    tau = np.array([peer.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
    twist, twist_rate, wrench = v.copy(), a.copy(), tau.copy()
    for row in range(len(q)):
        pose = pin.XYZQUATToSE3(q[row, :7])
        for result, source, kind in ((twist, v, pin.Motion), (twist_rate, a, pin.Motion), (wrench, tau, pin.Force)):
            moved = pose.act(kind(source[row, :6]))
            result[row, :6] = np.concatenate([moved.angular, moved.linear])
    module = symdyn.compile(spatial.robot, ["inverse_dynamics"])
    assert relative_error(module.inverse_dynamics(q, twist, twist_rate), wrench) < 1e-12


@pytest.mark.parametrize("name", ["allegro", "panda_mimic", "baxter"])
def test_losses(peers: Callable[..., Any], relative_error: Callable[..., float], name: str) -> None:
    peer, lossy = peers(name), peers(name, joint_losses=True)
    q, v, a = peer.states(20, seed=15)
    free, full = (
        symdyn.compile(robot, ["inverse_dynamics"]).inverse_dynamics(q, v, a) for robot in (peer.robot, lossy.robot)
    )
    joints = {joint.name: joint for joint in peer.robot.description.joints}
    losses = np.zeros_like(v)
    for index in range(1, peer.model.njoints):
        row = peer.model.joints[index].idx_v
        speed = v @ peer.expansion[row]
        loss = joints[peer.model.names[index]].losses
        push = float(str(loss.damping)) * speed + float(str(loss.friction)) * np.tanh(speed / loss.velocity_scale)
        losses += np.outer(push, peer.expansion[row])
    assert np.abs(losses).max() > 0.1
    assert np.abs(full - free - losses).max() < 1e-12 * np.abs(full).max()
