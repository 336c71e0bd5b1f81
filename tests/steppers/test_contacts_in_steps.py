"""Contacts that steps in C meet: adaptive ones end where contacts begin, fixed ones tell that they are too long.

What is right comes from closed forms, and from motions in Python by short steps.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.raw_calls import RawCalls

import symdyn
from symdyn.toolchain.steppers import StepCode

pytestmark = [pytest.mark.needs_cc, pytest.mark.filterwarnings("ignore::symdyn.SymdynWarning")]
GA = "generalised-alpha"
POST = """
name: post
gravity: [0, 0, 0]
links: {ground: {}, ball: {mass: 0.5}}
joints: {x: {type: prismatic, parent: ground, child: ball, axis: [1, 0, 0]}}
contacts:
  far:
    {of: ball, radius: 0.1, with: {sphere: {center: [5, 50, 0], radius: 0.1}}, stiffness: STIFFNESS, exponent: POWER}
  post:
    {of: ball, radius: 0.1, with: {sphere: {center: [5, ASIDE, 0], radius: 0.1}}, stiffness: STIFFNESS, exponent: POWER}
"""
LASTS = 2.943275 * (5.0 * 0.5 / 4e5) ** 0.4
"""Time that a contact by Hertz's law lasts at 1 m/s: 2.9432 depths / v, the depth being (5 m v^2 / (4 k))^(2/5)."""
BACK = 4.8 - (20.0 - 4.8 - LASTS)
"""Where the ball is after 20 s: it touches at x = 4.8 m."""
HULL = """
name: hull
floating_base: true
gravity: [0, 0, -1]
links:
  hull: {mass: 2.0, com: [0.1, 0, 0.02], inertia: {xx: 0.03, yy: 0.04, zz: 0.05}}
  nose: {mass: 0.4, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}}
joints:
  hinge: {type: revolute, parent: hull, child: nose, axis: [0, 1, 0], translation: [0.5, 0, 0]}
contacts:
  post: {of: nose, radius: 0.05, with: {sphere: {center: [2.38, 0.19, 0.1], radius: 0.05}}, stiffness: 1e4}
"""
LED = """
name: led
gravity: [0, 0, 0]
links: {ground: {}, cart: {mass: 1}, ball: {mass: 0.5}}
joints:
  x: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}
  y: {type: prismatic, parent: cart, child: ball, axis: [0, 1, 0], spring: {stiffness: 1e3}}
contacts:
  post: {of: ball, radius: 0.1, with: {sphere: {center: [5, 0.05, 0], radius: 0.1}}, stiffness: 1e5}
"""


def _robot(text: str, folder: Path) -> symdyn.Robot:
    path = folder / "robot.yaml"
    path.write_text(text)
    return symdyn.load(path)


def _post(folder: Path, aside: float = 0.0, stiffness: float = 1e5, power: float = 1.5) -> symdyn.Robot:
    numbers = {"ASIDE": f"{aside:.12g}", "STIFFNESS": f"{stiffness:g}", "POWER": f"{power:g}"}
    text = POST
    for word, number in numbers.items():
        text = text.replace(word, number)
    return _robot(text, folder)


