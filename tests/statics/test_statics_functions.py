"""Residuals and Jacobians of statics against functions composed of others, and against exact arithmetic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symdyn
from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
BOTH = ["statics_residual", "statics_jacobian"]


def called(robot: Robot, name: str, given: dict[str, Array], **asked: Any) -> dict[str, Array]:
    """What the float recursion of a function gives."""
    found = api.float_recursion(robot, name, **asked)({key: list(value) for key, value in given.items()})
    return {key: np.array(value) for key, value in found.items()}


def one(robot: Robot, name: str, inputs: dict[str, Array]) -> Array:
    (found,) = called(robot, name, inputs).values()
    return found


DRIVEN = """
format: 1
name: driven
links:
  base:
  arm:
    soft:
      length: 0.4
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e5, poisson_ratio: 0.4, density: 1100}
      strain: {curvature_y: 1, curvature_z: 2}
      stations: 2
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
tendons:
  side: {link: arm, y: 0.006, z: 0.003*x}
actuators: [turn, side]
"""


def driven_arm() -> Robot:
    return symdyn.from_description(parse_yaml(DRIVEN.encode(), "driven.yaml"))


def four_bar() -> Robot:
    return symdyn.load_example("four_bar")


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_forces_of_a_linkage_are_what_others_leave() -> None:
    robot, rng = four_bar(), np.random.default_rng(1)
    q, tau, multipliers = rng.standard_normal(3), rng.standard_normal(3), rng.standard_normal(2)
    still = np.zeros(3)
    found = called(robot, "statics_residual", {"q": q, "tau": tau, "lambda": multipliers})
    A = one(robot, "constraint_jacobian", {"q": q}).reshape(2, 3)
    needed = one(robot, "inverse_dynamics", {"q": q, "v": still, "a": still})
    assert found["r"] == pytest.approx(needed - tau - A.T @ multipliers, abs=1e-13)
    assert found["e"] == pytest.approx(one(robot, "constraint_error", {"q": q}), abs=1e-15)


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_columns_of_prescribed_rows_are_those_of_their_force() -> None:
    robot, rng = four_bar(), np.random.default_rng(2)
    inputs = {"q": rng.standard_normal(3), "lambda": rng.standard_normal(2)}
    free = called(robot, "statics_jacobian", inputs)
    held = called(robot, "statics_jacobian", inputs, prescribed=["elbow"])
    matrix, swapped = free["dr_dx"].reshape(3, 3), held["dr_dx"].reshape(3, 3)
    assert np.array_equal(swapped[:, [0, 2]], matrix[:, [0, 2]]) and np.array_equal(swapped[:, 1], [0.0, -1.0, 0.0])
    assert not held["de_dx"].reshape(2, 3)[:, 1].any() and np.array_equal(held["dr_dlambda"], free["dr_dlambda"])
    A = one(robot, "constraint_jacobian", {"q": inputs["q"]}).reshape(2, 3)
    assert free["dr_dlambda"].reshape(3, 2) == pytest.approx(-A.T, abs=1e-14)
    assert free["de_dx"].reshape(2, 3) == pytest.approx(A, abs=1e-14)


def test_inputs_of_tendons_pull_on_a_soft_arm() -> None:
    robot, rng = symdyn.load_example("cable_manipulator"), np.random.default_rng(3)
    q, u, still = 0.1 * rng.standard_normal(24), rng.uniform(0.0, 5.0, 5), np.zeros(24)
    found = called(robot, "statics_residual", {"q": q, "u": u}, inputs="actuators")["r"]
    B = one(robot, "actuation_matrix", {"q": q}).reshape(24, 5)
    needed = one(robot, "inverse_dynamics", {"q": q, "v": still, "a": still})
    assert found == pytest.approx(needed - B @ u, abs=1e-13 * np.abs(needed).max())
    slopes = called(robot, "statics_jacobian", {"q": q, "u": u}, inputs="actuators")
    assert slopes["dr_du"].reshape(24, 5) == pytest.approx(-B, abs=1e-15)
    along = rng.standard_normal(24)
    ahead, behind = (
        called(robot, "statics_residual", {"q": q + h * along, "u": u}, inputs="actuators")["r"] for h in (1e-6, -1e-6)
    )
    # Quotients lose half the digits: 1e-16 of the forces over 1e-6, and 1e-12 of their third derivative.
    quotient, exact = (ahead - behind) / 2e-6, slopes["dr_dx"].reshape(24, 24) @ along
    assert quotient == pytest.approx(exact, abs=1e-8 * np.abs(exact).max())


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("layout", ["unrolled", "split", "rolled"])
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("four_bar", {"prescribed": ["elbow"], "external_wrenches": "world"}),
        ("four_bar", {"switched": ["pin"]}),
        ("mixed_arm", {"external_wrenches": "body"}),
        ("elastic_arm", {}),
        ("driven arm", {"inputs": "actuators", "prescribed": ["turn"]}),
    ],
)
def test_all_evaluations_agree_with_fifty_digits(name: str, asked: dict[str, Any], layout: str, tmp_path: Path) -> None:
    robot = driven_arm() if name == "driven arm" else symdyn.load_example(name)
    folder = api.generate(robot, BOTH, out=tmp_path / "made", layout=layout, **asked)
    report = api.verify(folder, states=2)
    assert report.passed, [(own.function, own.evaluator, own.worst_error) for own in report.results if not own.passed]


@pytest.mark.slow
@pytest.mark.needs_cc
def test_parameters_at_run_time(tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum", runtime=["gravity.z"])
    assert api.verify(api.generate(robot, BOTH, out=tmp_path / "made"), states=3).passed
