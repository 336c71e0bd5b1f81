"""Contact against closed forms: a ball on a floor, the work of a penalty, exact zeros where nothing touches."""

from __future__ import annotations

import numpy as np
import pytest
from support.soft_calls import call

from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.errors import ModelError
from symdyn.functions.catalogue import requests
from symdyn.robot.robot import Robot
from symdyn.verify.oracle import truth

BALL = """
name: ball
floating_base: true
links:
  ball: {mass: 0.7, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}
contacts:
  floor: {of: ball, radius: 0.1, with: {plane: {}}, stiffness: 4e4, exponent: 1.5, damping: 0.3, friction: 0.4}
  wall: {of: ball, radius: 0.1, with: {SURFACE}, stiffness: 2e3, exponent: 2}
"""
INSIDE = "cylinder: {axis: [0, 0, 1], radius: 0.5, inside: true}"
UNIT = [0.0, 0.0, 0.0, 1.0]


def ball(surface: str = INSIDE) -> Robot:
    return api.from_description(parse_yaml(BALL.replace("SURFACE", surface).encode(), "ball.yaml"))


def force(robot: Robot, place: list[float], v: list[float]) -> np.ndarray:
    """The wrench of contacts on a ball whose axes are the world's."""
    (tau,) = call(robot, "inverse_dynamics", q=[*place, *UNIT], v=v, a=np.zeros(6))
    return np.array([0.0, 0.0, 0.7 * 9.81, 0.0, 0.0, 0.0]) - tau


def test_a_ball_on_the_floor() -> None:
    robot, depth, slides = ball(), 0.01, 2.0
    assert force(robot, [0, 0, 0.09], [0.0] * 6) == pytest.approx([0, 0, 4e4 * depth**1.5, 0, 0, 0], rel=1e-9)
    pressed = 4e4 * depth**1.5 * (1 + 0.3 * 0.5)
    rubbed = 0.4 * pressed * slides / np.sqrt(slides**2 + 0.01**2)
    result = force(robot, [0, 0, 0.09], [slides, 0, -0.5, 0, 0, 0])
    assert result == pytest.approx([-rubbed, 0, pressed, 0, 0.1 * rubbed, 0], rel=1e-9)
    rolling = force(robot, [0, 0, 0.09], [slides, 0, 0, 0, slides / 0.1, 0])
    assert rolling[:2] == pytest.approx([0, 0], abs=1e-9)


def test_nothing_touches_nothing_exactly() -> None:
    robot = ball()
    state = {"q": [0.0, 0.0, 0.2, *UNIT], "v": np.arange(6.0), "a": np.zeros(6)}
    free = api.from_description(parse_yaml(BALL.partition("contacts:")[0].encode(), "ball.yaml"))
    for function in ("inverse_dynamics", "inverse_dynamics_partials"):
        for result, expected in zip(call(robot, function, **state), call(free, function, **state), strict=True):
            assert np.all(np.isfinite(result)) and result == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize(
    ("surface", "start", "along", "depth"),
    [
        (INSIDE, [0.39, 0.0, 1.0], [1.0, 0.0, 0.0], 0.03),
        ("sphere: {center: [1, 0, 1], radius: 0.3}", [0.59, 0.0, 1.0], [1.0, 0.0, 0.0], 0.03),
        ("sphere: {center: [0, 0, 1], radius: 0.5, inside: true}", [0.0, 0.39, 1.0], [0.0, 1.0, 0.0], 0.03),
        ("cylinder: {axis: [0, 3, 0], point: [1, 5, 1], radius: 0.3}", [0.59, 0.0, 1.0], [1.0, 0.0, 0.0], 0.03),
        ("plane: {normal: [-2, 0, 0], point: [0.5, 1, 0]}", [0.39, 0.0, 1.0], [1.0, 0.0, 0.0], 0.03),
    ],
)
def test_the_work_is_the_energy_of_the_penalty(
    surface: str, start: list[float], along: list[float], depth: float
) -> None:
    robot = ball(surface)
    points, weights = np.polynomial.legendre.leggauss(8)
    total = 0.0
    for point, weight in zip(points, weights, strict=True):
        place = np.array(start) + np.array(along) * (0.01 + depth * (1 + point) / 2)
        total -= depth / 2 * weight * force(robot, place.tolist(), [0.0] * 6)[:3] @ np.array(along)
    assert total == pytest.approx(2e3 * depth**3 / 3, rel=1e-9)


def test_partials_and_time_derivatives_where_it_touches() -> None:
    robot = ball("sphere: {center: [0.2, 0.1, 1], radius: 0.3}")
    rng = np.random.default_rng(5)
    q, v, a, h = np.array([0.4, 0.3, 0.95, 0.1, 0.2, -0.1, 0.9]), rng.standard_normal(6), rng.standard_normal(6), 1e-6
    q[3:] /= np.linalg.norm(q[3:])
    dq, dv, _ = call(robot, "inverse_dynamics_partials", q=q, v=v, a=a)
    for row, unit in enumerate(h * np.eye(6)):
        ends = [call(robot, "inverse_dynamics", q=robot.integrate(q, s * unit), v=v, a=a)[0] for s in (1, -1)]
        assert dq[:, row] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-6)
        ends = [call(robot, "inverse_dynamics", q=q, v=v + s * unit, a=a)[0] for s in (1, -1)]
        assert dv[:, row] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-6)
    for function in ("inverse_dynamics_time_derivatives", "forward_dynamics_time_derivatives"):
        with pytest.raises(ModelError, match=r"contact 'floor' .* 0\.5 time derivatives where it begins, and 1"):
            ((entry, request),) = requests(robot.model, [function], order=1)
            entry.plan(robot.model, request)


