"""The shipped soft robots: their files hold what the papers say; their dynamics are those of the oracle."""

from __future__ import annotations

from collections.abc import Callable
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
from symdyn.robot import Robot
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
    """17 rods, six joints and 13 rows in the plane; three pillars, three ball joints and two feet of six rows."""
    finger, platform = (shipped(name) for name in SOFT_LOOPED[::-1])
    assert (finger.nv, len(finger.model.loop_row_names), finger.mobility) == (74, 13, 61)
    assert (platform.nv, len(platform.model.loop_row_names), platform.mobility) == (63, 12, 51)
    assert all(counts(own) == {Strain.CURVATURE_Y: 2, Strain.STRETCH: 1, Strain.SHEAR_Z: 1} for own in rods(finger))
    assert all(counts(own) == {kind: 4 if kind in ANGULAR else 2 for kind in Strain} for own in rods(platform))


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
