"""Derivatives of rests against differences of rests that are solved anew: rods, loops, prescribed rows, parameters."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symdyn
from symdyn.errors import RequestError
from symdyn.statics import Equilibrium

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
ROD = """
name: finger
parameters:
  E: {value: 2e5, unit: Pa, runtime: true}
  load: {value: 0.05, unit: kg, runtime: true}
links:
  base:
  knuckle: {mass: 0.02, com: [0.01, 0, 0]}
  finger:
    soft:
      length: 0.2
      section: {shape: circle, radius: 0.01}
      material: {youngs_modulus: E, poisson_ratio: 0.5, density: 1000}
      strain: {curvature_y: 1, curvature_z: 1}
      stations: 4
  nail: {mass: load}
joints:
  bend: {type: revolute, parent: base, child: knuckle, axis: [0, 1, 0]}
  root: {type: fixed, parent: knuckle, child: finger}
  tip: {type: fixed, parent: finger, child: nail, at: end}
tendons:
  cable: {link: finger, y: 0.003, z: 0.008}
actuators: [bend, cable]
"""


def _difference(
    robot: symdyn.Robot, solve: Callable[[np.ndarray], Equilibrium], h: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Central differences of q, forces and multipliers, of order four, along a step h."""
    found = [np.zeros(0)] * 3
    for reach, weight in ((1.0, 8.0), (2.0, -1.0)):
        ahead, behind = solve(reach * h), solve(-reach * h)
        parts = (
            robot.difference(behind.q, ahead.q),
            ahead.forces - behind.forces,
            ahead.multipliers - behind.multipliers,
        )
        shares = [weight * own / (12.0 * np.abs(h).max()) for own in parts]
        found = [old + own if old.size else own for old, own in zip(found, shares, strict=True)]
    return found[0], found[1], found[2]


def _agree(found: tuple[np.ndarray, ...], column: int, expected: tuple[np.ndarray, ...]) -> None:
    for own, other in zip(found, expected, strict=True):
        # Differences have an error of h^4, and of the rounding of rests over h.
        np.testing.assert_allclose(
            own[:, column], other, rtol=1e-6, atol=1e-6 * (np.abs(other).max(initial=0.0) + 1e-6)
        )


@pytest.mark.slow
@pytest.mark.parametrize("prescribed", [[], ["bend"]])
def test_slopes_of_a_rod_are_differences_of_rests(prescribed: list[str]) -> None:
    robot = symdyn.loads(ROD, "yaml")
    u, p = np.array([0.05, 2.0]), robot.runtime_defaults.copy()
    start = np.zeros(robot.nq)
    start[0] = 0.3 if prescribed else 1.4
    known: dict[str, Any] = {"prescribed": prescribed, "steps": "auto"}
    rest = symdyn.equilibrium(robot, u, start, p=p, **known)
    slopes = rest.slopes
    assert slopes.dq_dprescribed.shape == (robot.nv, len(prescribed)) and slopes.dq_dp.shape == (robot.nv, len(p))
    for column, h in enumerate((1e-4, 1e-3)):
        step = h * np.eye(2)[column]
        expected = _difference(robot, lambda s: symdyn.equilibrium(robot, u + s, rest.q, p=p, **known), step)
        _agree((slopes.dq_du, slopes.dforces_du, slopes.dlambda_du), column, expected)
    for column, h in enumerate((20.0, 1e-5)):
        step = h * np.eye(2)[column]
        expected = _difference(robot, lambda s: symdyn.equilibrium(robot, u, rest.q, p=p + s, **known), step)
        _agree((slopes.dq_dp, slopes.dforces_dp, slopes.dlambda_dp), column, expected)
    for column in range(len(prescribed)):
        turn = 1e-4 * np.eye(robot.nq)[0]
        expected = _difference(robot, lambda s: symdyn.equilibrium(robot, u, rest.q + s, p=p, **known), turn)
        _agree((slopes.dq_dprescribed, slopes.dforces_dprescribed, slopes.dlambda_dprescribed), column, expected)


def test_slopes_of_a_linkage_keep_its_loop_closed() -> None:
    robot = symdyn.load_example("four_bar")
    start, tau = robot.close([0.5, -1.7, -1.9], ["input"]), np.array([0.3, 0.2, -0.1])
    row = robot.velocity_names.index("input")
    rest = symdyn.equilibrium(robot, tau, start, prescribed=["input"], inputs="forces")
    slopes = rest.slopes
    turn = 1e-4 * np.eye(robot.nq)[robot.coordinate_names.index("input")]

    def turned(s: np.ndarray) -> Equilibrium:
        return symdyn.equilibrium(robot, tau, rest.q + s, prescribed=["input"], inputs="forces")

    found = slopes.dq_dprescribed, slopes.dforces_dprescribed, slopes.dlambda_dprescribed
    _agree(found, 0, _difference(robot, turned, turn))
    assert slopes.dq_dprescribed[row, 0] == 1.0 and not slopes.dq_du[:, row].any()
    for column in range(robot.nv):
        step = 1e-3 * np.eye(robot.nv)[column]
        expected = _difference(
            robot,
            lambda s: symdyn.equilibrium(robot, tau + s, rest.q, prescribed=["input"], inputs="forces"),
            step,
        )
        _agree((slopes.dq_du, slopes.dforces_du, slopes.dlambda_du), column, expected)


def test_slopes_are_of_rests_that_have_their_equations() -> None:
    rest = symdyn.equilibrium(symdyn.load_example("pendulum"), [0.5], inputs="forces")
    lost = pickle.loads(pickle.dumps(rest))
    assert np.array_equal(lost.q, rest.q)
    with pytest.raises(RequestError, match="slopes of a rest are found where it was"):
        _ = lost.slopes
