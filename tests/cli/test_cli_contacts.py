"""Rigid contacts on the command line: ``--contacts``, and what ``info`` tells of slots and pairs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

URDF = """
<robot name="ball">
  <link name="ball">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
</robot>
"""
SIDE = """
obstacles: {step: {box: {size: [1, 1, 1]}}}
collision: {ball: {shell: {hull: [[0, 0, 0], [1, 0, 0]]}}}
contacts: {drop: {of: ball, with: step, friction: 0.25}}
"""


def test_the_ground_and_a_file(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "ball.urdf").write_text(URDF)
    (tmp_path / "side.yaml").write_text(SIDE)
    shown = symdyn_command("info", "ball.urdf", "--floating-base", "--contacts", "ground", "--no-counts")
    assert shown.code == 0
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert "3 rows: 1 slots of three, 0 bounds of ranges, 0 of dry friction, 0 of loops" in lines
    assert "1 points of contact: rigid contacts act in functions named contact_.. and stance_forces alone" in shown.err
    shown = symdyn_command("info", "ball.urdf", "--floating-base", "--no-counts")
    words = " ".join(shown.out.split())
    assert "shapes for collisions (no contacts) 1 on 1 links - contacts='ground', on the command line" in words
    (tmp_path / "side2.yaml").write_text(SIDE.replace("box: {size: [1, 1, 1]}", "sphere: {radius: 1}"))
    shown = symdyn_command("info", "ball.urdf", "--floating-base", "--contacts", "side2.yaml", "--no-counts")
    said = (
        "- contact drop: vertices against a sphere, so one that touches an edge or a face between them goes unnoticed"
    )
    assert said in " ".join(shown.out.split())
    shown = symdyn_command("info", "ball.urdf", "--floating-base", "--contacts", "side.yaml", "--no-counts")
    assert shown.code == 0
    words = " ".join(shown.out.split())
    assert "drop[0] .. drop[1] ball.shell step hull on box 2 friction 0.25" in words
    assert "- contact drop: points against a box, so an edge of the box between them goes unnoticed" in words
    two = SIDE.replace("{shell: ", "{core: {sphere: 0.1}, shell: ").replace("of: ball", "of: [ball.core, ball.shell]")
    (tmp_path / "two.yaml").write_text(two)
    words = " ".join(symdyn_command("info", "ball.urdf", "--floating-base", "--contacts", "two.yaml").out.split())
    assert "drop[0] ball.core step sphere on box 1" in words
    assert "drop[1] .. drop[2] ball.shell step hull on box 2" in words
    quiet = symdyn_command("--quiet", "info", "ball.urdf", "--floating-base", "--contacts", "side.yaml", "--no-counts")
    assert (quiet.code, quiet.out, quiet.err) == (0, shown.out, "")
    refused = symdyn_command("info", "ball.urdf", "--contacts", "ground")
    assert (refused.code, refused.out) == (2, "")
    assert "no moving link has a collision shape" in refused.err


@pytest.mark.needs_cc
def test_a_robot_dropped_on_the_ground(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    """As a stranger types it: the base is lifted out of the ground, and a table has the impulses."""
    (tmp_path / "ball.urdf").write_text(URDF)
    asked = ("simulate", "ball.urdf", "--floating-base", "--contacts", "ground", "--time", "0.1")
    shown = symdyn_command(*asked, "--csv", "ball.csv")
    assert shown.code == 0
    words = " ".join(shown.out.split())
    assert "contacts was chosen" in words and "the base starts 0.1 m higher" in words
    head, *_, last = (tmp_path / "ball.csv").read_text().splitlines()
    columns = dict(zip(head.split(","), last.split(","), strict=True))
    assert float(columns["impulse ground.n"]) == pytest.approx(9.81e-3, rel=1e-8)
    assert float(columns["q root.z"]) == pytest.approx(0.1, abs=1e-9)
    dropped = symdyn_command(*asked, "--q", "root.z=0.3")
    assert dropped.code == 0 and "higher" not in dropped.out
    refused = symdyn_command(*asked, "--method", "radau")
    assert refused.code == 2 and "take method='contacts', with the length h of a step" in refused.err


@pytest.mark.needs_cc
def test_a_rest_on_contacts(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "ball.urdf").write_text(URDF)
    asked = ("statics", "ball.urdf", "--floating-base", "--contacts", "ground", "--touching")
    shown = symdyn_command(*asked, "--start", "root.z=0.3")
    assert shown.code == 0 and "ground.n 9.81" in " ".join(shown.out.split())
    refused = symdyn_command(*asked, "--path")
    assert refused.code == 2 and "leave it or --touching out" in refused.err
