"""Every joint kind, in random trees built joint by joint in Pinocchio, against the recursions and the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from support.pinocchio.functions import TRUTHS, draw_states, expected, prescribed_names
from support.pinocchio.twins import recursion_outputs, relative_of_arrays
from support.robots.kinds import ONE_COORDINATE

import symdyn
from symdyn.description.robot import Inertial, Joint, JointKind, Link, Mimic, Placement, RobotDescription
from symdyn.verify.oracle.truth import inverse_dynamics

pytestmark = pytest.mark.peers

KINDS = [kind for kind in JointKind if kind is not JointKind.FIXED]


def turned(rng: np.random.Generator) -> Any:
    return tuple(map(tuple, pin.Quaternion(pin.SE3.Random().rotation).toRotationMatrix()))


def tree(seed: int, first: JointKind, floating: bool) -> RobotDescription:
    """Eight joints hung at random, the first of a given kind, with fixed links among them."""
    rng = np.random.default_rng(seed)
    pin.seed(seed)
    kinds = [first, *(KINDS[row] for row in rng.integers(len(KINDS), size=5)), JointKind.FIXED, JointKind.FIXED]

    def inertial() -> Inertial:
        spread = rng.uniform(0.1, 0.6, 3)
        moments = (spread[1] + spread[2], 0.0, 0.0, spread[0] + spread[2], 0.0, spread[0] + spread[1])
        return Inertial(rng.uniform(0.5, 4), moments, Placement(tuple(rng.normal(size=3)), turned(rng)))

    links, joints = [Link("base", inertial())], []
    for index, kind in enumerate(kinds):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        second = np.cross(axis, rng.normal(size=3))
        second /= np.linalg.norm(second)
        joints.append(
            Joint(
                f"joint{index}",
                kind,
                str(rng.choice([link.name for link in links[-3:]])),
                f"link{index}",
                Placement(tuple(rng.normal(size=3)), turned(rng)),
                tuple(axis),
                tuple(second),
                pitch=0.2,
            )
        )
        links.append(Link(f"link{index}", inertial()))
    return RobotDescription(f"tree{seed}", tuple(links), tuple(joints), floating_base=floating)


@pytest.mark.parametrize("floating", [False, True], ids=["ground", "free"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_trees(twin: Callable[..., Any], relative_error: Callable[..., float], kind: JointKind, floating: bool) -> None:
    description = tree(100 + KINDS.index(kind), kind, floating)
    peer = twin(description)
    states = peer.states(20, seed=2)
    expected = np.array([peer.inverse_dynamics(*state) for state in zip(*states, strict=True)])
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], target="python")
    assert relative_error(module.inverse_dynamics(*states), expected) < 1e-12
    truths = [inverse_dynamics(description, *state) for state in zip(*(part[:3] for part in states), strict=True)]
    assert relative_error(np.array(truths, dtype=float), expected[:3]) < 1e-12


def compare_every_function(peer: Any) -> None:
    states = draw_states(peer, 2, seed=4)
    for function in TRUTHS:
        prescribed = prescribed_names(peer) if function.startswith("hybrid") else None
        truths = expected(peer, function, states)
        found = recursion_outputs(peer.robot, function, states, truths, prescribed=prescribed)
        for output, truth in zip(found, truths, strict=True):
            # the condition number of M, some 1e4 in these trees, times rounding, where a function solves with M
            assert relative_of_arrays(output, truth) < 1e-11, function


@pytest.mark.parametrize("floating", [False, True], ids=["ground", "free"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.value)
def test_every_function_of_trees(twin: Callable[..., Any], kind: JointKind, floating: bool) -> None:
    compare_every_function(twin(tree(200 + KINDS.index(kind), kind, floating), split_universal=True))


@pytest.mark.parametrize("floating", [False, True], ids=["ground", "free"])
@pytest.mark.parametrize("seed", [301, 303, 309])
def test_every_function_of_trees_with_mimic_joints(twin: Callable[..., Any], seed: int, floating: bool) -> None:
    plain = tree(seed, JointKind.REVOLUTE, floating)
    turning = [joint.name for joint in plain.joints if joint.kind in ONE_COORDINATE]
    assert len(turning) >= 3
    first, *middle, last = turning
    follows = {last: Mimic(first, -1.7, 0.3), middle[0]: Mimic(last, 0.6, -0.2)}
    joints = tuple(replace(joint, mimic=follows.get(joint.name)) for joint in plain.joints)
    peer = twin(replace(plain, joints=joints), split_universal=True)
    assert peer.robot.nv == peer.model.nv - 2
    compare_every_function(peer)


def test_a_plane_that_faces_down(twin: Callable[..., Any], relative_error: Callable[..., float]) -> None:
    joint = Joint("flat", JointKind.PLANAR, "base", "puck", axis=(0.0, 0.0, -1.0))
    puck = Link("puck", Inertial(2.0, (0.1, 0, 0, 0.2, 0, 0.3), Placement((0.1, 0.2, 0.3))))
    peer = twin(RobotDescription("puck", (Link("base"), puck), (joint,)))
    states = peer.states(5)
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], target="python")
    expected = np.array([peer.inverse_dynamics(*state) for state in zip(*states, strict=True)])
    assert relative_error(module.inverse_dynamics(*states), expected) < 1e-12


def test_many_turns_are_one_angle(peers: Callable[..., Any], relative_error: Callable[..., float]) -> None:
    peer = peers("ur5")
    q, v, a = peer.states(5)
    module = symdyn.compile(peer.robot, ["inverse_dynamics"], target="python")
    further = module.inverse_dynamics(q + 20 * math.pi, v, a)
    assert relative_error(further, module.inverse_dynamics(q, v, a)) < 1e-12
