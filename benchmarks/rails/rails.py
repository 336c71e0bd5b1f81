"""What symdyn generates for the robots of the rails: operations, sizes, seconds and hashes, beside a table.

usage: python benchmarks/rails/rails.py [--quick] [--robot NAME ...] [--function NAME ...] [--jobs N]
                                        [--table FILE | --check FILE [--exact] | --write FOLDER | --against COMMIT]

``--table`` writes the table, or the chosen lines of one that exists. ``--check`` compares with it and fails where a
case is gone or its operations grew by more than 1 % and 20; with ``--exact`` also where the sum of operations grew, or
a hash changed. ``--quick`` takes a part of the cases, and compares operations and bits without making texts.
``--write`` puts all texts into a folder. ``--against`` compares the same cases as the package of a commit has them.

The hash of a text is of its tokens without comments, with names blanked (``blanked.py``). Of the target ``floats`` it
is that of the bytes of all results of the recursion run on floats.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from blanked import blanked
from cases import FLOATS, Case, cases
from robots import robots

from symdyn import api
from symdyn.errors import ModelError, RequestError, SymdynWarning
from symdyn.functions.catalogue import CATALOGUE, requests
from symdyn.robot.robot import Robot

HERE = Path(__file__).resolve().parent
ORDER = 2
"""Time derivatives of functions that have any."""
SHARE, COUNT = 0.01, 20
"""By how much a case may grow: by the larger of this part and this number of operations."""
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Row(Case):
    """A line of the table; ``source_bytes`` is 0 and ``hash`` empty where no texts were made."""

    operations: int
    source_bytes: int
    seconds: float
    hash: str

    @property
    def case(self) -> Case:
        """What the line is about."""
        return Case(self.robot, self.function, self.options, self.target, self.layout)


@cache
def made(name: str) -> Robot:
    """A robot of the rails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SymdynWarning)
        return robots()[name]()


def measured(case: Case, texts: bool, folder: Path | None = None) -> Row | None:
    """Generate one case, and write its texts where ``folder`` is given; None where the robot has no such function."""
    robot, start, size, digest = made(case.robot), time.process_time(), 0, ""
    asked = {"target": case.target, "layout": case.layout, **_options(robot, case)}
    try:
        if case.target == FLOATS:
            return Row(**asdict(case), operations=0, source_bytes=0, seconds=0.0, hash=_bits(robot, case))
        if texts:
            files = api.sources(robot, [case.function], **asked)
            manifest = json.loads(next(file.text for file in files if file.path == MANIFEST))
            operations = sum(entry["operations"] for entry in manifest["functions"])
            kinds = (".c", ".h") if case.target == "c" else (".py",)
            code = sorted((file for file in files if file.path.endswith(kinds)), key=lambda file: file.path)
            size, digest = sum(len(file.text) for file in code), _digest(blanked(file.text) for file in code)
            for file in files if folder else ():
                path = (folder or HERE).joinpath(*(word or "-" for word in asdict(case).values()), file.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.text, encoding="utf-8")
        else:
            operations = api.cost(robot, [case.function], **asked)[case.function]["total"]
    except (ModelError, RequestError):
        return None
    seconds = round(time.process_time() - start, 3)
    return Row(**asdict(case), operations=operations, source_bytes=size, seconds=seconds, hash=digest)


def _options(robot: Robot, case: Case) -> dict[str, Any]:
    """The options of a case, and those without which its function means nothing."""
    asked = case.asked
    if "time_derivatives" in case.function:
        asked["order"] = 1 if case.function.endswith("partials") else ORDER
    if "hybrid" in case.function and "prescribed" not in asked:
        asked["prescribed"] = (robot.velocity_names[0], robot.velocity_names[-2])[: 2 if robot.nv > 4 else 1]
    return asked


def _bits(robot: Robot, case: Case) -> str:
    """The hash of all results at three states, which must be finite."""
    rng, results = np.random.default_rng(7), []
    ((entry, request),) = requests(robot.model, [case.function], **_options(robot, case))
    inputs = entry.signature(robot.model, request).inputs
    call = api.float_recursion(robot, case.function, **_options(robot, case))
    for _ in range(3):
        state = dict(zip("qv", map(np.ndarray.tolist, robot.random_state(rng)), strict=True))
        given = {one.name: state.get(one.name) or rng.uniform(0.5, 1.5, one.size).tolist() for one in inputs}
        results += [np.asarray(value, dtype="<f8") for value in call(given).values()]
    if not all(np.isfinite(value).all() for value in results):
        raise ArithmeticError(f"results of {' '.join(asdict(case).values())} are not finite; take another function")
    return _digest(value.tobytes().hex() for value in results)


def _digest(texts: Iterable[str]) -> str:
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def table(asked: Sequence[Case], jobs: int, texts: bool = True, folder: Path | None = None) -> list[Row]:
    """The lines of all cases that there are; robots with many cases are shared by all processes."""
    with ProcessPoolExecutor(jobs) as pool:
        rows = pool.map(measured, asked, [texts] * len(asked), [folder] * len(asked), chunksize=8)
        return [row for row in rows if row is not None]


