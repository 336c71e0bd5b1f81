"""Programs that read files of anyone: what they do wrong is told in one line, and ends with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from symdyn.errors import DescriptionError
from symdyn.toolchain.run_program import run_program


@pytest.fixture
def run(tmp_path: Path):  # type: ignore[no-untyped-def]
    def run(text: str, timeout: float = 30.0) -> bytes:
        (tmp_path / "program.py").write_text(text)
        return run_program(tmp_path / "program.py", {"given.txt": b"3", "json.py": b"1/0"}, "the reader", timeout)

    return run


def test_the_result_comes_back_and_nothing_of_the_folder_is_imported(run) -> None:  # type: ignore[no-untyped-def]
    text = "import json, pathlib\npathlib.Path('given.json').write_text(json.dumps(open('given.txt').read()))"
    assert run(text) == b'"3"'


FAULTS = [
    ("import os; os.abort()", "the reader was ended by signal 6"),
    ("raise ValueError('odd\\x1b')", r"the reader ended with an error: ValueError: odd\x1b"),
    ("pass", "the reader ended with an error: no reason given"),
    ("import sys; sys.exit(3)", "the reader ended with an error"),
]


@pytest.mark.parametrize(("text", "words"), FAULTS)
def test_faults_are_one_line(run, text: str, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DescriptionError) as raised:
        run(text)
    assert str(raised.value).startswith(words)
    assert str(raised.value).isprintable()


def test_memory_is_bounded(run) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DescriptionError, match="the reader ended with an error: MemoryError"):
        run("bytearray(9 * 2**30)")


def test_a_program_that_hangs_is_ended(run) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DescriptionError, match=r"the reader did not end within 0\.3 s"):
        run("import time; time.sleep(600)", timeout=0.3)
