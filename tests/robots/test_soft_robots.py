"""The shipped soft robots: their files hold what the papers say; their dynamics are those of the oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.robots.shipped_loops import shipped
from support.robots.shipped_soft import SOFT, SOFT_LOOPED

import symdyn
from symdyn import api
from symdyn.description.soft import Soft, Strain
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.base.compare import block_floors, error_in_u, limit_in_u, output_blocks
from symdyn.verify.harness.states import verification_states
from symdyn.verify.oracle.setting import make_setting
from symdyn.verify.oracle.truths import find_truth

LARGE = SOFT[2:]
DYNAMICS = ("inverse_dynamics", "forward_dynamics")
ANGULAR = (Strain.TWIST, Strain.CURVATURE_Y, Strain.CURVATURE_Z)

Call = Callable[[str, dict[str, list[float]]], NDArray[np.float64]]


def rods(robot: Robot) -> list[Soft]:
    return [link.soft for link in robot.description.links if link.soft is not None]


def counts(soft: Soft) -> dict[Strain, int]:
    return {own.strain: own.count for own in soft.strains}


def test_strains_are_those_of_the_papers() -> None:
    names = ("cable_manipulator", "soft_serial_robot", LARGE[1])
    (cable,), (serial,), flagella = (rods(symdyn.load_example(name)) for name in names)
    assert counts(cable) == {own: 5 if own in ANGULAR else 3 for own in Strain}
    assert counts(serial) == dict.fromkeys((*ANGULAR, Strain.STRETCH), 5)
    assert len(flagella) == 6 and all(counts(own) == dict.fromkeys(ANGULAR, 4) for own in flagella)
    assert [own.length for own in flagella] == [0.35] * 3 + [0.5] * 3
    assert {own.material.viscosity for own in (cable, serial, *flagella)} == {1e4}
    assert all(own.magnus == 4 for own in (cable, serial, *flagella))


def test_robots_with_loops_have_the_coordinates_of_the_papers() -> None:
    """17 rods, six joints and 13 rows in the plane; three pillars, three ball joints and two hinged feet."""
    finger, platform = (shipped(name) for name in SOFT_LOOPED[::-1])
    assert (finger.nv, len(finger.model.loop_row_names), finger.mobility) == (74, 13, 61)
    assert (platform.nv, len(platform.model.loop_row_names), platform.mobility) == (63, 10, 53)
    assert [own.kind for own in platform.model.loops] == ["revolute", "revolute"]
    assert all(counts(own) == {Strain.CURVATURE_Y: 2, Strain.STRETCH: 1, Strain.SHEAR_Z: 1} for own in rods(finger))
    assert all(counts(own) == {kind: 4 if kind in ANGULAR else 2 for kind in Strain} for own in rods(platform))


def test_points_of_the_rods_are_those_of_the_papers() -> None:
    """Of Mathew et al.'s points (table 3) rigid links have two; a rod has its Gauss points, joint, root and tip."""
    points = {"cable_manipulator": 7, "soft_serial_robot": 22, "cylinder_contact": 12, "flagellate_vehicle": 80}
    points |= {"parallel_robot": 26, "fin_ray_finger": 136}
    rigid = {"soft_serial_robot": 7, "flagellate_vehicle": 13, "parallel_robot": 1}
    for name, count in points.items():
        own = rods(shipped(name) if name in SOFT_LOOPED else symdyn.load_example(name))
        joints = len(own) if len(own) > 1 or name in rigid else 0  # a rod alone is counted without that of its joint
        stations = sum(rod.stations + 2 for rod in own if rod.stations is not None)
        assert 2 * rigid.get(name, 0) + joints + stations == count, name


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_the_parallel_robot_stands_by_itself() -> None:
    robot = shipped("parallel_robot")
    rest = symdyn.equilibrium(robot, target="python")
    assert rest.stable
    poses = dict(zip(robot.frame_names, poses_at(robot, rest.q), strict=True))
    np.testing.assert_allclose(poses["platform"][:3, :3], np.eye(3), rtol=0, atol=1e-12)
    for number, angle in enumerate((0.0, 2 * np.pi / 3, -2 * np.pi / 3), 1):
        foot = poses["pillar_1" if number == 1 else f"pillar_{number}.tip"]
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        np.testing.assert_allclose(foot[:3, 3], 0.2 / np.sqrt(3) * way, rtol=0, atol=1e-12)
        np.testing.assert_allclose(foot[:3, 1], np.cross([0.0, 0.0, 1.0], way), rtol=0, atol=1e-12)  # the broad side


