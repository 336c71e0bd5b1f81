"""No error is shown as the direct cause of another one that repeats its text."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import symdyn

CHECKOUT = Path(__file__).resolve().parents[2]


def _repeating(source: str) -> Iterator[int]:
    """Lines of ``raise X(.. error ..) from error``, where the text of the error is part of the new one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.cause, ast.Name) and node.exc is not None:
            name = node.cause.id
            for part in ast.walk(node.exc):
                shown = part.args if isinstance(part, ast.Call) else [getattr(part, "value", None)]
                if any(isinstance(own, ast.Name) and own.id == name for own in shown) and not isinstance(
                    part, ast.Attribute
                ):
                    yield node.lineno
                    break


def test_a_repeated_text_is_recognised() -> None:
    lines = 'raise A(f"it: {e}") from e\nraise A(str(e)) from e\nraise A("it") from e\nraise A(f"{e}") from None'
    assert list(_repeating(lines)) == [1, 2]


def test_no_error_repeats_the_text_of_its_cause() -> None:
    files = [*(CHECKOUT / "symdyn").rglob("*.py"), *(CHECKOUT / "cli").rglob("*.py")]
    texts = ((file, file.read_text(encoding="utf-8")) for file in files)
    found = [f"{file.relative_to(CHECKOUT)}:{line}" for file, text in texts for line in _repeating(text)]
    assert not found, f"these print a text twice; write 'from None': {found}"


def test_a_refused_lock_is_printed_once() -> None:
    with pytest.raises(symdyn.SymdynError) as refused:
        symdyn.load_example("pendulum", locked_joints={"elbow": 0.0})
    printed = "".join(traceback.format_exception(refused.value))
    assert printed.count(str(refused.value).split(": ", 1)[1]) == 1
