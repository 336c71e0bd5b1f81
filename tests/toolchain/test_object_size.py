"""The size of machine code and constants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdyn.toolchain.compile import compile_folder
from symdyn.toolchain.object_size import text_bytes

needs_cc = pytest.mark.needs_cc


@needs_cc
def test_code_size_counts_code_and_constants(toy: Any, extension: Any, toy_maker: Callable[..., Any]) -> None:
    table = "static const double TABLE[1000] __attribute__((used)) = {1};\n"
    data = "static double DATA[1000] __attribute__((used)) = {1};\n"
    tables, variables = (toy_maker(version=text[:14], extra=text) for text in (table, data))
    plain = text_bytes(extension.path)
    larger = compile_folder(tables.sources, tables.manifest).text_bytes
    assert 1000 < plain < extension.path.stat().st_size
    assert 0 <= larger - plain - 8000 * len(toy.manifest.sources) < 500
    # Variables are no part of what competes for the instruction cache.
    assert abs(compile_folder(variables.sources, variables.manifest).text_bytes - plain) < 500


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xcf\xfa\xed\xfe" + bytes(100),
        b"\x7fELF\x02\x01" + bytes(20),
        b"\x7fELF\x02\x01" + bytes(94),
        b"\x7fELF\x01\x01" + bytes(94),
        b"\x7fELF\x02\x01" + b"\xff" * 94,
    ],
)
def test_code_size_of_other_formats_is_the_files(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "module"
    path.write_bytes(data)
    assert text_bytes(path) == len(data)