@pytest.mark.parametrize(
    ("surface", "place"),
    [
        ("sphere: {center: [0.5, 0.25, 1], radius: 0.3}", [0.5, 0.25, 1.0]),
        ("cylinder: {axis: [0, 0, 1], point: [0.5, 0.25, 0], radius: 0.3}", [0.5, 0.25, 0.75]),
    ],
)
def test_no_direction_leads_out_of_a_centre_or_an_axis(surface: str, place: list[float]) -> None:
    """Nothing pushes there, in no function and no derivative; a nanometre aside all of the force does."""
    text = BALL.replace("SURFACE", surface).replace("stiffness: 2e3, exponent: 2", "stiffness: 2e3, exponent: 12")
    text = text.replace("exponent: 12", "exponent: 12, damping: 0.1, friction: 0.5").replace(
        "1.5, damping", "9, damping"
    )
    robot = api.from_description(parse_yaml(text.encode(), "ball.yaml"))
    free = api.from_description(parse_yaml(BALL.partition("contacts:")[0].encode(), "ball.yaml"))
    rng = np.random.default_rng(2)
    q, (v, a, tau) = np.array([*place, *UNIT]), rng.standard_normal((3, 6))
    rates = np.vstack([v, a, *rng.standard_normal((3, 6))])
    states = [
        ("inverse_dynamics", {"q": q, "v": v, "a": a}),
        ("inverse_dynamics_partials", {"q": q, "v": v, "a": a}),
        ("forward_dynamics_partials", {"q": q, "v": v, "tau": tau}),
        ("inverse_dynamics_weighted_hessian", {"q": q, "v": v, "a": a, "lambda": tau}),
        ("state_jacobian", {"y": np.concatenate([q, v]), "tau": tau}),
        ("inverse_dynamics_time_derivatives", {"q": q, "V": rates}),
        ("forward_dynamics_time_derivatives", {"q": q, "v": v, "T": rates[:4]}),
    ]
    for function, state in states:
        order = 3 if function.endswith("time_derivatives") else 0
        pairs = zip(
            call(robot, function, order=order, **state), call(free, function, order=order, **state), strict=True
        )
        for result, expected in pairs:
            assert np.all(np.isfinite(result)), function
            assert result == pytest.approx(expected, rel=1e-13, abs=1e-13), function
    beside = [place[0] + 1e-9, *place[1:]]
    assert force(robot, beside, [0.0] * 6)[:3] == pytest.approx([2e3 * 0.4**12, 0, 0], rel=1e-6)


POLE = """
name: pole
links:
  base: {mass: 1}
  pole:
    soft:
      length: 0.8
      section: {shape: circle, radius: 0.03 - 0.02*x}
      material: {youngs_modulus: 1e7, poisson_ratio: 0.4, density: 900}
      strain: {curvature_y: 1}
      stations: 3
joints:
  turn: {type: revolute, parent: base, child: pole, axis: [0, 1, 0]}
frames:
  mid: {link: pole, at: 0.5}
contacts:
  floor: {WHERE, radius: section, with: {plane: {point: [0, 0, -0.3]}}, stiffness: 2e3, exponent: 2, friction: 0.3}
"""


@pytest.mark.parametrize(
    ("where", "x"),
    [
        ("of: pole, at: 0.8", 0.8),
        ("of: pole, at: tip, point: [0.8, 0, 0]", 0.8),
        ("of: mid", 0.5),
        ("of: pole, at: 0.5", 0.5),
        ("of: pole, at: root", 0.0),
    ],
)
def test_a_rod_touches_with_its_tip_and_its_sections(where: str, x: float) -> None:
    """A straight rod leans on the floor: the lever of what presses it is that of the one place."""
    text = POLE.replace("WHERE", where)
    leaning = api.from_description(parse_yaml(text.encode(), "pole.yaml"))
    free = api.from_description(parse_yaml(text.partition("contacts:")[0].encode(), "pole.yaml"))
    angle, still = 0.66, np.zeros(3)
    given = {"q": [angle, 0.0, 0.0], "v": still, "a": still}
    pressed = call(free, "inverse_dynamics", **given)[0] - call(leaning, "inverse_dynamics", **given)[0]
    depth = max(0.0, 0.03 - 0.02 * x - (0.3 - x * np.sin(angle)))
    assert pressed[0] == pytest.approx(-2e3 * depth**2 * x * np.cos(angle), rel=1e-11, abs=1e-11)
    assert bool(depth > 0.0) is (x > 0.1)
    rng = np.random.default_rng(3)
    q, v, a = np.array([angle, 0.1, -0.2]), *rng.standard_normal((2, 3))
    exact = [float(value) for value in truth.inverse_dynamics(leaning.description, q, v, a)]
    assert call(leaning, "inverse_dynamics", q=q, v=v, a=a)[0] == pytest.approx(exact, rel=1e-11, abs=1e-12)
    again = parse_yaml(write_yaml(leaning.description).encode(), "again.yaml")
    assert again.acting[0].sites == leaning.description.acting[0].sites
