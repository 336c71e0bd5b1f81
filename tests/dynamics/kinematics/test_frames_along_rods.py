"""Frames along rods: where they stand and how they move, their columns, what is refused, and that files keep them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.compiler.tape.evaluate import evaluate_program
from symdyn.description.robot import RobotDescription
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import DescriptionError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

TEXT = """
name: r
links:
  base: {}
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.03}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_z: 2, twist: 0, stretch: 0}
      reference: {curvature_y: 1.5}
      stations: 3
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
frames:
  mid: {link: arm, at: AT}
  held: {link: arm, at: 0.3, translation: [0, 0.02, 0.05], rpy: [0.1, 0.2, 0.3]}
"""
PLACES = ["0.2", "0.25", "0.48", "0.5"]
"""Between two stations, on one, beyond all but the tip, and at the tip."""


def described(at: str, link: str = "arm") -> RobotDescription:
    return parse_yaml(TEXT.replace("link: arm, at: AT", f"link: {link}, at: {at}").encode(), "r.yaml")


@cache
def made(at: str) -> Robot:
    return api.from_description(described(at))


def state(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return robot.random_state(rng)[0], rng.uniform(-1.0, 1.0, (2, robot.nv))


@pytest.mark.parametrize("at", PLACES)
def test_frames_stand_in_their_sections(at: str) -> None:
    robot = made(at)
    q, _ = state(robot)
    ((entry, request),) = requests(robot.model, ["forward_kinematics"])
    setting = make_setting(robot.description, entry.signature(robot.model, request), robot.load_options())
    exact = [float(x) for x in find_truth("forward_kinematics")(setting, {"q": q.tolist()}).values]
    (X,), (stations,) = call(robot, "forward_kinematics", q=q), call(robot, "station_poses", q=q)
    assert np.allclose(X.ravel(), exact, rtol=0.0, atol=1e-14)
    nodes = robot.model.rods[0].nodes
    assert [node.x for node in nodes].count(float(at)) == 1 and len(nodes) == (6 if at in ("0.2", "0.48") else 5)
    place = next(k for k, node in enumerate(nodes) if node.x == float(at))
    mid = robot.frame_names.index("mid")
    assert np.allclose(X[mid, :3, 3], stations[place, :3, 3], rtol=0.0, atol=1e-15)
    (resting,) = call(robot, "forward_kinematics", q=robot.neutral())
    assert np.allclose(resting[mid, :3, :3], np.eye(3), rtol=0.0, atol=1e-14)


def test_frames_move_as_their_poses_do() -> None:
    robot, step = made("0.2"), 1e-4
    q, V = state(robot)
    X, twists = call(robot, "forward_kinematics_time_derivatives", q=q, V=V, order=1)
    ahead, behind = (call(robot, "forward_kinematics", q=q + h * V[0] + 0.5 * h * h * V[1])[0] for h in (step, -step))
    assert np.allclose(twists[0, :, :3], (ahead - behind)[:, :3, 3] / (2.0 * step), rtol=0.0, atol=1e-7)
    bent = (ahead - 2.0 * X + behind)[:, :3, 3] / step**2
    assert np.allclose(twists[1, :, :3], bent, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("at", PLACES)
def test_their_jacobians_and_rates_are_those_of_their_motion(at: str) -> None:
    robot = made(at)
    q, V = state(robot)
    (J,), (rates,) = call(robot, "jacobians", q=q), call(robot, "jacobians_time_derivative", q=q, v=V[0])
    _, twists = call(robot, "forward_kinematics_time_derivatives", q=q, V=V, order=1)
    assert np.allclose(J @ V[0], twists[0], rtol=0.0, atol=1e-14)
    assert np.allclose(J @ V[1] + rates @ V[0], twists[1], rtol=0.0, atol=1e-13)
    ((entry, request),) = requests(robot.model, ["jacobians"])
    setting = make_setting(robot.description, entry.signature(robot.model, request), robot.load_options())
    exact = [float(x) for x in find_truth("jacobians")(setting, {"q": q.tolist()}).values]
    assert np.allclose(J.ravel(), exact, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("layout", ["rolled", pytest.param("split", marks=pytest.mark.slow)])
def test_their_columns_are_those_of_programs(layout: str) -> None:
    robot = made("0.2")
    q, V = state(robot)
    inputs = {"q": q.tolist(), "v": V[0].tolist()}
    for function in ("jacobians", "jacobians_time_derivative"):
        (program,) = api.programs(robot, [function], layout=layout)
        (reference,) = call(robot, function, **inputs)
        (found,) = evaluate_program(program, FloatAlgebra(), inputs).values()
        assert np.allclose(found, reference.ravel(), rtol=0.0, atol=1e-13)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("target", "layout"), [("python", "rolled"), ("c", "unrolled"), ("c", "split"), ("c", "rolled")]
)
def test_their_columns_are_the_same_in_all_languages_and_layouts(target: str, layout: str) -> None:
    robot = made("0.2")
    q, V = state(robot)
    module = symdyn.compile(robot, ["jacobians", "jacobians_time_derivative"], target=target, layout=layout)
    (J,), (rates,) = call(robot, "jacobians", q=q), call(robot, "jacobians_time_derivative", q=q, v=V[0])
    assert np.allclose(module.jacobians(q), J, rtol=0.0, atol=1e-13)
    assert np.allclose(module.jacobians_time_derivative(q, V[0]), rates, rtol=0.0, atol=1e-13)


def test_files_keep_them() -> None:
    description = described("0.2")
    assert [frame.at for frame in description.frames] == [0.2, 0.3]
    assert parse_yaml(write_yaml(description).encode(), "r.yaml").frames == description.frames


@pytest.mark.parametrize(
    ("at", "link", "words"),
    [
        ("0.6", "arm", "frame 'mid': at is 0.6; expected more than 0 m and at most the length of link 'arm', 0.5 m"),
        ("0", "arm", "frame 'mid': at is 0; expected more than 0 m"),
        ("0.2", "base", "frame 'mid': at is 0.2, a place along a rod, and link 'base' is not soft"),
        ("middle", "arm", "expected tip, end or root, got 'middle'; on a soft link also a number of metres"),
    ],
)
def test_places_that_are_none_are_refused(at: str, link: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        described(at, link)
