"""Settings of Sphinx for the documentation site: ``sphinx-build -W docs site``.

The pages are plain Markdown that code hosts show as well. So what the site alone needs is made here: its table of
contents from the tables of ``index.md``, and the list of examples from the page beside them. Formulas become MathML,
which browsers draw by themselves, so that the site needs no network.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

sys.path.insert(0, str(Path(__file__).parent))  # for extensions beside this file
project = "symdyn"
release = metadata.version("symdyn-codegen")
extensions = ["myst_parser", "sphinx_copybutton", "played_pages"]
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "symdyn"
html_copy_source = False
html_math_renderer = "mathml"
smartquotes = False  # they would make a dash of the two hyphens of an option
html_static_path = ["static"]
html_css_files = ["site.css"]
exclude_patterns = ["figures"]

_SHELF = re.compile(r"^## (.+)$")
_PAGE = re.compile(r"\]\(([\w-]+)\.md\)")
_FAMILY = re.compile(r"^\| \[[^`\]]+\]\((functions/[\w-]+)\.md\)", re.MULTILINE)
_NAMED_BLOCK = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
    if page == "functions":
        source[0] += "\n".join(("", "```{toctree}", ":hidden:", *_FAMILY.findall(source[0]), "```", ""))
    if page == "examples":
        table = [line for line in _EXAMPLES.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        source[0] = source[0].replace("[the folder of examples](../examples/README.md)", "the folder `examples`")
        source[0] += "\n" + "\n".join(table) + "\n"
    source[0] = source[0].replace("(../examples/README.md)", "(examples.md)")
    source[0] = _NAMED_BLOCK.sub(r"```{code-block} \1\n:caption: \2\n\n\3```", source[0])


def inline_formula(writer: Any, node: Any) -> None:
    """Write a formula in a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def formula(writer: Any, node: Any) -> None:
    """Write a formula in lines by itself, numbered within its page."""
    writer.formulas = getattr(writer, "formulas", 0) + 1
    mathml = convert(node.astext().replace("{aligned}", "{align*}"), display="block")
    writer.body.append(f'<div class="formula"><div>{mathml}</div><span>({writer.formulas})</span></div>')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", complete)
    app.add_html_math_renderer("mathml", inline_renderers=(inline_formula, None), block_renderers=(formula, None))
