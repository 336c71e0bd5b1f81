"""Impacts of one step that are solved one pair of bodies after another, against closed forms and at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.agreement import inputs_of, modules_agree, programs_agree, truth_agrees
from support.robots.impacting import BOX, IN_TURN, RADIUS, cradle
from support.robots.touching import TEXTS

import symdyn
from symdyn.errors import DescriptionError
from symdyn.interface.contact_solving import ContactCode
from symdyn.robot.robot import Robot

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]


def stepped(robot: Robot, v: list[float]) -> list[Any]:
    """One step in NumPy and in C."""
    q, start = 2.0 * RADIUS * np.arange(robot.nv), np.array(v, float)
    module = symdyn.compile(robot, ["gravity"], steppers=["contacts"], lanes=False)
    return [symdyn.contact_step(robot, q, start, None, h=1e-3), module.contact_step(q, start, 0.0 * start, h=1e-3)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ([1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]),
        ([1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]),
        ([1.0, 0.0, 0.0, 0.0, -2.0], [-2.0, 0.0, 0.0, 0.0, 1.0]),
    ],
)
def test_a_cradle_lets_as_many_balls_leave_as_arrive(before: list[float], after: list[float]) -> None:
    """Equal masses exchange velocities; the solver's proximal term leaves 1e-9 of each exchange."""
    for result in stepped(cradle([0.5] * len(before)), before):
        assert result.report.code is ContactCode.SOLVED
        np.testing.assert_allclose(result.v_next, after, rtol=0.0, atol=2e-8)


def test_unequal_balls_follow_the_chain_of_impacts() -> None:
    """Each ball gives the next (1 + e) m / (m + m') of its velocity, and keeps the rest."""
    masses, share = [0.8, 0.3, 0.1], 0.5
    v = np.array([1.0, 0.0, 0.0])
    for i in (0, 1):
        total, closing = masses[i] + masses[i + 1], v[i] - v[i + 1]
        v[i] -= (1.0 + share) * masses[i + 1] / total * closing
        v[i + 1] += (1.0 + share) * masses[i] / total * closing
    assert v[0] < v[1] < v[2]  # none hits once more
    for result in stepped(cradle(masses, share), [1.0, 0.0, 0.0]):
        np.testing.assert_allclose(result.v_next, v, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(result.impulses[2::3], [0.8 * (1.0 - v[0]), 0.1 * v[2]], rtol=0.0, atol=1e-8)
        assert result.state.tolist() == [1, 1]


def test_at_once_is_newtons_law_of_all_contacts() -> None:
    """The documented answer of the default: each pair parts as fast as it closed."""
    for result in stepped(cradle([0.5] * 5, options=""), [1.0, 0.0, 0.0, 0.0, 0.0]):
        np.testing.assert_allclose(result.v_next, [-0.6, 0.4, 0.4, 0.4, 0.4], rtol=0.0, atol=1e-7)


def test_a_motion_of_a_cradle_keeps_its_energy() -> None:
    """The last ball leaves with the velocity of the first, and the others stay."""
    robot = cradle([0.5] * 4)
    q = 2.0 * RADIUS * np.arange(4) - np.array([0.01, 0.0, 0.0, 0.0])
    motion = symdyn.simulate(robot, q, [1.0, 0.0, 0.0, 0.0], 0.05)
    np.testing.assert_allclose(motion.v[-1], [0.0, 0.0, 0.0, 1.0], rtol=0.0, atol=2e-8)
    np.testing.assert_allclose(motion.kinetic_energy, 0.25, rtol=0.0, atol=1e-8)


def test_corners_of_one_pair_bounce_together() -> None:
    robot = symdyn.loads(BOX + IN_TURN, format="yaml")
    q, v = robot.neutral(), np.array([0.2, 0.0, -1.0, 0.0, 0.0, 0.0])
    q[2] = 0.05
    step = symdyn.contact_step(robot, q, v, None, h=1e-3)
    np.testing.assert_allclose(step.v_next, [0.2, 0.0, 0.6 - 9.81e-3, 0.0, 0.0, 0.0], rtol=0.0, atol=1e-8)


def _crowd() -> str:
    """A closed loop that hits a plane and a cylinder."""
    return TEXTS["linkage"]().replace("restitution: 0.4", "restitution: 0.7") + IN_TURN


@pytest.mark.parametrize(
    ("text", "steps", "least", "tolerance"),
    [(lambda: BOX + IN_TURN, 800, 7, 1e-9), (_crowd, 2, 1, 2e-6)],
    ids=["box", "loop"],
)
def test_c_is_the_step_in_numpy(text: Callable[[], str], steps: int, least: int, tolerance: float) -> None:
    """Along a tumbling fall with many impacts.

    Rows of the planar loop depend on each other, so a proximal term of 1e-9 takes up rounding of 1e-15: 5e-7 between C
    and NumPy, of impacts at once too.
    """
    robot = symdyn.loads(text(), format="yaml")
    module = symdyn.compile(robot, ["gravity"], steppers=["contacts"], lanes=False)
    rng = np.random.default_rng(5)
    q, v = robot.random_state(rng)
    if robot.constraints:
        q = robot.close(q)
        q, v = robot.project(q, v)
    else:
        q[2] = 0.3
    guess, hits = None, 0
    p = (robot.runtime_defaults,) if robot.runtime_parameters else ()
    for number in range(steps):
        result = module.contact_step(q, v, np.zeros(robot.nv), *p, h=1e-3, guess=guess)
        assert result.report.residual < 1e-5
        assert result.report.work < 1e-12
        hit = bool(np.abs(result.v_next - v).max() > 0.1)
        hits += hit
        if (hit and hits < 10) or number == 0:
            other = symdyn.contact_step(robot, q, v, np.zeros(robot.nv), h=1e-3, guess=guess, p=p[0] if p else None)
            np.testing.assert_allclose(other.v_next, result.v_next, rtol=0.0, atol=tolerance)
        q, v, guess = result.q_next, result.v_next, result.impulses
    assert hits >= least


@cache
def _mixed() -> Robot:
    text = TEXTS["elastic"]() + IN_TURN
    return symdyn.loads(text.replace("limits: {rigid: true}", "limits: {rigid: true, restitution: 0.3}"), "yaml")


def test_velocities_before_and_shares_are_right_to_rounding() -> None:
    for robot in (_mixed(), symdyn.loads(BOX + IN_TURN, format="yaml")):
        for function in ("contact_system", "contact_factors"):
            given = inputs_of(robot, function, 3)
            assert truth_agrees(robot, function, given)
        programs_agree(robot, "contact_system", ("unrolled", "rolled", "split-lanes"))
    modules_agree(_mixed(), ["contact_system"], "rolled")


def test_what_is_refused() -> None:
    """A word that is no way of solving is named with its line."""
    with pytest.raises(DescriptionError, match="impacts"):
        cradle([0.5, 0.5], options="contact_options: {impacts: sequentially}\n")


def test_the_option_is_written_and_read() -> None:
    robot = cradle([0.5, 0.5])
    assert symdyn.loads(robot.to_yaml(), format="yaml").description.contact == robot.description.contact
