"""The fuzzers run, and a few of their cases pass; whole campaigns are run by hand (see their docstrings)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.fuzz import (
    acting_mutants,
    campaign,
    file_mutants,
    mjcf_mutants,
    random_robots_built,
    trajectory_mutants,
    urdf_mutants,
    yaml_mutants,
)
from support.fuzz.campaign import Outcome

from symdyn.errors import InternalError

MUTANTS = [
    ("urdf_mutants", urdf_mutants.case, 40),
    ("yaml_mutants", yaml_mutants.case, 40),
    ("acting_mutants", acting_mutants.case, 8),
    ("trajectory_mutants", trajectory_mutants.case, 80),
]

ROUNDED = [(8, 0), (11, 0), (2613, 4), (2613, 35), (2613, 129), (2613, 290)]
"""But for the first one, verify once took their rounding for mistakes: derivatives and matrices whose terms cancel."""


@pytest.mark.parametrize(("title", "case", "count"), MUTANTS)
def test_mutants_are_read_or_refused(
    title: str, case: Callable[[int, int], Outcome], count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert campaign.run(title, case, count, 11, 0, tmp_path) == 0, capsys.readouterr().out
    assert f"{count} cases of seed 11" in capsys.readouterr().out
    assert case(11, 3) == case(11, 3)


def test_all_kinds_of_files_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (acting_mutants, trajectory_mutants, urdf_mutants, mjcf_mutants):
        name = module.__name__.rpartition(".")[2]
        monkeypatch.setattr(module, "case", lambda seed, index, name=name: Outcome(f"{name} {seed} {index}"))
    shares = [file_mutants.case(7, index).kind for index in range(10)]
    for turn in (0, 1):
        assert shares[5 * turn : 5 * turn + 5] == [
            f"acting_mutants 7 {2 * turn}",
            f"acting_mutants 7 {2 * turn + 1}",
            f"trajectory_mutants 7 {turn}",
            f"urdf: urdf_mutants 7 {turn}",
            f"mjcf: mjcf_mutants 7 {turn}",
        ]


@pytest.mark.slow
@pytest.mark.needs_cc
@pytest.mark.parametrize(("seed", "index"), ROUNDED)
def test_random_robots_are_verified(seed: int, index: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.run("built", random_robots_built.case, 1, seed, 0, tmp_path, index) == 0, capsys.readouterr().out


def _attempt(kind: int) -> Callable[[Path], str]:
    def attempt(path: Path) -> str:
        if kind == 1:
            raise KeyError("foreign")
        if kind == 2:
            raise InternalError("ours")
        while kind == 3:
            pass
        return "read"

    return attempt


def test_failures_are_found_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def case(seed: int, index: int) -> Outcome:
        if index == 5:
            raise SystemExit(3)  # as a crash would end the process
        return campaign.judged(_attempt(index), f"{seed} {index}".encode(), ".txt", limit_s=0.1)

    assert campaign.run("made_up", case, 8, 2, 2, tmp_path) == 4
    printed = capsys.readouterr().out
    for words in ("FAULT KeyError", "FAULT a message that is no message", "FAULT slow", "FAULT the process ended (3)"):
        assert words in printed
    assert "8 cases of seed 2" in printed and (tmp_path / "made_up_2_1.txt").exists()
