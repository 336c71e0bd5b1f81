"""``symdyn info --base-parameters``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_a_table_of_combinations_and_what_is_left(symdyn_command: Callable[..., Any]) -> None:
    done = symdyn_command("info", "double_pendulum", "--base-parameters", "--no-counts")
    assert done.code == 0 and not done.err
    shown = done.out[done.out.index("base parameters: ") :].splitlines()
    assert shown[0] == "base parameters: 6 combinations of 20 inertial parameters decide tau"
    numbered = [line.split(maxsplit=1) for line in shown if line.strip()[:1].isdigit()]
    assert [number for number, _ in numbered] == [str(number) for number in range(1, 7)]
    assert any("*" in text for _, text in numbered)
    assert any(line.startswith("by themselves (") for line in shown)
    assert any(line.startswith("not at all (") for line in shown)


def test_silent_unless_asked(symdyn_command: Callable[..., Any]) -> None:
    assert "base parameters" not in symdyn_command("info", "double_pendulum", "--no-counts").out
