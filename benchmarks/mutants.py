"""Small faults put into a copy of symdyn one after another, and which of them the tests of their room notice.

usage: python benchmarks/mutants.py TABLE [--sample N] [--seed N] [--room NAME ...] [--limit S] [--list]

The list of mutants is the same on every run; ``--sample`` draws from it by ``--seed``. Results are appended to TABLE, a
CSV file, and mutants that it holds are left out: a run that was stopped goes on. The table holds for one state of the
sources: begin another after changes. ``--limit`` is CPU time of one process of the tests [s]; more counts as killed.
Tests that CI does not run (slow, peers, cross) do not run here.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_STEPPERS = ("tests/steppers/test_kept_workspaces.py", "tests/steppers")
_SOLVERS = ("tests/solvers/test_rests_in_kept_workspaces.py", "tests/solvers")
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "steppers": (("templates/c/STEP_*.jinja", "templates/c/step_*.c.jinja"), _STEPPERS),
    "solvers": (("templates/c/SOLVE_*.jinja", "templates/c/solve_*.c.jinja"), _SOLVERS),
    "loops": (("symdyn/dynamics/loops/*.py",), ("tests/dynamics/loops",)),
    "rods": (
        ("symdyn/dynamics/tree/rod_*.py", "symdyn/model/place_rods.py", "symdyn/model/contracted.py"),
        ("tests/soft",),
    ),
    "loads": (("symdyn/dynamics/elements/*.py",), ("tests/dynamics/elements", "tests/flexible")),
    "statics": (("symdyn/statics/*.py",), ("tests/statics",)),
    "emit": (("symdyn/emit/**/*.py",), ("tests/emit", "tests/golden")),
}
"""Files of a room, and its tests."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A piece of a line of a file, and what takes its place."""

    path: str
    line: int
    column: int
    operator: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Result:
    """How the tests of a room ended with a mutant: killed, limit, not compiled, or survived."""

    mutant: Mutant
    room: str
    end: str
    seconds: float
    by: str


_TEMPLATE = [
    ("compare", r"(?<=\s)(<=|>=|<|>)(?=\s)", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("arithmetic", r"(?<=[\w\]\)\}] )([+-])(?= [\w\({])", {"+": "-", "-": "+"}),
    ("update", r"(?<= )(\+=|-=|\*=|/=)(?= )", {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}),
    ("logic", r"&&|\|\|", {"&&": "||", "||": "&&"}),
    ("sign", r"(?<=FMA\()-|(?<== )-(?=[\w{(])|(?<=\* )-(?=[\w{(])", {"-": ""}),
    ("constant", r"(?<=[ \[(])\d+(?=[;)\],])", None),
    ("condition", r"(?<=if \()!(?=\w)|(?<=if \()!(?=\()", {"!": ""}),
]
_SIZE = re.compile(r"\{\{ ([^{}]+) \}\}(?= \* sizeof)")
_BOUND = re.compile(r"(?<= < )\{\{ ([^{}]+) \}\}(?=;)")
_INDEX = re.compile(r"(?<=\* )([a-z]) \+ ([a-z])(?=\])")
_DROPPED = re.compile(r"^\s+(?!return|const|break|\(void\)|enum|size_t|bool|struct|\{\{ scalar \}\}|\{%)\S.*;\s*$")


def of_template(path: str, text: str) -> Iterator[Mutant]:
    """Mutants of the C in a template, line by line; statements of Jinja and comments stay."""
    comment = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = comment or line.lstrip().startswith("/*")
        if comment or "{%" in line or line.startswith("#"):
            comment = comment and "*/" not in line
            continue
        code = line.split("/*", maxsplit=1)[0]
        for operator, pattern, table in _TEMPLATE:
            for found in re.finditer(pattern, code):
                if code.count("{{", 0, found.start()) > code.count("}}", 0, found.start()):
                    continue  # within an expression of Jinja
                old = found[0]
                for new in [table[old]] if table else [str(int(old) + 1), *([str(int(old) - 1)] if old != "0" else [])]:
                    yield Mutant(path, number, found.start(), operator, old, new)
        for found in _SIZE.finditer(code):
            for change in ("- 1", "+ 1"):
                yield Mutant(path, number, found.start(), "size", found[0], f"({found[0]} {change})")
        for found in _BOUND.finditer(code):
            yield Mutant(path, number, found.start(), "bound", found[0], f"{found[0]} - 1")
        for found in _INDEX.finditer(code):
            if found[1] != found[2]:
                yield Mutant(path, number, found.start(), "index", found[0], f"{found[2]} + {found[1]}")
        if _DROPPED.match(code) and code.count("(") == code.count(")"):
            yield Mutant(path, number, 0, "drop", code, ";")


_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
_COUNTED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}


