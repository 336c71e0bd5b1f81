"""What symdyn generates for eight robots: operations, sizes, seconds and hashes, as a table that changes are held to.

usage: python benchmarks/rails/rails.py [--robot NAME ...] [--function NAME ...] [--target NAME ...] [--jobs N]
                                        [--table FILE | --check FILE | --write FOLDER | --against COMMIT]

``--table`` writes the table, ``--check`` compares with it and fails where operations grew or a case came or went,
``--write`` puts all generated texts into a folder, and ``--against`` shows how they differ from those of a commit.
A hash is of all files of a function but the manifest and the robot. Bytes of machine code are those of layout auto.
"""

from __future__ import annotations

import argparse
import csv
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from robots import robots

from symdyn.emit.source import SourceFile
from symdyn.errors import ModelError, RequestError
from symdyn.functions.catalogue import CATALOGUE
from symdyn.manifest import FILE_NAME, Manifest
from symdyn.robot import Robot

try:
    from symdyn import pipeline
except ImportError:  # what other commits called it
    from symdyn import production as pipeline  # type: ignore[attr-defined, no-redef]

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))
TARGETS = {
    "c": ("auto", "unrolled", "split", "rolled", "split-lanes", "rolled-lanes"),
    "python": ("auto", "unrolled", "rolled"),
    "jax": ("auto", "unrolled", "rolled"),
}
ORDER = 2
"""Time derivatives of functions that have any."""
LONG = 20
"""Bodies beyond which straight lines of large matrices, and of time derivatives, are left out."""
LARGE = ("partials", "time_derivatives", "mass_matrix_inverse", "rate_terms", "jacobian")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; ``text_bytes`` is 0 where nothing was compiled."""

    robot: str
    function: str
    target: str
    layout: str
    operations: int
    source_bytes: int
    text_bytes: int
    seconds: float
    hash: str

    @property
    def case(self) -> tuple[str, str, str, str]:
        """What the line is about."""
        return self.robot, self.function, self.target, self.layout


Case = tuple[str, str, str, str]


def cases(names: Sequence[str], functions: Sequence[str], targets: Sequence[str]) -> Iterator[Case]:
    """Everything that is asked for, whether or not a robot has it."""
    for name in names:
        for function in functions:
            for target in targets:
                for layout in TARGETS[target]:
                    yield name, function, target, layout


def measured(case: Case, folder: Path | None = None) -> Row | None:
    """Generate one case, and write its texts where ``folder`` is given; None where the robot has no such function."""
    name, function, target, layout = case
    robot = robots()[name]()
    if layout == "unrolled" and len(robot.body_names) > LONG and any(word in function for word in LARGE):
        return None
    start = time.process_time()
    try:
        files = pipeline.sources(robot, [function], target, layout, **_asked(robot, function))
    except (ModelError, RequestError):
        return None
    seconds = time.process_time() - start
    manifest = Manifest.from_json(next(file.text for file in files if file.path == FILE_NAME))
    code = sorted((file for file in files if file.path not in (FILE_NAME, "robot.yaml")), key=lambda file: file.path)
    if folder is not None:
        _write(folder.joinpath(*case), files)
    compiled = _text_bytes(code, manifest) if folder is None and (target, layout) == ("c", "auto") else 0
    return Row(
        *case,
        operations=sum(entry.operations for entry in manifest.functions),
        source_bytes=sum(len(file.text) for file in code),
        text_bytes=compiled,
        seconds=round(seconds, 3),
        hash=sha256("\0".join(text for file in code for text in (file.path, file.text)).encode()).hexdigest()[:16],
    )


def _asked(robot: Robot, function: str) -> dict[str, Any]:
    """The options of a function, told by its name: this runs with the packages of other commits too."""
    asked: dict[str, Any] = {}
    if function.endswith("time_derivatives"):
        asked["order"] = ORDER
    if function.startswith("hybrid"):
        asked["prescribed"] = (robot.velocity_names[0], robot.velocity_names[-2])
    return asked


def _write(folder: Path, files: Sequence[SourceFile]) -> None:
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")


def _text_bytes(files: Sequence[SourceFile], manifest: Manifest) -> int:
    from peers.measure import OWN_FLAGS, compile_objects, text_bytes

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _write(folder, files)
        objects, _ = compile_objects("gcc", [folder / source for source in manifest.sources], OWN_FLAGS)
        return text_bytes(objects)


def table(asked: Sequence[Case], jobs: int, folder: Path | None = None) -> list[Row]:
    """The lines of all cases that there are."""
    with ProcessPoolExecutor(jobs) as pool:
        rows = pool.map(measured, asked, [folder] * len(asked), chunksize=4)
        return [row for row in rows if row is not None]


def read(path: Path) -> list[Row]:
    """The lines of a file."""
    kinds = {field.name: {"int": int, "float": float}.get(str(field.type), str) for field in fields(Row)}
    with path.open(newline="", encoding="utf-8") as stream:
        return [Row(**{name: kinds[name](text) for name, text in line.items()}) for line in csv.DictReader(stream)]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write the lines."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(field.name for field in fields(Row))
        lines.writerows(astuple(row) for row in rows)


def compare(before: Sequence[Row], after: Sequence[Row]) -> int:
    """Print what changed; the number of cases with more operations, or that came or went."""
    old, new = ({row.case: row for row in rows} for rows in (before, after))
    faults = 0
    for case in sorted(old.keys() ^ new.keys()):
        print(f"{'gone' if case in old else 'new'}: {' '.join(case)}")
        faults += 1
    both = [(old[case], new[case]) for case in old if case in new]
    for was, now in both:
        if was.operations != now.operations:
            print(f"{' '.join(was.case)}: operations {was.operations} -> {now.operations}")
            faults += now.operations > was.operations
    texts = sum(was.hash != now.hash for was, now in both)
    print(f"{len(both)} cases; {texts} texts differ")
    for what in ("operations", "source_bytes", "text_bytes", "seconds"):
        first, second = (sum(getattr(row, what) for row in side) for side in zip(*both, strict=True))
        print(f"{what}: {first:g} -> {second:g} ({second / first if first else 1.0:.4f})")
    return faults


def differences(commit: str, arguments: Sequence[str], own: Path) -> int:
    """Print a diff of the texts that a commit generates and those of a folder; the number of files that differ."""
    with tempfile.TemporaryDirectory() as made:
        tree, site, texts = Path(made) / "tree", Path(made) / "site", Path(made) / "texts"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(tree), commit], cwd=HERE, check=True)
        try:
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(tree)]
            subprocess.run(pip, check=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=HERE, check=True)
        again = [sys.executable, __file__, *arguments, "--write", str(texts)]
        subprocess.run(again, check=True, env={**os.environ, "PYTHONPATH": str(site)})
        paths = sorted({path.relative_to(root) for root in (own, texts) for path in root.rglob("*") if path.is_file()})
        changed = [path for path in paths if not _same(own / path, texts / path)]
        for path in changed:
            subprocess.run(
                ["diff", "-uN", "--label", f"{commit}:{path}", "--label", str(path), texts / path, own / path]
            )
        print(f"{len(paths)} files, {len(changed)} differ from {commit}")
        return len(changed)


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robot", nargs="+", choices=list(robots()), default=list(robots()), metavar="NAME")
    parser.add_argument("--function", nargs="+", choices=list(CATALOGUE), default=list(CATALOGUE), metavar="NAME")
    parser.add_argument("--target", nargs="+", choices=list(TARGETS), default=list(TARGETS), metavar="NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", type=Path, metavar="FILE")
    what.add_argument("--check", type=Path, metavar="FILE")
    what.add_argument("--write", type=Path, metavar="FOLDER")
    what.add_argument("--against", metavar="COMMIT")
    asked = parser.parse_args()
    chosen = list(cases(asked.robot, asked.function, asked.target))
    if asked.write:
        print(f"{len(table(chosen, asked.jobs, asked.write))} cases in {asked.write}")
        return 0
    if asked.against:
        options = ["--robot", *asked.robot, "--function", *asked.function, "--target", *asked.target]
        with tempfile.TemporaryDirectory() as made:
            table(chosen, asked.jobs, Path(made))
            return min(differences(asked.against, [*options, "--jobs", str(asked.jobs)], Path(made)), 1)
    rows = table(chosen, asked.jobs)
    if asked.check:
        wanted = set(chosen)
        return min(compare([row for row in read(asked.check) if row.case in wanted], rows), 1)
    write(asked.table, rows)
    print(f"{len(rows)} cases in {asked.table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
