"""``symdyn info --latex`` prints equations alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_equations_alone_with_the_rows_in_comments(symdyn_command: Callable[..., Any]) -> None:
    outcome = symdyn_command("info", "double_pendulum", "--latex", "mass_matrix", "--latex", "gravity")
    assert outcome.code == 0 and outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[:3] == ["% q_1: shoulder [rad]", "% q_2: elbow [rad]", r"\begin{equation*}"]
    assert lines[3].startswith(r"M(q) = \left[\begin{matrix}0.24 \cos{\left(q_{2} \right)} + ")
    assert lines[6].startswith("g(q) = ") and len(lines) == 8


def test_a_robot_too_large_is_refused(symdyn_command: Callable[..., Any]) -> None:
    outcome = symdyn_command("info", "seven_dof_arm", "--latex", "mass_matrix")
    assert outcome.code == 2 and outcome.out == ""
    assert "closed form of mass_matrix of robot 'seven_dof_arm'" in outcome.err
    assert "closed forms are for small robots" in outcome.err


def test_an_unknown_function_is_refused(symdyn_command: Callable[..., Any]) -> None:
    outcome = symdyn_command("info", "pendulum", "--latex", "weight")
    assert outcome.code == 2 and "function 'weight' is not in the catalogue" in outcome.err


SPRUNG = """\
name: door
parameters: {k: {value: 12, unit: N m/rad, runtime: true}}
links:
  frame:
  leaf: {mass: 2.0, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  bolt: {mass: 0.5}
joints:
  hinge: {type: revolute, parent: frame, child: leaf, axis: [0, 0, 1], spring: {stiffness: k, rest: 0.25}}
  slide: {type: prismatic, parent: leaf, child: bolt, axis: [1, 0, 0], spring: {stiffness: 40}}
load: {runtime: [slide.spring.stiffness, slide.spring.rest]}
"""


def test_springs_between_links_are_told(symdyn_command: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "door.yaml"
    path.write_text(SPRUNG, encoding="utf-8")
    out = symdyn_command("info", str(path)).out
    table = out[out.index("springs between the links of joints (tau = stiffness * (q - rest))") :]
    rows = [line.split() for line in table.splitlines()[3:5]]
    assert rows == [["hinge", "k", "0.25", "N", "m/rad,", "rad"], ["slide", "40", "0", "N/m,", "m"]]
    equation = symdyn_command("info", str(path), "--latex", "potential_energy").out
    assert r"k_{\mathrm{slide}}" in equation and r"\bar q_{\mathrm{slide}}" in equation
    assert "springs between" not in symdyn_command("info", "elastic_arm").out
