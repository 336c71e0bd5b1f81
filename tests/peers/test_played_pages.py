"""Pages in which robots move, in a headless Chromium: their bits against native C, keys, the mouse, hostile names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.played import Opened, chromium, native_motion, opened

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.forces import loop_forces
from symdyn.analysis.view.live import Played
from symdyn.analysis.view.play import MOST_BYTES, state_of

pytestmark = pytest.mark.peers

ROBOTS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "seven_dof_arm": ({"joint_2": 0.6}, {}),
    "canadarm": ({}, {"joint_1": 0.2}),
    "cable_manipulator": ({"arm.curvature_y[0]": 0.4}, {}),
    "quadruped": ({}, {}),
    "four_bar": ({}, {}),
}
"""Rigid, flexible and soft robots and closed loops, with a position and a velocity at the start."""
FREQUENT = 60.0
MILLISECONDS = 4.0
"""Physics of a picture at most, at 60 pictures a second."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def rest(page: Opened) -> None:
    """Stand still at the start."""
    page.run("symdyn.source.running = false")
    page.run("symdyn.source.ask('reset').then(() => 1)")


def check_loop_forces(page: Opened, played: Played) -> None:
    """Arrows of loops are those of the multipliers in the state of the page."""
    robot = played.robot
    page.run("symdyn.source.ask('forces', { on: true }).then(() => 1)")
    found = page.run("symdyn.source.picture.forces")
    q, v = (page.run(f"Array.from(symdyn.source.picture.{name})") for name in "qv")
    module = symdyn.compile(robot, ["constrained_forward_dynamics"])
    multipliers = module.constrained_forward_dynamics(q, v, np.zeros(robot.nv), robot.runtime_defaults)[1]
    lines = {line.loop: line for line in scene_of(robot, np.array([q])).lines}
    assert len(found) == len(robot.model.loops)
    first = 0
    for loop, arrow in zip(robot.model.loops, found, strict=True):
        rows, line = multipliers[None, first : first + len(loop.rows)], lines[loop.constraint.name]
        first += len(loop.rows)
        assert line.axes is not None
        expected = loop_forces(loop.rows, rows, line.points, line.axes)[0]
        np.testing.assert_allclose(arrow["force"], expected, atol=1e-6 * np.abs(multipliers).max())
        np.testing.assert_allclose(arrow["at"], line.points[0, 0], atol=1e-12)


@pytest.mark.filterwarnings("ignore:four_bar.yaml")  # rows of its pin follow from others
@pytest.mark.parametrize("name", ROBOTS)
def test_ten_seconds_have_the_bits_of_native_code(browser: Any, name: str, tmp_path: Path) -> None:
    robot = symdyn.load_example(name)
    q, v = ROBOTS[name]
    path = symdyn.play(robot, tmp_path / "page.html", q or None, v)
    assert path.stat().st_size < MOST_BYTES
    played = Played.of(robot)
    start = state_of(played.robot, q or None, v)
    steps = round(10.0 / played.step)
    with opened(browser, path) as page:
        rest(page)
        before = page.run("performance.now()")
        found = page.steps(steps)
        spent = page.run("performance.now()") - before
        assert found[2] == 0
        assert not page.said, page.said
        if robot.constraints:
            check_loop_forces(page, played)
    expected = native_motion(played, *start, steps, tmp_path)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
    assert np.abs(found[0] - start[0]).max() > 1e-2, "it moves"
    print(f"{name}: {spent / 10.0 / FREQUENT:.2f} ms of physics per picture; {MILLISECONDS:g} are allowed")


RUBBING = """
name: rubbing
links:
  base:
  upper:
    mass: 2.0
    com: [0, 0, -0.2]
    inertia: {xx: 0.03, yy: 0.03, zz: 0.002}
  lower:
    mass: 1.0
    com: [0.05, 0, -0.2]
    inertia: {xx: 0.01, yy: 0.01, zz: 0.001}
joints:
  shoulder:
    type: revolute
    parent: base
    child: upper
    axis: [0, 1, 0]
    losses: {damping: 0.05, friction: 0.2, velocity_scale: 0.1}
  elbow:
    type: revolute
    parent: upper
    child: lower
    axis: [0, 1, 0]
    translation: [0, 0, -0.4]
    losses: {damping: 0.05, friction: 0.1, velocity_scale: 0.1}
"""


def test_friction_by_tanh_is_near_native_code(browser: Any, tmp_path: Path) -> None:
    """1e-12 over a second: tanh of two C libraries may differ by roundings."""
    robot = symdyn.loads(RUBBING, "yaml", joint_losses=True)
    q = {"shoulder": 1.0, "elbow": -0.5}
    path = symdyn.play(robot, tmp_path / "page.html", q)
    played = Played.of(robot)
    start = state_of(played.robot, q, None)
    steps = round(1.0 / played.step)
    with opened(browser, path) as page:
        rest(page)
        found = page.steps(steps)
        assert not page.said, page.said
    expected = native_motion(played, *start, steps, tmp_path)
    np.testing.assert_allclose(found[0], expected[0], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=0.0, atol=1e-12)
    assert np.abs(found[0] - start[0]).max() > 0.1, "it moves"


