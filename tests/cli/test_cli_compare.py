"""``symdyn compare``: its table, its files and its refusals."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symdyn.api
from symdyn.analysis.compare.budget import Failure
from symdyn.analysis.compare.comparison import Comparison, compare
from symdyn.analysis.compare.contestants import measure
from symdyn.analysis.compare.measurement import Figures
from symdyn.analysis.compare.task import Task

Command = Callable[..., Any]


@pytest.mark.needs_cc
def test_one_rival_at_one_order_in_processes_of_their_own(symdyn_command: Command, tmp_path: Path) -> None:
    outcome = symdyn_command("compare", "double_pendulum", "--orders", "1", "--against", "tape-ad", "--csv", "t.csv")
    assert (outcome.code, outcome.err) == (0, "")
    assert "order r = 1" in outcome.out and "wrote t.csv" in outcome.out
    table = outcome.out.partition("order r = 1")[2].partition("what it is")[0]
    assert [line.split()[0] for line in table.splitlines() if len(line.split()) == 8] == ["symdyn", "tape-ad"]
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["contestant"] for row in rows] == ["symdyn", "tape-ad"]
    assert all(0.0 < float(row["error_u"]) < 200.0 and float(row["ns_per_call"]) > 0.0 for row in rows)


def test_failures_stand_below_the_table(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(name: str, task: Task, seconds: float) -> Figures | Failure:
        return Failure("over 60 s") if name == "casadi-plain" and task.order else measure("casadi-plain-cse", task)

    def compared(*arguments: Any) -> Comparison:
        return compare(*arguments, run=run)

    monkeypatch.setattr(symdyn.api, "compare", compared)
    outcome = symdyn_command("compare", "double_pendulum", "--orders", "0:2", "--against", "casadi-plain")
    assert outcome.code == 0
    assert "casadi-plain: over 60 s\n" in outcome.out
    assert "casadi-plain: skipped: over 60 s at r = 1\n" in outcome.out
    (times,) = (
        line.split() for line in outcome.out.splitlines() if line.startswith("casadi-plain ") and "-" in line.split()
    )
    assert times[2:] == ["-", "-", "-"]
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_layouts_stand_beside_each_other(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(name: str, task: Task, seconds: float) -> Figures | Failure:
        return measure("symdyn", task)

    monkeypatch.setattr(symdyn.api, "compare", lambda *arguments: compare(*arguments, run=run))
    outcome = symdyn_command("compare", "double_pendulum", "--layouts", "--against", "casadi-plain")
    table = outcome.out.partition("per call")[2].partition("what it is")[0]
    names = [line.split()[0] for line in table.splitlines() if len(line.split()) == 8]
    layouts = ["unrolled", "split", "rolled", "split-lanes", "rolled-lanes"]
    assert names == ["symdyn", *(f"symdyn-{layout}" for layout in layouts), "casadi-plain"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--orders", "3:1"), "--orders 3:1: expected one order or a range A:B"),
        (("--orders", "x"), "--orders x: expected"),
        (("--orders", f"0:{10**12}"), "expected one order or a range A:B"),
        (("--orders", "0:99"), "orders are whole numbers from 0 to 30"),
        (("-f", "coriolis_matrix"), "'coriolis_matrix' has no rivals"),
        (("-f", "inverse_dynamics_partials", "--orders", "1"), "has no orders"),
        (("--against", "casadi-plain,magic"), "rival 'magic' is unknown"),
        (("--plot", "out.gif"), "ends in one of .pdf, .png, .svg"),
        (("--csv", "nowhere/out.csv"), "--csv nowhere/out.csv: expected the name of a file in a folder that exists"),
        (("--csv", "."), "--csv .: expected the name of a file"),
        (("--budget", "-1"), "the budget in seconds: expected a positive number"),
    ],
)
def test_refusals_are_one_line(symdyn_command: Command, words: tuple[str, ...], message: str) -> None:
    outcome = symdyn_command("compare", "double_pendulum", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ") and message in outcome.err and outcome.err.count("\n") == 1


def test_an_unknown_robot_is_refused(symdyn_command: Command) -> None:
    outcome = symdyn_command("compare", "no_such_robot")
    assert outcome.code == 2 and "neither a file nor a shipped robot" in outcome.err
