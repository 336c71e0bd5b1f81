"""Small faults put into a copy of symdyn one after another, and which of them the tests of their room notice.

usage: python benchmarks/mutants.py TABLE [--sample N] [--seed N] [--room NAME ...] [--limit S] [--map FILE] [--list]

The list of mutants is the same on every run; ``--sample`` draws from it by ``--seed``. Results are appended to TABLE, a
CSV file, and mutants that it holds are left out: a run that was stopped goes on. The table holds for one state of the
sources: begin another after changes. ``--limit`` is CPU time of one process of the tests [s]. More counts as killed,
but not in slow tests, which may take as long without the mutant.

``--map`` names a file that tells which tests reach which line, and how long they take; where it is missing it is made
from the tests of the rooms, with coverage.py, which takes as long as these several times over. A mutant of Python then
meets the tests that reach its line, the quickest first. At last it meets the slow tests of their files that CI runs.
Without the map each mutant meets all tests of its room. Tests marked peers and cross do not run here.
"""

from __future__ import annotations

import argparse
import csv
import json
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
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, fields
from itertools import accumulate
from pathlib import Path

from mutant_kinds import Mutant, of_python, of_template

ROOT = Path(__file__).resolve().parent.parent
_STEPPERS = ("tests/steppers/test_kept_workspaces.py", "tests/steppers", "tests/contacts/test_steps.py")
_SOLVERS = (
    "tests/solvers/test_rests_in_kept_workspaces.py",
    "tests/solvers",
    "tests/control/test_implicit_plans.py",
    "tests/control/test_mpc.py",
    "tests/rollouts",
)
_EMIT = "symdyn/compiler/emit"
_TABLE = "tests/cases/test_cases.py"
_EQUATIONS = "symdyn/dynamics/equations"
_SECTIONS = ("tests/equivalence/test_section_trees.py", "tests/verify/test_everything_on_one_tree.py")
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "steppers": (("templates/c/STEP_*.jinja", "templates/c/step_*.c.jinja", f"{_EMIT}/steppers/*.py"), _STEPPERS),
    "solvers": (
        (
            *(f"templates/c/{name}" for name in ("SOLVE_*.jinja", "solve_*.c.jinja", "ROLLOUT*", "MPC*")),
            f"{_EMIT}/solvers/*.py",
        ),
        _SOLVERS,
    ),
    "loops": (
        ("symdyn/dynamics/loops/*.py",),
        ("tests/dynamics/loops", "tests/dynamics/tree/test_plan_places.py", "tests/model/test_closed_positions.py"),
    ),
    "rods": (
        ("symdyn/dynamics/tree/rod_*.py", "symdyn/model/place_rods.py", "symdyn/model/contracted.py"),
        (
            "tests/dynamics/tree",
            "tests/dynamics/test_thinning_lagrangian.py",
            "tests/dynamics/partials/test_soft_partials.py",
            "tests/dynamics/time_derivatives/test_soft_time_derivatives.py",
            "tests/dynamics/kinematics",
            "tests/spatial/test_rod_step.py",
            "tests/soft",
        ),
    ),
    "loads": (
        ("symdyn/dynamics/elements/*.py",),
        ("tests/dynamics/elements", "tests/dynamics/actuation", "tests/flexible", *_SECTIONS),
    ),
    "contacts": (
        ("symdyn/analysis/contacts/*.py", "symdyn/dynamics/contacts/*.py", "templates/c/contact_*.c.jinja"),
        (
            "tests/contacts",
            "tests/dynamics/contacts",
            "tests/dynamics/kinematics/test_contact_gaps.py",
            "tests/steppers/test_contacts_in_steps.py",
        ),
    ),
    "weighted": (
        tuple(
            f"{_EQUATIONS}/{name}.py"
            for name in ("adjoint", "hessian", "impulse_partials", "inverse_partials", "weighted_sharing")
        ),
        (
            "tests/dynamics/second_order",
            "tests/dynamics/loops/test_shared_partials.py",
            "tests/dynamics/loops/test_impulses.py",
            _TABLE,
        ),
    ),
    "equations": (
        (f"{_EQUATIONS}/*.py",),
        (
            _TABLE,
            "tests/dynamics/loops",
            "tests/dynamics/second_order",
            "tests/dynamics/time_derivatives",
            "tests/dynamics/actuation",
            "tests/dynamics/solvers",
            "tests/dynamics/partials",
            "tests/statics",
        ),
    ),
    "recursions": (
        tuple(
            f"symdyn/dynamics/{name}/*.py"
            for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "kinematics", "centroidal", "partials")
        ),
        (
            _TABLE,
            "tests/dynamics/inverse_dynamics",
            "tests/dynamics/forward_dynamics",
            "tests/dynamics/mass_matrix",
            "tests/dynamics/kinematics",
            "tests/dynamics/centroidal",
            "tests/dynamics/partials",
            "tests/flexible",
        ),
    ),
    "statics": (("symdyn/analysis/statics/*.py",), ("tests/statics", "tests/contacts/test_rests_on_contacts.py")),
    "emit": (
        (f"{_EMIT}/*.py", f"{_EMIT}/[!s]*/**/*.py"),
        ("tests/emit", "tests/golden", _STEPPERS[0], _SOLVERS[0]),
    ),
}
"""Files of a room, and its tests."""
_FIRST = 10.0
"""CPU time of the tests that come first [s]: those that notice nearly all mutants."""
_QUICK = "not slow and not peers and not cross"
_SLOW = ("-m", "slow")
_PASSED = (0, 5)
"""Exit codes of pytest: all tests passed, and there were none."""


