"""What Pinocchio says of frames, the centre of mass and momentum, at one state, in symdyn's rows."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from support.pinocchio.twins import Array, Peer, State


def center_of_mass(peer: Peer, at: State) -> Array:
    """Pinocchio's centerOfMass."""
    return np.array(peer.call(pin.centerOfMass, at))


def center_of_mass_velocity(peer: Peer, at: State) -> Array:
    """The velocity vcom that centerOfMass leaves behind."""
    model, data, *state = peer.full(at, "v")
    pin.centerOfMass(model, data, *state)
    return np.array(data.vcom[0])


def centroidal_momentum(peer: Peer, at: State) -> Array:
    """Pinocchio's computeCentroidalMomentum."""
    return np.array(pin.computeCentroidalMomentum(*peer.full(at, "v")).vector)


def centroidal_momentum_matrix(peer: Peer, at: State) -> Array:
    """Pinocchio's ccrba, whose v plays no part in its matrix."""
    return np.asarray(peer.call(pin.ccrba, at, "v") @ peer.expansion)


def _frames(peer: Peer) -> list[int]:
    return [peer.model.getFrameId(name, pin.FrameType.BODY) for name in peer.robot.frame_names]


def forward_kinematics(peer: Peer, at: State) -> Array:
    """Pinocchio's framesForwardKinematics."""
    model, data, q = peer.full(at)
    pin.framesForwardKinematics(model, data, q)
    return np.array([data.oMf[frame].homogeneous for frame in _frames(peer)])


def jacobians(peer: Peer, at: State) -> Array:
    """Pinocchio's frame Jacobians, LOCAL_WORLD_ALIGNED."""
    model, data, q = peer.full(at)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    found = [pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in _frames(peer)]
    return np.array(found) @ peer.expansion


def jacobians_time_derivative(peer: Peer, at: State) -> Array:
    """Pinocchio's getFrameJacobianTimeVariation, LOCAL_WORLD_ALIGNED."""
    model, data, q, v = peer.full(at, "v")
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    found = [pin.getFrameJacobianTimeVariation(model, data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in _frames(peer)]
    return np.array(found) @ peer.expansion


def frame_velocity_partials(peer: Peer, at: State) -> tuple[Array, Array]:
    """Pinocchio's getFrameVelocityDerivatives, LOCAL_WORLD_ALIGNED, which holds the point whose velocity is meant.

    What the point's motion adds is omega x J_v.
    """
    model, data, q, v = peer.full(at, "v")
    pin.computeForwardKinematicsDerivatives(model, data, q, v, np.zeros(model.nv))
    pin.updateFramePlacements(model, data)
    moved, plain = [], []
    for frame in _frames(peer):
        by_q, by_v = pin.getFrameVelocityDerivatives(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        omega = pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED).angular
        carried = np.cross(omega, by_v[:3], axisb=0, axisc=0)
        moved.append(by_q + np.vstack([carried, np.zeros_like(carried)]))
        plain.append(by_v)
    return np.array(moved) @ peer.expansion, np.array(plain) @ peer.expansion
