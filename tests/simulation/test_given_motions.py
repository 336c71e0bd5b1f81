"""Prescribed motions that contradict the start or themselves are refused with their row and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import symdyn
from symdyn.analysis.simulation.generalised_alpha import generalised_alpha
from symdyn.analysis.simulation.given_motions import check_derivatives, check_start, given_prescribed
from symdyn.analysis.simulation.robot_system import RobotSystem
from symdyn.errors import RequestError

Law = Callable[[float], tuple[float, float, float]]


def _swing(t: float) -> tuple[float, float, float]:
    return 0.4 * math.sin(3.0 * t), 1.2 * math.cos(3.0 * t), -3.6 * math.sin(3.0 * t)


def _ramp(t: float) -> tuple[float, float, float]:
    """Rest, then 2 rad/s from 1 s on: a kink of the position."""
    return (0.0, 0.0, 0.0) if t < 1.0 else (2.0 * (t - 1.0), 2.0, 0.0)


@pytest.mark.parametrize("span", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("start", [0.0, -7.0, 100.0])
def test_right_triples_pass(span: float, size: float, start: float) -> None:
    """Whatever their units, from slow to 500 periods in the span."""
    for turns in (0.01, 1.0, 500.0):
        rate = 2.0 * math.pi * turns / span

        def law(t: float, rate: float = rate) -> tuple[float, float, float]:
            angle = rate * t + 0.3
            return size * math.sin(angle), size * rate * math.cos(angle), -size * rate * rate * math.sin(angle)

        check_derivatives("hinge", law, start, start + span)
    check_derivatives("hinge", lambda t: (size, 0.0, 0.0), start, start + span)
    check_derivatives("hinge", lambda t: (size * t, size, 0.0), start, start + span)


@pytest.mark.parametrize(
    ("law", "what"),
    [
        (lambda t: (_swing(t)[0], 1.01 * _swing(t)[1], 1.01 * _swing(t)[2]), r"velocity .* is not the rate of the pos"),
        (
            lambda t: (*_swing(t)[:2], 0.0),
            r"acceleration 0 at t = .* is not the rate of the velocity, which changes by",
        ),
        (lambda t: (t, 0.0, 0.0), r"velocity 0 at t = .* changes by 1 per second"),
        (lambda t: (t * t, 2.0 * t, 2.001), r"acceleration 2.001 at t = .* changes by 2 per second"),
        (lambda t: (math.degrees(_swing(t)[0]), *_swing(t)[1:]), r"velocity"),
    ],
)
def test_wrong_triples_are_refused(law: Law, what: str) -> None:
    robot = symdyn.load_example("double_pendulum")
    with pytest.raises(RequestError, match=rf"prescribed 'shoulder': the {what}"):
        symdyn.simulate(robot, t=2.0, prescribed={"shoulder": law})


def test_wrong_triples_of_generalised_alpha_are_refused() -> None:
    system = RobotSystem.__new__(RobotSystem)  # its law alone is asked for
    system.nv, system.m, system._loops, system.row_names = 2, 1, 0, ("shoulder", "elbow")
    system.advance = np.add
    system._drives = [(0, 0, lambda t: (t, 2.0, 0.0))]
    with pytest.raises(RequestError, match=r"prescribed 'shoulder': the velocity 2 "):
        generalised_alpha(system, [0.0, 1.0], [0.0, 0.0], [0.0, 0.0])


def test_kinks() -> None:
    """One side that fits is enough, and no difference crosses a time of a kink that is named."""
    for start in (0.0, 1.0, -1.0):
        check_derivatives("hinge", _ramp, start, start + 3.0)
    check_derivatives("hinge", _ramp, 0.9999, 1.0003)
    jumps = [0.3 * number for number in range(1, 10)]

    def stairs(t: float) -> tuple[float, float, float]:
        """Parabolas between times that jump in all three."""
        number = sum(jump <= t for jump in jumps)
        return number + t * t, 2.0 * t, 2.0

    check_derivatives("hinge", stairs, 0.0, 3.0, jumps)
    with pytest.raises(RequestError, match="'hinge'"):
        check_derivatives("hinge", lambda t: (stairs(t)[0], 2.0 * t + 0.1, 2.0), 0.0, 3.0, jumps)


def test_starts_that_contradict_are_refused() -> None:
    robot = symdyn.load_example("double_pendulum")
    held = given_prescribed(robot, {"elbow": lambda t: (0.5 + 2.0 * t, 2.0, 0.0)}, 0.0, 1.0)
    neutral = robot.neutral()
    check_start(robot, held, 0.0, None, None)
    near = neutral.copy()
    near[1] = 0.5 + 5e-7
    check_start(robot, held, 0.0, near, None)
    with pytest.raises(
        RequestError, match=r"'elbow' .* begins at position 0.5, but q .* has 0 in row 1, off by 0.5 rad;"
    ):
        check_start(robot, held, 0.0, neutral, None)
    with pytest.raises(
        RequestError, match=r"'elbow' .* begins at velocity 2, but v .* has 0 in row 1, off by 2 rad/s;"
    ):
        check_start(robot, held, 0.0, near, 0.0 * neutral)
    with pytest.raises(RequestError, match=r"off by 0.5 rad"):
        symdyn.simulate(robot, neutral, t=1.0, prescribed={"elbow": lambda t: (0.5 + 2.0 * t, 2.0, 0.0)})


def test_a_law_that_ends_in_nothing_is_refused_where_it_does() -> None:
    robot = symdyn.load_example("double_pendulum")
    (own,) = given_prescribed(robot, {"elbow": lambda t: (t, 1.0, 0.0) if t <= 1.0 else None}, 0.0, 1.0).values()  # type: ignore[dict-item, return-value]
    with pytest.raises(RequestError, match=r"three finite numbers; got None at t = 1.5 s"):
        own.motion(1.5)


@pytest.mark.needs_cc
@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_loops_close_where_prescribed_joints_begin() -> None:
    """Without a start, the linkage is closed with its driven joint where the motion begins."""
    robot = symdyn.load_example("four_bar")
    found = symdyn.simulate(robot, t=0.1, prescribed={"input": lambda t: (0.7, 0.0, 0.0)})
    assert found.q[0] == pytest.approx(robot.close([0.7, *robot.neutral()[1:]], hold=["input"]), abs=1e-12)