def check_forces(page: Opened, played: Played) -> None:
    """Arrows of contact forces, with the weight, change the momentum; gravity along x makes friction act."""
    row = played.robot.runtime_parameters.index("gravity.x")
    page.run("(row) => symdyn.source.ask('set', { name: 'p', row, value: 1.5 }).then(() => 1)", row)
    page.steps(20)
    momenta = []
    module = symdyn.compile(played.robot, ["center_of_mass_velocity", "contact_gaps"])
    p = played.robot.runtime_defaults.copy()
    p[row] = 1.5
    for _ in range(2):
        momenta.append(np.array(module.center_of_mass_velocity(*page.steps(1)[:2], p)))
    found = page.run("symdyn.source.picture.forces")
    assert len(found) >= 3
    mass = page.run("symdyn.source.live.weight") / 9.81
    total = np.sum([own["force"] for own in found], axis=0)
    rate = mass * (momenta[1] - momenta[0]) / played.step
    np.testing.assert_allclose(total + mass * np.array([1.5, 0.0, -9.81]), rate, atol=1e-3 * mass * 9.81)
    assert total[0] < -0.1 * mass and total[2] > 5.0 * mass
    points = module.contact_gaps(page.run("Array.from(symdyn.source.picture.q)"), p).point
    for own in found:
        assert np.abs(points - own["at"]).max(axis=1).min() < 1e-12 and abs(own["at"][2]) < 1e-3
    page.run("symdyn.source.ask('forces', { on: false }).then(() => 1)")
    assert page.run("symdyn.source.picture.forces") == []


def test_a_robot_drops_on_the_ground_with_the_bits_of_native_code(browser: Any, tmp_path: Path) -> None:
    file = Path(__file__).resolve().parents[2] / "examples/ground/walker.urdf"
    with pytest.warns(symdyn.SymdynWarning):
        robot = symdyn.load(file, floating_base=True, contacts="ground", joint_losses=True)
    q = {"root.z": 0.6}
    path = symdyn.play(robot, tmp_path / "page.html", q)
    played = Played.of(robot)
    assert played.method == "contacts"
    start = state_of(played.robot, q, None)
    with opened(browser, path) as page:
        rest(page)
        found = page.steps(500)
        assert not page.said, page.said
        check_forces(page, played)
    expected = native_motion(played, *start, 500, tmp_path)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])
    assert 0.0 < found[0][2] < 0.5, "the ground holds it"


def test_keys_sliders_and_the_mouse(browser: Any, tmp_path: Path) -> None:
    path = symdyn.play(symdyn.load_example("double_pendulum"), tmp_path / "page.html")
    with opened(browser, path) as page:
        rest(page)
        page.page.locator("#view").focus()
        press = page.page.keyboard.press
        settled = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

        def told(text: str) -> Any:
            page.run(settled)
            page.run("symdyn.source.ask('look').then(() => 1)")
            return page.run(text)

        press(".")
        assert told("symdyn.source.picture.steps") == 1
        press("]")
        press("ArrowUp")
        assert told("symdyn.source.sliders[1].read()") == pytest.approx(
            0.05 * page.run("symdyn.source.sliders[1].width")
        )
        press(".")
        assert abs(told("symdyn.source.picture.v[1]")) > 0.0, "the force moves the joint"
        press("0")
        assert told("symdyn.source.sliders[1].read()") == pytest.approx(0.0, abs=1e-9)
        press("r")
        assert told("symdyn.source.picture.steps") == 0
        assert told("Math.max(...symdyn.source.picture.v.map(Math.abs))") == 0.0
        for key, show in (("f", "frames"), ("t", "trails"), ("i", "inertia")):
            press(key)
            assert told(f"symdyn.stage.shows.{show}") is True
        press("+")
        assert told("symdyn.source.speed") == pytest.approx(2.0**0.5)
        press("-")

        tip = "symdyn.data.frames.indexOf('tip')"
        link = "[0.5, 0.8].length && symdyn.data.frames.length - 1"
        assert page.run(f"{tip} >= 0 || {link} >= 0")
        # The middle of the upper link, half way between its origin and that of the lower.
        places = page.run(
            "(() => { const x = symdyn.source.picture.frames, o = (k) => [3, 7, 11].map((r) => x[16 * k + r]);"
            " const names = symdyn.data.frames, a = o(names.indexOf('upper')), b = o(names.indexOf('lower'));"
            " return symdyn.stage.pixel(a.map((n, k) => (n + b[k]) / 2)); })()"
        )
        page.page.mouse.move(*places)
        assert told("document.getElementById('hint').textContent") == "upper"
        page.page.mouse.down()
        page.page.mouse.move(places[0] + 60, places[1], steps=3)
        press(" ")
        for _ in range(600):  # the page forbids scripts from texts, by which others wait
            page.page.wait_for_timeout(100)
            if page.run("symdyn.source.picture.steps") > 200:
                break
        assert told("symdyn.source.picture.pull.force") > 0.0
        turned = told("symdyn.source.picture.q[0]")
        assert abs(turned) > 0.02, "the mouse turns the upper link"
        page.page.mouse.up()
        assert told("symdyn.source.picture.pull") is None
        assert not page.said, page.said


def test_names_are_no_markup(browser: Any, tmp_path: Path) -> None:
    bad = "</script><script>globalThis.harm = 1</script><img src=x onerror='globalThis.harm = 1'>"
    text = f"""
name: "{bad}"
links:
  base:
  "{bad} link":
    mass: 1.0
    com: [0, 0, -0.3]
    inertia: {{xx: 0.01, yy: 0.01, zz: 0.001}}
joints:
  "{bad} joint": {{type: revolute, parent: base, child: "{bad} link", axis: [0, 1, 0]}}
"""
    path = symdyn.play(symdyn.loads(text, "yaml"), tmp_path / "page.html")
    assert "<img" not in path.read_text()
    with opened(browser, path) as page:
        page.page.wait_for_timeout(500)
        assert page.run("globalThis.harm") is None
        assert page.run("document.title").startswith("</script>")
        assert page.run("document.querySelectorAll('img').length") == 0
        assert not page.said, page.said
