"""``symdyn modes`` against beams solved by hand, its refusals, and what ``symdyn info`` says of flexible links."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

BOOM = """\
name: boom_on_a_post
links:
  post:
  boom:
    mass: 0.5
    flexible:
      length: 2
      mass_per_length: 3
      bending_stiffness: {y: 900, z: 400}
      axial_stiffness: 5e5
      modes: {bend_y: 2, axial: 1}
      shapes: {bend_z: [x**2, x**3]}
      damping: {ratio: {bend_y: [0.01, 0.02]}, retardation_time: {axial: 1e-4}}
  hook: {mass: 1.5}
  strut:
    flexible: {length: 1, mass_per_length: 2, bending_stiffness: 7, modes: {bend_z: 1}, stiffening: true}
joints:
  slew: {type: revolute, parent: post, child: boom, axis: [0, 0, 1]}
  swing: {type: spherical, parent: boom, child: hook, translation: [2, 0, 0]}
  brace: {type: fixed, parent: post, child: strut}
"""


@pytest.fixture
def boom_file(tmp_path: Path) -> Path:
    path = tmp_path / "boom.yaml"
    path.write_text(BOOM, encoding="utf-8")
    return path


def section(text: str, title: str) -> list[list[str]]:
    """Rows of modes below a title, as words."""
    lines = text.partition(title + "\n")[2].split("\n\n")[0].splitlines()
    return [line.split() for line in lines if line.strip().startswith(("[", "1 ", "2 "))]


def clamped_free_root(low: float, high: float) -> float:
    """The root between two bounds of cos(b) cosh(b) = -1, by bisection."""

    def residual(b: float) -> float:
        return math.cos(b) * math.cosh(b) + 1.0

    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if residual(low) * residual(middle) > 0.0 else (low, middle)
    return low


def test_natural_modes(symdyn_command: Command, boom_file: Path) -> None:
    outcome = symdyn_command("modes", boom_file)
    assert (outcome.code, outcome.err) == (0, "")
    assert "boom: 2 m, 6 kg\n" in outcome.out
    rows = section(outcome.out, "boom.bend_y, clamped-free")
    for row, bounds, ratio in zip(rows, ((1.0, 3.0), (4.0, 5.0)), (0.01, 0.02), strict=True):
        root = clamped_free_root(*bounds)
        omega = (root / 2) ** 2 * math.sqrt(900 / 3)
        # The mode is cosh bx - cos bx - sigma (sinh bx - sin bx), with no moment at the free end.
        sigma = (math.cosh(root) + math.cos(root)) / (math.sinh(root) + math.sin(root))
        tip = math.cosh(root) - math.cos(root) - sigma * (math.sinh(root) - math.sin(root))
        slope = root / 2 * (math.sinh(root) + math.sin(root) - sigma * (math.cosh(root) - math.cos(root)))
        expected = [root, omega / (2 * math.pi), omega, 6.0, 2.0, 2.0 * slope / tip, ratio]
        assert [float(word) for word in row[1:]] == pytest.approx(expected, rel=1e-5)
    (axial,) = section(outcome.out, "boom.axial, clamped-free")
    omega = math.pi / 4 * math.sqrt(5e5 / 3)
    expected = [math.pi / 2, omega / (2 * math.pi), omega, 6.0, math.sqrt(2.0), 1e-4 * omega / 2]
    assert [float(word) for word in axial[1:]] == pytest.approx(expected, rel=1e-3)


def test_given_shapes_alone_and_together(symdyn_command: Command, boom_file: Path) -> None:
    text = symdyn_command("modes", boom_file, "--link", "boom").out.partition("boom.bend_z, expressions")[2]
    alone, together = text.partition("all together")[::2]
    # Products of x^2 and x^3 over 2 m, by hand.
    m11, m12, m22 = 3 * 32 / 5, 3 * 64 / 6, 3 * 128 / 7
    k11, k12, k22 = 400 * 8, 400 * 24, 400 * 96
    rows = [[float(word) for word in row[1:]] for row in section("t\n" + alone, "t")]
    for row, m, k, tip, slope in zip(rows, (m11, m22), (k11, k22), (4, 8), (4, 12), strict=True):
        assert row == pytest.approx([math.sqrt(k / m) / (2 * math.pi), math.sqrt(k / m), m, tip, slope], rel=1e-5)
    a, b, c = m11 * m22 - m12**2, -(m11 * k22 + m22 * k11 - 2 * m12 * k12), k11 * k22 - k12**2
    roots = [math.sqrt((-b + sign * math.sqrt(b * b - 4 * a * c)) / (2 * a)) for sign in (-1, 1)]
    found = [float(row[2]) for row in section("t\n" + together, "t")]
    assert found == pytest.approx(roots, rel=1e-5)


def test_one_link_of_several(symdyn_command: Command, boom_file: Path) -> None:
    outcome = symdyn_command("modes", boom_file, "--link", "strut")
    assert (outcome.code, outcome.err) == (0, "")
    assert "strut: 1 m, 2 kg, keeps its length as it bends\n" in outcome.out and "boom" not in outcome.out
    assert max(map(len, symdyn_command("modes", boom_file).out.splitlines())) <= 80


def test_slopes_at_the_root_of_a_beam_on_two_hinges(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "beam.yaml"
    path.write_text(
        "name: b\nlinks:\n  wall:\n  beam:\n    flexible: {length: 2, mass_per_length: 3, bending_stiffness: 900, "
        "modes: {bend_y: 2, bend_z: 1}, basis: {bend_y: pinned-pinned}}\n"
        "joints:\n  turn: {type: revolute, parent: wall, child: beam, axis: [0, 0, 1]}\n",
        encoding="utf-8",
    )
    outcome = symdyn_command("modes", path)
    assert (outcome.code, outcome.err) == (0, "")
    pinned, clamped = outcome.out.partition("beam.bend_z, clamped-free")[::2]
    rows = section("t\n" + pinned.partition("slope at root [rad/m]")[2], "t")
    # sqrt(2) sin(k pi x / 2)
    expected = [math.sqrt(2.0) * k * math.pi / 2 for k in (1, 2)]
    assert [float(row[1]) for row in rows] == pytest.approx(expected, rel=1e-5)
    assert "at root" not in clamped


def test_modes_of_a_free_hub_are_seen_from_it(symdyn_command: Command, tmp_path: Path) -> None:
    path = tmp_path / "beam.yaml"
    path.write_text(
        "name: b\nlinks:\n  wall:\n  beam:\n    flexible: {length: 2, mass_per_length: 3, bending_stiffness: 900, "
        "modes: {bend_y: 1}, basis: pinned-hub}\n"
        "joints:\n  turn: {type: revolute, parent: wall, child: beam, axis: [0, 0, 1]}\n",
        encoding="utf-8",
    )
    outcome = symdyn_command("modes", path)
    assert (outcome.code, outcome.err) == (0, "")
    (row,) = section(outcome.out, "beam.bend_y, pinned-hub")
    # of pinned-free: c (sin b x + sin b / sinh b sinh b x) over x / L, tan b = tanh b, c so that it is 2 at the tip
    b = 3.92660231204792
    turn = b * (1 + math.sin(b) / math.sinh(b)) / math.sin(b)
    assert float(row[1]) == pytest.approx(b, rel=1e-6)
    assert float(row[2]) == pytest.approx((b / 2) ** 2 * math.sqrt(300) / (2 * math.pi), rel=1e-4)
    assert float(row[5]) == pytest.approx(2 - turn, rel=1e-4)
    assert "slope at root" not in outcome.out and "pinned-hub: of the beam on a hub that is free" in outcome.out


def test_a_rigid_robot_is_told_of_the_modes_of_the_whole(symdyn_command: Command) -> None:
    outcome = symdyn_command("modes", "pendulum")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("pendulum has no flexible or soft links")
    assert outcome.out.endswith("neutral shows the modes of the whole robot\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--link", "post"), "--link post: this link is rigid; flexible or soft are: boom, strut"),
        (
            ("--link", "bom"),
            "--link bom: the robot has no such link; flexible or soft are: boom, strut; did you mean 'boom'?",
        ),
        (("--plot", "out.gif"), "--plot out.gif: the file ends in one of .pdf, .png, .svg"),
        (("--plot", "nowhere/out.png"), "expected the name of a file in a folder that exists"),
    ],
)
def test_refusals_are_one_line(
    symdyn_command: Command,
    boom_file: Path,
    words: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: object())
    outcome = symdyn_command("modes", boom_file, *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ") and message in outcome.err and outcome.err.count("\n") == 1


def test_a_figure_needs_matplotlib(
    symdyn_command: Command, boom_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else there(name, *rest)
    )
    outcome = symdyn_command("modes", boom_file, "--plot", "out.png")
    assert (outcome.code, outcome.out) == (2, "")
    remedy = 'pip install ".[plot]" in a checkout of symdyn'
    assert outcome.err == f"error: --plot needs matplotlib, which is not installed; {remedy}\n"
    assert not (tmp_path / "out.png").exists()


def test_info_tells_which_links_bend(symdyn_command: Command, boom_file: Path) -> None:
    outcome = symdyn_command("info", boom_file, "--no-counts")
    assert outcome.code == 0, outcome.err
    table = [line.split() for line in outcome.out.partition("flexible links")[2].splitlines()[1:]]
    titles = [word for word in table[0] if not word.startswith("[")]
    assert titles == ["link", "length", "beam", "bend_y", "bend_z", "axial", "stiffening"]
    assert table[2:4] == [["boom", "2", "6", "2", "2", "1"], ["strut", "1", "2", "1", "yes"]]
    tree = [line.split() for line in outcome.out.splitlines()]
    assert ["boom", "post", "slew", "revolute", "0.5"] in tree  # its hub; the beam moves with its own coordinates
    assert ["boom.tip", "boom", "boom.tip", "flexible", "6"] in tree
    # hub 0.5, hook 1.5, beams 6 and 2
    assert "10 kg" in outcome.out