@dataclass(frozen=True, slots=True)
class Result:
    """How the tests of a room ended with a mutant: killed, limit, not compiled, or survived."""

    mutant: Mutant
    room: str
    end: str
    seconds: float
    by: str


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


@dataclass(frozen=True, slots=True)
class Reached:
    """The tests that reach a line of a file, and how long tests take."""

    lines: dict[str, dict[str, list[str]]]
    seconds: dict[str, float]

    def tests(self, path: str, line: int) -> list[str]:
        """The quickest first; of a line that no test reaches by itself, as one of a module, those of the file."""
        own = self.lines.get(path, {})
        found = own.get(str(line)) or [test for tests in own.values() for test in tests]
        return sorted(set(found), key=lambda test: (self.seconds.get(test, 1.0), test))


def runs_of(room: str, mutant: Mutant, reached: Reached | None, limit: float) -> Iterator[tuple[str, ...]]:
    """Arguments of runs of tests, one after another until a test fails."""
    tests = reached.tests(mutant.path, mutant.line) if reached is not None else []
    if reached is None or not tests:
        yield ("-m", _QUICK, *ROOMS[room][1])
        return
    ends = list(accumulate(reached.seconds.get(test, 1.0) for test in tests))
    first = max(1, bisect(ends, _FIRST))
    yield tuple(tests[:first])
    if first < bisect(ends, 0.5 * limit):
        yield tuple(tests[first : bisect(ends, 0.5 * limit)])
    yield (*_SLOW, *sorted({test.split("::")[0] for test in tests}))


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
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            "SYMDYN_CACHE_DIR": str(folder / "cache"),
            "CC": f"{sys.executable} -I -S {keeper} {folder / 'objects'} {os.environ.get('CC') or 'cc'}",
        }
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._stamp = int(time.time())
        told = self._run([sys.executable, "-P", "-c", "import symdyn; print(symdyn.__file__)"])[1]
        if not told.startswith(str(folder)):
            raise SystemExit(f"expected symdyn from {folder}, got {told}")

    def _write(self, path: Path, text: str) -> None:
        """With a time of its own, so that what Python has compiled before is not taken for it."""
        path.write_text(text, encoding="utf-8")
        self._stamp += 2
        os.utime(path, (self._stamp, self._stamp))

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

    def _pytest(self, *arguments: str) -> tuple[int | None, str]:
        """A run of tests one after another, with nothing compiled before but what the compiler's wrapper keeps."""
        shutil.rmtree(self.folder / "cache")
        (self.folder / "cache").mkdir(mode=0o700)
        own = ("-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=line")
        return self._run([sys.executable, "-P", "-m", "pytest", *own, *arguments])

    def tests(self, *arguments: str) -> tuple[str, str]:
        """How tests end, and by which test."""
        code, text = self._pytest("-x", "-q", *arguments)
        named = re.search(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
        by = named[1] if named else ""
        if code is None:
            return "limit", by
        if "refuses the generated C" in text or "InternalError" in text:
            return "not compiled", by
        return ("survived" if code in _PASSED else "killed"), by or ("" if code in _PASSED else f"exit code {code}")

    def reached(self, rooms: Sequence[str]) -> Reached:
        """Which quick tests of the rooms reach which lines, file by file of the tests."""
        from coverage import CoverageData  # of the extra ``test``

        lines: dict[str, dict[str, list[str]]] = {}
        seconds: dict[str, float] = {}
        settings, data = self.folder / "coveragerc", self.folder / "coverage"
        settings.write_text("[run]\ninclude =\n" + "".join(f"  */{own}\n" for room in rooms for own in ROOMS[room][0]))
        chosen = [self.root / own for room in rooms for own in ROOMS[room][1]]
        files = {path for own in chosen for path in (own.rglob("test_*.py") if own.is_dir() else [own])}
        self.environment["COVERAGE_FILE"] = str(data)
        for path in sorted(files):
            data.unlink(missing_ok=True)
            with_lines = ("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=")
            _, text = self._pytest("-m", _QUICK, "-vv", "--durations=0", *with_lines, str(path.relative_to(self.root)))
            for took, test in re.findall(r"^([\d.]+)s (?:call|setup) +(\S+::.*?) *$", text, re.MULTILINE):
                seconds[test] = seconds.get(test, 0.0) + float(took)
            found = CoverageData(str(data))
            found.read()
            for name in found.measured_files():
                own = lines.setdefault(Path(name).relative_to(self.root.resolve()).as_posix(), {})
                for line, contexts in found.contexts_by_lineno(name).items():
                    own.setdefault(str(line), []).extend({text.split("|")[0] for text in contexts if text})
        return Reached(lines, seconds)

    def tried(self, room: str, mutant: Mutant, reached: Reached | None) -> Result:
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
            self._write(path, "".join(lines))
            for arguments in runs_of(room, mutant, reached, self.limit):
                end, by = self.tests(*arguments)
                if end == "limit" and arguments[:2] == _SLOW:
                    end, by = "survived", "slow tests did not end"
                if end != "survived":
                    break
        finally:
            self._write(path, original)
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
    parser.add_argument("--map", type=Path)
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
        copy, reached = Copy(Path(folder), asked.limit), None
        rooms = sorted({room for room, _ in left})
        if asked.map is not None:
            if not asked.map.is_file():
                asked.map.write_text(json.dumps(asdict(copy.reached(rooms))))
            reached = Reached(**json.loads(asked.map.read_text()))
        for room in () if reached else sorted({*rooms} - set(before.values())):
            if (end := copy.tests("-m", _QUICK, *ROOMS[room][1]))[0] != "survived":
                raise SystemExit(f"tests of {room} fail without a mutant: {end}")
        for room, mutant in left:
            result = copy.tried(room, mutant, reached)
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