def _built(robot: symdyn.Robot, *methods: str, **asked: Any) -> Any:
    return symdyn.compile(robot, ["contact_gaps"], lanes=False, steppers=list(methods), **asked)


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The ball in front of its post."""
    return _built(_post(tmp_path_factory.mktemp("post")), "rk4", "dop853", GA)


def test_a_ball_comes_back_in_steps_of_any_length(ball: Any) -> None:
    """Free flight allows one step for all; between times too."""
    for times in ([0.0, 20.0], [0.0, 4.8, 4.81, 20.0]):
        found = ball.advance_dop853([0.0], [1.0], [0.0], times=times, rtol=1e-6, atol=1e-6)
        assert found.code is StepCode.DONE and found.steps + found.refused < 100
        assert found.v[-1, 0] == pytest.approx(-1.0, abs=3e-4)
        assert found.q[-1, 0] == pytest.approx(BACK, abs=5e-3)
    assert found.q[1, 0] == pytest.approx(4.8, abs=1e-6)
    pushed = ball.advance_dop853([8.0], [1.0], [-1.0], times=[0.0, 6.0], rtol=1e-9, atol=1e-9)
    assert pushed.q[-1, 0] > 5.2  # it flies away and falls back on the other side


def test_single_precision(tmp_path: Path) -> None:
    module = _built(_post(tmp_path), "dop853", dtype="float32")
    found = module.advance_dop853([0.0], [1.0], [0.0], times=[0.0, 20.0], rtol=1e-4, atol=1e-4)
    assert found.code is StepCode.DONE
    assert found.v[-1, 0] == pytest.approx(-1.0, abs=3e-3)
    assert found.q[-1, 0] == pytest.approx(BACK, abs=3e-2)


@pytest.mark.parametrize(("method", "within"), [("rk4", 1e-4), (GA, 1e-3)])
def test_fixed_steps_that_are_too_long_say_so(ball: Any, method: str, within: float) -> None:
    """Over the post in one step, and into it and out by half; short ones are right."""
    advance = getattr(ball, f"advance_{method.replace('-', '_')}")
    for h, steps in ((7.0, 1), (0.42, 12)):
        found = advance([0.0], [1.0], [0.0], times=[0.0, 20.0], h=h)
        assert (found.code, found.steps, len(found.q)) == (StepCode.CONTACT_PASSED, steps, 1), h
    short = advance([0.0], [1.0], [0.0], times=[0.0, 4.5, 20.0], h=1e-3)
    assert short.code is StepCode.DONE
    assert short.v[-1, 0] == pytest.approx(-1.0, abs=within)
    away = advance([0.0], [-1.0], [0.0], times=[0.0, 20.0], h=20.0)
    assert (away.code, away.q[-1, 0]) == (StepCode.DONE, pytest.approx(-20.0))


@pytest.mark.parametrize("method", ["rk4", "dop853", "generalised_alpha"])
def test_one_step_over_a_post(ball: Any, method: str) -> None:
    step = getattr(ball, f"step_{method}")
    with pytest.raises(symdyn.SymdynError, match="a contact begins and ends within the step"):
        step([0.0], [1.0], [0.0], h=10.0)
    q, _ = step([0.0], [1.0], [0.0], h=4.7)
    assert q[0] == pytest.approx(4.7)


def test_a_step_over_a_post_from_rest(ball: Any) -> None:
    """No stage is in the second contact: the rate of its gap at the end alone tells that the ball may have passed."""
    with pytest.raises(symdyn.SymdynError, match="a contact begins and ends within the step"):
        ball.step_rk4([0.0], [0.0], [1400.0], h=0.1)


def test_a_step_that_is_thrown_out_by_a_contact(ball: Any) -> None:
    """Stages in the middle of a post feel 2 kN for a quarter of a second; no path between both ends goes there."""
    found = ball.advance_rk4([4.75], [1.0], [0.0], times=[0.0, 0.25], h=0.25)
    assert found.code is StepCode.CONTACT_PASSED


def test_a_touch_that_changes_nothing_is_no_passing(tmp_path: Path) -> None:
    """On a rail past the post: as abreast of it nothing pushes along the rail, what counts are the sides."""
    for depth, code in ((1e-7, StepCode.DONE), (1e-3, StepCode.CONTACT_PASSED)):
        module = _built(_post(tmp_path, 0.2 - depth), "rk4")
        found = module.advance_rk4([0.0], [1.0], [0.0], times=[0.0, 10.0], h=10.0)
        assert found.code is code, depth


def test_series_end_where_contacts_begin_and_end(tmp_path: Path) -> None:
    """A power series knows nothing of a contact that begins later; one step is refused."""
    robot = _post(tmp_path, stiffness=5.6e14, power=10.0)
    module, inputs, times = _built(robot, "taylor", order=8), np.array([[-1.0], *[[0.0]] * 8]), [0.0, 6.0, 12.0]
    found = module.advance_taylor([8.0], [1.0], inputs, times=times, rtol=1e-6, atol=1e-6)
    exact = symdyn.simulate(robot, [8.0], [1.0], times, inputs=[-1.0], method="dop853", rtol=1e-11, atol=1e-12)
    assert found.code is StepCode.DONE and found.q[-1, 0] > 5.2
    assert found.q == pytest.approx(exact.q, abs=1e-4)
    with pytest.raises(symdyn.SymdynError, match="a contact begins and ends within the step"):
        module.step_taylor([0.0], [1.0], 0.0 * inputs, h=10.0)


def test_a_hull_that_turns_meets_a_post(tmp_path: Path) -> None:
    """A quaternion in the state; steps as short as a contact lasts see the same without looking for it."""
    robot = _robot(HULL, tmp_path)
    q, v = robot.neutral(), np.array([1.0, 0.0, 1.0, 0.1, 0.0, 0.2, 0.3])
    exact = symdyn.simulate(robot, q, v, [0.0, 4.0], method="dop853", rtol=1e-9, atol=1e-9, max_step=1e-3)
    free = symdyn.simulate(_robot(HULL.replace("1e4", "1e-9"), tmp_path), q, v, [0.0, 4.0], method="dop853")
    assert abs(exact.q[-1] - free.q[-1]).max() > 0.1
    module, tau = _built(robot, "rk4", "dop853", GA), np.zeros(robot.nv)
    found = module.advance_dop853(q, v, tau, times=[0.0, 4.0], rtol=1e-9, atol=1e-9)
    assert found.q[-1] == pytest.approx(exact.q[-1], abs=1e-5)
    assert module.advance_rk4(q, v, tau, times=[0.0, 4.0], h=1.0).code is StepCode.CONTACT_PASSED
    assert module.advance_generalised_alpha(q, v, tau, times=[0.0, 4.0], h=1.0).code is StepCode.CONTACT_PASSED


def test_a_shorter_step_may_follow_one_that_passes(tmp_path: Path) -> None:
    """The workspace is as before: what follows is that of a workspace in which no step was refused."""
    robot = _post(tmp_path)
    own, other = (RawCalls(robot, _built(robot, GA)) for _ in range(2))
    q, v, tau = np.array([0.0]), np.array([1.0]), np.array([0.1])
    for calls in (own, other):
        assert calls.start(GA, q, v, tau) is StepCode.DONE
    (_, q, v), _ = (calls.step(GA, q, v, tau, h=1.0) for calls in (own, other))
    assert own.step(GA, q, v, tau, h=5.0)[0] is StepCode.CONTACT_PASSED
    for h in (0.5, 0.7):
        found, wanted = own.step(GA, q, v, tau, h=h), other.step(GA, q, v, tau, h=h)
        assert found[0] is wanted[0] is StepCode.DONE
        np.testing.assert_allclose(np.concatenate(found[1:]), np.concatenate(wanted[1:]), rtol=0.0, atol=1e-14)


def test_a_prescribed_joint_leads_over_a_post(tmp_path: Path) -> None:
    """The ball is led past; short steps feel the push aside."""
    module = _built(_robot(LED, tmp_path), GA, prescribed=["x"])
    times = np.array([0.0, 2.0, 10.0])
    led = np.stack([times, np.ones(3), np.zeros(3)], axis=1)[:, :, None]
    given = (np.zeros(2), np.array([1.0, 0.0]), np.zeros(2), led)
    assert module.advance_generalised_alpha(*given, times=times, h=10.0).code is StepCode.CONTACT_PASSED
    short = module.advance_generalised_alpha(*given, times=times, h=2e-3)
    assert short.code is StepCode.DONE and abs(short.q[-1, 1]) > 1e-3


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (LED, {"steppers": [GA], "prescribed": ["x"]}),
        (HULL, {"steppers": ["rk4", "dop853", GA], "dtype": "float32"}),
    ],
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_find_nothing_to_warn_of(text: str, asked: dict[str, Any], compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not here")
    place = Path(symdyn.generate(symdyn.loads(text, "yaml"), ["gravity"], out=tmp_path / "made", **asked))
    names = [path.name for path in place.glob("*_step_*.c")]
    flags = ["-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion"]
    done = subprocess.run(
        [compiler, *flags, "-Wshadow", *names], cwd=place, capture_output=True, text=True, check=False, timeout=120
    )
    assert (len(names), done.returncode, done.stderr) == (len(asked["steppers"]), 0, "")


def test_nothing_is_added_where_nothing_touches() -> None:
    files = {
        file.path: file.text
        for file in symdyn.generation.pipeline.sources(symdyn.load_example("pendulum"), ["gravity"], steppers=["rk4"])
    }
    assert not any("contact" in text.lower() for path, text in files.items() if path.endswith((".c", ".h")))
