"""Documents point at files that exist, and what the README promises is what the checks run."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path.relative_to(CHECKOUT).as_posix()
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "templates/*.md", "generated/*.md")
    for path in CHECKOUT.glob(pattern)
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
SOURCE_PATH = re.compile(r"`((?:symdyn|cli|templates|tests|benchmarks|docs|examples)/[\w./-]+)`")


def test_there_are_documents() -> None:
    assert {"README.md", "docs/index.md", "docs/conventions.md", "docs/architecture.md"} <= set(DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_paths_lead_somewhere(document: str) -> None:
    path = CHECKOUT / document
    text = path.read_text(encoding="utf-8")
    dangling = [link for link in LINK.findall(text) if not (path.parent / link).exists()]
    moved = [name for name in SOURCE_PATH.findall(text) if not name.endswith(".md") and not (CHECKOUT / name).exists()]
    assert (dangling, moved) == ([], [])


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_heading_swallows_a_paragraph(document: str) -> None:
    outside_blocks = re.sub(r"^```.*?^```", "", (CHECKOUT / document).read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#{1,6} .*", outside_blocks, flags=re.M)
    assert headings and [heading for heading in headings if len(heading) > 80] == []


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (CHECKOUT / "docs/index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (CHECKOUT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= set(LINK.findall(index))


def test_the_gallery_has_the_times_that_were_measured() -> None:
    """`docs/figures/gallery.py` writes them; its pictures are small."""
    page, figures = (CHECKOUT / "docs/gallery.md").read_text(encoding="utf-8"), CHECKOUT / "docs/figures"
    with (figures / "gallery_times.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 11
    for row in rows:
        begin = f"| {row['system'].replace('_', ' ')} | {row['coordinates']} | "
        (line,) = (own for own in page.splitlines() if own.startswith(begin))
        shown = [f"{row[field]} s" for field in ("loose_s", "own_s") if row[field]]
        assert all(f" {text} |" in line for text in shown), row["system"]
        picture = figures / f"gallery_{row['system']}.svg"
        assert f"](figures/{picture.name})" in page and picture.stat().st_size < 150_000


def test_the_two_commands_of_the_readme_are_what_is_checked() -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    script = (CHECKOUT / ".ci/run").read_text(encoding="utf-8")
    assert "    pip install . && symdyn demo\n" in readme and "\nsymdyn demo\n" in script
    assert '    pip install ".[test]" && python -m pytest\n' in readme
    assert 'pip install -q ".[test]"\n' in script and "\npython -m pytest\n" in script


def test_every_environment_variable_that_is_read_is_on_its_page() -> None:
    page = (CHECKOUT / "docs/environment.md").read_text(encoding="utf-8")
    read = re.compile(r'environ(?:\.get\(|\[)"(\w+)"|VARIABLE = "(\w+)"')
    sources = [path for room in ("symdyn", "cli", "benchmarks") for path in (CHECKOUT / room).rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    names = {own for text in texts if "os.environ" in text for found in read.findall(text) for own in found if own}
    assert {"SYMDYN_CACHE_DIR", "CC", "EIGEN_INCLUDE"} <= names
    assert {name for name in names if f"`{name}`" not in page} == set()
