"""Bennett's linkage in motion, exact and with angles of six decimals: two of five rows hold, wherever it is closed.

At q1 = -2 pi / 3 one row is nearly zero. Closed positions have tan(q1/2) tan(q2/2) = sin((beta + alpha)/2) /
sin((beta - alpha)/2) and q3 = -q1. Their energy tells the time between two of them by an integral. Neither rests on
constrained dynamics.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from support.robots.loop_files import BENNETT
from support.robots.shipped_loops import found

import symdyn
from symdyn.robot.robot import Robot

Array = NDArray[np.float64]
PRODUCT = math.sqrt(3.0)
START, SPEED, SPAN = -2.05, -3.0, 0.05


@cache
def bennett(decimals: int | None) -> Robot:
    angles = "alpha: pi/6, beta: pi/2"
    rounded = angles if decimals is None else f"alpha: {math.pi / 6:.{decimals}f}, beta: {math.pi / 2:.{decimals}f}"
    return symdyn.loads(BENNETT.replace(angles, rounded), "yaml")


def closed(q1: float) -> tuple[Array, Array]:
    """The position of the exact linkage, and its slope by q1."""
    q2 = 2.0 * math.atan(PRODUCT / math.tan(0.5 * q1))
    return np.array([q1, q2, -q1]), np.array([1.0, -math.sin(q2) / math.sin(q1), -1.0])


def energies(q1: float) -> tuple[float, float]:
    """Kinetic energy at q1' = 1, and potential energy."""
    (q, slope), own = closed(q1), bennett(None)
    (M,), (potential,) = found(own, "mass_matrix", q=q), found(own, "potential_energy", q=q)
    return 0.5 * float(slope @ M @ slope), float(np.ravel(potential)[0])


def time_to(q1: float) -> float:
    kinetic, potential = energies(START)
    total = kinetic * SPEED**2 + potential

    def slowness(at: float) -> float:
        own, height = energies(at)
        return -math.sqrt(own / (total - height))

    return float(quad(slowness, START, q1, epsrel=1e-10)[0])


def starting(own: Robot) -> tuple[Array, Array]:
    q, slope = closed(START)
    return own.project(own.close(q, tolerance=1e-6), SPEED * slope, tolerance=1e-6)


def check(q: Array, tolerance: float) -> None:
    """It has passed where a row is nearly zero, is closed, and is there in time."""
    assert q[0] < -2.0 * math.pi / 3.0 - 0.05
    assert q == pytest.approx(closed(float(q[0]))[0], abs=tolerance)
    assert time_to(float(q[0])) == pytest.approx(SPAN, abs=tolerance / abs(SPEED))


@pytest.mark.parametrize(
    ("decimals", "method"),
    [
        (6, "dop853"),
        (6, "ida"),
        (6, "generalised-alpha"),
        (None, "generalised-alpha"),
        *(pytest.param(None, method, marks=pytest.mark.slow) for method in ("dop853", "ida")),
    ],
)
def test_from_python(decimals: int | None, method: str) -> None:
    """Angles of six decimals move positions by a few 1e-6; default tolerances of steps leave less."""
    own = bennett(decimals)
    check(symdyn.simulate(own, *starting(own), [0.0, SPAN], method=method).q[-1], 2e-5)


@pytest.mark.needs_cc
@pytest.mark.parametrize("decimals", [pytest.param(None, marks=pytest.mark.slow), 6])
def test_in_c(decimals: int | None) -> None:
    """Steps of half a millisecond leave 1e-6 of generalised-alpha, and less of others."""
    own = bennett(decimals)
    q, v = starting(own)
    steppers: dict[str, dict[str, Any]] = {
        "rk4": {"h": 5e-4},
        "dop853": {"rtol": 1e-9, "atol": 1e-10},
        "generalised-alpha": {"h": 5e-4},
    }
    module = symdyn.compile(own, ["constraint_error"], lanes=False, steppers=[*steppers])
    for method, chosen in steppers.items():
        advance = getattr(module, f"advance_{method.replace('-', '_')}")
        motion = advance(q, v, np.zeros(3), times=[0.0, SPAN], **chosen)
        assert motion.code == 0, method
        check(motion.q[-1], 2e-5)


def test_accelerations_where_a_row_is_nearly_zero() -> None:
    """Those of the exact linkage, by its energy, but for ten times the decimals."""
    own = bennett(6)
    for q1 in -2.0 * math.pi / 3.0 + np.array([-1e-2, -1e-4, 1e-5, 1e-3]):
        q, slope = closed(float(q1))
        h = 1e-5
        (before, low), (after, high) = energies(q1 - h), energies(q1 + h)
        kinetic = energies(q1)[0]
        pushed = -((high - low) + SPEED**2 * (after - before)) / (4.0 * h * kinetic)
        q = own.close(q, tolerance=1e-6)
        a, _ = found(own, "constrained_forward_dynamics", q=q, v=SPEED * slope, tau=np.zeros(3))
        assert a[0] == pytest.approx(pushed, abs=1e-3), q1


def test_lengths_of_ten_micrometres() -> None:
    """Rows that shift are then 1e-5 of those that turn; generalised-alpha counts both, and keeps loops and energy."""
    text, length = (Path(symdyn.__file__).parent / "robot" / "shipped" / "bricard.yaml").read_text("utf-8"), 1e-5
    for words, value in (("length: {value: ", 1.0), ("side: {value: ", 0.1), ("gravity: [0, ", -9.81)):
        assert f"{words}{value}" in text
        text = text.replace(f"{words}{value}", f"{words}{value * length!r}")
    own = symdyn.loads(text, "yaml")

    def energy(q: Array, v: Array) -> float:
        (M,), (potential,) = found(own, "mass_matrix", q=q), found(own, "potential_energy", q=q)
        return 0.5 * float(v @ M @ v) + float(np.ravel(potential)[0])

    q, v = own.project(own.close(own.neutral()), np.ones(5))
    motion = symdyn.simulate(own, q, v, [0.0, 0.1], method="generalised-alpha")
    (error,) = found(own, "constraint_error", q=motion.q[-1])
    assert np.max(np.abs(error)) < 1e-10 * length
    assert energy(motion.q[-1], motion.v[-1]) == pytest.approx(energy(q, v), rel=1e-5)
    assert np.all(np.abs(motion.v[-1]) > 0.4)