def of_python(path: str, text: str) -> Iterator[Mutant]:
    """Mutants of a module, on single lines, by its syntax tree."""
    lines = text.splitlines()

    def piece(own: ast.expr | ast.stmt) -> str | None:
        if own.lineno != own.end_lineno or not lines[own.lineno - 1].isascii():
            return None
        return lines[own.lineno - 1][own.col_offset : own.end_col_offset]

    def replaced(own: ast.expr | ast.stmt, operator: str, after: str) -> Iterator[Mutant]:
        before = piece(own)
        if before is not None:
            yield Mutant(path, own.lineno, own.col_offset, operator, before, after)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
            pair = piece(node.left), piece(node.comparators[0])
            yield from replaced(node, "compare", f"{pair[0]} {_COMPARED[type(node.ops[0])]} {pair[1]}")
        elif isinstance(node, ast.BinOp) and type(node.op) in _COUNTED:
            pair = piece(node.left), piece(node.right)
            yield from replaced(node, "arithmetic", f"({pair[0]}) {_COUNTED[type(node.op)]} ({pair[1]})")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield from replaced(node, "sign", f"({piece(node.operand)})")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            for value in (node.value + 1, node.value - 1):
                yield from replaced(node, "constant", f"({value})")
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            word = "or" if isinstance(node.op, ast.And) else "and"
            yield from replaced(node, "logic", f"({piece(node.values[0])}) {word} ({piece(node.values[1])})")
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.YieldFrom | ast.Yield)
        ):
            yield from replaced(node, "drop", "pass")


