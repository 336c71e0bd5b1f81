"""Generalised-alpha on robots: loops, quaternions, soft rods, prescribed joints, against solvers of SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import symdyn
from symdyn.analysis.simulation.advance import advance_of
from symdyn.analysis.simulation.generalised_alpha import AlphaMotion, generalised_alpha
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.errors import RequestError, SolverError
from symdyn.model import coordinates
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]

TOP = """
format: 1
name: top
links:
  ground:
  body: {mass: 1.0, com: [0, 0, 0.3], inertia: {xx: 0.02, yy: 0.03, zz: 0.01}}
joints:
  ball: {type: spherical, parent: ground, child: body}
"""


@pytest.fixture(scope="module")
def four_bar() -> Robot:
    with pytest.warns(symdyn.SymdynWarning):
        return symdyn.load_example("four_bar")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Robot:
    path = tmp_path_factory.mktemp("top") / "top.yaml"
    path.write_text(TOP)
    return symdyn.load(path)


def orders(run: Callable[[float], AlphaMotion], h: float, fields: tuple[str, ...]) -> list[float]:
    """The order that steps of h, h/2 and h/4 show, by the largest difference at any shared time after the start."""
    first, second, third = (run(h / part) for part in (1, 2, 4))
    found = []
    for field in fields:
        a, b, c = getattr(first, field), getattr(second, field), getattr(third, field)
        found.append(math.log2(np.abs(a - b[::2])[1:].max() / np.abs(b - c[::2])[1:].max()))
    return found


def energy(robot: Robot, motion: AlphaMotion) -> Array:
    module = symdyn.compile(robot, ["kinetic_energy", "potential_energy"])
    found: Array = module.kinetic_energy(motion.q, motion.v) + module.potential_energy(motion.q)
    return found


def test_four_bar_converges_with_order_two_and_stays_closed(four_bar: Robot) -> None:
    system, q = RobotSystem(four_bar), four_bar.close([0.5, -1.0, -1.0])
    q, v = four_bar.project(q, [2.0, 0.0, 0.0])

    def run(h: float) -> AlphaMotion:
        return generalised_alpha(system, [0.0, 0.4], q, v, step=h, every_step=True)

    found = orders(run, 4e-3, ("q", "v", "multipliers"))
    assert found == pytest.approx([2.0, 2.0, 2.0], abs=0.1)  # what the next order leaves at 4 ms
    motion = run(2e-3)
    assert max(np.abs(system.error(0.0, own)).max() for own in motion.q) <= 2e-12


def test_ball_joint_converges_with_order_two(top: Robot) -> None:
    system = RobotSystem(top)

    def run(h: float) -> AlphaMotion:
        return generalised_alpha(system, [0.0, 0.3], [0.3, 0.0, 0.0, 0.9539392014169457], [1.0, 2.0, 30.0], step=h,
                                 every_step=True)  # fmt: skip

    assert orders(run, 2e-3, ("q", "v", "a")) == pytest.approx([2.0] * 3, abs=0.1)


@pytest.mark.slow
def test_ball_joint_agrees_with_an_ode_solver(top: Robot) -> None:
    module = symdyn.compile(top, ["forward_dynamics"])
    start = np.array([0.3, 0.0, 0.0, 0.9539392014169457, 1.0, 2.0, 30.0])

    def rate(_: float, y: Array) -> Array:
        x, w = y[:4], y[4:]
        turned = np.array([
            x[3] * w[0] + x[1] * w[2] - x[2] * w[1], x[3] * w[1] + x[2] * w[0] - x[0] * w[2],
            x[3] * w[2] + x[0] * w[1] - x[1] * w[0], -x[:3] @ w,
        ])  # fmt: skip
        return np.concatenate([0.5 * turned, module.forward_dynamics(x / np.linalg.norm(x), w, np.zeros(3))])

    truth = solve_ivp(rate, (0.0, 0.3), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    motion = generalised_alpha(RobotSystem(top), [0.0, 0.3], start[:4], start[4:], rtol=1e-7, atol=1e-7)
    assert np.concatenate([motion.q[-1], motion.v[-1]]) == pytest.approx(truth, abs=2e-3)  # tolerance to the power 2/3


def test_prescribed_joint_follows_its_law(four_bar: Robot) -> None:
    system = RobotSystem(four_bar, prescribed={"input": lambda t: 0.5 + 0.3 * math.sin(4.0 * t)})
    q = four_bar.close([0.5, -1.0, -1.0], hold=["input"])
    motion = generalised_alpha(system, [0.0, 0.5], q, np.zeros(3), step=2e-3, every_step=True)
    # after the start, whose velocity is projected onto the law
    assert motion.q[:, 0] == pytest.approx(0.5 + 0.3 * np.sin(4.0 * motion.times), abs=1e-11)
    assert motion.v[:, 0] == pytest.approx(1.2 * np.cos(4.0 * motion.times), abs=1e-4)  # h^2 a' / 12 and its transient
    module = symdyn.compile(four_bar, ["inverse_dynamics", "constraint_jacobian"])
    for k in range(1, len(motion.times), 50):
        force = module.inverse_dynamics(motion.q[k], motion.v[k], motion.a[k])
        pulled = motion.multipliers[k, :2] @ module.constraint_jacobian(motion.q[k])
        assert force - pulled == pytest.approx([motion.multipliers[k, 2], 0.0, 0.0], abs=1e-6)  # of some 10 N m


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("told", [True, False], ids=["with rates", "positions alone"])
def test_prescribed_joint_needs_no_damping(told: bool) -> None:
    """Newmark's rule, which damps no constraint, beside DOP853: of order 2 after many steps."""
    robot = symdyn.load_example("double_pendulum")
    driven = robot.velocity_names[0]

    def swing(t: float) -> tuple[float, float, float]:
        return 0.4 * math.sin(3.0 * t), 1.2 * math.cos(3.0 * t), -3.6 * math.sin(3.0 * t)

    times = np.linspace(0.0, 4.0, 5)
    q, v = [0.0, 0.5], [1.2, 0.0]
    truth = symdyn.simulate(robot, q, v, times, prescribed={driven: swing}, method="dop853", rtol=1e-10, atol=1e-10)
    system = RobotSystem(robot, prescribed={driven: swing if told else lambda t: swing(t)[0]})
    errors = []
    for h in (8e-3, 4e-3):
        motion = generalised_alpha(system, times, q, v, step=h, rho=1.0)
        errors.append(np.abs(motion.q - truth.q).max())
        assert motion.q[:, 0] == pytest.approx(truth.q[:, 0], abs=1e-15)
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.slow
def test_soft_rod_agrees_with_radau() -> None:
    robot = symdyn.load_example("cable_manipulator")
    # loads that grow smoothly, over a tenth of a second
    law: Callable[..., Any] = lambda t, *_: 0.02 * np.sin(10.0 * t) * np.cos(np.arange(24))  # noqa: E731
    module = symdyn.compile(robot, ["forward_dynamics"])

    def rate(t: float, y: Array) -> Array:
        return np.concatenate([y[24:], module.forward_dynamics(y[:24], y[24:], law(t))])

    truth = solve_ivp(rate, (0.0, 0.1), np.zeros(48), method="Radau", rtol=1e-9, atol=1e-10).y[:, -1]
    system, start = RobotSystem(robot, forces=law), np.zeros(24)
    errors = []
    for h in (1e-3, 5e-4):
        motion = generalised_alpha(system, [0.0, 0.1], start, start, step=h)
        errors.append(np.abs(motion.q[-1] - truth[:24]).max())
    assert errors[1] < 1e-5
    assert errors[1] < 0.35 * errors[0]  # order 2 gives a quarter


