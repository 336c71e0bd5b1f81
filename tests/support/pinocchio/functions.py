"""What Pinocchio says of every function of the catalogue, at one state, in symdyn's rows.

Pinocchio's model is unreduced: with v_full = G v its forces and matrices are projected, M = G^T M_full G and so on.
Where joints mimic others or are locked, accelerations come from solving the projected equations of motion instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from support.pinocchio import kinematics
from support.pinocchio.twins import Array, Peer, State


def prescribed_rows(peer: Peer) -> list[int]:
    """The rows of v whose acceleration hybrid dynamics is given: every third."""
    return list(range(0, peer.robot.nv, 3))


def prescribed_names(peer: Peer) -> list[str]:
    """Names of the prescribed rows."""
    return [peer.robot.velocity_names[row] for row in prescribed_rows(peer)]


def draw_states(peer: Peer, count: int, seed: int, wrenches: bool = False) -> dict[str, Array]:
    """Random states, (count, ...) per name; tau are the forces that cause a."""
    q, v, a = peer.states(count, seed)
    rng = np.random.default_rng(seed + 1)
    f_ext = {"f_ext": rng.uniform(-5, 5, (count, len(peer.robot.body_names), 6))} if wrenches else {}
    at = {"q": q, "v": v, "a": a, **f_ext}
    tau = np.array([inverse_dynamics(peer, {name: rows[k] for name, rows in at.items()}) for k in range(count)])
    u = tau.copy()
    u[:, prescribed_rows(peer)] = a[:, prescribed_rows(peer)]
    return {**at, "tau": tau, "u": u}


def _symmetric(upper: Array) -> Array:
    """Pinocchio promises the upper triangle alone of some matrices."""
    return np.asarray(np.triu(upper) + np.triu(upper, 1).T)


def _projected(peer: Peer, matrix: Array) -> Array:
    return np.asarray(peer.expansion.T @ matrix @ peer.expansion)


def _one_to_one(peer: Peer) -> bool:
    """No joint mimics another or is locked: G permutes rows."""
    return bool(peer.expansion.shape[0] == peer.expansion.shape[1])


def inverse_dynamics(peer: Peer, at: State) -> Array:
    """Pinocchio's rnea."""
    return np.asarray(peer.expansion.T @ peer.call(pin.rnea, at, "v", "a", pushed=True))


def mass_matrix(peer: Peer, at: State) -> Array:
    """Pinocchio's crba."""
    return _projected(peer, _symmetric(peer.call(pin.crba, at)))


def mass_matrix_inverse(peer: Peer, at: State) -> Array:
    """Pinocchio's computeMinverse."""
    if _one_to_one(peer):
        return _projected(peer, _symmetric(peer.call(pin.computeMinverse, at)))
    return np.linalg.inv(mass_matrix(peer, at))


def forward_dynamics(peer: Peer, at: State) -> Array:
    """Pinocchio's aba."""
    if _one_to_one(peer):
        return np.asarray(peer.expansion.T @ peer.call(pin.aba, at, "v", "tau", pushed=True))
    unmoved = inverse_dynamics(peer, {**at, "a": np.zeros(peer.robot.nv)})
    return np.linalg.solve(mass_matrix(peer, at), at["tau"] - unmoved)


def hybrid_dynamics(peer: Peer, at: State) -> Array:
    """The equations of motion with the prescribed rows' accelerations on the right."""
    given = prescribed_rows(peer)
    free = [row for row in range(peer.robot.nv) if row not in given]
    a = np.zeros(peer.robot.nv)
    a[given] = at["u"][given]
    M, unmoved = mass_matrix(peer, at), inverse_dynamics(peer, {**at, "a": a})
    a[free] = np.linalg.solve(M[np.ix_(free, free)], at["u"][free] - unmoved[free])
    w = a.copy()
    w[given] = inverse_dynamics(peer, {**at, "a": a})[given]
    return w


def coriolis_matrix(peer: Peer, at: State) -> Array:
    """Pinocchio's computeCoriolisMatrix; G is constant, so no further term appears."""
    return _projected(peer, peer.call(pin.computeCoriolisMatrix, at, "v"))


def gravity(peer: Peer, at: State) -> Array:
    """Pinocchio's computeGeneralizedGravity."""
    return np.asarray(peer.expansion.T @ peer.call(pin.computeGeneralizedGravity, at))


def bias(peer: Peer, at: State) -> Array:
    """Pinocchio's nonLinearEffects."""
    return np.asarray(peer.expansion.T @ peer.call(pin.nonLinearEffects, at, "v"))


def kinetic_energy(peer: Peer, at: State) -> Array:
    """Pinocchio's computeKineticEnergy."""
    return np.asarray(peer.call(pin.computeKineticEnergy, at, "v"))


def potential_energy(peer: Peer, at: State) -> Array:
    """Pinocchio's computePotentialEnergy."""
    return np.asarray(peer.call(pin.computePotentialEnergy, at))


def joint_wrenches(peer: Peer, at: State) -> Array:
    """The forces f that rnea leaves behind, moved from Pinocchio's joint frames to the body frames."""
    model, data, *state = peer.full(at, "v", "a")
    pin.rnea(model, data, *state, *peer.external(at))
    places = (peer.bodies[body] for body in peer.robot.body_names)
    return np.array([placement.actInv(data.f[joint]).vector for joint, placement in places])


