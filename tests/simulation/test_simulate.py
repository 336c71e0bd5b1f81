"""Simulated motions against closed forms, files of trajectories, events, and what is refused before the first step."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import symdyn
from symdyn.analysis.simulation.given import given_inputs
from symdyn.analysis.simulation.smooth_inputs import PolynomialInputs
from symdyn.errors import RequestError, SolverError
from symdyn.model.wide_rods import wide_rods

pytestmark = pytest.mark.needs_cc

PENDULUM = symdyn.load_example("pendulum")
PLAIN: dict[str, Any] = {"method": "dop853", "rtol": 1e-10, "atol": 1e-12}


def _pendulum_angle(t: np.ndarray, start: float) -> np.ndarray:
    """The angle of the slender rod of 1 m, let go at rest: sin(q / 2) = k sn(K - w t, k), w^2 = 3 g / (2 l)."""
    k = math.sin(0.5 * start)
    sn, *_ = ellipj(ellipk(k * k) - math.sqrt(1.5 * 9.81) * t, k * k)
    return np.asarray(2.0 * np.arcsin(k * sn))


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "cvode", "ida"])
def test_pendulum_follows_elliptic_functions(method: str) -> None:
    times = np.linspace(0.0, 3.0, 31)
    robot = symdyn.load_example("pendulum", gravity=(0.0, 0.0, -9.81))
    found = symdyn.simulate(robot, [2.0], [0.0], times, method=method, rtol=1e-8, atol=1e-10)
    # Errors of steps of 1e-8 add up; multistep methods take the most steps, here some 1000.
    assert np.max(np.abs(found.q[:, 0] - _pendulum_angle(times, 2.0))) < 1e-5
    assert np.ptp(found.energy) < 1e-4
    assert found.counters["steps"] > 0
    assert len(found.a) == 31


@pytest.mark.slow
def test_free_top_turns_as_in_closed_form(tmp_path: Path) -> None:
    """A symmetric body without gravity: its transverse rates turn by (I3 - I1) / I1 w3, its axis about the momentum."""
    path = tmp_path / "top.yaml"
    path.write_text(
        "name: top\nfloating_base: true\nlinks:\n  top: {mass: 1.0, inertia: {xx: 1.0, yy: 1.0, zz: 1.6}}\n"
    )
    robot = symdyn.load(path, gravity=(0.0, 0.0, 0.0))
    turn = np.array([0.4, 0.0, 1.5])
    found = symdyn.simulate(robot, v=[0.0, 0.0, 0.0, *turn], t=np.linspace(0.0, 5.0, 21), **PLAIN)
    rate = 0.6 * turn[2]
    expected = np.array([0.4 * np.cos(rate * found.t), 0.4 * np.sin(rate * found.t), 1.5 + 0.0 * found.t]).T
    assert np.max(np.abs(found.v[:, 3:] - expected)) < 1e-8
    assert np.max(np.abs(np.linalg.norm(found.q[:, 3:], axis=1) - 1.0)) < 1e-14
    # The attitude is a turn about the momentum L by |L| / I1 t, then one about the own axis by -rate t.
    momentum = np.array([0.4, 0.0, 1.6 * 1.5])
    size = float(np.linalg.norm(momentum))
    for t, quaternion in zip(found.t, found.q[:, 3:], strict=True):
        first = np.append(np.sin(0.5 * size * t) * momentum / size, np.cos(0.5 * size * t))
        second = np.array([0.0, 0.0, np.sin(-0.5 * rate * t), np.cos(0.5 * rate * t)])
        product = np.append(
            first[3] * second[:3] + second[3] * first[:3] + np.cross(first[:3], second[:3]),
            first[3] * second[3] - first[:3] @ second[:3],
        )
        assert abs(abs(product @ quaternion) - 1.0) < 1e-12


@pytest.mark.slow
def test_prescribed_joint_moves_as_told() -> None:
    robot = symdyn.load_example("double_pendulum")
    name = robot.velocity_names[0]
    motion = {name: lambda t: (0.2 * math.sin(t), 0.2 * math.cos(t), -0.2 * math.sin(t))}
    found = symdyn.simulate(robot, t=np.linspace(0.0, 2.0, 9), prescribed=motion, **PLAIN)
    assert np.array_equal(found.q[:, 0], [0.2 * math.sin(t) for t in found.t])
    # The second joint moves as it does under the forces that forward dynamics needs for these accelerations.
    inverse = symdyn.compile(robot, ["inverse_dynamics"])
    tau = inverse.inverse_dynamics(found.q, found.v, found.a)
    assert np.max(np.abs(tau[:, 1])) < 1e-10
    assert np.max(np.abs(found.a[:, 0] + 0.2 * np.sin(found.t))) == 0.0


def test_events_are_timed_and_end_the_motion() -> None:
    robot = symdyn.load_example("pendulum", gravity=(0.0, 0.0, -9.81))

    def down(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(q[0])

    def turned(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(v[0])

    turned.terminal = True  # type: ignore[attr-defined]
    quarter = float(ellipk(math.sin(0.5) ** 2)) / math.sqrt(1.5 * 9.81)
    found = symdyn.simulate(robot, [1.0], [0.0], 10.0, events=[down, turned], **PLAIN)
    assert found.events["down"] == pytest.approx([quarter], abs=1e-8)
    assert found.events["turned"] == pytest.approx([2.0 * quarter], abs=1e-8)
    assert found.t[-1] == found.events["turned"][0]
    assert "turned" in found.messages[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "cvode"])
def test_loops_stay_closed(method: str) -> None:
    robot = symdyn.load_example("four_bar")
    q, v = robot.project(robot.close(robot.neutral()), np.ones(robot.nv))
    times = np.linspace(0.0, 1.0, 11)
    found = symdyn.simulate(robot, q, v, times, rtol=1e-8, atol=1e-10, method=method)
    exact = symdyn.simulate(robot, q, v, times, rtol=1e-12, atol=1e-13, method="dop853")
    assert np.max(np.abs(found.q - exact.q)) < 1e-6  # errors of steps of 1e-8 add up
    module = symdyn.compile(robot, ["constraint_error", "constraint_jacobian"])
    assert np.max(np.abs(module.constraint_error(found.q))) < 1e-13
    rates = np.einsum("nij,nj->ni", module.constraint_jacobian(found.q), found.v)
    assert np.max(np.abs(rates)) < 1e-12
    assert found.multipliers.shape == (len(found.t), 2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("method", ["bdf", "cvode"])
def test_accelerations_lead_errors_of_loops_back(method: str) -> None:
    """Events see states as the method left them. Without stabilisation errors grow to 1.6e-7 and 8e-7 in 3 s."""
    robot = symdyn.load_example("four_bar")
    q, v = robot.project(robot.close(robot.neutral()), np.ones(robot.nv))
    module, gaps = symdyn.compile(robot, ["constraint_error"]), [0.0]

    def watch(t: float, q: np.ndarray, v: np.ndarray) -> float:
        gaps.append(float(np.max(np.abs(module.constraint_error(q)))))
        return 1.0

    times = np.linspace(0.0, 3.0, 31)
    symdyn.simulate(robot, q, v, times, rtol=1e-8, atol=1e-10, method=method, events={"gap": watch})
    assert 0.0 < max(gaps) < 5e-8  # some tolerances of steps; 4e-9 and 7e-9 were seen


def test_files_and_interpolation(tmp_path: Path) -> None:
    found = symdyn.simulate(PENDULUM, [1.0], t=np.linspace(0.0, 1.0, 101), **PLAIN)
    found.save(tmp_path / "run.npz")
    back = symdyn.Trajectory.load(tmp_path / "run.npz", PENDULUM)
    assert np.array_equal(back.q, found.q) and np.array_equal(back.energy, found.energy)
    assert back.counters == found.counters and back.coordinate_names == found.coordinate_names
    exact = symdyn.simulate(PENDULUM, [1.0], t=[0.0, 0.505, 1.0], **PLAIN)
    q, v = back.at(0.505)
    assert abs(q[0] - exact.q[1, 0]) < 1e-7  # h^4 / 384 of the fourth derivative, some 200
    assert abs(v[0] - exact.v[1, 0]) < 1e-6
    with pytest.raises(RequestError, match="differs"):
        symdyn.Trajectory.load(tmp_path / "run.npz", symdyn.load_example("double_pendulum"))
    (tmp_path / "other.npz").write_bytes(b"no")
    with pytest.raises(RequestError, match=r"expected an \.npz file"):
        symdyn.Trajectory.load(tmp_path / "other.npz")


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_tables_of_other_packages(package: str) -> None:
    pytest.importorskip(package)
    found = symdyn.simulate(PENDULUM, [1.0], t=np.linspace(0.0, 0.1, 3), inputs=[0.5], **PLAIN)
    table = found.to_pandas() if package == "pandas" else found.to_xarray()
    column = table["q swing"] if package == "pandas" else table["q"].sel(coordinate="swing")
    assert np.array_equal(np.asarray(column), found.q[:, 0])
    assert np.array_equal(np.asarray(table["kinetic_energy"]), found.kinetic_energy)
    assert np.array_equal(np.asarray(table.index if package == "pandas" else table["t"]), found.t)


def test_tables_hold_or_slope() -> None:
    robot = symdyn.load_example("pendulum", gravity=(0.0, 0.0, 0.0))
    table = ([0.0, 1.0], [[0.0], [1.0]])
    held = symdyn.simulate(robot, t=1.0, inputs=table, **PLAIN)
    sloped = symdyn.simulate(robot, t=1.0, inputs=table, hold="linear", **PLAIN)
    assert held.q[-1, 0] == 0.0
    assert sloped.q[-1, 0] == pytest.approx(3.0 / 6.0, abs=1e-10)  # q'' = t / (m l^2 / 3)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"q": [1.0, 2.0]}, r"expected shape \(..., 1\)"),
        ({"v": [math.nan]}, "not finite"),
        ({"method": "radua"}, "did you mean 'radau'"),
        ({"t": [0.0, 1.0, 0.5]}, "times must grow"),
        ({"t": math.inf}, "not finite"),
        ({"inputs": [1.0, 2.0]}, "inputs of robot 'pendulum'"),
        ({"inputs": lambda t, q, v: [1.0, 2.0]}, r"expected shape \(1,\)"),
        ({"inputs": [math.nan]}, r"inputs of robot 'pendulum': element \[0\] is nan, which is not finite"),
        ({"inputs": ([0.0, 1.0], [[0.0], [math.inf]])}, r"element \[1, 0\] is inf"),
        ({"inputs": ([0.0, 1.0, 0.5], [[0.0]] * 3)}, r"times must grow; got 0.5 s after 1 s"),
        ({"inputs": lambda t: [math.nan]}, r"not finite at t = 0 s"),
        ({"drive": "actuators"}, "has no actuators"),
        ({"prescribed": {"swign": lambda t: (0.0, 0.0, 0.0)}}, "did you mean 'swing'"),
        ({"prescribed": {"swing": lambda t: 0.0}}, "three finite numbers"),
        ({"rtol": -1.0}, "positive number"),
        ({"events": {"e": 3}}, "expected a function"),
    ],
)
def test_bad_requests_are_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(RequestError, match=said):
        symdyn.simulate(PENDULUM, **{"t": 1.0, "method": "dop853", **asked})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "inputs",
    [
        [0.0, -2.0, 0.0, 0.0, 0.0],
        ([0.0, 1.0], [[0.0] * 5, [0.0, -2.0, 0.0, 0.0, 0.0]]),
        lambda t, q, v: np.array([0.0, -2.0 * (t >= 0.5), 0.0, 0.0, 0.0]),
        PolynomialInputs(np.array([[0.0] * 5, [0.0, -4.0, 0.0, 0.0, 0.0]])),
    ],
    ids=["constant", "table", "function", "series"],
)
def test_tendons_do_not_push(inputs: Any) -> None:
    """All cases come to -2 N at 0.5 s or before; what a function gives is refused when it gives it."""
    robot = symdyn.load_example("cable_manipulator")
    with pytest.raises(
        RequestError, match=r"tension 'cable_2' of robot 'cable_manipulator' is -2 N.*cannot be below 0"
    ):
        given_inputs(robot, inputs, "actuators", "zero", 0.0, 1.0)[0](0.5, robot.neutral(), np.zeros(24))
    assert given_inputs(robot, [0.0] * 5, "actuators", "zero", 0.0, 1.0)[1] is False
    assert given_inputs(robot, [-1.0] * 24, "forces", "zero", 0.0, 1.0)[1] is False


def test_chambers_do_not_suck() -> None:
    robot = symdyn.load_example("bulging_arm")
    with pytest.raises(RequestError, match=r"pressure 'upper_2' of robot 'bulging_arm' is -1 Pa.*cannot be below 0"):
        given_inputs(robot, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0], "actuators", "zero", 0.0, 1.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_open_loops_are_refused() -> None:
    robot = symdyn.load_example("four_bar")
    q = robot.close(robot.neutral())
    with pytest.raises(RequestError, match=r"open by .* robot.close"):
        symdyn.simulate(robot, q + 0.1, t=1.0)
    with pytest.raises(RequestError, match=r"opening by .* robot.project"):
        symdyn.simulate(robot, q, np.ones(robot.nv), t=1.0)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1.0, [0.0, 0.1, 1.0]], ids=["all steps", "few times"])
def test_giving_up_keeps_the_motion(times: Any) -> None:
    """With tau = v^2 the rate v' = 3 v^2 has no value at t = 1/3."""
    robot = symdyn.load_example("pendulum", gravity=(0.0, 0.0, 0.0))
    with pytest.raises(SolverError, match="row 'swing'") as caught, np.errstate(all="ignore"):
        symdyn.simulate(robot, v=[1.0], t=times, inputs=lambda t, q, v: v * v, method="radau")
    assert caught.value.partial.t[-1] == pytest.approx(1.0 / 3.0, abs=1e-4)