def read(path: Path) -> list[Row]:
    """The lines of a file."""
    kinds = {field.name: {"int": int, "float": float}.get(str(field.type), str) for field in fields(Row)}
    with path.open(newline="", encoding="utf-8") as stream:
        return [Row(**{name: kinds[name](text) for name, text in line.items()}) for line in csv.DictReader(stream)]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write the lines."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.DictWriter(stream, [field.name for field in fields(Row)], lineterminator="\n")
        lines.writeheader()
        lines.writerows(map(asdict, rows))


def compare(before: Sequence[Row], after: Sequence[Row], exact: bool = False) -> int:
    """Print what changed; the number of cases that are gone or grew, if ``exact`` also of hashes that changed."""
    old, new = ({row.case: row for row in rows} for rows in (before, after))
    for word, side in (("gone", old.keys() - new.keys()), ("new", new.keys() - old.keys())):
        for case in sorted(side, key=str):
            print(f"{word}: {_name(case)}")
    both = [(old[case], new[case]) for case in old if case in new]
    changed = sorted(
        ((now.operations / max(was.operations, 1), was, now) for was, now in both), key=lambda one: -one[0]
    )
    for ratio, was, now in changed:
        if was.operations != now.operations:
            print(f"{_name(was.case)}: operations {was.operations} -> {now.operations} ({ratio:.4f})")
    other = [was.case for was, now in both if was.hash and now.hash and was.hash != now.hash]
    for case in other if exact else ():
        print(f"{_name(case)}: other {'bits' if case.target == FLOATS else 'text'}")
    sums = {what: [sum(getattr(row, what) for row in side) for side in zip(*both, strict=True)] for what in SUMS}
    print(f"{len(both)} cases; {len(other)} texts or bits differ")
    for what, (first, second) in sums.items():
        print(f"{what}: {first:g} -> {second:g} ({second / first if first else 1.0:.4f})")
    grew = sum(now.operations - was.operations > max(COUNT, SHARE * was.operations) for was, now in both)
    faults = len(old.keys() - new.keys()) + grew
    return faults + (len(other) + (sums["operations"][1] > sums["operations"][0]) if exact else 0)


SUMS = ("operations", "source_bytes", "seconds")


def _ratio(was: Row, now: Row) -> float:
    return now.operations / max(was.operations, 1)


def _name(case: Case) -> str:
    return " ".join(word for word in asdict(case).values() if word)


def of_commit(commit: str, arguments: Sequence[str]) -> list[Row]:
    """The lines that the package of a commit gives for the same cases."""
    with tempfile.TemporaryDirectory() as scratch:
        tree, site, rows = Path(scratch) / "tree", Path(scratch) / "site", Path(scratch) / "rows.csv"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(tree), commit], cwd=HERE, check=True)
        try:
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(tree)]
            subprocess.run(pip, check=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=HERE, check=True)
        again = [sys.executable, __file__, *arguments, "--table", str(rows)]
        subprocess.run(again, check=True, env={**os.environ, "PYTHONPATH": str(site)})
        return read(rows)


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a part of the cases, compared without their texts")
    parser.add_argument("--robot", nargs="+", choices=list(robots()), default=list(robots()), metavar="NAME")
    parser.add_argument("--function", nargs="+", default=list(CATALOGUE), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--exact", action="store_true", help="fail where a text, bits or the sum changed")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", type=Path, metavar="FILE")
    what.add_argument("--check", type=Path, metavar="FILE")
    what.add_argument("--write", type=Path, metavar="FOLDER")
    what.add_argument("--against", metavar="COMMIT")
    asked = parser.parse_args()
    chosen = [
        case
        for case in cases(list(CATALOGUE), asked.quick)
        if case.robot in asked.robot and case.function in asked.function
    ]
    rows = table(chosen, asked.jobs, bool(asked.table) or not asked.quick, asked.write)
    if asked.write:
        print(f"{len(rows)} cases in {asked.write}")
        return 0
    if asked.table:
        before = {row.case: row for row in (read(asked.table) if asked.table.exists() else ())}
        known = {case: row for case, row in before.items() if case not in set(chosen)} | {row.case: row for row in rows}
        write(asked.table, [known[case] for case in cases(list(CATALOGUE)) if case in known])
        print(f"{len(rows)} cases in {asked.table}")
        return 0
    if asked.against:
        words = [*(["--quick"] if asked.quick else []), "--robot", *asked.robot, "--function", *asked.function]
        before = of_commit(asked.against, [*words, "--jobs", str(asked.jobs)])
    else:
        before = [row for row in read(asked.check) if row.case in set(chosen)]
    return min(compare(before, rows, asked.exact), 1)


if __name__ == "__main__":
    sys.exit(main())
