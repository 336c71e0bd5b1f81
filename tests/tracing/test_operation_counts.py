"""Operation counts may fall, and not rise: of the shipped robots, and of chains whose count can be reckoned."""

from __future__ import annotations

import pytest
from support.robots.small import X, Y, Z, described, joint, loaded, massive, point_mass, single

from symdyn import api
from symdyn.description.robot import IDENTITY, JointKind, Link, Matrix3
from symdyn.robot.robot import Robot

TILTED: Matrix3 = ((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6))


def total(robot: Robot, layout: str) -> int:
    return api.cost(robot, ["inverse_dynamics"], layout=layout)["inverse_dynamics"]["total"]


@pytest.mark.parametrize(
    ("name", "unrolled", "rolled"),
    [
        ("pendulum", 4, 5),
        ("double_pendulum", 32, 34),
        ("canadarm_rigid", 54, 58),
        ("seven_dof_arm", 590, 614),
        ("aerial_manipulator", 465, 487),
    ],
)
def test_shipped_robots(name: str, unrolled: int, rolled: int) -> None:
    robot = api.load_example(name)
    assert total(robot, "unrolled") <= unrolled
    assert total(robot, "rolled") <= rolled


def test_the_tree_is_linear_in_its_bodies() -> None:
    counts = [total(api.load_example("aerial_tree", bodies_per_branch=n, branches=3), "rolled") for n in (6, 9, 12)]
    # The axes cycle with period three, so three more links per branch cost the same every time.
    assert counts[1] - counts[0] == counts[2] - counts[1]
    assert counts[2] - counts[1] <= 660


def test_a_pendulum_is_two_products_a_sine_and_a_sum() -> None:
    robot = loaded(single(JointKind.REVOLUTE, point_mass("body", 2.0, (0.0, 0.0, -0.5)), axis=Y))
    (found,) = api.cost(robot, ["inverse_dynamics"], layout="unrolled").values()
    assert found == {"fma": 1, "mul": 1, "sin": 1, "total": 4}  # one product is part of the sum


def test_a_slider_is_a_product_and_a_sum() -> None:
    robot = loaded(single(JointKind.PRISMATIC, axis=Z))
    (found,) = api.cost(robot, ["inverse_dynamics"], layout="unrolled").values()
    assert found["total"] <= 2


def test_a_wheel_about_the_vertical_feels_no_weight() -> None:
    robot = loaded(single(JointKind.REVOLUTE, axis=Z))
    (found,) = api.cost(robot, ["inverse_dynamics"], layout="unrolled").values()
    assert found["total"] <= 3 and "sin" not in found


def generic_chain(count: int, turned: Matrix3, axis: tuple[float, float, float] = Z) -> Robot:
    links, joints, parent = [Link("base")], [], "base"
    for index in range(count):
        links.append(massive(f"l{index}"))
        joints.append(joint(f"j{index:02}", JointKind.REVOLUTE, parent, f"l{index}", (0.13, 0.21, 0.37), axis, turned))
        parent = f"l{index}"
    return loaded(described(links, joints))


@pytest.mark.parametrize(("turned", "per_link"), [(TILTED, 187), (((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), Y), 122)])
def test_a_link_more_costs_a_constant(turned: Matrix3, per_link: int) -> None:
    counts = [total(generic_chain(count, turned), "unrolled") for count in (6, 8, 10)]
    # General inertia at a general place, no constant of which comes out as 1; perpendicular axes save the rotation.
    assert counts[2] - counts[1] == counts[1] - counts[0] <= 2 * per_link


def test_unrolled_is_never_dearer_than_rolled() -> None:
    for turned in (TILTED, IDENTITY):
        for axis in (X, Z):
            robot = generic_chain(5, turned, axis)
            assert total(robot, "unrolled") <= total(robot, "rolled")


def test_cost_counts_by_kind() -> None:
    (found,) = api.cost(api.load_example("seven_dof_arm"), ["inverse_dynamics"], layout="unrolled").values()
    kinds = {code: number for code, number in found.items() if code != "total"}
    assert list(kinds) == sorted(kinds)
    assert found["total"] == sum(kinds.values()) + kinds["sincos"] + kinds["fma"]  # these count two
    assert kinds["sincos"] == 6  # the first axis is vertical: its angle does not matter
