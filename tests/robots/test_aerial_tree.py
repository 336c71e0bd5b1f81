"""The benchmark tree: counts, geometry, and the order of its names."""

from __future__ import annotations

import math

import pytest

from symdyn.description.robot import RobotDescription
from symdyn.errors import RequestError
from symdyn.robot.shipped.aerial_tree import aerial_tree


def mass_of(robot: RobotDescription) -> float:
    """Sum of all links' masses [kg]."""
    return sum(float(link.inertial.mass) for link in robot.links if link.inertial is not None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("bodies", "branches"), [(1, 1), (3, 2), (20, 5), (4, 12)])
def test_size_and_mass(bodies: int, branches: int) -> None:
    robot = aerial_tree(bodies, branches)
    assert len(robot.links) == 1 + bodies * branches
    assert len(robot.joints) == bodies * branches
    assert robot.floating_base
    assert mass_of(robot) == pytest.approx(2.5 + 0.25 * bodies * branches)


def test_joints_sort_branch_by_branch_and_outwards() -> None:
    robot = aerial_tree(12, 11)
    names = [joint.name for joint in robot.joints]
    assert names == sorted(names, key=str.encode)
    for before, joint in zip(robot.joints, robot.joints[1:], strict=False):
        assert joint.parent in ("base", before.child)


def test_axes_cycle_y_x_z() -> None:
    axes = [joint.axis for joint in aerial_tree(7, 1).joints]
    y, x, z = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    assert axes == [y, x, z, y, x, z, y]


@pytest.mark.parametrize("branches", [1, 2, 3, 4, 5, 8])
def test_branches_leave_on_a_circle_below_the_base(branches: int) -> None:
    places = [joint.placement.translation for joint in aerial_tree(1, branches).joints]
    for k, (x, y, z) in enumerate(places):
        assert math.hypot(float(x), float(y)) == pytest.approx(0.09)
        assert math.atan2(float(y), float(x)) % (2 * math.pi) == pytest.approx(2 * math.pi * k / branches)
        assert z == -0.10
    exact = [value for x, y, _ in places for value in (x, y) if abs(float(value)) < 1e-12]
    assert all(value == 0.0 for value in exact)


def test_links_hang_from_their_joints() -> None:
    robot = aerial_tree(3, 2)
    assert [joint.placement.translation for joint in robot.joints[1:3]] == [(0.0, 0.0, -0.12)] * 2
    for link in robot.links[1:]:
        assert link.inertial is not None
        assert link.inertial.placement.translation == (0.0, 0.0, -0.06)


@pytest.mark.parametrize(("bodies", "branches", "name"), [(0, 5, "bodies_per_branch"), (3, 0, "branches")])
def test_a_tree_needs_bodies(bodies: int, branches: int, name: str) -> None:
    with pytest.raises(RequestError, match=f"{name} is a whole number from 1, got 0"):
        aerial_tree(bodies, branches)