def all_mutants(rooms: Sequence[str]) -> list[tuple[str, Mutant]]:
    """All mutants with their rooms; the order is that of paths and places."""
    found: dict[Mutant, str] = {}
    for room in rooms:
        for path in sorted({path for pattern in ROOMS[room][0] for path in ROOT.glob(pattern)}):
            make = of_python if path.suffix == ".py" else of_template
            own = make(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
            for mutant in sorted(own, key=astuple):
                found.setdefault(mutant, room)
    return [(room, mutant) for mutant, room in found.items()]


class Copy:
    """A copy of the tracked files, whose package is found before any installed one; tests run on it."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.root, self.folder, self.limit = folder / "checkout", folder, limit
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        for part in ("cli", "templates"):  # as in an installed package
            (self.root / "symdyn" / part).symlink_to(self.root / part)
        (folder / "installed").mkdir()
        (folder / "installed" / "symdyn").symlink_to(self.root / "symdyn")
        for name in ("objects", "cache"):
            (folder / name).mkdir(mode=0o700)
        keeper = self.root / "benchmarks" / "kept_objects.py"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder / "installed"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SYMDYN_CACHE_DIR": str(folder / "cache"),
            "CC": f"{sys.executable} -I -S {keeper} {folder / 'objects'} {os.environ.get('CC') or 'cc'}",
        }
        self.environment.pop("PYTHONPYCACHEPREFIX", None)
        told = self._run([sys.executable, "-P", "-c", "import symdyn; print(symdyn.__file__)"])[1]
        if not told.startswith(str(folder)):
            raise SystemExit(f"expected symdyn from {folder}, got {told}")

    def _run(self, command: list[str]) -> tuple[int | None, str]:
        """The exit code, None beyond the limits, and what was written."""

        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (self.limit, self.limit + 5))

        with (self.folder / "log").open("w+") as log:
            process = subprocess.Popen(
                command, cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=bounded,
            )  # fmt: skip
            try:
                code: int | None = process.wait(timeout=10 * self.limit)
            except subprocess.TimeoutExpired:
                code = None
            if code is None or code < 0:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            log.seek(0)
            text = log.read()
        return (None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code), text

    def tests(self, room: str) -> tuple[str, str]:
        """How the tests of a room end, and by which test."""
        shutil.rmtree(self.folder / "cache")
        (self.folder / "cache").mkdir(mode=0o700)
        chosen = [
            "-m",
            "not slow and not peers and not cross",
            "-p",
            "no:cacheprovider",
            "-n0",
            "-x",
            "-q",
            "--tb=line",
        ]
        code, text = self._run([sys.executable, "-P", "-m", "pytest", *chosen, *ROOMS[room][1]])
        named = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
        by = named[1] if named else ""
        if code is None:
            return "limit", by
        if "refuses the generated C" in text or "InternalError" in text:
            return "not compiled", by
        return ("survived" if code == 0 else "killed"), by or ("" if code == 0 else f"exit code {code}")

    def tried(self, room: str, mutant: Mutant) -> Result:
        """Put the mutant in, run the tests, and take it out."""
        path = self.root / mutant.path
        original = path.read_text(encoding="utf-8")
        lines = original.splitlines(keepends=True)
        line, at = lines[mutant.line - 1], mutant.column
        if line[at : at + len(mutant.before)] != mutant.before:
            raise SystemExit(f"{mutant.path}:{mutant.line} is not what it was; begin another table")
        lines[mutant.line - 1] = line[:at] + mutant.after + line[at + len(mutant.before) :]
        start = time.perf_counter()
        try:
            path.write_text("".join(lines), encoding="utf-8")
            end, by = self.tests(room)
        finally:
            path.write_text(original, encoding="utf-8")
        return Result(mutant, room, end, round(time.perf_counter() - start, 1), by)


_COLUMNS = [*(own.name for own in fields(Mutant)), *(own.name for own in fields(Result) if own.name != "mutant")]


def done_before(table: Path) -> dict[tuple[str, ...], str]:
    """Mutants that the table holds, as strings, and their rooms."""
    if not table.is_file():
        return {}
    with table.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return {tuple(row[own.name] for own in fields(Mutant)): row["room"] for row in rows}


def main() -> int:
    """Try what is asked for and not yet in the table; 1 where a mutant survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", action="append", choices=ROOMS)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    mutants = all_mutants(asked.room or list(ROOMS))
    if asked.sample is not None and asked.sample < len(mutants):
        mutants = random.Random(asked.seed).sample(mutants, asked.sample)
    if asked.list:
        for room, mutant in mutants:
            print(room, *astuple(mutant)[:4], f"{mutant.before!r} -> {mutant.after!r}")
        print(len(mutants))
        return 0
    before = done_before(asked.table)
    left = [own for own in mutants if tuple(map(str, astuple(own[1]))) not in before]
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder), asked.limit)
        for room in sorted({room for room, _ in left} - set(before.values())):
            if (end := copy.tests(room))[0] != "survived":
                raise SystemExit(f"tests of {room} fail without a mutant: {end}")
        for room, mutant in left:
            result = copy.tried(room, mutant)
            new = not asked.table.is_file()
            with asked.table.open("a", newline="", encoding="utf-8") as stream:
                writer = csv.writer(stream, lineterminator="\n")
                if new:
                    writer.writerow(_COLUMNS)
                writer.writerow([*astuple(mutant), room, result.end, result.seconds, result.by])
            ends[result.end] += 1
            print(
                result.end, f"{mutant.path}:{mutant.line} {mutant.before!r} -> {mutant.after!r}", result.by, flush=True
            )
    print(dict(ends))
    return 1 if ends["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
