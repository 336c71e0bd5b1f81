"""``symdyn generate --explain``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symdyn
from symdyn import api

Command = Callable[..., Any]


def test_choices_are_printed_before_the_generated_folder(
    symdyn_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = symdyn_command("generate", "seven_dof_arm", "--explain", "--runtime", "link_4.mass")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 100
    assert all(line == line.rstrip() and "\x1b" not in line for line in done.out.splitlines())
    manifest = json.loads((tmp_path / "generated/seven_dof_arm/manifest.json").read_text(encoding="utf-8"))
    (function,) = manifest["functions"]
    robot = symdyn.load_example("seven_dof_arm", runtime=["link_4.mass"])
    (told,) = api.explain(robot, ["inverse_dynamics"]).functions
    assert (function["counts"], function["layout"]) == (dict(told.counts), told.layout)
    order = [
        "choices for the bodies of seven_dof_arm",
        "counted with parents: 21 inertial parameters; moved along joint axes: 2 frames",
        "constant rotations: 1 none, 6 signed permutation",
        "inverse_dynamics: operations",
        "bodies as described",
        "regrouped from p, at run time",
        "by kind: ",
        f"inverse_dynamics: layout {told.layout}",
        f"why: {told.reason}",
        "generated/seven_dof_arm",
    ]
    places = [done.out.index(text) for text in order]
    assert places == sorted(places)
    words = [line.split() for line in done.out.splitlines()]
    assert ["bodies", "as", "described", str(told.as_described)] in words
    assert any(line[:1] == [told.layout] and line[-1:] == ["yes"] for line in words)
    above, below = (line for line in words if line[:1] == ["link_4"])
    assert above[:7] == ["link_4", "link_3", "3:", "m", "hz", "Szz,", "from"]
    assert below == ["link_4", "m", "hz", "Szz", "link_3"]


def test_loops_are_told_with_their_kernels_and_what_shows_frames_stays(symdyn_command: Command) -> None:
    done = symdyn_command(
        "generate", "aerial_manipulator", "--explain", "-f", "joint_wrenches", "--layout", "rolled", "-o", "out"
    )
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert any(line.startswith("bodies as described: nothing can move") for line in lines)
    assert "why: asked for" in lines and any(line.startswith("loops: ") for line in lines)
    assert any(line.startswith("kernels, one per structural class: ") and "(" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_passes_that_change_nothing_take_one_line(symdyn_command: Command) -> None:
    done = symdyn_command("generate", "pendulum", "--explain", "-f", "kinetic_energy")
    (told,) = api.explain(symdyn.load_example("pendulum"), ["kinetic_energy"]).functions
    assert not told.effective_passes
    assert f"passes: {told.traced} operations before and after" in done.out
    assert "after the pass" not in done.out


def test_silent_unless_asked_and_refused_before_anything_is_written(symdyn_command: Command, tmp_path: Path) -> None:
    assert "choices" not in symdyn_command("generate", "pendulum", "-o", "plain").out
    done = symdyn_command("generate", "pendulum", "--explain", "-f", "rnea", "-o", "refused")
    assert (done.code, done.out) == (2, "") and done.err.startswith("error: function 'rnea' is not in the catalogue")
    assert not (tmp_path / "refused").exists()