@pytest.mark.slow
def test_linkage_with_redundant_rows_keeps_its_energy() -> None:
    robot = symdyn.load_example("bricard")
    motion = generalised_alpha(RobotSystem(robot), np.linspace(0.0, 1.0, 51), np.zeros(5), np.zeros(5), step=1e-3)
    found = energy(robot, motion)
    assert np.abs(found - found[0]).max() < 2e-6  # dissipation and order 2 at 1 ms, of some 20 J


@pytest.mark.parametrize("name", ["flagellate_vehicle", "four_bar"])
def test_fast_moves_are_those_of_the_robot(name: str, recwarn: pytest.WarningsRecorder) -> None:
    robot = symdyn.load_example(name)
    q, v = robot.random_state(np.random.default_rng(3))
    assert advance_of(robot.model)(q, v) == pytest.approx(coordinates.integrate(robot.model, q, v), abs=1e-15)


def test_what_is_refused(four_bar: Robot, top: Robot) -> None:
    with pytest.raises(RequestError, match="'wheel' of robot 'four_bar'"):
        RobotSystem(four_bar, prescribed={"wheel": math.sin})
    with pytest.raises(RequestError, match="no actuators"):
        RobotSystem(top, inputs=lambda t, q, v: np.zeros(1))
    with pytest.raises(RequestError, match="rate of a coordinate"):
        RobotSystem(top, prescribed={"ball.x": math.sin})
    for short in ([0.5], (0.5, 1.0)):
        given = f"'input' at t = 0.25 s: expected a position, or .*, got {len(short)} numbers of shape"
        system = RobotSystem(four_bar, prescribed={"input": lambda t, short=short: short})
        with pytest.raises(RequestError, match=given):
            system.driven(0.25)
        with pytest.raises(RequestError, match=given):
            system.error(0.25, np.zeros(3))
    with pytest.raises(SolverError, match=r"Newton's method.*row '(input|elbow|output)'"):
        generalised_alpha(
            RobotSystem(four_bar, forces=lambda t, q, v: np.full(3, np.nan if t > 0.1 else 0.0)),
            [0.0, 1.0],
            four_bar.close([0.5, -1.0, -1.0]),
            np.zeros(3),
            step=0.02,
        )
