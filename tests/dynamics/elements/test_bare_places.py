"""A place without numbers on a link that deforms is the link's tip, for everything that has a place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support.soft_calls import call

import symdyn
from symdyn.description.attachment import Attachment
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError, SymdynWarning
from symdyn.robot.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]
SOFT = """
    soft:
      length: 0.5
      axis: [0, 0.6, 0.8]
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {twist: 0, curvature_y: 1, curvature_z: 0, stretch: 0}
      reference: {curvature_z: 2}
      stations: 5"""
BODIES = {
    "soft": SOFT,
    "flexible": """
    flexible:
      length: 0.5
      axis: [0, 0.6, 0.8]
      start: [0.1, 0, 0]
      mass_per_length: 1.0
      bending_stiffness: 10.0
      modes: {bend_y: 1, bend_z: 1}""",
    "deformable": """
    deformable:
      map: [s1*(1 + l), s2, s3 + 5*s1**2*w]
      coordinates: {l: "1", w: "1"}
      domain: [[0, 0.2], [-0.01, 0.01], [-0.01, 0.01]]
      density: 900
      quadrature: [2, 2, 2]
      energy: 50*l**2 + 20*w**2
      tip: [0.2, 0, 0]""",
}
HEAD = """name: held
links:
  ground:
  carrier: {{mass: 1, inertia: {{xx: 0.1, yy: 0.2, zz: 0.15}}}}
  hand: {{mass: 0.2, com: [0, 0.1, 0], inertia: {{xx: 0.01, yy: 0.02, zz: 0.015}}}}
  arm:{body}
joints:
  base: {{type: spherical, parent: ground, child: carrier, translation: [0, 0, 1]}}
  foot: {{type: fixed, parent: carrier, child: arm, translation: [0.1, 0, 0]}}
  grip: {{type: revolute, parent: arm, child: hand, axis: [1, 0, 0], {joint}}}
"""
WALL = "with: {plane: {normal: [0, 0, 1], point: [0, 0, 5]}}, stiffness: 10, exponent: 2"
ACTING = {
    "load": ("loads:\n  a: {{{0}, force: [1, 2, 3], moment: [3, 0, 1], axes: world}}\n", "link: arm", "frame: arm.tip"),
    "bushing": (
        "bushings:\n  a: {{between: [ground, {0}], stiffness: [1, 2, 3, 4, 5, 6]}}\n",
        "arm",
        "arm.tip",
    ),
    "bushing first": (
        "bushings:\n  a: {{between: [{0}, ground], stiffness: [1, 2, 3, 4, 5, 6]}}\n",
        "{link: arm}",
        "{frame: arm.tip}",
    ),
    "strut": ("struts:\n  a: {{between: [ground, {0}], stiffness: 7}}\n", "arm", "arm.tip"),
}
"""A template with a hole for the place, the bare place, and the same by name."""


def read(text: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return symdyn.loads(text, "yaml")


def state(robot: Robot) -> dict[str, Array]:
    q, v = robot.random_state(3)
    return {"q": q, "v": v}


def forces(robot: Robot) -> Array:
    found = state(robot)
    return np.asarray(call(robot, "inverse_dynamics", **found, a=0 * found["v"])[0])


def pose(robot: Robot, frame: str, q: Array) -> Array:
    poses = np.asarray(call(robot, "forward_kinematics", q=q)[0]).reshape(-1, 4, 4)
    return np.asarray(poses[robot.frame_names.index(frame)])


ARC = """name: arc
gravity: [0, 0, 0]
links:
  arm:
    soft:
      length: 0.8
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 0}
      stations: 4
