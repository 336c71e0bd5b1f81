"""The fuzzers run, and a few of their cases pass; whole campaigns are run by hand (see their docstrings)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.fuzz import campaign, random_robots_built, urdf_mutants, yaml_mutants
from support.fuzz.campaign import Outcome

from symdyn.errors import InternalError

MUTANTS = [("urdf_mutants", urdf_mutants.case), ("yaml_mutants", yaml_mutants.case)]

ROUNDED = [(8, 0), (11, 0), (2613, 4), (2613, 35), (2613, 129), (2613, 290)]
"""But for the first one, verify once took their rounding for mistakes: derivatives and matrices whose terms cancel."""


@pytest.mark.parametrize(("title", "case"), MUTANTS)
def test_mutants_are_read_or_refused(
    title: str, case: Callable[[int, int], Outcome], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert campaign.run(title, case, 40, 11, 0, tmp_path) == 0, capsys.readouterr().out
    assert "40 cases of seed 11" in capsys.readouterr().out
    assert case(11, 3) == case(11, 3)


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
