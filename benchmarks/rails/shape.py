"""How the package is cut, counted on its syntax trees, and what its plan asks: nine items, each with figure and target.

usage: python benchmarks/rails/shape.py [--table FILE | --check FILE | --list COUNT | --rooms]

``--list`` shows the places of one count, ``--rooms`` files and statements of each room. ``--check`` prints the items
and fails where a count of structure is above that of the table; numbers of statements and files are printed alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import house
from house import OPERATORS, Places
from sources import ROOT

HERE = Path(__file__).resolve().parent
BASE = {
    "root modules": 45,
    "rooms": 22,
    "model.rods": 38,
    "model.loops": 30,
    "statements": 55075,
    "files": 933,
    "test lines": 71221,
    "small siblings": 106,
}
"""Where the plan began, at commit eaafe035."""
HELD = (
    "joint kinds",
    "beams",
    "root modules",
    "rooms",
    "model.rods",
    "files with model.rods",
    "model.loops",
    "entries of families",
    "schemas",
    "retired modules",
    "retired names",
    "retired kernels",
    "circles",
    "modules in circles",
)
"""Counts that may fall and not rise."""
GRADIENTS = {
    ("seven_dof_arm", "forward_dynamics_adjoint"): 2729,
    ("quadruped", "forward_dynamics_adjoint"): 6652,
    ("canadarm", "forward_dynamics_adjoint"): 6000,
    ("five_bar", "constrained_forward_dynamics_adjoint"): 889,
    ("standing_quadruped", "constrained_forward_dynamics_adjoint"): 49539,
    ("stewart_platform", "constrained_forward_dynamics_adjoint"): 91170,
}
"""Operations in pieces of the gradients that the plan measured."""
NOTHING = "no such test yet"


def places(count: str) -> list[tuple[str, int, str]]:
    """The places of one count."""
    return house.places()[count]


def counts(found: Places) -> dict[str, int]:
    """All counts by name."""
    files, statements = house.sizes()
    numbers = {name: len(where) for name, where in found.items()}
    numbers["files with model.rods"] = len({file for file, _, _ in found["model.rods"]})
    numbers["files"] = files.total() - files["cli"] - files["templates"]
    numbers["statements"] = statements.total() - statements["cli"] - statements["templates"]
    numbers |= {f"files: {room}": number for room, number in sorted(files.items())}
    return numbers | {f"statements: {room}": number for room, number in sorted(statements.items())}


def items(found: Places) -> Iterator[tuple[int, str, object, str, bool | None]]:
    """The nine items: number, what is counted, its figure, its target, and whether that is met."""
    number = counts(found)

    def most(item: int, name: str, target: int, at: str = "") -> tuple[int, str, object, str, bool]:
        base = f", {BASE[name]} at first" if name in BASE else ""
        return item, at or name, number[name], f"at most {target}{base}", number[name] <= target

    yield most(1, "root modules", 6)
    yield most(1, "rooms", 15)
    yield most(1, "circles", 0, "circles of imports")
    yield most(2, "model.rods", 6, "lines with model.rods in dynamics")
    yield most(2, "files with model.rods", 3)
    yield most(2, "model.loops", 12, "lines with model.loops in dynamics and functions")
    for operator in OPERATORS:
        files = {file for file, _, _ in found[f"plans of {operator}"]}
        yield 3, f"files with plans of {operator}", len(files), "1", len(files) <= 1
    yield 3, "a new constraint gets all operators", *_test("test_new_constraint.py", "a class of at most 40 statements")
    yield 3, "a new operator serves all problems", *_test("test_new_operator.py", "one file and a line")
    yield most(4, "entries of families", 0, "catalogue entries of the five families that are no rows")
    yield most(5, "schemas", 0, "schema classes beside records of keys")
    yield 5, "a new key is a line and a row", *_test("test_new_key.py", "a test that adds one")
    yield 6, "operations of all rails", *_operations()
    for (robot, function), target in GRADIENTS.items():
        known = _known(robot, function)
        limit = int(1.1 * target)
        yield 6, f"{robot} {function}, split", known or "none", f"at most {limit}", known is not None and known <= limit
    for kind in ("modules", "names", "kernels"):
        yield most(7, f"retired {kind}", 0)
    rows = sum(len(json.loads(path.read_text("utf-8"))) for path in (ROOT / "tests" / "truths").glob("*.json"))
    yield 8, "rows of cases with a truth that is kept", rows, "at least 600", rows >= 600
    lines = sum(path.read_bytes().count(b"\n") for path in (ROOT / "tests").rglob("*.py"))
    yield 8, "lines of tests", lines, f"{BASE['test lines']} at first", None
    yield (
        9,
        "small modules with one importer beside them",
        number["small siblings"],
        f"{BASE['small siblings']} at first",
        None,
    )
    yield most(9, "statements", int(0.95 * BASE["statements"]))
    yield most(9, "files", int(0.88 * BASE["files"]))


def _test(name: str, target: str) -> tuple[str, str, bool]:
    where = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob(name)]
    return where[0] if where else NOTHING, target, bool(where)


def _rails() -> list[dict[str, str]]:
    with (HERE / "rails.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _operations() -> tuple[str, str, None]:
    rows = _rails()
    total = sum(int(row["operations"]) for row in rows)
    return f"{total} in {len(rows)} cases of the table", "rails.py --check: none grows by 1 % and 20, nor the sum", None


def _known(robot: str, function: str) -> int | None:
    case = {"robot": robot, "function": function, "options": "", "target": "c", "layout": "split"}
    return next((int(row["operations"]) for row in _rails() if case.items() <= row.items()), None)


def main() -> int:
    """Print, write or compare the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", metavar="COUNT", help=f"for example {', '.join(HELD)}")
    what.add_argument("--rooms", action="store_true")
    what.add_argument("--table", type=Path, metavar="FILE")
    what.add_argument("--check", type=Path, metavar="FILE")
    asked = parser.parse_args()
    if asked.rooms:
        files, statements = house.sizes()
        for room in sorted(files):
            print(f"{room}: {files[room]} files, {statements[room]} statements")
        return 0
    found = house.places()
    if asked.list:
        if asked.list not in found:
            parser.error(f"--list takes one of {', '.join(found)}")
        for file, line, text in found[asked.list]:
            print(f"{file}:{line}: {text}")
        return 0
    number = counts(found)
    if asked.table:
        with asked.table.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows(number.items())
        return 0
    for item, text, figure, target, met in items(found):
        print(f"{item}  {text}: {figure} ({target}){ {True: ' met', False: ' open', None: ''}[met] }")
    if not asked.check:
        return 0
    with asked.check.open(encoding="utf-8") as stream:
        start = {name: int(text) for name, text in csv.reader(stream)}
    rose = [name for name in HELD if number[name] > start[name]]
    for name in rose:
        print(f"{name}: {start[name]} -> {number[name]}; --list '{name}' shows the places")
    return min(len(rose), 1)


if __name__ == "__main__":
    sys.exit(main())
