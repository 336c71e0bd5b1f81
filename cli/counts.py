"""Operation counts as the command line shows them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from symdyn.interface.manifest import FILE_NAME, Manifest
from symdyn.interface.regular_files import read_regular

from . import terminal


def by_kind(counts: Mapping[str, int]) -> str:
    """Counts in words, the most frequent first: ``210 mul, 180 add``."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number} {code}" for code, number in ordered if number)


def show_functions(folder: Path) -> None:
    """One row per function of a generated folder."""
    manifest = Manifest.from_json(read_regular(folder / FILE_NAME).decode("utf-8"))
    terminal.table(
        ("function", "layout", "operations", "by kind"),
        ((entry.python_name, entry.layout, entry.operations, by_kind(entry.counts)) for entry in manifest.functions),
        numbers=(2,),
    )
