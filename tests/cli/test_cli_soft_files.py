"""Every bad file of a soft robot ends the command line with exit code 2 and one line that names the link or joint."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symdyn.description.read import read_robot
from symdyn.errors import DescriptionError

FOLDER = Path(__file__).parents[1] / "description" / "corpus"


def bad_files() -> list[Path]:
    found = []
    for path in sorted(FOLDER.glob("soft_*.yaml")):
        try:
            read_robot(path)
        except DescriptionError:
            found.append(path)
    return found


def test_bad_soft_files_are_refused_in_one_line(symdyn_command: Callable[..., Any]) -> None:
    files = bad_files()
    assert len(files) >= 70
    for path in files:
        outcome = symdyn_command("info", path)
        assert (outcome.code, outcome.out) == (2, ""), path.name
        (line,) = outcome.err.splitlines()
        named = re.match(rf"error: {path.name}(:\d+)?: (link 'arm|joint 'arm|frame 'arm)", line)
        assert named and line.isprintable() and len(line) < 400, line


@pytest.mark.parametrize("name", ["soft_arm", "soft_bases", "soft_coupled", "soft_numbers"])
def test_sound_ones_are_read_without_a_word(name: str) -> None:
    assert read_robot(FOLDER / f"{name}.yaml", strict=True).warnings == ()
