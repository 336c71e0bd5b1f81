"""Loads on a part of a rod: against closed forms and the oracle, in files, and where they cost no station."""

from __future__ import annotations

import numpy as np
import pytest
from support.agreement import modules_agree, programs_agree
from support.soft_calls import call

from symdyn import api
from symdyn.description.yaml.read import parse_yaml
from symdyn.description.yaml.write import write_yaml
from symdyn.robot.robot import Robot
from symdyn.verify.oracle import truth

ROD = """
name: mast
parameters:
  gain: {value: 0.3, runtime: true}
links:
  base: {mass: 1}
  mast:
    soft:
      length: 0.8
      section: {shape: rectangle, width: 0.02, height: 0.01}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.4, density: 900}
      strain: {STRAIN}
      stations: 3
joints:
  turn: {type: revolute, parent: base, child: mast, axis: [0, 1, 0], translation: [0, 0.1, 0]}
LOADS
"""
STRETCH = "stretch: 1"
PIECES = "curvature_y: {basis: piecewise_constant, pieces: 2}, curvature_z: 1, stretch: 0"
STARTS = {"whole": "", "first": "to: 0.3, ", "last": "from: 0.3, "}
MANY = """
loads:
  gust: {link: mast, from: 0.1, to: 0.55, per_length: ["gain*vx", "1 + x", "sin(pz)", 0, "0.1*wy", 0.2], axes: world}
  skin: {link: mast, from: 0.4, per_length: [gain, -2, "vz*x", 0.1, 0, 0]}
"""


def mast(strain: str, loads: str) -> Robot:
    return api.from_description(parse_yaml(ROD.replace("STRAIN", strain).replace("LOADS", loads).encode(), "m.yaml"))


def pushed(loads: str, q: np.ndarray) -> np.ndarray:
    """The generalised force of loads on the stretched rod."""
    still, results = np.zeros(3), []
    for own in (loads, ""):
        given = {"q": q, "v": still, "a": still, "p": [0.3]}
        results.append(call(mast(STRETCH, own), "inverse_dynamics", **given)[0])
    return results[1] - results[0]


def test_a_constant_push_along_a_stretched_rod() -> None:
    """The section at x moves by q_0 x + q_1 (x^2 / L - x) along the rod, so a push gives the integral of that."""
    q = np.array([0.4, 0.05, -0.07])
    for start, end in ((0.1, 0.5), (0.0, 0.3), (0.3, 0.8)):
        load = f"loads: {{w: {{link: mast, from: {start}, to: {end}, per_length: [2, 0, 0, 0, 0, 0]}}}}"
        square, cube = end**2 - start**2, (end**3 - start**3) / 0.8
        expected = [0.0, square, 2 / 3 * cube - square]
        assert pushed(load, q) == pytest.approx(expected, abs=1e-13)


def test_parts_add_up() -> None:
    q = np.array([0.4, 0.05, -0.07])
    whole, first, last = (
        pushed(f'loads: {{w: {{link: mast, {own}per_length: [1, "x", "0.3*x", 0, 0, 0], axes: world}}}}', q)
        for own in STARTS.values()
    )
    assert first + last == pytest.approx(whole, abs=1e-13)


def test_parts_of_whole_pieces_cost_no_station() -> None:
    def steps(loads: str) -> int:
        (rod,) = mast(PIECES, loads).model.rods
        return rod.steps

    own = "loads: {{w: {{link: mast, from: {}, to: {}, per_length: [1, 0, 0, 0, 0, 0]}}}}"
    assert steps(own.format(0.4, 0.8)) == steps(own.format(0, 0.8)) == steps("") == 8
    assert steps(own.format(0.3, 0.8)) == 8 + 3
    assert steps(own.format(0.3, 0.8) + "\nframes: {f: {link: mast, at: 0.4}}") == 8 + 3


def test_the_oracle_agrees_and_files_keep_parts() -> None:
    robot = mast(PIECES, MANY)
    text = write_yaml(robot.description)
    again = api.from_description(parse_yaml(text.encode(), "again.yaml"))
    assert write_yaml(again.description) == text
    rng = np.random.default_rng(4)
    q, v, a = robot.random_state(rng)[0], *rng.uniform(-1.0, 1.0, (2, robot.nv))
    exact = [float(x) for x in truth.inverse_dynamics(robot.description, q, v, a)]
    for own in (robot, again):
        (tau,) = call(own, "inverse_dynamics", q=q, v=v, a=a, p=robot.runtime_defaults)
        assert tau == pytest.approx(exact, rel=1e-12, abs=1e-13)
    (back,) = call(robot, "forward_dynamics", q=q, v=v, tau=tau, p=robot.runtime_defaults)
    assert back == pytest.approx(a, abs=1e-9)


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["split", "rolled"])
def test_layouts_and_targets_agree(layout: str) -> None:
    robot = mast("curvature_y: 1, curvature_z: 0, stretch: 0", MANY)
    functions = ["inverse_dynamics", "forward_dynamics"]
    for function in functions:
        programs_agree(robot, function, (layout,), tolerance=1e-9)
    modules_agree(robot, functions, layout, tolerance=1e-9)
