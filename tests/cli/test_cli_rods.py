"""What the commands say of soft links: info, modes, trace, explain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

ROBOT = """\
name: gripper
parameters:
  rho: {value: 1000, runtime: true, unit: kg/m^3}
links:
  base: {}
  arm:
    soft:
      length: 0.5
      section: {shape: circle, radius: 0.03}
      material: {youngs_modulus: 1e6, poisson_ratio: 0.5, density: 1000, viscosity: 1e3}
      strain: {curvature_z: 1, stretch: 0}
  nail: {mass: 0.25}
  tail:
    soft:
      length: 0.3
      section: {shape: circle, radius: 0.02}
      material: {youngs_modulus: 2e6, poisson_ratio: 0.5, density: rho, retardation_time: 0.02}
      strain: {curvature_y: {basis: piecewise_constant, pieces: 2}}
      stations: 3
      magnus: 4
joints:
  turn: {type: revolute, parent: base, child: arm, axis: [0, 0, 1]}
  bite: {type: revolute, parent: arm, child: nail, axis: [0, 0, 1], translation: [0.5, 0, 0]}
  hold: {type: fixed, parent: base, child: tail}
tendons:
  cable: {along: [{link: arm, y: 0.02, z: 0}]}
chambers:
  bag: {link: tail, area: 1e-4, moment_y: 0, moment_z: 1e-7}
actuators: [turn, cable, bag]
"""


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "gripper.yaml"
    path.write_text(ROBOT)
    return path


def rows(text: str, title: str) -> list[list[str]]:
    """The words of a table's lines, without titles."""
    lines = text.partition(title)[2].partition("\u2500\n")[2].splitlines()
    return [line.split() for line in lines[: lines.index("") if "" in lines else len(lines)]]


def test_info_tells_of_rods(symdyn_command: Command, robot: Path) -> None:
    outcome = symdyn_command("info", robot, "--no-counts")
    assert (outcome.code, outcome.err) == (0, "")
    # pi 0.03^2 0.5 1000 and the nail; pi 0.02^2 0.3 of the tail
    assert "(1.66372 + 0.000376991*(rho)) kg" in outcome.out
    arm, tail = rows(outcome.out, "soft links, with rows")
    assert arm == ["arm", "0.5", "1.41372", "curvature_z", "2,", "stretch", "1"]
    assert tail == ["tail", "0.3", "curvature_y", "2"]
    arm, tail, *_ = rows(outcome.out, "their stations")
    assert arm[:3] == ["arm", "6", "found"] and float(arm[3]) <= 1e-6 and float(arm[4]) > float(arm[5]) == 1.0
    assert tail[:4] == ["tail", "6", "3", "given"] and float(tail[4]) > 0.0
    arm, tail, *_ = rows(outcome.out, "their steps")
    assert [arm[k] for k in (1, 2, 4, 5)] == ["6", "7", "1", "8"] and 0.0 < float(arm[3]) < 1.0
    assert [tail[k] for k in (1, 2, 4, 5)] == ["4", "8", "1", "8"]
    assert "arm.station" not in outcome.out and ".strains" not in outcome.out and "clusters" not in outcome.out
    tree = [line.split() for line in outcome.out.splitlines()]
    assert ["arm.tip", "arm", "arm", "soft", "1.41372"] in tree
    assert ["arm", "base", "turn", "revolute", "0"] in tree


def test_info_shows_the_mass_of_each_rod_of_a_series(symdyn_command: Command, tmp_path: Path) -> None:
    rod = (
        "soft: {length: 0.2, section: {shape: circle, radius: %s}, material: {youngs_modulus: 1e6, poisson_ratio: 0.5,"
    )
    rod += " density: %s}, strain: {curvature_y: 1}}"
    upper, lower = rod % ("0.01", "1000"), rod % ("0.005", "rho")
    path = tmp_path / "series.yaml"
    path.write_text(
        "name: series\nparameters: {rho: {runtime: true, value: 900}}\n"
        f"links:\n  base:\n  upper: {{{upper}}}\n  lower: {{{lower}}}\n"
        "joints:\n  root: {type: fixed, parent: base, child: upper}\n"
        "  middle: {type: fixed, parent: upper, child: lower, at: end}\n"
    )
    outcome = symdyn_command("info", path, "--no-counts")
    assert (outcome.code, outcome.err) == (0, "")
    tree = [line.split() for line in outcome.out.splitlines()]
    assert ["upper.tip", "base", "upper", "soft", "0.0628319"] in tree  # pi 0.01^2 0.2 1000
    assert ["lower.tip", "upper.tip", "lower", "soft", "1.5708e-05*(rho)"] in tree  # pi 0.005^2 0.2


