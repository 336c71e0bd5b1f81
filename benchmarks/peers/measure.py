"""A subject (a function behind the harness' interface), its compilation, and the timing of several, turn by turn."""

from __future__ import annotations

import resource
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symdyn.compiler.emit.timing import call_harness
from symdyn.toolchain.timing import BatchTimer, in_turn

HERE = Path(__file__).resolve().parent
FLAGS = ["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
OWN_FLAGS = ["-std=c99", "-ffp-contract=off", "-fno-tree-slp-vectorize"]
"""What symdyn's own C takes beside them: its fused multiply-adds and its vectors are spelled."""
HEADER = f"gcc {' '.join(FLAGS)}; symdyn's own C takes {' '.join(OWN_FLAGS)} besides"

ROUNDS, BATCHES = 5, 31
LEAST_CALLS = 64
TIMING = call_harness(
    "extern size_t subject_nq, subject_nv;\n"
    "void subject(const double *q, const double *v, const double *u, double *out);",
    "(void)work; subject(x, x + subject_nq, x + subject_nq + subject_nv, out);",
    "(subject_nq + 2 * subject_nv)",
)
"""The timed loop, which every program shares with the harness of generated code; harness.c reads and writes files."""


@dataclass(slots=True)
class Subject:
    """An executable to time, with what is known of its code.

    ``states`` holds rows of q, v, u; ``outputs`` counts the doubles of a result; seconds are of processor time.
    """

    name: str
    program: Path
    states: NDArray[np.float64]
    nq: int
    nv: int
    outputs: int
    arguments: tuple[str, ...] = ()
    operations: int | None = None
    text_bytes: int | None = None
    generation_s: float | None = None
    compile_s: float | None = None
    runs: list[float] = field(default_factory=list)
    results: NDArray[np.float64] | None = None

    @property
    def nanoseconds(self) -> float:
        """Median over the rounds of the median batch."""
        return statistics.median(self.runs)


def compile_objects(
    compiler: str, sources: Sequence[Path], flags: Sequence[str], limit_s: int | None = None
) -> tuple[list[Path], float]:
    """Object files beside their sources, and the seconds of processor time that took.

    Raises
    ------
    subprocess.TimeoutExpired
        A source takes more than ``limit_s`` of processor time.
    """
    before, objects = children_seconds(), []
    for source in sources:
        made, began = source.with_suffix(".o"), children_seconds()
        command = [compiler, *FLAGS, *flags, "-c", str(source), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: _limit_processor(limit_s))
        if done.returncode:
            # The kernel's own count ends the compiler some hundredths of a second before ours reaches the limit.
            if limit_s is not None and children_seconds() - began >= 0.99 * limit_s:
                raise subprocess.TimeoutExpired(command, limit_s)
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        objects.append(made)
    return objects, children_seconds() - before


def _limit_processor(seconds: int | None) -> None:
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def children_seconds() -> float:
    """Processor time of all finished child processes so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def text_bytes(objects: Sequence[Path]) -> int:
    """Bytes of code and constants."""
    listed = subprocess.run(["size", *map(str, objects)], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[0]) for line in listed.splitlines()[1:])


def link(folder: Path, name: str, objects: Sequence[Path], shim: str) -> Path:
    """The harness, a shim that defines ``subject``, and the objects that it calls, as one program."""
    source, program = folder / f"{name}_shim.c", folder / name
    unused = (
        "int prepare(int count, char **arguments) { (void)count; (void)arguments; return 0; }\n"
        "void collect(double *out) { (void)out; }\n"
    )
    source.write_text(shim + unused)
    timing = folder / TIMING.path
    timing.write_text(TIMING.text)
    sources = [str(path) for path in (HERE / "harness.c", timing, source)]
    subprocess.run(["gcc", *FLAGS, *sources, *map(str, objects), "-o", str(program), "-lm"], check=True)
    return program


def time_subjects(subjects: Sequence[Subject], folder: Path, rounds: int = ROUNDS) -> None:
    """Fill in ``runs`` and ``results``: every round times each subject once, on one processor core."""
    timers = [BatchTimer(partial(run_subject, subject, folder), LEAST_CALLS) for subject in subjects]
    for subject, runs in zip(subjects, in_turn(timers, rounds), strict=True):
        subject.runs += runs


def run_subject(subject: Subject, folder: Path, calls: int, batches: int) -> list[float]:
    """Nanoseconds per call of every batch."""
    states, results = folder / "states.bin", folder / "results.bin"
    subject.states.tofile(states)
    command = [str(subject.program), str(states), str(results), str(subject.nq), str(subject.nv)]
    command += [str(subject.outputs), str(batches), str(calls), *subject.arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    subject.results = np.fromfile(results).reshape(-1, subject.outputs)
    return [float(line) for line in done.stdout.split()]
