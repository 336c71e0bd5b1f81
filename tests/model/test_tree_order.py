"""From a description to bodies, frames and rows: order, names, units, lumping, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.kinds import R
from support.robots.small import QUARTER_ABOUT_Z, X, Y, described, joint, loaded, massive, point_mass, single

from symdyn.algebra.spatial.rotations import turn
from symdyn.description.robot import Frame, JointKind, Link, Matrix3, Mimic, Placement
from symdyn.errors import ModelError
from symdyn.model.bind import FIRST_MOMENT, SECOND_MOMENT, baked_body
from symdyn.model.build import build_model
from symdyn.model.joints import FREE, FREE_SPATIAL
from symdyn.model.load_options import LoadOptions

QUATERNION = ["qx", "qy", "qz", "qw"]
LINEAR, ANGULAR = ["vx", "vy", "vz"], ["wx", "wy", "wz"]


def test_siblings_come_in_byte_order_also_through_fixed_joints() -> None:
    # Upper case sorts before lower case, and é after both; a fixed joint's own name counts where it branches.
    names = ["zeta", "Beta", "alpha", "éta"]
    joints = [joint("m_weld", JointKind.FIXED, "base", "mount")]
    joints += [joint(name, JointKind.REVOLUTE, "base", f"link_{name}") for name in names]
    joints += [joint("b2", JointKind.REVOLUTE, "mount", "d"), joint("a2", JointKind.REVOLUTE, "mount", "e")]
    joints.append(joint("deep", JointKind.REVOLUTE, "link_alpha", "link_deep"))
    links = [Link("base"), Link("mount")] + [massive(item.child) for item in joints[1:]]
    robot = loaded(described(links, joints))
    assert robot.coordinate_names == ("Beta", "alpha", "deep", "a2", "b2", "zeta", "éta")
    assert robot.body_names == ("link_Beta", "link_alpha", "link_deep", "e", "d", "link_zeta", "link_éta")
    assert robot.model.parent == (-1, -1, 1, -1, -1, -1, -1)


@pytest.mark.parametrize(
    ("kind", "q", "q_units", "v", "v_units"),
    [
        (JointKind.REVOLUTE, [""], ["rad"], [""], ["rad/s"]),
        (JointKind.CONTINUOUS, [""], ["rad"], [""], ["rad/s"]),
        (JointKind.PRISMATIC, [""], ["m"], [""], ["m/s"]),
        (JointKind.HELICAL, [""], ["rad"], [""], ["rad/s"]),
        (JointKind.UNIVERSAL, ["1", "2"], ["rad"] * 2, ["1", "2"], ["rad/s"] * 2),
        (JointKind.SPHERICAL, QUATERNION, ["1"] * 4, ANGULAR, ["rad/s"] * 3),
        (JointKind.PLANAR, ["x", "y", "theta"], ["m", "m", "rad"], ["vx", "vy", "omega"], ["m/s", "m/s", "rad/s"]),
        (
            JointKind.FLOATING,
            ["x", "y", "z", *QUATERNION],
            ["m"] * 3 + ["1"] * 4,
            LINEAR + ANGULAR,
            ["m/s"] * 3 + ["rad/s"] * 3,
        ),
    ],
)
def test_rows_of_each_joint_kind(
    kind: JointKind, q: list[str], q_units: list[str], v: list[str], v_units: list[str]
) -> None:
    robot = loaded(single(kind))
    assert robot.coordinate_names == tuple(f"j.{row}" if row else "j" for row in q)
    assert robot.velocity_names == tuple(f"j.{row}" if row else "j" for row in v)
    assert (robot.coordinate_units, robot.velocity_units) == (tuple(q_units), tuple(v_units))
    assert (robot.nq, robot.nv) == (len(q), len(v))
    assert robot.body_names == ("body",)


@pytest.mark.parametrize(("convention", "rows"), [("pinocchio", LINEAR + ANGULAR), ("spatial", ANGULAR + LINEAR)])
def test_the_free_base_is_the_joint_root(convention: str, rows: list[str]) -> None:
    robot = loaded(single(R), floating_base=True, convention=convention)
    assert robot.velocity_names == (*(f"root.{row}" for row in rows), "j")
    assert robot.coordinate_names[:7] == tuple(f"root.{row}" for row in ["x", "y", "z", *QUATERNION])
    assert robot.body_names == ("base", "body")
    kind = FREE if convention == "pinocchio" else FREE_SPATIAL
    assert robot.model.bodies[0].joint.kind is kind


def test_only_the_base_follows_the_spatial_convention() -> None:
    robot = loaded(single(JointKind.FLOATING), convention="spatial")
    assert robot.velocity_names == tuple(f"j.{row}" for row in LINEAR + ANGULAR)


def test_a_universal_joint_is_two_bodies_of_which_one_is_public() -> None:
    robot = loaded(single(JointKind.UNIVERSAL, axis=X, second_axis=Y))
    inner, outer = robot.model.bodies
    assert (inner.name, inner.row, outer.name, outer.row) == ("j.1", None, "body", 0)
    assert (inner.inertials, len(outer.inertials), outer.parent) == ((), 1, 0)
    # The second axis in the parent's frame at zero, through both alignments.
    turned = np.array(inner.rotation) @ outer.rotation
    assert list(turned[:, 2]) == list(Y)


def test_lumping_equals_the_sum_over_point_masses() -> None:
    tilted: Matrix3 = turn((0.6, 0.0, 0.8), 0.7)
    joints = [
        joint("j", JointKind.REVOLUTE, "base", "arm", axis=Y),
        joint("w1", JointKind.FIXED, "arm", "bracket", (0.1, 0.2, -0.3), turned=tilted),
        joint("w2", JointKind.FIXED, "bracket", "camera", (0.0, 0.5, 0.0), turned=QUARTER_ABOUT_Z),
    ]
    places = {"arm": (0.2, 0.0, 0.1), "bracket": (-0.3, 0.1, 0.0), "camera": (0.05, 0.06, 0.07)}
    masses = {"arm": 2.0, "bracket": 0.7, "camera": 0.25}
    links = [Link("base"), *(point_mass(name, masses[name], places[name]) for name in places)]
    robot = loaded(described(links, joints, [Frame("lens", "camera", Placement((0.0, 0.0, 0.01)))]))
    (body,) = robot.model.bodies
    first = np.array(tilted)
    second = first @ QUARTER_ABOUT_Z
    origin = np.array([0.1, 0.2, -0.3])
    at = {
        "arm": np.array(places["arm"]),
        "bracket": origin + first @ places["bracket"],
        "camera": origin + first @ [0.0, 0.5, 0.0] + second @ places["camera"],
    }
    aligned = {name: np.array(body.alignment).T @ place for name, place in at.items()}
    constants = baked_body(robot.model, body)
    assert constants is not None
    assert constants.values["m"] == pytest.approx(2.95)
    h = np.sum([masses[name] * place for name, place in aligned.items()], axis=0)
    assert [constants.values[name] for name in FIRST_MOMENT] == pytest.approx(list(h), abs=1e-16)
    sigma = np.sum([masses[name] * np.outer(place, place) for name, place in aligned.items()], axis=0)
    upper = [sigma[i][j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
    assert [constants.values[name] for name in SECOND_MOMENT] == pytest.approx(upper, abs=1e-16)
    assert robot.frame_names == ("base", "arm", "bracket", "camera", "lens")
    lens = robot.model.frames[-1]
    assert (lens.body, [joint for _, joint in lens.way]) == (0, ["w1", "w2", ""])
    assert robot.model.frames[0].body == -1


def test_followers_own_no_rows() -> None:
    joints = [
        joint("a", JointKind.REVOLUTE, "base", "one", mimic=Mimic("b", -2.0, 0.3)),
        joint("b", JointKind.REVOLUTE, "base", "two"),
    ]
    robot = loaded(described([Link("base"), massive("one"), massive("two")], joints))
    assert robot.coordinate_names == ("b",)
    follower, leader = (body.joint for body in robot.model.bodies)
    assert (follower.q_index, follower.v_index, follower.leaders) == (leader.q_index, leader.v_index, ("b",))
    assert robot.model.independent_joints == (leader,)


def test_gravity_comes_from_the_caller_then_the_file_then_the_earth() -> None:
    plain = single(R)
    lunar = described(plain.links, plain.joints, gravity=(0.0, 0.0, -1.62))
    assert loaded(plain).model.gravity == (0.0, 0.0, -9.81)
    assert loaded(lunar).model.gravity == (0.0, 0.0, -1.62)
    assert loaded(lunar, gravity=[0, 0, -9.81]).model.gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize("gravity", [(0.0, 0.0), (0.0, 0.0, float("nan")), (float("inf"), 0.0, 0.0)])
def test_gravity_is_three_finite_numbers(gravity: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match=r"gravity is three finite numbers in m/s\^2, got"):
        loaded(single(R), gravity=gravity)


def test_refusals() -> None:
    with pytest.raises(ModelError, match=r"convention 'featherstone' is unknown; choose one of pinocchio, spatial"):
        loaded(single(R), convention="featherstone")
    with pytest.raises(ModelError, match=r"robot 'bench' has no moving joint; .*floating_base=True.* --floating-base"):
        loaded(single(JointKind.FIXED))
    joints = [joint("j", R, "base", "body", mimic=Mimic("gone"))]
    with pytest.raises(ModelError, match="joint 'j' mimics 'gone', which owns no coordinate"):
        build_model(described([Link("base"), massive("body")], joints), LoadOptions())


def test_rows_of_one_name_are_refused() -> None:
    joints = [joint("arm", JointKind.PLANAR, "base", "a"), joint("arm.x", JointKind.REVOLUTE, "a", "b")]
    with pytest.raises(ModelError, match=r"two coordinates of robot 'bench' would be called 'arm\.x'; rename"):
        loaded(described([Link("base"), massive("a"), massive("b")], joints))
