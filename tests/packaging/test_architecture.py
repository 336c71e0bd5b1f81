"""docs/architecture.md against the source: its paths exist, and it has every room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGE = CHECKOUT / "symdyn"
PAGE = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATH = re.compile(r"`([a-z_]+(?:/[a-z_]*)*(?:\.py)?)`")


def _exists(path: str) -> bool:
    return (PACKAGE / path).exists() or (CHECKOUT / path).is_dir()


def section(title: str) -> str:
    """The text below a heading, up to the next one."""
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("title", ["Where is it", "Where an addition goes"])
def test_paths_of_the_tables_exist(title: str) -> None:
    paths = [path for path in PATH.findall(section(title)) if "/" in path]
    assert len(paths) > 10
    assert [path for path in paths if not _exists(path)] == []


def test_other_files_that_are_named_exist() -> None:
    files = {file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py")}
    named = {path for path in PATH.findall(PAGE) if path.endswith(".py")}
    assert len(named) > 40
    assert [path for path in sorted(named) if not any(f"/{file}".endswith(f"/{path}") for file in files)] == []


def test_every_room_is_in_the_table() -> None:
    rooms = {file.parent.name for file in PACKAGE.glob("*/__init__.py")} - {"cli", "templates"}
    rows = set(re.findall(r"^\| `(\w+)/` \|", section("The rooms"), re.MULTILINE))
    assert rows == rooms
