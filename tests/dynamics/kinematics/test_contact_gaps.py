"""Gaps of contacts: against exact results, the geometry of a ball, and the forces that begin where they are zero."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.sections import breathing, touching
from support.soft_calls import call

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

BALL = """
name: ball
floating_base: true
links:
  ball: {mass: 0.7, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
contacts:
  floor: {of: ball, point: [0, 0, 0.2], radius: 0.1, with: {plane: {normal: [0, 3, 4], point: [0, 0, 1]}}, stiffness: 1}
  pillar: {of: ball, radius: 0.1, with: {cylinder: {axis: [0, 0, 2], point: [3, 0, 9], radius: 0.5}}, stiffness: 1}
  room: {of: ball, radius: 0.1, with: {sphere: {center: [1, 0, 0], radius: 4, inside: true}}, stiffness: 1}
  silent: {of: ball, radius: 0.1, with: {plane: {}}, stiffness: 0}
"""
EVERY = "ball", "cylinder_contact", "sections"


def _robot(name: str) -> Robot:
    if name == "ball":
        return api.from_description(parse_yaml(BALL.encode(), "ball.yaml"))
    return symdyn.load_example(name) if name != "sections" else api.from_description(touching(breathing()))


def _state(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    q = robot.integrate(robot.neutral(), rng.uniform(-0.3, 0.3, robot.nv))
    return q, rng.uniform(-1.0, 1.0, robot.nv)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("name", EVERY)
def test_gaps_are_exact(name: str) -> None:
    robot = _robot(name)
    ((entry, request),) = requests(robot.model, ["contact_gaps"])
    signature, (q, v) = entry.signature(robot.model, request), _state(robot)
    result = np.concatenate([np.ravel(array) for array in call(robot, "contact_gaps", q=q, v=v)])
    setting = make_setting(robot.description, signature, robot.load_options())
    exact = find_truth("contact_gaps")(setting, {"q": q.tolist(), "v": v.tolist()}).values
    assert result == pytest.approx([float(x) for x in exact], rel=0.0, abs=1e-13)  # of lengths of 1 m


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("name", EVERY)
def test_rates_are_those_of_gaps(name: str) -> None:
    robot = _robot(name)
    q, v = _state(robot)
    (_, rate) = call(robot, "contact_gaps", q=q, v=v)
    step = 1e-6
    (ahead, _), (behind, _) = (call(robot, "contact_gaps", q=robot.integrate(q, s * v), v=v) for s in (step, -step))
    assert rate == pytest.approx((ahead - behind) / (2.0 * step), abs=1e-8)  # rounding of 1e-15 m over the step


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_gaps_of_a_ball_by_hand() -> None:
    robot = _robot("ball")
    q, v = np.array([0.5, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    gap, rate = call(robot, "contact_gaps", q=q, v=v)
    pillar, room = np.hypot(2.5, 1.0), np.sqrt(0.25 + 1.0 + 4.0)
    assert gap == pytest.approx([0.6 * 1.0 + 0.8 * 1.2 - 0.1, pillar - 0.6, 4.0 - 0.1 - room])
    assert rate == pytest.approx([0.6 * 2.0 + 0.8 * 3.0, (-2.5 + 2.0) / pillar, -(-0.5 + 2.0 + 6.0) / room])
    on_axis = call(robot, "contact_gaps", q=[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], v=v)
    assert on_axis[0][1] == pytest.approx(-0.6) and on_axis[1][1] == 0.0


def test_names_and_refusals() -> None:
    arm = symdyn.load_example("cylinder_contact")
    ((entry, request),) = requests(arm.model, ["contact_gaps"])
    names = entry.signature(arm.model, request).outputs[0].rows[0]
    assert set(names) == {element.name for element in arm.description.acting} - {"root"}  # which nothing moves
    sections = _robot("sections")
    ((entry, request),) = requests(sections.model, ["contact_gaps"])
    names = entry.signature(sections.model, request).outputs[0].rows[0]
    assert len(names) > 1 and names[0].endswith("[0]")
    with pytest.raises(ModelError, match="needs contacts, and robot 'pendulum' has none"):
        symdyn.compile(symdyn.load_example("pendulum"), ["contact_gaps"])
