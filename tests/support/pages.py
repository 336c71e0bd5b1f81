"""Pages of the documentation as programs: their blocks run one after another in an empty folder."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symdyn.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[2]
OTHER_LIBRARIES = ("pinocchio", "mujoco", "jax", "torch")
"""Blocks that import one of these run in ``tests/peers``."""

_FENCED = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?<=\n\n)(?:    symdyn .*\n)+")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is where it names one, and its text."""

    language: str
    file: str
    text: str

    @property
    def needs(self) -> str:
        """The other library that it imports, if it does."""
        return next((name for name in OTHER_LIBRARIES if f"import {name}" in self.text), "")


def blocks(page: str) -> list[Block]:
    """The blocks of a page in their order; indented commands of symdyn count as blocks of a shell."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    found = [(match.start(), Block(match[1], match[2] or "", match[3])) for match in _FENCED.finditer(text)]
    found += [(match.start(), Block("sh", "", match[0])) for match in _INDENTED.finditer(text)]
    return [block for _, block in sorted(found, key=lambda item: item[0])]


def run_page(page: str, libraries: tuple[str, ...] = ()) -> list[Block]:
    """Run a page in the working directory: files are written, Python and commands run, beside a copy of the examples.

    Returns the blocks of C, which are not run here. A failing command is an AssertionError.
    """
    names: dict[str, Any] = {"__name__": page}
    if "examples/ground" in "".join(block.text for block in blocks(page)):
        shutil.copytree(CHECKOUT / "examples/ground", "examples/ground")
    for block in blocks(page):
        if block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            for line in block.text.splitlines():
                _command(line)
        elif block.language == "python" and block.needs in ("", *libraries):
            exec(compile(block.text, page, "exec"), names)  # noqa: S102  (our own pages)
    return [block for block in blocks(page) if block.language == "c"]


def _command(line: str) -> None:
    words = shlex.split(line, comments=True)
    needed = "imageio_ffmpeg" if "--video" in words else "ziglang" if "play" in words else "symdyn"
    if importlib.util.find_spec(needed) is None:
        return  # what films and compiles pages is no part of the extra 'test'
    assert words[0] == "symdyn", line
    assert main(words[1:]) == 0, line
