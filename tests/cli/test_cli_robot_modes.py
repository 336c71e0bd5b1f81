"""``symdyn modes --at``: the whole robot about a position."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
PENDULUM = """\
name: pendulum
links:
  base:
  bob: {mass: 2, com: [0, 0, -0.3], inertia: {xx: 0.05, yy: 0.05, zz: 0.05}}
  top: {mass: 1, inertia: {xx: 0.05, yy: 0.05, zz: 0.05}}
joints:
  swing: {type: revolute, parent: base, child: bob, axis: [0, 1, 0], losses: {damping: 0.4}}
  spin: {type: revolute, parent: base, child: top, axis: [0, 0, 1]}
"""
FREQUENCY = math.sqrt(2 * 9.81 * 0.3 / 0.23)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM, encoding="utf-8")
    return path


def test_swinging_and_rigid_modes(symdyn_command: Command, file: Path) -> None:
    outcome = symdyn_command("modes", file, "--at", "neutral", "--joint-losses")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines() if line.lstrip().startswith(("1 ", "2 "))]
    assert rows[0] == ["1", "0", "0", "rigid", "spin", "100", "%"]
    damping = f"{0.4 / (2 * 0.23 * FREQUENCY):.4g}"
    assert rows[1] == ["2", f"{FREQUENCY / (2 * math.pi):.6g}", f"{FREQUENCY:.6g}", damping, "swing", "100", "%"]
    assert "rigid: 1 of frequency zero; nothing drives these back" in outcome.out
    assert f"with all losses together: stable, slowest decay {0.4 / 0.46:.4g} 1/s" in outcome.out
    assert "unstable" not in outcome.out and "no rest" not in outcome.out


def test_unstable_modes_and_what_holds_the_robot(symdyn_command: Command, file: Path) -> None:
    outcome = symdyn_command("modes", file, "--at", "swing=2.5", "--hold", "spin")
    assert "unstable: 1 of negative stiffness; the robot leaves this position" in outcome.out
    rate = math.sqrt(-2 * 9.81 * 0.3 * math.cos(2.5) / 0.23)
    assert f"{rate:.6g}   unstable   swing 100 %" in outcome.out
    assert (
        f"no rest: forces hold it here, and stay as they are while it moves: swing {5.886 * math.sin(2.5):.4g} N m"
        in (outcome.out)
    )


def test_motors_stand_where_their_joints_do(symdyn_command: Command) -> None:
    held = ("--hold", "shoulder, elbow.motor")
    alone = symdyn_command("modes", "elastic_arm", "--at", "elbow=0.5", *held)
    assert (
        alone.out == symdyn_command("modes", "elastic_arm", "--at", "elbow=0.5", "--at", "elbow.motor=0.5", *held).out
    )
    assert alone.out != symdyn_command("modes", "elastic_arm", "--at", "elbow=0.5", "--at", "elbow.motor=0", *held).out


def test_loops_are_closed_and_may_leave_no_way(symdyn_command: Command) -> None:
    assert "input" in symdyn_command("modes", "four_bar", "--at", "input=0.5").out
    outcome = symdyn_command("modes", "four_bar", "--at", "input=0.5", "--hold", "input")
    assert (outcome.code, outcome.out) == (0, "four_bar cannot move there: its loops, and what is held, leave no way\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "swng=1"), "--at swng: there are spin, swing; did you mean 'swing'?"),
        (("--at", "swing"), "--at swing: expected NAME=VALUE with a finite number and no unit, such as elbow=0.5"),
        (
            ("--at", "neutral", "--hold", "spn"),
            "coordinate 'spn' of robot 'pendulum' does not exist; did you mean 'spin'?",
        ),
        (("--at", "neutral", "--link", "bob"), "--link is for modes of single links; leave it out, or --at"),
        (("--at", "neutral", "--plot", "a.png"), "--plot is for modes of single links; leave it out, or --at"),
        (("--hold", "spin"), "--hold changes nothing in modes of single links; give --at for those of the whole robot"),
        (
            ("--gravity", "0", "0", "0"),
            "--gravity changes nothing in modes of single links; give --at for those of the whole robot",
        ),
    ],
)
def test_refusals_are_one_line(symdyn_command: Command, file: Path, words: tuple[str, ...], message: str) -> None:
    outcome = symdyn_command("modes", file, *words)
    assert (outcome.code, outcome.out, outcome.err.splitlines()[-1]) == (2, "", f"error: {message}")
