"""What ``auto`` chooses: implicit methods where fast moves die soon, explicit ones where these go on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import symdyn
from symdyn.analysis.simulation.simulate import judged
from symdyn.analysis.simulation.system import differences

MASS = """
name: mass
gravity: [0, 0, 0]
links: {ground: {}, body: {mass: 1.0}}
joints:
  x: {type: prismatic, parent: ground, child: body, axis: [1, 0, 0], LOAD}
"""


def _system(poles: list[complex]) -> Any:
    """A linear system with given eigenvalues, seen in other coordinates."""
    blocks = np.zeros((2 * len(poles), 2 * len(poles)))
    for k, pole in enumerate(poles):
        blocks[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = [[pole.real, -pole.imag], [pole.imag, pole.real]]
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=blocks.shape))[0]
    matrix = turn @ blocks @ turn.T
    return SimpleNamespace(derivative=lambda t, y: matrix @ y, counters=SimpleNamespace(function_calls=0)), matrix


@pytest.mark.parametrize(
    ("poles", "span", "stiff"),
    [
        ([2j, -1e5 + 0j], 1.0, True),  # dies in 0.14 ms
        ([2j, -1e5 + 0j], 5e-4, False),  # over before the explicit method has done 100 radians
        ([2j, 1e4j], 1.0, False),  # goes on
        ([2j, -30.0 + 1e4j], 1.0, False),  # lasts for half of the motion
        ([2j, -30.0 + 1e4j], 100.0, True),  # lasts for a two-hundredth of it
        ([2j, -1e5 + 0j, 2e4j], 1.0, False),  # what goes on is nearly as fast
        ([2j, 1e3 + 0j], 1.0, False),  # flies apart, which all methods follow
    ],
)
def test_a_linear_system_is_judged_by_its_eigenvalues(poles: list[complex], span: float, stiff: bool) -> None:
    system, matrix = _system(poles)
    y = np.full(2 * len(poles), 0.3)
    assert differences(lambda y: system.derivative(0.0, y), y, 1e-6) == pytest.approx(
        matrix, abs=1e-9 * np.abs(matrix).max()
    )
    found = judged(system, None, 0.0, y, span)
    assert found.stiff is stiff
    assert f"{max(map(abs, poles)):.3g} rad/s" in found.reason


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("load", "method"),
    [
        ("losses: {damping: 1e4}", "radau"),
        ("elastic: {stiffness: 1e6, rotor_inertia: 1.0, gear_ratio: 1.0}", "dop853"),
    ],
    ids=["damped", "undamped"],
)
def test_a_mass_is_integrated_as_its_fast_move_asks(load: str, method: str, tmp_path: Path) -> None:
    """Before, springs and losses of any kind led to the implicit method."""
    path = tmp_path / "mass.yaml"
    path.write_text(MASS.replace("LOAD", load))
    robot = symdyn.load(path, joint_losses=True)
    v = np.eye(robot.nv)[0]
    found = symdyn.simulate(robot, v=v, t=0.25)
    assert found.method == method and "rad/s" in found.reason
    other = symdyn.simulate(robot, v=v, t=0.25, method="radau" if method == "dop853" else "dop853")
    # beside a handful of calls for the first step and differences
    assert found.counters["function_calls"] <= other.counters["function_calls"] and not other.reason
    assert found.q[-1] == pytest.approx(other.q[-1], abs=1e-5)
    found.save(tmp_path / "run.npz")
    assert symdyn.Trajectory.load(tmp_path / "run.npz").reason == found.reason


@pytest.mark.needs_cc
def test_rigid_robots_without_losses_are_not_stiff() -> None:
    found = symdyn.simulate(symdyn.load_example("pendulum"), [1.0], t=0.1)
    assert found.method == "dop853" and found.reason.endswith("rad/s, so the motion is short")


@pytest.mark.needs_cc
@pytest.mark.parametrize("by", ["servo", "feedback"])
def test_inputs_that_damp_are_judged_too(by: str, tmp_path: Path) -> None:
    """A servo of the file, and a controller that the user gives, damp the mass with 1e4 N s/m."""
    path = tmp_path / "mass.yaml"
    servo = "actuators:\n- {name: servo, joints: {x: 1}, bias: [0, 0, -1e4]}\n"
    path.write_text(MASS.replace(", LOAD", "") + (servo if by == "servo" else ""))
    robot = symdyn.load(path)
    if by == "servo":
        found = symdyn.simulate(robot, v=[1.0], t=1.0, drive="actuators")
    else:
        found = symdyn.simulate(robot, v=[1.0], t=1.0, inputs=lambda t, q, v: -1e4 * v)
    assert found.method == "radau" and "1e+04 rad/s and dies within" in found.reason
    assert found.q[-1, 0] == pytest.approx(1e-4, abs=1e-9)  # v / 1e4


@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("damping", [1e-6, 1e4])
def test_stabilisation_of_loops_is_no_fast_move(damping: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of loops die within some 0.1 s in multistep methods, which says nothing about the robot."""
    pytest.importorskip("sksundae")
    monkeypatch.setattr("symdyn.analysis.simulation.methods._LARGE", 0)
    text = symdyn.load_example("four_bar").to_yaml()
    text = text.replace("type: continuous", f"type: continuous\n    losses: {{damping: {damping}}}")
    robot = symdyn.loads(text, format="yaml", joint_losses=True)
    found = symdyn.simulate(robot, robot.close([0.7, 0.3, 1.2]), t=3.0, rtol=1e-4)
    assert found.method == ("dop853" if damping < 1.0 else "cvode")
    assert ("so the motion is short" in found.reason) == (damping < 1.0) and "100 rad/s" not in found.reason


@pytest.mark.needs_cc
def test_a_start_beside_states_without_accelerations(tmp_path: Path) -> None:
    """Near the bound of a rod's turn, differences go beyond it."""
    rod = symdyn.loads(
        "name: rod\ngravity: [0, 0, -9.81]\nlinks:\n  arm:\n    soft: {length: 0.5, "
        "section: {shape: circle, radius: 0.02}, "
        "material: {youngs_modulus: 1e5, poisson_ratio: 0.5, density: 1000, viscosity: 1e3}, "
        "strain: {curvature_y: 0}, stations: 4}\n",
        format="yaml",
    )
    module: Any = symdyn.compile(rod, ["forward_dynamics"])
    bound = brentq(lambda q: 0.5 - np.isnan(module.forward_dynamics([q], [0.0], [0.0])[0]), 0.0, 20.0, xtol=1e-12)
    found = symdyn.simulate(rod, q=[bound - 1e-9], t=0.1)
    assert found.reason == "accelerations near the start are not finite"
    assert np.isfinite(found.q).all() and found.q[-1, 0] < bound
