"""The figure of ``symdyn modes``: drawn, drawn again alike, and with all that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdyn.cli.main import main

pytestmark = pytest.mark.peers

ROBOT = """\
name: cost $5 $6
links:
  post:
  boom:
    flexible:
      length: 2
      mass_per_length: 3
      bending_stiffness: {steps: [{to: 0.5, value: 900}, {to: 2, value: 400}]}
      torsional_stiffness: 50
      section_inertia: {y: 1e-4, z: 1e-4}
      modes: {bend_y: 3, torsion: 1}
  strut: {flexible: {length: 1, mass_per_length: 2, bending_stiffness: 7, modes: {bend_z: 1}}}
joints:
  slew: {type: revolute, parent: post, child: boom, axis: [0, 0, 1]}
  brace: {type: fixed, parent: post, child: strut}
"""


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    path = tmp_path / "robot.yaml"
    path.write_text(ROBOT, encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
def test_a_figure_is_made_and_made_again_alike(ending: str, robot_file: Path, tmp_path: Path) -> None:
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    assert main(["modes", str(robot_file), "--plot", str(first)]) == 0
    assert main(["modes", str(robot_file), "--plot", str(second)]) == 0
    assert first.stat().st_size > 5000
    assert first.read_bytes() == second.read_bytes()


def test_every_direction_has_a_panel(
    robot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    path = tmp_path / "modes.svg"
    assert main(["modes", str(robot_file), "--plot", str(path)]) == 0
    assert f"wrote {path}" in capsys.readouterr().out
    text = path.read_text("utf-8")
    for title in (
        "boom.bend_y, clamped-free",
        "boom.torsion, clamped-free",
        "strut.bend_z, clamped-free",
        "cost $5 $6",
    ):
        assert title in text, title
    # one line per mode, and one legend entry each
    assert text.count(" Hz<") == 3 + 1 + 1