def test_info_tells_axes_that_are_not_the_links(symdyn_command: Command, tmp_path: Path) -> None:
    text = ROBOT.replace("length: 0.3", "length: 0.3\n      axis: [0, 0, -1]")
    (tmp_path / "hung.yaml").write_text(text, encoding="utf-8")
    told = symdyn_command("info", tmp_path / "hung.yaml").out
    assert rows(told, "axes of their sections") == [["tail", *["0", "0", "-1", "0", "1", "0", "1", "0", "0"]]]


def test_info_tells_what_drives_them(symdyn_command: Command, robot: Path) -> None:
    out = symdyn_command("info", robot, "--no-counts").out
    assert rows(out, "tendons (") == [["cable", "arm", "0", "0.5", "0.02", "0.0", "0.5"]]
    assert rows(out, "chambers") == [["bag", "tail", "0", "0.3", "0.0001", "3e-05"]]
    inputs = rows(out, "inputs u")
    assert [row[1:] for row in inputs] == [
        ["turn", "joint", "N", "m"],
        ["cable", "tendon", "N"],
        ["bag", "chamber", "Pa"],
    ]


def test_modes_of_soft_links(symdyn_command: Command, robot: Path) -> None:
    outcome = symdyn_command("modes", robot)
    assert (outcome.code, outcome.err) == (0, "")
    assert "arm: soft, 0.5 m, held at its root" in outcome.out
    first, *_ = rows(outcome.out, "arm: soft")
    # (1.875 / L)^2 sqrt(E I / rho A) / 2 pi, with two functions of curvature and thick sections: some per cent off
    assert first[:2] == ["1", "curvature_z"] and float(first[2]) == pytest.approx(1.06, rel=0.05)
    assert "tail" not in symdyn_command("modes", robot, "--link", "arm").out
    refused = symdyn_command("modes", robot, "--link", "nail")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "error: --link nail: this link is rigid; flexible or soft are: arm, tail\n"


def test_modes_need_numbers(symdyn_command: Command, robot: Path) -> None:
    robot.write_text(ROBOT.replace("value: 1000, ", ""))
    outcome = symdyn_command("modes", robot)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: modes of soft link 'tail' need a number for its material.density; give its parameter a value\n"
    )


@pytest.mark.slow
def test_trace_follows_matter(symdyn_command: Command, robot: Path) -> None:
    outcome = symdyn_command("trace", robot, "arm.material.youngs_modulus")
    assert outcome.code == 0, outcome.err
    flat = " ".join(outcome.out.split())
    assert "gripper.yaml:7: soft link 'arm', material.youngs_modulus = 1000000.0 Pa" in flat
    assert "slot 1 of p, Pa" in flat and "port p holds p[1]" in flat
    assert "arm.material.youngs_modulus [Pa]" in flat


def test_trace_says_what_tendons_are(symdyn_command: Command, robot: Path) -> None:
    refused = symdyn_command("trace", robot, "cable")
    assert refused.code == 2 and "'cable' is a tendon of robot 'gripper'" in refused.err


@pytest.mark.slow
def test_explain_leaves_stations_out(symdyn_command: Command, robot: Path, tmp_path: Path) -> None:
    words = ("generate", robot, "-f", "gravity", "--explain", "--target", "python", "--out", tmp_path / "made")
    outcome = symdyn_command(*words)
    assert outcome.code == 0, outcome.err
    assert ".station" not in outcome.out
    assert "the tip of a soft link has no axis" in " ".join(outcome.out.split())
