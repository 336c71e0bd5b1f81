"""Robot files for the command line's tests, and a way to run a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from symdyn.cli.main import main

ARM = """\
name: test_arm
links:
  base:
  upper: {mass: 2.0, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  lower: {mass: 1.0, com: [0.1, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  tip: {mass: 0.5}
joints:
  shoulder:
    type: revolute
    parent: base
    child: upper
    axis: [0, 1, 0]
    limits: {lower: -1.5, upper: 2.5, velocity: 3, effort: 40}
    losses: {damping: 0.3, friction: 0.1}
  elbow:
    type: revolute
    parent: upper
    child: lower
    translation: [0.3, 0, 0]
    axis: [0, 1, 0]
    limits: {lower: -2, upper: 2, velocity: 3, effort: 20}
  finger:
    type: prismatic
    parent: lower
    child: tip
    translation: [0.3, 0, 0]
    axis: [1, 0, 0]
    mimic: {joint: elbow, multiplier: 0.05, offset: 0.01}
"""


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def symdyn_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Outcome]:
    """Run ``symdyn <words>`` in an empty folder, with 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: object) -> Outcome:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def arm_file(tmp_path: Path) -> Path:
    """An arm with limits, losses and a mimic joint."""
    path = tmp_path / "test_arm.yaml"
    path.write_text(ARM, encoding="utf-8")
    return path