def test_the_wall_of_the_cylinder_touches_twelve_spheres_alike() -> None:
    """Forces are the slopes of the energy k depth^2.5 / 2.5 of spheres at the root, ten Gauss points and the tip.

    Differences of 1e-6 have errors of 1e-9 of the largest slope here, and depths are those of the straight geometry of
    a cylinder about z, by poses of stations alone.
    """
    robot = symdyn.load_example("cylinder_contact")
    free = api.from_description(replace(robot.description, acting=()))
    q = 0.3 * np.random.default_rng(5).standard_normal(robot.nq)
    q[robot.coordinate_names.index("arm.curvature_y[0]")] = 2.6
    x = np.array([0.5 * (1.0 + z) / 2.0 for z in np.polynomial.legendre.leggauss(10)[0]] + [0.5])
    radii = 0.03 - 0.03 * x

    def depths(at: NDArray[np.float64]) -> NDArray[np.float64]:
        (found,) = api.float_recursion(robot, "station_poses")({"q": at.tolist()}).values()
        places = np.array(found, dtype=float).reshape(-1, 4, 4)[:, :2, 3]
        return np.asarray(np.maximum(np.linalg.norm(places, axis=1) + radii - 0.15, 0.0))

    def energy(at: NDArray[np.float64]) -> float:
        return float(1e5 / 2.5 * (depths(at) ** 2.5).sum())

    moves = 1e-6 * np.eye(robot.nq)
    slope = np.array([(energy(q + move) - energy(q - move)) / 2e-6 for move in moves])
    still = {"q": q.tolist(), "v": [0.0] * robot.nv, "a": [0.0] * robot.nv}
    felt = recursion_of(robot)("inverse_dynamics", still) - recursion_of(free)("inverse_dynamics", still)
    assert depths(q)[-1] > 0.0 and (depths(q) > 0.0).sum() > 2
    np.testing.assert_allclose(felt, slope, rtol=0, atol=1e-7 * np.abs(slope).max())


def test_cables_cross_the_sections_as_table_2_has_it() -> None:
    robot = symdyn.load_example("cable_manipulator")
    assert robot.description.actuation.actuators == tuple(f"cable_{number}" for number in range(1, 6))
    lengths = api.float_recursion(robot, "tendon_lengths")({"q": [0.0] * 24})
    (found,) = lengths.values()
    # Straight, the first three run down the cone. The other two wind twice, at the tip's radius.
    slanted = [np.hypot(0.5, 0.015)] * 3
    wound = [np.hypot(0.5, 0.015 * 4 * np.pi)] * 2
    assert list(found) == pytest.approx([*slanted, *wound], rel=1e-14)


def test_shafts_turn_against_each_other() -> None:
    """Opposite torques leave the body in its place, by symmetry, while the flagella stand straight and at rest."""
    robot = symdyn.load_example("flagellate_vehicle")
    tau = dict.fromkeys(robot.velocity_names, 0.0) | {"front_turn": 0.25, "rear_turn": -0.25}
    inputs = {"q": list(robot.neutral()), "v": [0.0] * robot.nv, "tau": list(tau.values())}
    a = dict(zip(tau, recursion_of(robot)("forward_dynamics", inputs), strict=True))
    assert a["front_turn"] > 10.0 and a["rear_turn"] < -10.0
    assert np.abs(list(a.values())[:6]).max() < 1e-9 * a["front_turn"]


def poses_at(robot: Robot, q: NDArray[np.float64]) -> NDArray[np.float64]:
    (found,) = api.float_recursion(robot, "forward_kinematics")({"q": q.tolist()}).values()
    return np.array(found, dtype=float).reshape(-1, 4, 4)


def recursion_of(robot: Robot) -> Call:
    def call(function: str, inputs: dict[str, list[float]]) -> NDArray[np.float64]:
        (found,) = api.float_recursion(robot, function)(inputs).values()
        return np.array(found)

    return call


def compiled(robot: Robot) -> Call:
    module = symdyn.compile(robot, list(DYNAMICS))

    def call(function: str, inputs: dict[str, list[float]]) -> NDArray[np.float64]:
        return np.array(getattr(module, function)(*(np.array(own) for own in inputs.values())))

    return call


def check(robot: Robot, call: Call) -> None:
    """Inverse dynamics against the truth, and forward dynamics against inverse dynamics, at a random state."""
    ((entry, request),) = requests(robot.model, ["inverse_dynamics"])
    signature = entry.signature(robot.model, request)
    setting = make_setting(robot.description, signature, robot.load_options())
    state = verification_states(setting.tree, signature.inputs, {}, 1)[-1]
    inputs = {name: [float(x) for x in values] for name, values in state.inputs.items()}
    truth = find_truth("inverse_dynamics")(setting, state.inputs)
    tau = call("inverse_dynamics", inputs)
    blocks = output_blocks(signature.outputs)
    floors = block_floors([truth.scales], blocks)
    assert error_in_u(list(tau), truth.values, blocks, floors, scales=truth.scales) <= limit_in_u(setting.tree.depth)
    a = call("forward_dynamics", {"q": inputs["q"], "v": inputs["v"], "tau": list(tau)})
    again = call("inverse_dynamics", inputs | {"a": list(a)})
    # Elastic forces are thousands of times the others, and the residual is held against these.
    assert np.abs(again - tau).max() <= 1e-13 * np.abs(np.array(truth.scales)).max()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "gaussian_tentacle" else pytest.mark.slow) for name in SOFT]
)
def test_dynamics_are_those_of_the_oracle(name: str) -> None:
    robot = symdyn.load_example(name)
    check(robot, recursion_of(robot))


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("name", SOFT)
def test_the_c_is_right(name: str) -> None:
    robot = symdyn.load_example(name)
    check(robot, compiled(robot))


@pytest.mark.slow
def test_verify_agrees(tmp_path: Path) -> None:
    symdyn.generate(symdyn.load_example("cable_manipulator"), list(DYNAMICS), out=tmp_path / "arm")
    report = api.verify(tmp_path / "arm", states=1)
    assert report.passed, str(report)
