"""Contacts on the way of a motion: no method steps over one, against closed forms and against short steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.dynamics.kinematics.passing import first_change, followed, within_passed

METHODS = ["dop853", "radau", "bdf", "cvode", "ida", "generalised-alpha"]
POST = """
name: post
gravity: [0, 0, 0]
links: {ground: {}, ball: {mass: 0.5}}
joints: {x: {type: prismatic, parent: ground, child: ball, axis: [1, 0, 0]}}
contacts:
  post: {of: ball, radius: 0.1, with: {sphere: {center: [5, 0, 0], radius: 0.1}}, stiffness: STIFFNESS, exponent: POWER}
"""
ROD = """
name: rod
gravity: [0, 0, 0]
links:
  ground: {}
  cart: {mass: 0.1}
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000, viscosity: 1e4}
      strain: {curvature_z: {basis: legendre, degree: 1}}
joints:
  x: {type: prismatic, parent: ground, child: cart, axis: [0, 1, 0]}
  clamp: {type: fixed, parent: cart, child: arm}
contacts:
  post: {of: arm, radius: 0.05, with: {sphere: {center: [0.25, 2, 0], radius: 0.05}}, stiffness: 1e5}
"""


def _post(folder: Path, stiffness: float, power: float) -> symdyn.Robot:
    path = folder / "post.yaml"
    path.write_text(POST.replace("STIFFNESS", f"{stiffness:g}").replace("POWER", f"{power:g}"))
    return symdyn.load(path)


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_comes_back_from_a_post(method: str, tmp_path: Path) -> None:
    """It touches at x = 4.8 m. Hertz: the depth is (5 m v^2 / (4 k))^(2/5), and contact lasts 2.9432 depths / v."""
    result = symdyn.simulate(_post(tmp_path, 1e5, 1.5), [0.0], [1.0], 20.0, method=method)
    lasts = 2.943275 * (5.0 * 0.5 / 4e5) ** 0.4
    # tolerances of 1e-6 of each step: generalised-alpha leaves 9e-5 of the speed, the others less
    assert result.v[-1, 0] == pytest.approx(-1.0, abs=3e-4)
    assert result.q[-1, 0] == pytest.approx(4.8 - (20.0 - 4.8 - lasts), abs=3e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_that_flies_away_and_falls_back(method: str, tmp_path: Path) -> None:
    """Parabolas are exact for all methods, so a step is as long as the motion; and at first the gap opens."""
    robot = _post(tmp_path, 1e5, 1.5)
    asked: dict[str, Any] = {"inputs": [-1.0], "t": [0.0, 5.0, 6.0], "method": method}
    result = symdyn.simulate(robot, [8.0], [1.0], **asked)
    # with a = -2 the ball is at 5.2 m after 2.2462 s, with v^2 = 1 + 4 * 2.8, and the post gives that back
    speed, at = np.sqrt(12.2), 0.5 * (1.0 + np.sqrt(12.2))
    flies = 5.0 - at - 2.943275 / speed * (5.0 * 0.5 * 12.2 / 4e5) ** 0.4
    assert result.q[1, 0] == pytest.approx(5.2 + speed * flies - flies**2, abs=2e-2)
    assert result.energy[1] + result.q[1, 0] == pytest.approx(0.25 + 8.0, abs=5e-3)  # kinetic, and that of the force


def test_series_end_where_contacts_begin_and_end(tmp_path: Path) -> None:
    """A power series does not know of the contact; at its start alone forces are felt."""
    robot = _post(tmp_path, 5.6e14, 10.0)
    asked: dict[str, Any] = {"inputs": [-1.0], "t": [0.0, 6.0, 12.0], "q": [8.0], "v": [1.0]}
    series = symdyn.simulate(robot, method="taylor", **asked)
    exact = symdyn.simulate(robot, method="dop853", rtol=1e-11, atol=1e-12, **asked)
    assert series.q[-1] > 5.2
    assert series.q == pytest.approx(exact.q, abs=1e-4)  # three bounces lengthen errors of steps of 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "cvode"])
def test_a_rod_is_stopped_by_a_thin_post(method: str, tmp_path: Path) -> None:
    """Straight and unstrained it flies without any force, in steps of any length."""
    path = tmp_path / "rod.yaml"
    path.write_text(ROD)
    robot = symdyn.load(path)
    v = np.zeros(robot.nv)
    v[0] = 1.0
    result = symdyn.simulate(robot, v=v, t=[0.0, 2.0, 20.0], method=method)
    short = symdyn.simulate(robot, v=v, t=[0.0, 2.0, 20.0], method=method, max_step=2e-3)
    assert result.q[-1, 0] < 2.0  # it flies back
    assert result.v[-1, 0] == pytest.approx(short.v[-1, 0], abs=1e-3)


def test_a_contact_within_a_step_is_found_at_random() -> None:
    """Balls on parabolas past posts: found where the true least gap on a fine grid is below zero."""
    rng = np.random.default_rng(3)
    passes = 0
    for _ in range(300):
        start, speed, rate, aside = rng.uniform(-5.0, 5.0, (4, 3))
        radius, at = rng.uniform(0.01, 1.0), rng.uniform(1.0, 3.0)
        centre = start + at * speed + 0.5 * at * at * rate + 0.3 * radius * aside

        def gaps(t: np.ndarray, path: Any = (start, speed, rate, centre, radius)) -> tuple[np.ndarray, np.ndarray]:
            away = path[0] + np.outer(t, path[1]) + 0.5 * np.outer(t * t, path[2]) - path[3]
            distance = np.linalg.norm(away, axis=1)
            moves = path[1] + np.outer(t, path[2])
            return (distance - path[4])[:, None], (np.sum(away * moves, axis=1) / distance)[:, None]

        fine = gaps(np.linspace(0.0, 4.0, 20_001))[0][:, 0]
        if fine[0] <= 0.0 or fine[-1] <= 0.0:
            continue
        places, gap = followed(gaps, 0.0, 4.0)
        place = within_passed(places, gap)
        if fine.min() > 0.0:
            assert place is None
        elif fine.min() < -1e-6:
            assert place is not None and gaps(np.array([place]))[0][0, 0] <= 0.0
            passes += 1
        changes = first_change(places, gap)
        assert (changes is None) == (place is None)
        assert len(places) < 200
    assert passes > 20


def test_closed_ends_are_no_passing() -> None:
    gap = np.array([[-1.0, 1.0], [1.0, 1.0], [-1.0, -0.5], [-2.0, -0.7], [1.0, -0.1]])
    assert within_passed(np.arange(5.0), gap) == 0.5 * (1.0 + 2.0 / 3.0 + 3.0)
    assert within_passed(np.arange(3.0), gap[:3]) is None
    assert within_passed(np.arange(4.0), np.array([[1.0], [-1.0], [-3.0], [-1.0]])) == 0.5 * (0.5 + 2.0)
    assert first_change(np.arange(5.0), gap) == (0.0, 1.0)
