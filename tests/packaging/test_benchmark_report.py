"""The page of benchmarks: it runs what docs/benchmarks.md lists, keeps raw figures, and marks what fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
REPORT = CHECKOUT / "benchmarks/report.py"


def report(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: text for name, text in os.environ.items() if name != "PYTHONSAFEPATH"
    }  # scripts share a folder
    return subprocess.run(
        [sys.executable, str(REPORT), *words],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env=environment,
    )


@pytest.mark.slow
def test_a_page_has_machine_flags_figures_and_text(tmp_path: Path) -> None:
    done = report("denoc_counts --links 1", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert all(f"<th>{name}</th>" in page for name in ("processor", "flags", "compiler", "commit", "packages"))
    (table,) = re.findall(r'href="(raw/[^"]+\.csv)"', page)
    assert (tmp_path / table).read_text(encoding="utf-8").count("\n") >= 2
    assert "<h2>How it is measured</h2>" in page and "Jain, Rodriguez" in page


def test_a_script_that_fails_is_marked(tmp_path: Path) -> None:
    done = report("denoc_counts --links none", "--out", str(tmp_path))
    assert done.returncode == 1
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "ended with status 2" in page and "invalid int value" in page


def test_an_unknown_script_is_refused(tmp_path: Path) -> None:
    done = report("fastest", "--out", str(tmp_path))
    assert (done.returncode, "no benchmark is called 'fastest'" in done.stderr) == (2, True)


def test_the_page_lists_every_benchmark() -> None:
    """What has a line of usage and no other page is listed; mutants measure tests, and the corpus reads files."""
    page = (CHECKOUT / "docs/benchmarks.md").read_text(encoding="utf-8")
    scripts = {path.stem for path in (CHECKOUT / "benchmarks").glob("*.py") if "__main__" in path.read_text("utf-8")}
    elsewhere = {"report", "mutants", "mutant_kinds", "mjcf_corpus", "kept_objects"}
    assert set(re.findall(r"^    python benchmarks/(\w+)\.py", page, re.MULTILINE)) == scripts - elsewhere
