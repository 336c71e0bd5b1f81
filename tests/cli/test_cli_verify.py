"""The verb ``verify``: every function against its truth, then the functions against each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symdyn.api
from symdyn.verify.harness.report import EvaluatorResult, IdentityResult, VerificationReport

Command = Callable[..., Any]

ENERGIES = ("kinetic_energy", "potential_energy")


def rows_of(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


@pytest.mark.needs_cc
def test_functions_and_identities_are_listed(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    asked = [option for name in ("inverse_dynamics", "mass_matrix", *ENERGIES) for option in ("--function", name)]
    assert symdyn_command("generate", "double_pendulum", *asked, "--out", "made").code == 0
    outcome = symdyn_command("verify", "made", "--states", "2")
    assert outcome.code == 0, outcome.err
    for name in ("inverse_dynamics", "mass_matrix", *ENERGIES):
        found = [line.split() for line in rows_of(outcome.out, f"{name} ")]
        assert len(found) == 4 and all(row[-1] == "pass" and "12" in row for row in found), outcome.out
    for identity in ("M symmetric, positive definite", "inverse_dynamics(a) = M a", "(T + U)' = tau . v - losses"):
        (row,) = rows_of(outcome.out, identity)
        assert "compiled C" in row and row.split()[-1] == "pass"
    assert "forward_dynamics" not in outcome.out and "FAIL" not in outcome.out


def test_code_that_differs_runs_with_trust_alone(symdyn_command: Command, tmp_path: Path) -> None:
    asked = ("--function", "gravity", "--target", "python", "--out", "made")
    assert symdyn_command("generate", "pendulum", *asked).code == 0
    source = tmp_path / "made" / "python" / "pendulum.py"
    source.write_text(source.read_text() + "\nopen('ran', 'w').close()\n")
    refused = symdyn_command("verify", "made", "--states", "1")
    assert refused.code == 2 and len(refused.err.splitlines()) == 1
    assert "python/pendulum.py; nothing of it was run" in refused.err and "--trust" in refused.err
    assert not (tmp_path / "ran").exists()
    trusted = symdyn_command("verify", "made", "--states", "1", "--trust")
    assert trusted.code == 0 and "its code is run all the same" in trusted.err
    assert (tmp_path / "ran").exists()
    again = symdyn_command("generate", "pendulum", *asked)
    assert again.code == 0 and "are kept: python/pendulum.py.kept" in again.err
    assert symdyn_command("verify", "made", "--states", "1").code == 0


def test_the_help_says_that_code_is_run(symdyn_command: Command) -> None:
    shown = " ".join(symdyn_command("verify", "--help").out.split())
    assert "RUNS CODE OF THE FOLDER" in shown and "--trust" in shown


def test_a_failed_identity_gives_code_1(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")
    report = VerificationReport(
        "arm",
        "float32",
        (EvaluatorResult("mass_matrix", "Python", 7, 2.5, "random state 1", 100.0),),
        (
            IdentityResult("M symmetric, positive definite", "Python", 3, 0.25, "random state 0", 440.0),
            IdentityResult("M^-1 M = 1", "Python", 3, 1e9, "random state 2", 440.0),
        ),
    )
    monkeypatch.setattr(symdyn.api, "verify", lambda *_, **__: report)
    outcome = symdyn_command("verify", "anywhere")
    assert outcome.code == 1 and outcome.err == ""
    assert rows_of(outcome.out, "mass_matrix")[0].split()[-4:] == ["7", "2.5", "100", "pass"]
    assert rows_of(outcome.out, "M symmetric")[0].split()[-4:] == ["3", "0.2", "440", "pass"]
    assert rows_of(outcome.out, "M^-1 M")[0].endswith("FAIL at random state 2")
    assert "2^-24" in outcome.out


def test_no_table_of_identities_without_any(symdyn_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    report = VerificationReport("arm", "float64", (EvaluatorResult("gravity", "Python", 7, 2.5, "state", 100.0),))
    monkeypatch.setattr(symdyn.api, "verify", lambda *_, **__: report)
    outcome = symdyn_command("verify", "anywhere")
    assert outcome.code == 0 and "identity" not in outcome.out
