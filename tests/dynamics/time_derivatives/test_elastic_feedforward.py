"""Motors that follow a trajectory of the links through springs: a closed form, and links that stay on their path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from support.robots.kinds import R
from support.robots.small import X, described, joint, loaded, massive
from support.robots.sprung import FEEDFORWARD

import symdyn
from symdyn import api
from symdyn.description.robot import Actuator, Elastic, Link, Losses
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot


def pendulum(damping: float = 0.0) -> Robot:
    """J = 0.7, m g l = 10, B = 0.32, K = 80, with friction in the motor."""
    rod = massive("rod", 2.0, (0.0, 0.5, 0.0), (0.2, 0.0, 0.0, 0.2, 0.0, 0.2))
    elastic, losses = Elastic(80.0, damping, Actuator(2e-4, 40.0)), Losses(0.3, 0.2, 0.5)
    own = described([Link("base"), rod], [joint("j", R, "base", "rod", axis=X, elastic=elastic, losses=losses)])
    return loaded(own, gravity=(0.0, 0.0, -10.0), joint_losses=True)


def test_an_elastic_pendulum_has_its_closed_form() -> None:
    q, V, motor, gains = 0.4, [1.5, -0.7, 2.0, 0.3], [0.9, 1.2], (30.0, 4.0)
    t = sympy.Symbol("t")
    path = sympy.nsimplify(q) + sum(
        sympy.nsimplify(value) * t**power / sympy.factorial(power) for power, value in enumerate(V, 1)
    )
    link = sympy.Rational(7, 10) * path.diff(t, 2) + 10 * sympy.cos(path)
    theta = path + link / 80
    speed = theta.diff(t)
    along = sympy.Rational(32, 100) * speed.diff(t) + link + sympy.Rational(3, 10) * speed + sympy.tanh(2 * speed) / 5
    wanted = [float(own.subs(t, 0).evalf(30)) for own in (theta, speed)]
    tau = float(along.subs(t, 0).evalf(30))
    tau += sum(gain * (ahead - own) for gain, ahead, own in zip(gains, wanted, motor, strict=True))
    given = {"q": [q], "V": V, "motor": motor, "K_p": [gains[0]], "K_d": [gains[1]]}
    found = api.float_recursion(pendulum(), FEEDFORWARD)(given)
    assert found["theta_d"] == pytest.approx(wanted, rel=1e-13)
    assert found["tau_motor"] == pytest.approx([tau], rel=1e-13)


@pytest.mark.needs_cc
def test_links_stay_on_their_path_to_the_tolerance_of_the_integrator() -> None:
    pytest.importorskip("scipy.integrate")
    robot = symdyn.load_example("elastic_arm")
    is_motor = np.array([name.endswith(".motor") for name in robot.velocity_names])
    rigid = ~is_motor & ~np.append(is_motor[1:], False)
    count, links = int(is_motor.sum()), int((~is_motor).sum())
    rates, sizes = np.linspace(1.5, 2.5, links), np.linspace(0.4, 0.2, links)
    module = symdyn.compile(robot, [FEEDFORWARD])

    def path(t: float, order: int) -> np.ndarray:
        return np.asarray(sizes * rates**order * np.sin(rates * t + 0.5 * np.pi * order))

    def driven(t: float, motor: np.ndarray) -> Any:
        V = np.array([path(t, order) for order in range(1, 5)])
        return module.elastic_joint_feedforward(path(t, 0), V, motor, np.full(count, 80.0), np.full(count, 8.0))

    def state(t: float, order: int) -> np.ndarray:
        rows = np.empty(robot.nv)
        rows[~is_motor], rows[is_motor] = path(t, order), driven(t, np.zeros((2, count))).theta_d[order]
        return rows

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        found, tau = driven(t, np.array([q[is_motor], v[is_motor]])), np.zeros(robot.nv)
        tau[is_motor] = found.tau_motor
        tau[rigid] = found.tau_link[rigid[~is_motor]]
        return tau

    times = np.linspace(0.0, 1.0, 21)
    motion = symdyn.simulate(robot, q=state(0.0, 0), v=state(0.0, 1), t=times, inputs=control, rtol=1e-11, atol=1e-12)
    away = motion.q[:, ~is_motor] - np.array([path(t, 0) for t in times])
    assert np.abs(away).max() < 1e-9


def test_springs_with_dampers_are_refused() -> None:
    robot = pendulum(damping=0.1)
    ((entry, request),) = requests(robot.model, [FEEDFORWARD])
    with pytest.raises(ModelError, match="has damping in its spring"):
        entry.plan(robot.model, request)