def test_a_soft_link_near_its_bound_is_named() -> None:
    """A rod of one step with a constant curvature k turns by k times its length."""
    model = symdyn.load_example("cable_manipulator").model
    (rod,) = model.rods
    q = np.zeros(model.nq)
    assert not wide_rods(model, q)
    q[list(model.coordinate_names).index("arm.curvature_y[0]")] = 0.9 * rod.turn * model.rods[0].steps
    found = wide_rods(model, q)
    assert re.search(rf"'{rod.link}' turns by .* max_turn_per_step is {rod.turn:g}", found), found


def test_inputs_by_names_are_those_of_rows() -> None:
    robot = symdyn.load_example("double_pendulum")
    whole = symdyn.simulate(robot, t=[0.0, 0.1, 0.2], inputs=lambda t: [0.0, 3.0 * t])
    named = symdyn.simulate(robot, t=[0.0, 0.1, 0.2], inputs={"elbow": lambda t: 3.0 * t})
    assert np.array_equal(whole.q, named.q)
    stays = symdyn.simulate(robot, t=[0.0, 0.1, 0.2], inputs={"elbow": 0.5})
    assert np.array_equal(stays.inputs, [[0.0, 0.5]] * 3)


@pytest.mark.parametrize(
    ("example", "inputs", "message"),
    [
        ("double_pendulum", {"elbo": 1.0}, "there are shoulder, elbow; did you mean 'elbow'"),
        ("double_pendulum", {"elbow": lambda t: float("nan")}, "not finite"),
        ("double_pendulum", {"elbow": [1.0, 2.0]}, "expected a number or a function of t"),
        ("cable_manipulator", {"cable_1": 1.0}, "say drive='actuators'"),
    ],
)
def test_inputs_by_wrong_names_are_refused(example: str, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        symdyn.simulate(symdyn.load_example(example), t=0.1, inputs=inputs)


def test_a_motion_of_another_loading_says_how_it_is_loaded_now(tmp_path: Path) -> None:
    robot = symdyn.load_example("double_pendulum")
    symdyn.simulate(robot, t=[0.0, 0.1, 0.2]).save(tmp_path / "run.npz")
    other = symdyn.load_example("double_pendulum", joint_losses=True)
    with pytest.raises(RequestError, match=r"joint_losses was False, and is True; .*options of then"):
        symdyn.Trajectory.load(tmp_path / "run.npz", other)
