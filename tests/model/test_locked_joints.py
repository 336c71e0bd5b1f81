"""A locked robot equals the unlocked one with that coordinate held; and what cannot be locked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.robots.random_trees import make_robot
from support.robots.small import Y, described, joint, loaded, massive, single, torque

from symdyn.description.quantities.expression import Expression
from symdyn.description.robot import JointKind, Link, Mimic, Parameter
from symdyn.errors import ModelError
from symdyn.model.lock import lock_joints

MOVING = [kind for kind in JointKind if kind is not JointKind.FIXED]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", MOVING)
def test_tau_of_the_rest_is_that_of_the_held_robot(kind: JointKind, seed: int) -> None:
    kinds = [JointKind.SPHERICAL, kind, JointKind.REVOLUTE, JointKind.PLANAR]
    description = make_robot([0, 1, 2, 2], kinds, seed, mimics=False, drives=False)
    name = description.joints[1].name
    whole = loaded(description)
    rng = np.random.default_rng(seed)
    q, v = whole.random_state(rng)
    a = rng.standard_normal(whole.nv)

    def owned(row: str) -> bool:
        return row == name or row.startswith(f"{name}.")

    rows = [index for index, row in enumerate(whole.coordinate_names) if owned(row)]
    rates = [index for index, row in enumerate(whole.velocity_names) if owned(row)]
    value = [float(x) for x in q[rows]]
    locked = loaded(description, locked_joints={name: value[0] if len(value) == 1 else value})
    v[rates], a[rates] = 0.0, 0.0
    rest = np.delete(np.array(torque(whole, q, v, a)), rates)
    assert locked.coordinate_names == tuple(np.delete(np.array(whole.coordinate_names), rows))
    assert len(locked.body_names) == len(whole.body_names) - 1
    assert locked.frame_names == whole.frame_names
    reached = torque(locked, np.delete(q, rows), np.delete(v, rates), np.delete(a, rates))
    assert reached == pytest.approx(list(rest), rel=1e-12, abs=1e-12)


def mimicking() -> Any:
    joints = [
        joint("lead", JointKind.PRISMATIC, "base", "a", axis=(1.0, 0.0, 0.0)),
        joint("follow", JointKind.REVOLUTE, "a", "b", axis=Y, mimic=Mimic("lead", -2.0, 0.25)),
        joint("free", JointKind.REVOLUTE, "b", "c"),
    ]
    return described([Link("base"), massive("a"), massive("b"), massive("c")], joints)


def test_a_follower_is_locked_where_its_leader_puts_it() -> None:
    whole, locked = loaded(mimicking()), loaded(mimicking(), locked_joints={"lead": 0.4})
    assert locked.coordinate_names == ("free",) and locked.body_names == ("c",)
    expected = torque(whole, [0.4, 0.7], [0.0, 1.5], [0.0, -2.0])[1]
    assert torque(locked, [0.7], [1.5], [-2.0]) == pytest.approx([expected], rel=1e-13)


def test_locking_at_zero_keeps_structural_zeros() -> None:
    locked = loaded(mimicking(), locked_joints={"lead": -0.125})  # the follower stands at 0.5
    (body,) = locked.model.bodies
    assert [row[1] for row in body.rotation] == [0.0, 1.0, 0.0]


def test_a_follower_of_a_locked_and_a_free_leader_goes_on() -> None:
    whole = mimicking()
    joints = list(whole.joints)
    joints[1] = replace(joints[1], mimic=Mimic("lead", -2.0, 0.25, (("free", 0.5),)))
    whole = replace(whole, joints=tuple(joints))
    full, locked = loaded(whole), loaded(whole, locked_joints={"lead": 0.4})
    assert locked.coordinate_names == ("free",) and locked.body_names == ("b", "c")
    expected = torque(full, [0.4, 0.7], [0.0, 1.5], [0.0, -2.0])[1]
    assert torque(locked, [0.7], [1.5], [-2.0]) == pytest.approx([expected], rel=1e-13)
    held = loaded(whole, locked_joints={"lead": 0.4, "free": 0.0}, floating_base=True)
    assert held.body_names == ("base",)
    with pytest.raises(ModelError, match="locked joint 'follow' follows 'lead' and 'free'; lock 'lead' and 'free'"):
        loaded(whole, locked_joints={"follow": 0.1})


@pytest.mark.parametrize(
    ("locked", "message"),
    [
        ({"elbow": 0.1}, r"locked joint 'elbow' is not a joint of robot 'bench'; its joints are lead, follow, free"),
        ({"follow": 0.1}, r"locked joint 'follow' follows 'lead'; lock 'lead' instead"),
        ({"free": [0.1, 0.2]}, r"locked joint 'free': expected 1 finite number\(s\), got \(0.1, 0.2\)"),
        ({"free": math.nan}, r"locked joint 'free': expected 1 finite number\(s\), got nan"),
        ({"free": "up"}, r"locked joint 'free': expected a number, or one per coordinate, got 'up'"),
        ({"free": None}, r"locked joint 'free': expected a number, or one per coordinate, got None"),
        ({"free": []}, r"locked joint 'free': expected a number, or one per coordinate, got \[\]"),
    ],
)
def test_locks_that_do_not_fit(locked: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        loaded(mimicking(), locked_joints=locked)


def test_a_fixed_joint_is_not_locked() -> None:
    joints = [joint("w", JointKind.FIXED, "base", "a"), joint("j", JointKind.REVOLUTE, "a", "b")]
    with pytest.raises(ModelError, match="locked joint 'w' is fixed already; leave it out of locked_joints"):
        loaded(described([Link("base"), massive("a"), massive("b")], joints), locked_joints={"w": 0.0})


@pytest.mark.parametrize(
    ("kind", "value"), [(JointKind.SPHERICAL, [0.0, 0.0, 0.0, 1.1]), (JointKind.FLOATING, [0.0] * 6 + [0.0])]
)
def test_a_quaternion_is_unit(kind: JointKind, value: Sequence[float]) -> None:
    with pytest.raises(ModelError, match=r"locked joint 'j': quaternion \(x, y, z, w\) has norm .*, expected 1"):
        loaded(single(kind), locked_joints={"j": value})


@pytest.mark.parametrize("value", ["up", None, [None]])
def test_locks_are_checked_again_where_the_tree_is_built(value: Any) -> None:
    with pytest.raises(ModelError, match=r"locked joint 'j': expected 1 number\(s\), got"):
        lock_joints(single(JointKind.REVOLUTE), {"j": value})


def test_locking_everything_leaves_no_robot() -> None:
    with pytest.raises(ModelError, match="has no moving joint"):
        loaded(single(JointKind.REVOLUTE), locked_joints={"j": 0.0})


def test_a_slide_along_a_runtime_translation_is_refused() -> None:
    joints = [
        joint("slide", JointKind.PRISMATIC, "base", "a", axis=(1.0, 0.0, 0.0)),
        joint("j", JointKind.REVOLUTE, "a", "b"),
    ]
    description = described([Link("base"), massive("a"), massive("b")], joints)
    with pytest.raises(ModelError, match="locked joint 'slide' slides along x, where its translation is an expression"):
        loaded(description, locked_joints={"slide": 0.3}, runtime=["slide.translation.x"])
    across = loaded(description, locked_joints={"slide": 0.3}, runtime=["slide.translation.y"])
    held = torque(loaded(description), [0.3, 0.5], [0.0, 1.0], [0.0, 2.0])[1]
    assert torque(across, [0.5], [1.0], [2.0], p=[0.0]) == pytest.approx([held])


def test_a_slide_along_an_expression_is_refused_unless_it_is_at_zero() -> None:
    at = (Expression("2*reach"), 0.0, 0.0)
    joints = [
        joint("slide", JointKind.PRISMATIC, "base", "a", at, (1.0, 0.0, 0.0)),
        joint("j", JointKind.REVOLUTE, "a", "b"),
    ]
    description = described([Link("base"), massive("a"), massive("b")], joints, parameters=(Parameter("reach", 0.5),))
    with pytest.raises(ModelError, match="lock it at 0, or give that translation as a number"):
        loaded(description, locked_joints={"slide": 0.3})
    locked = loaded(description, locked_joints={"slide": 0.0})
    assert locked.model.frames[1].way[0][0].translation[0] == Expression("2*reach")
