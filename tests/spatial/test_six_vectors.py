"""Motions (v; omega), wrenches (f; n), transforms and inertia against dense 6 x 6 matrices."""

from __future__ import annotations

import numpy as np
import pytest

from symdyn.algebra.spatial.articulated import ArticulatedInertia, rigid
from symdyn.algebra.spatial.force import dual_bracket, wrench_at_offset, wrench_in_parent
from symdyn.algebra.spatial.inertia import Inertia, inertia_from
from symdyn.algebra.spatial.motion import adjoint, adjoint_matrix, bracket, motion_at_offset, motion_in_child
from symdyn.algebra.spatial.rotations import (
    AboutZ,
    General,
    Identity,
    Rotation,
    turn,
    turned_matrix,
    turned_symmetric,
)
from symdyn.algebra.spatial.symmetric import packed, unpacked
from symdyn.algebra.spatial.transform import Pose, Transform, turned_halves
from symdyn.algebra.spatial.vectors import skew

TILT = turn((0.6, 0.0, 0.8), 1.1)
TURNS: list[Rotation] = [
    Identity(),
    AboutZ(float(np.sin(0.7)), float(np.cos(0.7))),
    General(turn((0.0, 0.6, 0.8), 2.0)),
]
each_turn = pytest.mark.parametrize("joint", TURNS, ids=["unturned", "about z", "any"])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def dense(rotation: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Takes a motion of C in its own axes to P: [R, [p] R; 0, R]; its transpose takes wrenches back."""
    zero = np.zeros((3, 3))
    return np.block([[rotation, np.array(skew(origin)) @ rotation], [zero, rotation]])


def placed(joint: Rotation, rng: np.random.Generator) -> tuple[Transform, np.ndarray]:
    origin = rng.standard_normal(3)
    x_pc = Transform(TILT, joint, [float(x) for x in origin])
    return x_pc, dense(np.array(TILT) @ np.array(joint.matrix()), origin)


def body(rng: np.random.Generator) -> Inertia:
    return inertia_from([float(x) for x in rng.standard_normal(10)])


def matrix(inertia: Inertia) -> np.ndarray:
    """The 6 x 6 inertia of rows (f; n) and columns (v; omega)."""
    sigma, h = np.array(inertia.second_matrix()), np.array(skew(inertia.first))
    return np.block([[inertia.mass * np.eye(3), h.T], [h, np.trace(sigma) * np.eye(3) - sigma]])


@each_turn
def test_rotations_of_a_transform(joint: Rotation, rng: np.random.Generator) -> None:
    x_pc, into = placed(joint, rng)
    a, six = rng.standard_normal(3), rng.standard_normal(6)
    np.testing.assert_allclose(x_pc.rotation(), into[:3, :3], atol=1e-15)
    np.testing.assert_allclose(x_pc.rotate(a), into[:3, :3] @ a, atol=1e-15)
    np.testing.assert_allclose(x_pc.rotate_back(a), into[:3, :3].T @ a, atol=1e-15)
    np.testing.assert_allclose(turned_halves(TILT, six), np.kron(np.eye(2), TILT) @ six, atol=1e-15)


@each_turn
def test_motions_and_wrenches_cross_a_joint(joint: Rotation, rng: np.random.Generator) -> None:
    x_pc, to_parent = placed(joint, rng)
    six = rng.standard_normal(6)
    np.testing.assert_allclose(motion_in_child(x_pc, six), np.linalg.inv(to_parent) @ six, atol=1e-14)
    np.testing.assert_allclose(wrench_in_parent(x_pc, six), np.linalg.inv(to_parent).T @ six, atol=1e-14)


def test_motions_and_wrenches_at_an_offset(rng: np.random.Generator) -> None:
    six, offset = rng.standard_normal(6), rng.standard_normal(3)
    moved = np.linalg.inv(dense(np.eye(3), offset))
    np.testing.assert_allclose(motion_at_offset(six, offset), moved @ six, atol=1e-15)
    np.testing.assert_allclose(wrench_at_offset(six, offset), moved.T @ six, atol=1e-15)


def test_brackets_are_matrices_of_a_twist(rng: np.random.Generator) -> None:
    twist, six = rng.standard_normal((2, 6))
    v, omega = np.array(skew(twist[:3])), np.array(skew(twist[3:]))
    ad = np.block([[omega, v], [np.zeros((3, 3)), omega]])
    np.testing.assert_allclose(bracket(twist, six), ad @ six, atol=1e-15)
    np.testing.assert_allclose(dual_bracket(twist, six), -ad.T @ six, atol=1e-15)


def test_the_adjoint_takes_a_motion_to_another_frame(rng: np.random.Generator) -> None:
    position, six = rng.standard_normal(3), rng.standard_normal(6)
    pose = Pose(TILT, [float(x) for x in position])
    np.testing.assert_allclose(adjoint_matrix(pose), dense(np.array(TILT), position), atol=1e-15)
    np.testing.assert_allclose(adjoint(pose, six), dense(np.array(TILT), position) @ six, atol=1e-15)


def test_momentum_is_inertia_times_twist(rng: np.random.Generator) -> None:
    inertia, twist = body(rng), rng.standard_normal(6)
    assert inertia_from(inertia.scalars()) == inertia
    np.testing.assert_allclose(inertia.momentum(twist), matrix(inertia) @ twist, atol=1e-14)
    np.testing.assert_allclose(rigid(inertia).times(twist), matrix(inertia) @ twist, atol=1e-14)
    np.testing.assert_allclose(inertia.rotational_matrix(), matrix(inertia)[3:, 3:], atol=1e-15)


@each_turn
def test_inertia_seen_from_the_parent(joint: Rotation, rng: np.random.Generator) -> None:
    """I_P = X^-T I_C X^-1, so that energy is what it was."""
    x_pc, to_parent = placed(joint, rng)
    into, inertia = np.linalg.inv(to_parent), body(rng)
    expected = into.T @ matrix(inertia) @ into
    np.testing.assert_allclose(matrix(inertia.seen_from_parent(x_pc)), expected, atol=1e-13)
    full = rng.standard_normal((6, 6))
    articulated = ArticulatedInertia([float(x) for x in packed((full + full.T).tolist())])
    seen = unpacked(articulated.seen_from_parent(x_pc).entries, 6)
    np.testing.assert_allclose(seen, into.T @ (full + full.T) @ into, atol=1e-13)


@each_turn
def test_matrices_in_turned_axes(joint: Rotation, rng: np.random.Generator) -> None:
    full, rotation = rng.standard_normal((3, 3)), np.array(joint.matrix())
    np.testing.assert_allclose(turned_matrix(joint, full.tolist()), rotation @ full @ rotation.T, atol=1e-14)
    symmetric = (full + full.T).tolist()
    found = unpacked(turned_symmetric(joint, packed(symmetric)), 3)
    np.testing.assert_allclose(found, rotation @ np.array(symmetric) @ rotation.T, atol=1e-14)
