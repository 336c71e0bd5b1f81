"""Inputs that jump: each pulse is seen by each method, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.analysis.simulation.spans import Stop, stops_of
from symdyn.analysis.simulation.table_inputs import TableInputs
from symdyn.errors import RequestError

pytestmark = pytest.mark.needs_cc

METHODS = ["dop853", "radau", "bdf", "cvode", "ida", "generalised-alpha", "taylor"]
CART = """
name: cart
gravity: [0, 0, 0]
links: {ground: {}, cart: {mass: 2.0}, ball: {mass: 1.0}}
joints:
  x: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}
  y: {type: prismatic, parent: cart, child: ball, axis: [1, 0, 0]}
"""


@pytest.fixture(scope="module")
def cart(tmp_path_factory: pytest.TempPathFactory) -> symdyn.Robot:
    """A mass of 2 kg on a rail, and one of 1 kg that slides on it without friction."""
    path = tmp_path_factory.mktemp("cart") / "cart.yaml"
    path.write_text(CART)
    return symdyn.load(path)


@pytest.mark.parametrize("method", METHODS)
def test_a_pulse_of_a_table_is_not_stepped_over(cart: symdyn.Robot, method: str) -> None:
    """At rest for 20 s, then 4 N on 2 kg for 1 s: at 25 s the cart has gone 1 m and 4 s at 2 m/s."""
    table = ([0.0, 20.0, 21.0], [[0.0, 0.0], [4.0, 0.0], [0.0, 0.0]])
    found = symdyn.simulate(cart, t=25.0, inputs=table, method=method)
    # the force is constant in each part, so q is a parabola; rounding of the tolerance 1e-6 in 9 m
    assert found.q[-1] == pytest.approx([9.0, -9.0], abs=2e-5)
    assert {20.0, 21.0} <= set(found.t)
    assert found.inputs[found.t == 20.0][0, 0] == 4.0


@pytest.mark.parametrize("method", METHODS)
def test_corners_of_a_linear_table_are_met(cart: symdyn.Robot, method: str) -> None:
    """A triangle of 4 N over 1 s gives 1 m/s to the cart, at rest until then: 0.5 s + 4 s at that speed."""
    table = ([0.0, 20.0, 20.5, 21.0, 25.0], [[0.0, 0.0], [0.0, 0.0], [4.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = symdyn.simulate(cart, t=25.0, inputs=table, hold="linear", method=method)
    assert found.q[-1, 0] == pytest.approx(4.5, abs=5e-5)  # 1e-6 of some m in each step


@pytest.mark.parametrize("method", [method for method in METHODS if method != "taylor"])
def test_a_function_says_where_it_jumps(cart: symdyn.Robot, method: str) -> None:
    found = symdyn.simulate(
        cart,
        t=[0.0, 20.0, 25.0],
        inputs=lambda t: [4.0 if 20.0 <= t < 21.0 else 0.0, 0.0],
        method=method,
        jumps=[20, 21],
    )
    assert found.q[-1] == pytest.approx([9.0, -9.0], abs=2e-5)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "taylor"])
def test_the_longest_step_shows_a_pulse(cart: symdyn.Robot, method: str) -> None:
    found = symdyn.simulate(
        cart, t=5.0, inputs=lambda t: [4.0 if 3.0 <= t < 4.0 else 0.0, 0.0], method=method, max_step=0.25
    )
    assert found.q[-1, 0] == pytest.approx(3.0, rel=0.02)  # steps that are shorter than the pulse see it


@pytest.mark.parametrize("method", [method for method in METHODS if method != "taylor"])
def test_parameters_say_where_they_jump(method: str) -> None:
    """A load of 4 N for 1 s, given at run time; a servo's table in the file's own inputs beside it."""
    text = CART + "loads:\n  push: {link: cart, force: [1, 0, 0]}\nactuators: [y]\n"
    robot = symdyn.loads(text, "yaml", runtime=["push.force.x"])
    found = symdyn.simulate(
        robot,
        t=25.0,
        p=lambda t: [4.0 if 20.0 <= t < 21.0 else 0.0],
        inputs=([0.0, 10.0, 10.5], [[0.0], [1.0], [0.0]]),
        drive="actuators",
        method=method,
        jumps=[20.0, 21.0],
    )
    # the servo pushes the ball of 1 kg by 1 N for 0.5 s against the cart of 2 kg
    apart, ball = 0.125 + 14.5 * 0.5, 9.0
    assert found.q[-1] == pytest.approx([ball - 0.5 * apart, -ball + 1.5 * apart], abs=5e-5)


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf", "cvode", "ida", "generalised-alpha"])
def test_prescribed_velocities_jump_with_an_impulse(cart: symdyn.Robot, method: str) -> None:
    """The cart is set going at 3 s; nothing acts on the ball along the rail, so it stays where it is."""
    motion = {"x": lambda t: (max(0.0, t - 3.0), 1.0 if t >= 3.0 else 0.0, 0.0)}
    found = symdyn.simulate(cart, t=[0.0, 3.0, 10.0], prescribed=motion, jumps=[3.0], method=method)
    assert found.q[-1] == pytest.approx([7.0, -7.0], abs=1e-6)
    assert found.v[1] == pytest.approx([1.0, -1.0], abs=1e-9)
    with pytest.raises(RequestError, match=r"prescribed 'x' jumps at t = 3 s from 0 to 1"):
        symdyn.simulate(
            cart, t=5.0, prescribed={"x": lambda t: (float(t >= 3.0), 0.0, 0.0)}, jumps=[3.0], method=method
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("method", ["dop853", "ida", "generalised-alpha"])
def test_a_force_that_jumps_in_a_loop(method: str) -> None:
    """Two methods that share no solver agree with steps so short that no jump is missed."""
    robot = symdyn.load_example("four_bar")
    table = ([0.0, 0.2, 0.21], [[0.0, 0.0, 0.0], [300.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    fine: Any = {"t": [0.0, 0.2, 0.3], "rtol": 1e-9, "atol": 1e-11}
    found = symdyn.simulate(robot, inputs=table, method=method, **fine)
    short = symdyn.simulate(robot, inputs=lambda t: table[1][int(t >= 0.2) + int(t >= 0.21)], max_step=1e-4, **fine)
    # a step of 1e-4 s that passes the jump is repeated until its error is 1e-9; second order costs 1e-6
    assert np.max(np.abs(found.q - short.q)) < 1e-6
    assert np.max(np.abs(short.v[-1])) > 1.0


def test_stops_are_where_rows_change() -> None:
    times, rows = np.arange(5.0), np.array([[0.0], [0.0], [1.0], [1.0], [3.0]])
    held, linear = TableInputs(times, rows, False), TableInputs(times, rows, True)
    assert stops_of(held, [2.5, 9.0], 0.0, 3.5) == [Stop(2.0, True), Stop(2.5, True), Stop(3.5, False)]
    assert stops_of(linear, [], 0.0, 4.0) == [Stop(1.0, False), Stop(2.0, False), Stop(3.0, False), Stop(4.0, False)]
    for table in (held, linear):
        near = (table(2.0 + 1e-7, rows[0], rows[0]) - table(2.0, rows[0], rows[0])) / 1e-7
        assert table.derivatives(2.0, 3) == pytest.approx(np.array([[1.0], near, [0.0], [0.0]]))


@pytest.mark.parametrize("jumps", [[float("nan")], "soon", [[1.0, 2.0]]])
def test_wrong_jumps_are_refused(cart: symdyn.Robot, jumps: Any) -> None:
    with pytest.raises(RequestError, match="jumps"):
        symdyn.simulate(cart, jumps=jumps)


@pytest.mark.parametrize("step", [None, 0.5])
def test_the_integrator_alone_takes_jumps(cart: symdyn.Robot, step: float | None) -> None:
    """A cart that is set going, as above; forces that jump; a position that jumps is refused."""
    system = RobotSystem(cart, prescribed={"x": lambda t: (max(0.0, t - 3.0), 1.0 if t >= 3.0 else 0.0, 0.0)})
    found = generalised_alpha(system, [0.0, 3.0, 10.0], [0.0, 0.0], [0.0, 0.0], step=step, jumps=[3.0])
    assert found.q[-1] == pytest.approx([7.0, -7.0], abs=1e-6)
    assert found.v[1] == pytest.approx([1.0, -1.0], abs=1e-9)
    pushed = RobotSystem(cart, forces=lambda t, q, v: [4.0 if 20.0 <= t < 21.0 else 0.0, 0.0])
    found = generalised_alpha(pushed, [0.0, 25.0], [0.0, 0.0], [0.0, 0.0], step=step, jumps=[20.0, 21.0])
    assert found.q[-1] == pytest.approx([9.0, -9.0], abs=1e-6)
    torn = RobotSystem(cart, prescribed={"x": lambda t: (1.0 if t >= 3.0 else 0.0, 0.0, 0.0)})
    with pytest.raises(RequestError, match=r"'x' jumps at t = 3 s from 0 to 1; positions must be continuous"):
        generalised_alpha(torn, [0.0, 10.0], [0.0, 0.0], [0.0, 0.0], step=step, jumps=[3.0])


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
@pytest.mark.parametrize("step", [None, 2e-3])
def test_the_integrator_alone_takes_jumps_in_a_loop(step: float | None) -> None:
    """A torque on a four-bar for 0.1 s, against a method of another kind."""
    robot = symdyn.load_example("four_bar")
    q, v = robot.close([0.5, -1.0, -1.0]), np.zeros(robot.nv)

    def torque(t: float) -> list[float]:
        return [3.0 if 0.2 <= t < 0.3 else 0.0]

    system = RobotSystem(robot, inputs=lambda t, q, v: torque(t))
    asked: dict[str, Any] = {"step": step, "rtol": 1e-8, "atol": 1e-8, "jumps": [0.2, 0.3]}
    found = generalised_alpha(system, [0.0, 0.5], q, v, **asked)
    exact = symdyn.simulate(
        robot, q, v, 0.5, inputs=torque, drive="actuators", method="dop853", rtol=1e-10, atol=1e-10, jumps=[0.2, 0.3]
    )
    assert found.q[-1] == pytest.approx(exact.q[-1], abs=2e-4)  # second order: errors of 2 ms are some 1e-5
