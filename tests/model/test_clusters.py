"""Clusters: bodies that share coordinates, and all bodies on the paths between them."""

from __future__ import annotations

import pytest
from support.robots.kinds import FIXED, PL, P, R, U
from support.robots.random_trees import make_robot
from support.robots.small import described, joint, loaded, massive

from symdyn.description.robot import Joint, JointKind, Link, Mimic
from symdyn.model.bodies import Cluster


def clusters(*edges: tuple[str, str, str | None]) -> tuple[Cluster, ...]:
    """Clusters of a tree whose joints are (parent, child, leader or None); a joint has its child's name."""
    joints: list[Joint] = []
    for parent, child, leader in edges:
        mimic = None if leader is None else Mimic(leader, 0.5)
        joints.append(joint(child, R, parent, child, mimic=mimic))
    links = [Link("base"), *(massive(child) for _, child, _ in edges)]
    return loaded(described(links, joints)).model.clusters


def test_without_mimic_each_body_is_a_cluster() -> None:
    found = clusters(("base", "a", None), ("a", "b", None), ("base", "c", None))
    assert found == (Cluster((0,), (0,)), Cluster((1,), (1,)), Cluster((2,), (2,)))


def test_a_leader_above_its_follower_takes_the_path_between() -> None:
    found = clusters(("base", "a", None), ("a", "b", None), ("b", "c", None), ("c", "d", "b"), ("d", "e", None))
    assert found == (Cluster((0,), (0,)), Cluster((1, 2, 3), (1, 2)), Cluster((4,), (3,)))


def test_a_follower_above_its_leader() -> None:
    found = clusters(("base", "a", "c"), ("a", "b", None), ("b", "c", None))
    assert found == (Cluster((0, 1, 2), (0, 1)),)


def test_siblings_share_without_their_common_parent() -> None:
    found = clusters(("base", "a", None), ("a", "b", None), ("a", "c", "b"), ("a", "d", None))
    assert found == (Cluster((0,), (0,)), Cluster((1, 2), (1,)), Cluster((3,), (2,)))


def test_cousins_take_both_paths_below_the_common_ancestor() -> None:
    # a - b - c and a - d - e, where e follows c.
    found = clusters(("base", "a", None), ("a", "b", None), ("b", "c", None), ("a", "d", None), ("d", "e", "c"))
    assert found == (Cluster((0,), (0,)), Cluster((1, 2, 3, 4), (1, 2, 3)))


def test_groups_that_meet_become_one() -> None:
    # c follows a, so a, b and c are one; d follows b, so d joins them.
    found = clusters(("base", "a", None), ("a", "b", None), ("b", "c", "a"), ("c", "d", "b"))
    assert found == (Cluster((0, 1, 2, 3), (0, 1)),)


def test_several_followers_of_one_leader() -> None:
    found = clusters(("base", "a", None), ("base", "b", "a"), ("base", "c", "a"), ("base", "d", None))
    assert found == (Cluster((0, 1, 2), (0,)), Cluster((3,), (1,)))


def test_a_follower_of_several_leaders_joins_all_ways_to_them() -> None:
    # a carries b and c - d; e on a follows b and d, and f by itself stays apart
    mimic = Mimic("b", 0.5, 0.0, (("d", 2.0),))
    pairs = (("base", "a"), ("a", "b"), ("a", "c"), ("c", "d"), ("a", "e"), ("e", "f"))
    joints = [joint(child, R, parent, child, mimic=mimic if child == "e" else None) for parent, child in pairs]
    links = [Link("base"), *(massive(child) for _, child in pairs)]
    robot = loaded(described(links, joints))
    assert robot.model.clusters == (Cluster((0,), (0,)), Cluster((1, 2, 3, 4), (1, 2, 3)), Cluster((5,), (4,)))
    follower = robot.model.bodies[4].joint
    assert (follower.leaders, list(follower.q_places), list(follower.v_places)) == (("b", "d"), [1, 3], [1, 3])


def test_a_ball_joint_brings_all_its_rows() -> None:
    # a - ball - b, where b follows a.
    joints = [
        joint("a", R, "base", "a"),
        joint("ball", JointKind.SPHERICAL, "a", "ball"),
        joint("b", R, "ball", "b", mimic=Mimic("a", 2.0)),
    ]
    robot = loaded(described([Link("base"), massive("a"), massive("ball"), massive("b")], joints))
    assert robot.model.clusters == (Cluster((0, 1, 2), (0, 1, 2, 3)),)


@pytest.mark.parametrize("seed", range(6))
def test_clusters_partition_bodies_and_rows(seed: int) -> None:
    kinds = [R, P, PL, U, FIXED, R] * 3
    parents = [max(0, index - 1 - (index * seed) % 3) for index in range(len(kinds))]
    model = loaded(make_robot(parents, kinds, seed, floating=seed % 2 == 0)).model
    members = [index for cluster in model.clusters for index in cluster.bodies]
    assert sorted(members) == list(range(len(model.bodies)))
    rows = [row for cluster in model.clusters for row in cluster.velocity_rows]
    assert sorted(rows) == list(range(model.nv))
    assert [cluster.bodies for cluster in model.clusters] == sorted(cluster.bodies for cluster in model.clusters)
