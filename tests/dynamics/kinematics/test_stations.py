"""Stations of soft links: poses, strains and transmitted wrenches against their truths and against other functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.robots.small import loaded, single
from support.rods import functions, holding, rod
from support.soft_calls import Array, call, soft_robot

import symdyn
from symdyn import api
from symdyn.description.robot import JointKind
from symdyn.description.soft import Material, Strain, StrainBasis
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

NAMES = ("station_poses", "station_strains", "station_wrenches")
ROBOTS = [("arm", "pinocchio"), ("floating", "spatial"), pytest.param(("tree", "spatial"), marks=pytest.mark.slow)]


@pytest.fixture(params=ROBOTS, ids="-".join)
def robot(request: pytest.FixtureRequest) -> Robot:
    return soft_robot(*request.param)


def drawn(robot: Robot) -> dict[str, Array]:
    rng = np.random.default_rng(5)
    v, a = rng.uniform(-1.0, 1.0, (2, robot.nv))
    return {"q": robot.random_state(rng)[0], "v": v, "a": a}


@pytest.mark.parametrize("name", NAMES)
def test_stations_are_where_their_truth_has_them(name: str, robot: Robot) -> None:
    asked: dict[str, Any] = {"external_wrenches": "world"} if name == "station_wrenches" else {}
    ((entry, request),) = requests(robot.model, [name], **asked)
    signature, state = entry.signature(robot.model, request), drawn(robot)
    forces = np.random.default_rng(6).uniform(-1.0, 1.0, (len(robot.model.body_names), 6))
    given = {own.name: {**state, "f_ext": forces}[own.name] for own in signature.inputs}
    (found,) = call(robot, name, **given, **asked)
    setting = make_setting(robot.description, signature, robot.load_options())
    inputs = {key: [float(x) for x in np.ravel(value)] for key, value in given.items()}
    exact = np.array([float(x) for x in find_truth(name)(setting, inputs).values]).reshape(found.shape)
    assert np.allclose(found, exact, rtol=0.0, atol=1e-13 * np.max(np.abs(exact)))


def test_the_last_station_is_the_tip(robot: Robot) -> None:
    state = drawn(robot)
    (X,), (frames,) = call(robot, "station_poses", q=state["q"]), call(robot, "forward_kinematics", q=state["q"])
    (F,), (bodies,) = call(robot, "station_wrenches", **state), call(robot, "joint_wrenches", **state)
    ((entry, request),) = requests(robot.model, ["station_poses"])
    names = entry.signature(robot.model, request).outputs[0].rows[0]
    for rod_ in robot.model.rods:
        last = max(place for place, name in enumerate(names) if name.startswith(f"{rod_.link}["))
        tip = frames[robot.frame_names.index(f"{rod_.link}.tip")]
        assert np.allclose(X[last, :3, 3], tip[:3, 3], rtol=0.0, atol=1e-15)
        turn = tip[:3, :3].T @ X[last, :3, :3]
        own = bodies[robot.model.body_names.index(f"{rod_.link}.tip")]
        expected = np.concatenate([own[:3] @ turn, own[3:] @ turn])
        assert np.allclose(F[last], expected, rtol=0.0, atol=1e-13 * np.max(np.abs(own)))


def test_poses_grow_by_the_strain_along_the_rod() -> None:
    soft = rod(functions(Strain.CURVATURE_Z, 3), functions(Strain.SHEAR_Y, 2), stations=8, substeps=2)
    robot = api.from_description(holding(soft))
    q = np.array([0.4, -0.3, 0.5, 0.05, 0.1])
    (X,), (strain,) = call(robot, "station_poses", q=q), call(robot, "station_strains", q=q)
    x = np.array([node.x for node in robot.model.rods[0].nodes])
    assert X.shape == (9, 4, 4) and x[-1] == soft.length
    s = 2.0 * x / soft.length - 1.0
    bent = (0.4 - 0.3 * s + 0.25 * (3.0 * s**2 - 1.0)) / soft.length
    zero, one = np.zeros(9), np.ones(9)
    assert np.allclose(strain.T, [one, 0.05 + 0.1 * s, zero, zero, zero, bent], rtol=0.0, atol=1e-15)
    turned = np.arctan2(X[:, 1, 0], X[:, 0, 0])
    angle = ((0.4 - 0.25) * (s + 1.0) - 0.15 * (s**2 - 1.0) + 0.25 * (s**3 + 1.0)) / 2.0
    assert np.allclose(turned, angle, rtol=0.0, atol=1e-12)


def test_what_a_straight_rod_transmits_is_its_elastic_stress() -> None:
    pulled = rod(functions(Strain.STRETCH, 1), material=Material(1e5, 0.3, 1000.0), stations=3)
    robot = api.from_description(holding(pulled), gravity=(0.0, 0.0, 0.0))
    still, strained = np.zeros(1), np.array([0.02])
    stress = 1e5 * math.pi * 0.03**2 * 0.02
    (tau,) = call(robot, "elastic_forces", q=strained)
    wrench = np.array([[stress, 0.0, 0.0, 0.0, 0.0, 0.0]])
    given = {"q": strained, "v": still, "a": still, "f_ext": wrench, "external_wrenches": "world"}
    assert call(robot, "inverse_dynamics", **given)[0] == pytest.approx(0.0, abs=1e-12 * tau[0])
    (F,) = call(robot, "station_wrenches", **given)
    assert np.allclose(F, -wrench, rtol=0.0, atol=1e-13 * stress)


def test_strains_at_breaks_are_those_before_them() -> None:
    soft = rod(functions(Strain.CURVATURE_Y, 3, StrainBasis.PIECEWISE_CONSTANT), stations=2)
    robot = api.from_description(holding(soft))
    (strain,) = call(robot, "station_strains", q=np.array([1.0, 2.0, 3.0]))
    assert (strain[:, 4] * soft.length).tolist() == [1.0] * 3 + [2.0] * 3 + [3.0] * 3


@pytest.mark.parametrize("name", NAMES)
def test_robots_without_rods_are_refused_by_name(name: str) -> None:
    robot = loaded(single(JointKind.REVOLUTE))
    with pytest.raises(ModelError, match=rf"function '{name}' needs soft links, and robot 'bench' has none"):
        api.programs(robot, [name])


@pytest.mark.parametrize("convention", ["pinocchio", "spatial"])
def test_rows_are_named_and_code_agrees(convention: str) -> None:
    robot = soft_robot("arm", convention)
    module = symdyn.compile(robot, list(NAMES), layout="rolled", target="python")
    state = drawn(robot)
    assert np.allclose(module.station_poses(state["q"]), call(robot, "station_poses", q=state["q"])[0], atol=1e-15)
    assert np.allclose(module.station_strains(state["q"]), call(robot, "station_strains", q=state["q"])[0], atol=1e-15)
    F = module.station_wrenches(state["q"], state["v"], state["a"])
    assert np.allclose(F, call(robot, "station_wrenches", **state)[0], rtol=1e-13, atol=1e-13)
    (strain,) = module.signature("station_strains").outputs
    linear, angular = ("stretch", "shear_y", "shear_z"), ("twist", "curvature_y", "curvature_z")
    rows = angular + linear if convention == "spatial" else linear + angular
    assert strain.rows == (("arm[0]", "arm[1]", "arm[2]"), rows)
    assert dict(zip(rows, strain.units, strict=False)) == dict.fromkeys(linear, "1") | dict.fromkeys(angular, "rad/m")
