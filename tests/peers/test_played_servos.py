"""Servos of pages: errors fade as in closed form, a robot stands on its feet, and falls without them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.played import chromium, opened

import symdyn

pytestmark = pytest.mark.peers
RATE = 10.0
WALKER = Path(__file__).resolve().parents[2] / "examples/ground"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def test_errors_fade_as_those_of_a_critically_damped_oscillator(browser: Any, tmp_path: Path) -> None:
    robot = symdyn.load_example("seven_dof_arm")
    path = symdyn.play(robot, tmp_path / "page.html", {"joint_2": 0.6}, {"joint_2": 0.5}, servo=True)
    with opened(browser, path) as page:
        page.run("symdyn.source.running = false")
        page.run("symdyn.source.ask('reset').then(() => 1)")
        q, _, ended = page.steps(200)
        assert (ended, page.said) == (0, [])
    expected = np.zeros(7)
    expected[1] = 0.6 + 0.5 * 0.2 * np.exp(-RATE * 0.2)
    assert (
        np.abs(q - expected).max() < 1e-3
    )  # forces are constant for a step of 1 ms: an error of half of its part of w


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_a_robot_stands_by_servos_and_falls_without(browser: Any, tmp_path: Path) -> None:
    robot = symdyn.load(WALKER / "walker.urdf", floating_base=True, contacts=WALKER / "flat.yaml")
    path = symdyn.play(robot, tmp_path / "page.html", v={"root.vx": 0.1}, servo=True)
    with opened(browser, path) as page:
        page.run("symdyn.source.running = false")
        page.run("symdyn.source.ask('reset').then(() => 1)")
        start = page.steps(0)[0]
        q, v, ended = page.steps(1000)
        assert (ended, page.said) == (0, [])
        assert np.abs(q - start).max() < 1e-3 and np.abs(v).max() < 1e-3
        page.run("symdyn.source.ask('servo', { on: false }).then(() => 1)")
        assert page.steps(300)[0][2] < start[2] - 0.1


@pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")
def test_a_robot_that_is_dropped_lands_as_simulate_says(browser: Any, tmp_path: Path) -> None:
    robot = symdyn.load(WALKER / "walker.urdf", floating_base=True, contacts=WALKER / "flat.yaml")
    start = symdyn.simulate(robot, t=1e-3).q[0]
    start[2] += 0.2
    start[3:7] = 0.0, np.sin(0.1), 0.0, np.cos(0.1)
    path = symdyn.play(robot, tmp_path / "page.html", start, servo=True)
    expected = symdyn.simulate(robot, start, t=np.linspace(0.0, 2.0, 3), h=2e-3, servo=True).q
    with opened(browser, path) as page:
        page.run("symdyn.source.running = false")
        page.run("symdyn.source.ask('reset').then(() => 1)")
        for own in expected[1:]:
            q, _, ended = page.steps(500)
            assert (ended, page.said) == (0, []) and np.abs(q - own).max() < 1e-3


def test_robots_whose_servos_a_page_cannot_make_are_refused(tmp_path: Path) -> None:
    with pytest.raises(symdyn.errors.RequestError, match=r"take symdyn.simulate\(.., servo=True\)"):
        symdyn.play(symdyn.load_example("canadarm"), tmp_path / "page.html", servo=True)
