"""The page on flexible links: its robot can be had, and its rows and frames are named as it says."""

from __future__ import annotations

import re
from pathlib import Path

import symdyn

PAGE = Path(__file__).resolve().parents[2] / "docs/flexible-links.md"


def test_the_robot_of_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    file = tmp_path / "blade.yaml"
    file.write_text(text, encoding="utf-8")
    robot = symdyn.load(file)
    assert robot.velocity_names == ("motor", "arm.bend_y[0]", "arm.bend_y[1]", "arm.bend_y[2]")
    assert robot.body_names == ("arm", "arm.tip")
    assert "arm.tip" in robot.frame_names
