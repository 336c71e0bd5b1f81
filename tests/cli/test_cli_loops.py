"""Closed loops on the command line: refusals in one line, ``info``, ``--loops``, and folders that hold the loops."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.places import CORPUS
from support.robots.loop_files import FOUR_BAR, FOUR_BAR_LINKS, PIN
from support.robots.rolling import SLEIGH

import symdyn
from symdyn.cli.verbs import VERBS
from symdyn.description.read import read_robot

SOUND = ("loops_every_kind", "loops_fourbar", "loops_pfaffian")


def test_bad_loop_files_are_refused_in_one_line(symdyn_command: Callable[..., Any]) -> None:
    files = [path for path in sorted(CORPUS.glob("loops_*.yaml")) if path.stem not in SOUND]
    assert len(files) >= 20
    for path in files:
        outcome = symdyn_command("info", path)
        assert (outcome.code, outcome.out) == (2, ""), path.name
        (line,) = outcome.err.splitlines()
        named = re.match(rf"error: {path.name}:\d+: (loop '(pin|gear|roll)'|loops|key '(pin|turn)')", line)
        assert named and line.isprintable() and len(line) < 400, line


def test_info_tells_rows_and_motions(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "bar.yaml").write_text(FOUR_BAR + "  gear: {kind: coupling, terms: {turn: 1, bend: -2}, offset: 0.5}\n")
    shown = symdyn_command("info", "bar.yaml", "--no-counts")
    assert shown.code == 0
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "pin revolute end to top x [m], y [m] z, tilt_x, tilt_y" in lines
    assert "gear coupling 1 * turn + -2 * bend = 0.5 gear [rad]" in lines
    assert "3 rows of constraints; mobility 0" in lines
    assert "coordinates that may be chosen independent: none" in lines
    (tmp_path / "bar.yaml").write_text(FOUR_BAR.replace("[0.6, 0, 0]", "[3, 0, 0]"))
    shown = symdyn_command("info", "bar.yaml", "--no-counts")
    assert shown.code == 0 and "2 rows of constraints; no closed position found: the loops of robot" in shown.out


def test_info_tells_what_velocities_hold(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "sleigh.yaml").write_text(SLEIGH)
    shown = symdyn_command("info", "sleigh.yaml", "--no-counts")
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "blade pfaffian (-sin(yaw)) * x + (cos(yaw)) * y = 0 blade [m/s]" in lines
    assert "1 row of constraints; mobility 2" in lines


@pytest.mark.parametrize("verb", ["info", "generate"])
def test_a_file_beside_the_robot(symdyn_command: Callable[..., Any], tmp_path: Path, verb: str) -> None:
    (tmp_path / "bar.yaml").write_text(FOUR_BAR_LINKS)
    (tmp_path / "loops.yaml").write_text(f"loops:\n  {PIN}\n")
    more = ("--target", "python", "-f", "constrained_forward_dynamics", "-o", "out") if verb == "generate" else ()
    done = symdyn_command(verb, "bar.yaml", "--loops", "loops.yaml", *more)
    assert done.code == 0
    assert done.err.startswith("warning: bar.yaml: loops.yaml:2: loop 'pin': rows z, tilt_x, tilt_y follow from others")
    if verb == "generate":
        (pin,) = read_robot(tmp_path / "out" / "robot.yaml").acting
        assert pin.name == "pin"
    missing = symdyn_command(verb, "bar.yaml", "--loops", "none.yaml", *more)
    assert (missing.code, missing.err) == (2, "error: none.yaml: no such file; check the path\n")


def test_every_verb_that_loads_a_robot_takes_such_a_file(symdyn_command: Callable[..., Any]) -> None:
    loading = [name for name, verb in VERBS.items() if "options.Loading" in str(inspect.signature(verb.run))]
    assert set(loading) == {
        "compare",
        "compile",
        "convert",
        "export-ocp",
        "generate",
        "info",
        "modes",
        "ik",
        "play",
        "simulate",
        "statics",
        "trace",
        "view",
    }
    for verb in loading:
        assert "--loops" in symdyn_command(verb, "--help").out, verb


@pytest.mark.slow
def test_a_generated_folder_with_loops_verifies(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "bar.yaml").write_text(FOUR_BAR)
    functions = ("-f", "inverse_dynamics,mass_matrix", "-f", "jacobians")
    assert symdyn_command("generate", "bar.yaml", *functions, "-o", "out").code == 0
    verified = symdyn_command("verify", "out", "--states", "3")
    assert verified.code == 0 and "FAIL" not in verified.out, verified.err
    loaded = symdyn.robot.loading.robot_of(read_robot(tmp_path / "out" / "robot.yaml"))
    assert loaded.constraints[0].dropped == ("z", "tilt_x", "tilt_y")