def inverse_dynamics_regressor(peer: Peer, at: State) -> Array:
    """Pinocchio's computeJointTorqueRegressor, its columns moved from the joint frames to the body frames."""
    full = peer.expansion.T @ peer.call(pin.computeJointTorqueRegressor, at, "v", "a")
    blocks = []
    for body in peer.robot.body_names:
        joint, placement = peer.bodies[body]
        blocks.append(full[:, 10 * (joint - 1) : 10 * joint] @ _moved_parameters(placement))
    return np.concatenate(blocks, axis=1)


def _moved_parameters(placement: Any) -> Array:
    """The linear map of the ten inertial parameters from a body's frame to the frame that it is placed in."""
    if placement.isIdentity():
        return np.eye(10)
    some = pin.Inertia(1.0, np.zeros(3), np.eye(3)).toDynamicParameters()

    def moved(parameters: Array) -> Array:
        return np.asarray(placement.act(pin.Inertia.FromDynamicParameters(parameters)).toDynamicParameters())

    return np.array([moved(some + unit) - moved(some) for unit in np.eye(10)]).T


def inverse_dynamics_partials(peer: Peer, at: State) -> tuple[Array, Array, Array]:
    """Pinocchio's computeRNEADerivatives."""
    by_q, by_v, by_a = peer.call(pin.computeRNEADerivatives, at, "v", "a", pushed=True)
    return _projected(peer, by_q), _projected(peer, by_v), _projected(peer, _symmetric(by_a))


def inverse_dynamics_rate_terms(peer: Peer, at: State) -> tuple[Array, Array, Array]:
    """Pinocchio's crba, computeRNEADerivatives without gravity, computeGeneralizedGravityDerivatives, along v and a."""
    weightless = peer.model.copy()
    weightless.gravity = pin.Motion.Zero()
    by_q, by_v, _ = inverse_dynamics_partials(replace(peer, model=weightless), at)
    weight = _projected(peer, peer.call(pin.computeGeneralizedGravityDerivatives, at))
    return mass_matrix(peer, at), by_q @ at["v"] + by_v @ at["a"], weight @ at["v"]


def forward_dynamics_partials(peer: Peer, at: State) -> tuple[Array, Array, Array]:
    """Pinocchio's computeABADerivatives."""
    if _one_to_one(peer):
        by_q, by_v, by_tau = peer.call(pin.computeABADerivatives, at, "v", "tau", pushed=True)
        return _projected(peer, by_q), _projected(peer, by_v), _projected(peer, _symmetric(by_tau))
    by_q, by_v, M = inverse_dynamics_partials(peer, {**at, "a": forward_dynamics(peer, at)})
    return -np.linalg.solve(M, by_q), -np.linalg.solve(M, by_v), np.linalg.inv(M)


def hybrid_dynamics_partials(peer: Peer, at: State) -> tuple[Array, Array, Array]:
    """Differentials of tau = ID(q, v, a), resolved for what is not given."""
    given, w = prescribed_rows(peer), hybrid_dynamics(peer, at)
    free = [row for row in range(peer.robot.nv) if row not in given]
    a = w.copy()
    a[given] = at["u"][given]
    by_q, by_v, M = inverse_dynamics_partials(peer, {**at, "a": a})
    found = []
    for right in (-by_q, -by_v, None):
        full = np.zeros_like(M)
        if right is None:
            right = np.zeros_like(M)
            right[free, free] = 1.0
            right[:, given] -= M[:, given]
        full[free] = np.linalg.solve(M[np.ix_(free, free)], right[free])
        full[given] = M[np.ix_(given, free)] @ full[free] - right[given]
        found.append(full)
    return found[0], found[1], found[2]


TRUTHS: dict[str, Callable[[Peer, State], Array | tuple[Array, ...]]] = {
    truth.__name__: truth
    for truth in (
        inverse_dynamics,
        forward_dynamics,
        hybrid_dynamics,
        mass_matrix,
        mass_matrix_inverse,
        coriolis_matrix,
        gravity,
        bias,
        kinetic_energy,
        potential_energy,
        joint_wrenches,
        inverse_dynamics_regressor,
        kinematics.center_of_mass,
        kinematics.center_of_mass_velocity,
        kinematics.centroidal_momentum,
        kinematics.centroidal_momentum_matrix,
        kinematics.forward_kinematics,
        kinematics.jacobians,
        kinematics.jacobians_time_derivative,
        kinematics.frame_velocity_partials,
        inverse_dynamics_partials,
        inverse_dynamics_rate_terms,
        forward_dynamics_partials,
        hybrid_dynamics_partials,
    )
}
"""By name of the function."""


def expected(peer: Peer, function: str, states: Mapping[str, Array]) -> tuple[Array, ...]:
    """Pinocchio's outputs of a function at many states, (count, ...) each."""
    count = len(states["q"])
    rows = [TRUTHS[function](peer, {name: values[k] for name, values in states.items()}) for k in range(count)]
    if isinstance(rows[0], tuple):
        return tuple(np.array(output) for output in zip(*rows, strict=True))
    return (np.array(rows),)
