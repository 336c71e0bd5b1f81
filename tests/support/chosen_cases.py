"""Which cases of long tests run without ``--all-cases``: those that cover most of what others leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

Covered = frozenset[tuple[str, ...]]


def chosen(tests: Sequence[tuple[str, str]], share: int) -> set[str]:
    """Names of a part of the tests, file after file, and at least one of each file.

    A name covers its function, the parts of its parameters (a robot, a function of the catalogue, a layout, options),
    and each pair of these. From every file those come first that cover most of what is not covered yet by any file, so
    that each function meets each layout in one file or another. The same tests give the same choice.

    Parameters
    ----------
    tests
        File and name of each test, files one after another.
    share
        One of so many tests of a file is chosen, rounded up.
    """
    files: dict[str, dict[str, Covered]] = {}
    for file, name in tests:
        files.setdefault(file, {})[name] = _covered(file, name)
    covered: set[tuple[str, ...]] = set()
    found = set()
    for file, left in files.items():
        for _ in range(-(-len(left) // share)):
            best = max(left, key=lambda name, left=left: len(left[name] - covered))  # type: ignore[misc]
            covered |= left.pop(best)
            found.add(f"{file}::{best}")
    return found


def _covered(file: str, name: str) -> Covered:
    function, _, parameters = name.rstrip("]").partition("[")
    parts = sorted(set(re.split("-", parameters))) if parameters else []
    return frozenset({(f"{file}::{function}",), *((part,) for part in parts), *combinations(parts, 2)})
