"""``symdyn info --latex`` prints equations alone."""

from __future__ import annotations

from collections.abc import Callable
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
