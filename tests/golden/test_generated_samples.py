"""The samples in ``generated/samples`` are what the generator writes now: a change of output is seen and read."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from support.imports import import_file

GENERATED = Path(__file__).resolve().parents[2] / "generated"
REMEDY = "if the change is meant, write the samples anew with: python -m pytest tests/golden --update-golden"
_SHOWN = 200


def regenerate() -> Any:
    """The script that wrote the samples."""
    return import_file(GENERATED / "regenerate.py", "regenerate")


SCRIPT = regenerate()


def texts(folder: Path) -> dict[str, str]:
    """Files below a folder by their path in it, line ends as they are; none of them is left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def difference(kept: dict[str, str], made: dict[str, str]) -> list[str]:
    """Lines of a unified diff from the kept files to those made now; a file that is missing counts as empty."""
    lines: list[str] = []
    for name in sorted({*kept, *made}):
        if name not in kept or name not in made:
            lines.append(f"{name}: {'not committed' if name in made else 'no longer generated'}")
        before, after = (files.get(name, "").splitlines(keepends=True) for files in (kept, made))
        found = difflib.unified_diff(before, after, f"committed/{name}", f"generated/{name}")
        lines += [line if line.endswith("\n") else f"{line}\n\\ no newline at the end" for line in found]
    return [line.rstrip("\n") for line in lines]


def rewrite(folder: Path, made: dict[str, str]) -> None:
    """Make a folder hold these files and no others."""
    for name in set(texts(folder)) - set(made):
        (folder / name).unlink()
    for name, text in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8"))


@pytest.mark.parametrize("sample", SCRIPT.SAMPLES)
def test_a_committed_sample_is_what_is_generated_now(sample: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    kept = GENERATED / "samples" / sample
    SCRIPT.write_sample(sample, tmp_path)
    made = texts(tmp_path)
    if pytestconfig.getoption("update_golden"):
        rewrite(kept, made)
    lines = difference(texts(kept), made)
    if lines:
        more = [f"... and {len(lines) - _SHOWN} more lines"] if len(lines) > _SHOWN else []
        pytest.fail("\n".join([f"generated/samples/{sample}: {REMEDY}", *lines[:_SHOWN], *more]), pytrace=False)


def test_every_committed_sample_is_one_that_is_generated() -> None:
    assert {path.name for path in (GENERATED / "samples").iterdir()} == set(SCRIPT.SAMPLES)


def test_the_difference_shows_what_changed_appeared_and_went() -> None:
    assert difference({"a.c": "x\n"}, {"a.c": "x\n"}) == []
    assert difference({"a.c": "x\ny\n", "old.c": "z"}, {"a.c": "x\nw\r\n", "empty.c": ""}) == [
        "--- committed/a.c",
        "+++ generated/a.c",
        "@@ -1,2 +1,2 @@",
        " x",
        "-y",
        "+w\r",
        "empty.c: not committed",
        "old.c: no longer generated",
        "--- committed/old.c",
        "+++ generated/old.c",
        "@@ -1 +0,0 @@",
        "-z\n\\ no newline at the end",
    ]


def test_rewriting_leaves_the_new_files_only(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    for name in ("a.c", "old.c", "python/old.py"):
        (tmp_path / name).write_text("old\n", encoding="utf-8")
    made = {"a.c": "new\n", "include/a.h": "ü\r\n"}
    rewrite(tmp_path, made)
    assert texts(tmp_path) == made
