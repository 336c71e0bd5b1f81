"""A Panda identified from noisy torques within its limits, and the same by Pinocchio's regressor and SciPy's QR."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray
from scipy.linalg import qr
from support.pinocchio.twins import Peer, load_peer

import symdyn

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
Array = NDArray[np.float64]
NOISE = np.array([0.3, 0.3, 0.3, 0.3, 0.1, 0.1, 0.1])
VISCOUS, COULOMB, ROTOR = 0.4, 0.6, 0.1
"""Of the arm as it is; its file has none of them."""
DURATION, SAMPLES = 10.0, 1200


@pytest.fixture(scope="module")
def panda() -> Peer:
    return load_peer("panda_locked")


@pytest.fixture(scope="module")
def motion(panda: Peer) -> Any:
    return symdyn.excitation(panda.robot, DURATION, harmonics=4, steps=6, acceleration=6.0)


@pytest.fixture(scope="module")
def measured(panda: Peer, motion: Any) -> tuple[Array, ...]:
    q, v, a = motion.at(np.linspace(0.0, DURATION, SAMPLES))
    noise = NOISE * np.random.default_rng(8).standard_normal(v.shape)
    return q, v, a, torques(panda, q, v, a) + noise


@pytest.fixture(scope="module")
def found(panda: Peer, measured: tuple[Array, ...]) -> Any:
    return symdyn.identify(panda.robot, *measured, consistent=True)


def torques(panda: Peer, q: Array, v: Array, a: Array) -> Array:
    module = symdyn.compile(panda.robot, ["inverse_dynamics"], lanes=False)
    return np.asarray(module.inverse_dynamics(q, v, a) + VISCOUS * v + COULOMB * np.tanh(v / 0.01) + ROTOR * a)


def fresh(panda: Peer) -> tuple[Array, Array, Array]:
    """States that no fit has seen."""
    rng = np.random.default_rng(9)
    q, v = (np.array(part) for part in zip(*(panda.robot.random_state(rng) for _ in range(100)), strict=True))
    return q, v, 3.0 * rng.standard_normal(v.shape)


def test_the_motion_is_within_the_limits_of_the_file(panda: Peer, motion: Any) -> None:
    q, v, a = motion.at(np.linspace(0.0, DURATION, 4000))
    limits = panda.robot.limits
    assert np.isfinite(limits.effort).all()
    assert np.all(q > limits.lower - 1e-6) and np.all(q < limits.upper + 1e-6)
    assert np.all(np.abs(v) < limits.velocity * (1 + 1e-3))
    module = symdyn.compile(panda.robot, ["inverse_dynamics"], lanes=False)
    assert np.all(np.abs(module.inverse_dynamics(q, v, a)) < limits.effort * (1 + 1e-3))


def test_base_parameters_are_within_their_deviations(panda: Peer, found: Any) -> None:
    """Of some 60 normal variables 0.3 % go beyond 3 standard deviations, and none beyond 4.5."""
    added = {"viscous": VISCOUS, "coulomb": COULOMB, "rotor": ROTOR}
    truth = found.expected.copy()
    for row, item in enumerate(found.base):
        truth[row] += sum(share * added.get(name.rpartition(".")[2], 0.0) for name, share in item.terms)
    off = np.abs(found.values - truth) / found.deviations
    assert np.all(off < 3.0)
    np.testing.assert_allclose(found.noise, NOISE, rtol=0.1)
    states = fresh(panda)
    errors = found.predict(*states) - torques(panda, *states)
    assert np.all(np.sqrt(np.mean(errors**2, axis=0)) < NOISE)


def test_bodies_can_be(panda: Peer, found: Any) -> None:
    for body in panda.robot.body_names:
        sizes = np.linalg.eigvalsh(found.pseudo_inertia(body))
        assert sizes[0] >= 0.0
    assert all(
        value > -1e-9
        for name, value in found.parameters.items()
        if name.rpartition(".")[2] in ("viscous", "coulomb", "rotor")
    )


def test_pinocchio_and_scipy_find_the_same(panda: Peer, measured: tuple[Array, ...]) -> None:
    """As many base parameters, 43 of bodies alone, and the same predictions; columns and factor are not ours."""
    ours = symdyn.identify(panda.robot, *measured, deviations=NOISE)
    q, v, a, tau = measured
    stacked = (peers_columns(panda, q, v, a) / NOISE[:, None]).reshape(q.size, -1)
    sizes = np.linalg.norm(stacked, axis=0)
    shown = np.flatnonzero(sizes > 1e-9 * sizes.max())  # the file's right angles are right to 1e-12
    _, triangle, order = qr(stacked[:, shown] / sizes[shown], mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.sum(diagonal > 1e-8 * diagonal[0]))
    assert rank == len(ours.base)
    assert len(symdyn.identify(panda.robot, *measured, joints=[], deviations=NOISE).base) == 43
    kept = shown[np.sort(order[:rank])]
    values, *_ = np.linalg.lstsq(stacked[:, kept], (tau / NOISE).ravel(), rcond=None)
    states = fresh(panda)
    predicted, target = peers_columns(panda, *states)[..., kept] @ values, ours.predict(*states)
    np.testing.assert_allclose(predicted, target, rtol=0, atol=1e-8 * np.abs(target).max())


def peers_columns(panda: Peer, q: Array, v: Array, a: Array) -> Array:
    """Pinocchio's regressor at the joints that move, and friction and rotors beside it (n, nv, ..)."""
    model, data, G = panda.model, panda.model.createData(), panda.expansion
    inertial = [
        G.T @ pin.computeJointTorqueRegressor(model, data, panda.spread(own), G @ rates, G @ changes)
        for own, rates, changes in zip(q, v, a, strict=True)
    ]
    joints = [part[..., None] * np.eye(v.shape[1]) for part in (v, np.tanh(v / 0.01), a)]
    return np.concatenate([np.array(inertial), *joints], axis=-1)
