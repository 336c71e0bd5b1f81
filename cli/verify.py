"""``symdyn verify``: compare a generated folder with arithmetic that shares nothing with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import terminal

if TYPE_CHECKING:
    from symdyn.verify.harness.report import EvaluatorResult, IdentityResult, VerificationReport


_WORDS = """\
C and Python are the generated code, Program is what both are written from, and the recursion is that of the papers, \
run on numbers. The unit {unit} is what rounding one {number} may cost; the limit grows with the robot's depth."""


def run(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that symdyn generate has written.")],
    states: Annotated[int, typer.Option("--states", min=1, help="Number of random states.")] = 50,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random states.")] = 0,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the folder's code even if it differs from what symdyn generates.")
    ] = False,
) -> None:
    """Check a generated folder. Compares with 50-digit arithmetic, then functions with each other by identities.

    This RUNS CODE OF THE FOLDER: its C, compiled here, and its Python. So every file is first compared with what is
    generated from the folder's robot.yaml. If a file differs, nothing is run, unless --trust is given.

    Functions whose exact values are slow to compute get fewer states than --states; the table shows how many. The exit
    code is 1 if a function differs or an identity fails.
    """
    import symdyn.api

    with terminal.working(f"verifying {folder}") as progress:
        report = symdyn.api.verify(folder, states, seed, progress, trust)
    show_report(report)
    if not report.passed:
        raise typer.Exit(1)


def show_report(report: VerificationReport) -> None:
    """One row per function and way of evaluating it, then one per identity; in units of 2^-53 (2^-24 for float32)."""
    unit = "2^-53" if report.dtype == "float64" else "2^-24"
    terminal.table(
        ("function", "evaluator", "states", f"worst error / {unit}", "limit", "result"),
        (
            (
                result.function,
                result.evaluator,
                result.states,
                f"{result.worst_error:.1f}",
                f"{result.limit:.0f}",
                _verdict(result),
            )
            for result in report.results
        ),
        numbers=(2, 3, 4),
    )
    if report.identities:
        terminal.line()
        _show_identities(report, unit)
    terminal.note(_WORDS.format(unit=unit, number="double" if report.dtype == "float64" else "float"))


def _show_identities(report: VerificationReport, unit: str) -> None:
    terminal.table(
        ("identity", "evaluator", "states", f"worst residual / {unit}", "tolerance", "result"),
        (
            (
                result.identity,
                result.evaluator,
                result.states,
                f"{result.worst_residual:.1f}",
                f"{result.tolerance:.0f}",
                _verdict(result),
            )
            for result in report.identities
        ),
        numbers=(2, 3, 4),
    )


def _verdict(result: EvaluatorResult | IdentityResult) -> str:
    return "pass" if result.passed else f"FAIL at {result.worst_state}"
