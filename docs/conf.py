"""Settings of Sphinx for the documentation site: ``sphinx-build -W docs site``.

The pages are plain Markdown that code hosts show as well. So what the site alone needs is made here: its table of
contents from the tables of ``index.md``, and the list of examples from the page beside them.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

project = "symdyn"
release = metadata.version("symdyn-codegen")
extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "symdyn"
html_copy_source = False
exclude_patterns = ["figures"]

_SHELF = re.compile(r"^## (.+)$")
_PAGE = re.compile(r"\]\(([\w-]+)\.md\)")
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples/README.md"


def table_of_contents(index: str) -> str:
    """One hidden table of contents per heading of the index, with the pages that its table links to."""
    shelves: dict[str, list[str]] = {}
    for line in index.splitlines():
        if heading := _SHELF.match(line):
            shelves[heading[1]] = []
        elif line.startswith("|") and shelves:
            shelves[next(reversed(shelves))] += _PAGE.findall(line)
    return "".join(
        "\n".join(("", "```{toctree}", ":hidden:", f":caption: {shelf}", *pages, "```", ""))
        for shelf, pages in shelves.items()
    )


def complete(app: Any, page: str, source: list[str]) -> None:
    """Add to a page what the site alone shows."""
    if page == "index":
        source[0] += table_of_contents(source[0])
    if page == "examples":
        table = [line for line in _EXAMPLES.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        source[0] = source[0].replace("[the folder of examples](../examples/README.md)", "the folder `examples`")
        source[0] += "\n" + "\n".join(table) + "\n"
    source[0] = source[0].replace("(../examples/README.md)", "(examples.md)")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", complete)