"""


@pytest.mark.parametrize("turn", [-1.3, 0.0, 0.4])
def test_a_force_on_a_bare_rod_bends_it_by_its_tip(turn: float) -> None:
    """The tip of an arc of the angle t is L (1 - cos t)/t away from the tangent of its root."""
    robot, still = read(ARC), [0.0]
    pushed = read(ARC + "loads:\n  push: {link: arm, force: [0, 0.3, 0], axes: world}\n")
    alone, loaded = (call(own, "inverse_dynamics", q=[turn], v=still, a=still)[0] for own in (robot, pushed))
    slope = 0.5 if turn == 0.0 else (turn * np.sin(turn) - 1.0 + np.cos(turn)) / turn**2
    np.testing.assert_allclose(np.asarray(alone) - loaded, [0.3 * 0.8 * slope], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("element", ACTING)
def test_what_acts_on_a_bare_link_acts_at_its_tip(kind: str, element: str) -> None:
    template, bare, named = ACTING[element]
    head = HEAD.format(body=BODIES[kind], joint="at: end")
    alone, first, second = (read(head + more) for more in ("", template.format(bare), template.format(named)))
    assert np.abs(forces(alone) - forces(first)).max() > 1e-2
    np.testing.assert_array_equal(forces(first), forces(second))


@pytest.mark.parametrize(
    ("kind", "at"), [("soft", "of: arm, at: tip"), ("flexible", "of: arm"), ("deformable", "of: arm")]
)
def test_a_contact_of_one_point_is_at_the_tip(kind: str, at: str) -> None:
    head = HEAD.format(body=BODIES[kind], joint="at: end")
    bare, named = (
        read(f"{head}frames:\n  far: {{link: arm, at: end}}\ncontacts:\n  a: {{{place}, {WALL}}}\n")
        for place in (at, "of: far")
    )
    assert np.abs(forces(read(head)) - forces(bare)).max() > 1e-2
    np.testing.assert_array_equal(forces(bare), forces(named))


def test_a_contact_of_a_soft_link_alone_is_still_at_all_stations() -> None:
    robot = read(HEAD.format(body=SOFT, joint="at: end") + f"contacts:\n  a: {{of: arm, {WALL}}}\n")
    assert robot.description.acting[0].rod == "arm"
    assert robot.warnings == ()


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("place", ["arm", "{link: arm}", "{link: arm, at: tip}"])
def test_a_loop_holds_a_bare_link_by_its_tip(kind: str, place: str) -> None:
    text = HEAD.format(body=BODIES[kind], joint="at: end")
    text += f"loops:\n  pin: {{kind: spherical, close: true, between: [{place}, {{world: [0, 0, 0]}}]}}\n"
    robot = read(text)
    q = state(robot)["q"]
    gap = call(robot, "constraint_error", q=q)[0]
    np.testing.assert_allclose(gap, pose(robot, "arm.tip", q)[:3, 3], rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", BODIES)
def test_children_and_frames_without_translation_are_at_the_tip(kind: str) -> None:
    head = HEAD.format(body=BODIES[kind], joint="rpy: [0.1, 0.2, 0.3]")
    frames = "frames:\n  eye: {link: arm, rpy: [0.4, 0, 0]}\n  ear: {link: arm, at: end, translation: [1, 2, 3]}\n"
    robot = read(head + frames)
    q = state(robot)["q"].copy()
    q[list(robot.coordinate_names).index("grip")] = 0.0
    tip = pose(robot, "arm.tip", q)
    for name in ("hand", "eye"):
        np.testing.assert_allclose(pose(robot, name, q)[:3, 3], tip[:3, 3], rtol=0, atol=1e-14)
    np.testing.assert_allclose(pose(robot, "ear", q)[:3, 3], (tip @ [1, 2, 3, 1])[:3], rtol=0, atol=1e-13)
    about = np.array([[1, 0, 0], [0, np.cos(0.4), -np.sin(0.4)], [0, np.sin(0.4), np.cos(0.4)]])
    np.testing.assert_allclose(pose(robot, "eye", q)[:3, :3], tip[:3, :3] @ about, rtol=0, atol=1e-14)


def test_numbers_are_still_counted_from_the_links_frame() -> None:
    """Zeros that are written are numbers, too: a place at the origin that the tip moves."""
    head = HEAD.format(body=BODIES["flexible"], joint="translation: [0, 0, 0]")
    robot = read(f"{head}frames:\n  eye: {{link: arm, translation: [0.1, 0.3, 0.4]}}\n")
    rest = robot.neutral()
    np.testing.assert_allclose(pose(robot, "hand", rest), pose(robot, "arm", rest), rtol=0, atol=1e-15)
    np.testing.assert_allclose(pose(robot, "eye", rest), pose(robot, "arm.tip", rest), rtol=0, atol=1e-15)


def test_a_locked_slide_is_counted_from_the_tip() -> None:
    text = HEAD.format(body=SOFT, joint="at: end").replace("revolute", "prismatic")
    robot = symdyn.loads(text, "yaml", locked_joints={"grip": 0.2})
    q = state(robot)["q"]
    away = pose(robot, "arm.tip", q) @ [0.2, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(pose(robot, "hand", q)[:3, 3], away[:3], rtol=0, atol=1e-13)


TOLD = """loads:
  push: {link: arm, force: [0, 0, 1]}
  pull: {link: arm, at: end, force: [0, 0, 1]}
