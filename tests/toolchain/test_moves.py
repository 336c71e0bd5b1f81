"""How rows of q move a robot: against the robot's own differences, over NumPy in place of a framework."""

from __future__ import annotations

import numpy as np
import pytest
from support.robots.turning import turning, turns

from symdyn.functions.catalogue import CATALOGUE
from symdyn.interface.derivatives import SLOPES
from symdyn.interface.stepping import Rates
from symdyn.model.coordinates import coordinate_rows
from symdyn.toolchain.frameworks.moves import _FORMS, coordinates, has_quaternions, moves, moves_apart, unit
from symdyn.toolchain.frameworks.slopes import CURVATURES, curvature_of, slopes_of


@pytest.mark.parametrize("convention", [None, "spatial", "mujoco"])
def test_a_change_of_rows_is_the_move_that_it_makes(convention: str | None) -> None:
    robot = turning(convention)
    rows = coordinate_rows(robot.model)
    rng = np.random.default_rng(3)
    q = np.stack([robot.random_state(rng)[0] for _ in range(4)])
    change, step = rng.standard_normal((4, robot.nq)), 1e-6
    moved = [unit(np, rows, q + sign * step * change) for sign in (1.0, -1.0)]
    found = moves(np, rows, unit(np, rows, q), unit_change(q, change, turns(convention)))
    wanted = (robot.difference(q, moved[0]) - robot.difference(q, moved[1])) / (2.0 * step)
    assert coordinates(rows) == robot.nq and has_quaternions(rows) and moves_apart(rows)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_all_rates_have_a_form() -> None:
    assert set(_FORMS) == set(Rates)


def unit_change(q: np.ndarray, change: np.ndarray, places: tuple[int, int]) -> np.ndarray:
    """The part of a change that leaves quaternions at their length."""
    tangent = change.copy()
    for first in places:
        turn = q[:, first : first + 4]
        along = (turn * change[:, first : first + 4]).sum(-1, keepdims=True)
        tangent[:, first : first + 4] -= along * turn
    return tangent


def test_quaternions_get_the_length_one_and_other_rows_stay() -> None:
    robot = turning()
    rows = coordinate_rows(robot.model)
    q, _ = robot.random_state(np.random.default_rng(1))
    longer = q.copy()
    longer[3:7] *= 2.5
    longer[11:15] *= 0.3
    np.testing.assert_allclose(unit(np, rows, longer), q, rtol=1e-15)


@pytest.mark.filterwarnings("ignore:.*follow from others in all positions")
def test_every_slope_is_found_among_the_derivatives_that_the_catalogue_has() -> None:
    from symdyn import load_example
    from symdyn.functions.catalogue import requests

    arm, looped = load_example("double_pendulum"), load_example("four_bar")
    for name, by in {**SLOPES, **CURVATURES}.items():
        assert {name, by} <= set(CATALOGUE)
        robot = looped if name.startswith(("constrained", "impulse")) else arm
        asked = {"prescribed": [robot.velocity_names[0]]} if "hybrid" in name else {}
        if name == "constrained_inverse_dynamics":
            asked = {"actuated": [robot.velocity_names[0]]}
        (one, request), (other, more) = requests(robot.model, [name, by], **asked)
        signature, derivatives = one.signature(robot.model, request), other.signature(robot.model, more)
        if name in SLOPES:
            slopes = slopes_of(signature, derivatives)
            assert all(slopes.by(place) for place in range(len(signature.inputs))), name
            assert len(slopes.places) == len(derivatives.outputs)
        else:
            curvature = curvature_of(signature, derivatives)
            if name.startswith(("constrained", "impulse")):  # of two outputs, each with weights of its own
                assert curvature is None
                continue
            assert curvature is not None and curvature.inputs == (0, 1, 2)
            assert {place for place, _ in curvature.places.values()} == {0, 1, 2, 3} and len(curvature.places) == 6