struts:
  shock: {between: [ground, arm], stiffness: 2}
"""


def test_files_that_mean_something_else_now_are_told_so_by_line() -> None:
    head = HEAD.format(body=SOFT, joint="rpy: [1, 0, 0]")
    with pytest.warns(SymdynWarning) as told:
        robot = symdyn.loads(head + TOLD, "yaml")
    first = head.splitlines().index(next(own for own in head.splitlines() if "grip" in own)) + 1
    lines = (head + TOLD).splitlines()
    push, shock = (next(number for number, own in enumerate(lines, 1) if name in own) for name in ("push", "shock"))
    assert [own.split(" and is at the tip of link 'arm'")[0] for own in robot.warnings] == [
        f"line {first}: joint 'grip' has no translation",
        f"line {push}: load 'push' has no point",
        f"line {shock}: strut 'shock': between.1 has no point",
    ]
    for place in (f"line {first}: joint 'grip'", f"line {push}: load 'push'", f"line {shock}: strut 'shock'"):
        assert place in str(told[0].message)
    with pytest.raises(DescriptionError, match="strict mode refuses 3 warnings"):
        symdyn.loads(head + TOLD, "yaml", strict=True)


def test_what_is_written_says_from_where_it_is_counted() -> None:
    head = HEAD.format(body=SOFT, joint="rpy: [1, 0, 0]")
    more = "frames:\n  root: {link: arm, at: root}\n  eye: {link: arm, translation: [0, 0, 0]}\n"
    more += "contacts:\n  a: {of: arm, at: tip, with: {plane: {}}, stiffness: 1}\n"
    more += "bushings:\n  b: {between: [{link: arm, point: [0, 0, 0]}, ground], stiffness: [1, 0, 0, 0, 0, 0]}\n"
    more += "loops:\n  c: {kind: spherical, close: true, between: [{link: arm, at: end, point: [0, 0, 1]}, world]}\n"
    first = parse_yaml((head + more + TOLD).encode(), "held.yaml")
    written = write_yaml(first)
    second = parse_yaml(written.encode(), "held.yaml")
    assert write_yaml(second) == written
    assert second.warnings == ()
    places = [(own.at, own.placement.translation) for own in (*second.joints, *second.frames)]
    assert places == [(own.at, own.placement.translation) for own in (*first.joints, *first.frames)]
    assert [own.at for own in second.frames] == [Attachment.ROOT, Attachment.TIP]
    assert [own.stands for own in second.acting] == [own.stands for own in first.acting]


def test_a_fluid_has_rigid_and_soft_links_alone() -> None:
    head = HEAD.format(body=BODIES["deformable"], joint="at: end")
    with pytest.raises(DescriptionError, match="link 'arm' is deformable; only rigid and soft links are in a fluid"):
        read(head + "fluid: {density: 1000, bodies: {arm: {volume: 0.001}}}\n")
