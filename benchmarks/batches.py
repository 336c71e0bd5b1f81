"""What a state costs in a batch of one block: as interleaved lanes, from contiguous states, and one call at a time.

usage: python benchmarks/batches.py [--dtype D ...] [--states N] [--functions F ...] [--layouts L ...] [--csv FILE]
                                    [robot ...]

Robots are shipped examples or URDF and YAML files. Ratios are to the single call of the same function, in one run.
``--dtype float64 float32 --layouts auto --csv docs/figures/batches.csv`` is what docs/figures/batches.py draws.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import os
import statistics
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.measure import FLAGS, OWN_FLAGS
from peers.targets import BATCH_WAYS

import symdyn
from symdyn.manifest import FILE_NAME, FunctionEntry, Manifest

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
LAYOUTS = ("unrolled", "split", "rolled")
WAYS = ("single", "batch", "batch_lanes")
ROUNDS = 41
CALLS_NS = 1e6
"""A round lasts about this long, so that reading the clock costs nothing that shows."""

_HARNESS = """
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include "{header}"
double time_way(int way, size_t calls, size_t n, {scalar} **a, {scalar} *work);
double time_way(int way, size_t calls, size_t n, {scalar} **a, {scalar} *work)
{{
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (size_t call = 0; call < calls; ++call) {{
    if (way == 0) for (size_t s = 0; s < n; ++s) {name}({single}, work);
    if (way == 1) {name}_batch(n, {all}, work);
    if (way == 2) {name}_batch_lanes(n, {all}, work);
  }}
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (1e9 * (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec)) / (double)(calls * n);
}}
"""


def main() -> int:
    """Measure and print; fails where the three ways disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["seven_dof_arm"])
    parser.add_argument("--dtype", nargs="+", default=["float64"], choices=("float64", "float32"))
    parser.add_argument("--states", type=int, default=0, help="states of a batch; one block unless given")
    parser.add_argument("--functions", nargs="+", default=FUNCTIONS)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the times there")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"gcc {' '.join([*FLAGS, *OWN_FLAGS])}; ns of thread CPU time per state, one core, median of {ROUNDS}")
    print(f"{'robot':20}{'function':18}{'layout':10}{'single':>9}{'batch':>9}{'lanes':>9}{'batch/single':>14}", end="")
    print(f"{'lanes/single':>14}")
    rows: list[tuple[str, ...]] = []
    for name, dtype in product(options.robots, options.dtype):
        print(dtype)
        robot = symdyn.load(Path(name)) if Path(name).suffix else symdyn.load_example(name)
        found: dict[str, list[dict[str, float]]] = {}
        for layout in options.layouts:
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                symdyn.generate(robot, options.functions, out=folder, layout=layout, dtype=dtype)
                manifest = Manifest.from_json((folder / FILE_NAME).read_text())
                for entry in manifest.functions:
                    times = _measure(folder, manifest, entry, options.states)
                    found.setdefault(entry.python_name, []).append(times)
                    ratios = [times[way] / times["single"] for way in WAYS[1:]]
                    row = "".join(f"{times[way]:9.1f}" for way in WAYS) + "".join(f"{ratio:14.2f}" for ratio in ratios)
                    print(f"{name[-19:]:20}{entry.python_name:18}{layout:10}{row}", flush=True)
                    rows.append((name, entry.python_name, dtype, layout, *(f"{times[way]:.2f}" for way in WAYS)))
        aimed = name == "seven_dof_arm" and dtype == "float64" and not options.states
        for function, by_layout in found.items() if aimed else ():
            print(f"{name:20}{function:18}{_verdicts(by_layout)}")
    if options.csv is not None:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("robot", "function", "dtype", "layout", *WAYS), *rows])
    return 0


def _verdicts(by_layout: list[dict[str, float]]) -> str:
    """The fastest batch of any layout beside the fastest single call of any layout."""
    best = {way: min(times[way] for times in by_layout) for way in WAYS}
    return "; ".join(target.verdict(best[way] / best["single"], f"{way} ") for way, target in BATCH_WAYS.items())


def _measure(folder: Path, manifest: Manifest, entry: FunctionEntry, states: int) -> dict[str, float]:
    """Nanoseconds per state by way."""
    library = _library(folder, manifest, entry)
    library.time_way.restype = ctypes.c_double
    lanes = 64 // np.dtype(manifest.dtype).itemsize
    count = states or lanes
    contiguous, blocks = _arguments(entry, manifest.dtype, count, lanes)
    work = np.zeros(max(entry.batch_work_size, entry.work_size, 1), manifest.dtype)

    def run(way: int, calls: int) -> float:
        arrays = blocks if way == 2 else contiguous
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        place = ctypes.c_void_p(work.ctypes.data)
        return float(library.time_way(way, ctypes.c_size_t(calls), ctypes.c_size_t(count), pointers, place))

    calls = max(1, int(CALLS_NS / max(run(0, 10) * count, 1.0)))
    runs: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS):  # turn by turn, so that a slow moment of the machine slows all alike
        for number, way in enumerate(WAYS):
            runs[way].append(run(number, calls))
    _check(entry, contiguous, blocks, run, count, lanes)
    return {way: statistics.median(found) for way, found in runs.items()}


def _library(folder: Path, manifest: Manifest, entry: FunctionEntry) -> ctypes.CDLL:
    names = [f"a[{index}]" for index in range(len(entry.signature.inputs) + len(entry.signature.outputs))]
    sizes = [argument.size for argument in (*entry.signature.inputs, *entry.signature.outputs)]
    text = _HARNESS.format(
        header=manifest.header,
        scalar={"float64": "double", "float32": "float"}[manifest.dtype],
        name=entry.c_name,
        all=", ".join(names),
        single=", ".join(f"{name} + {size} * s" for name, size in zip(names, sizes, strict=True)),
    )
    (folder / "time_way.c").write_text(text)
    sources = ["time_way.c", f"{entry.c_name}.c", f"{entry.c_name}_lanes.c"]
    target = folder / f"{entry.c_name}.so"
    command = ["gcc", *FLAGS, *OWN_FLAGS, "-DSYMDYN_LANES", "-fPIC", "-shared", *sources, "-o", str(target), "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(target))


def _arguments(
    entry: FunctionEntry, dtype: str, count: int, lanes: int
) -> tuple[list[NDArray[np.floating]], list[NDArray[np.floating]]]:
    """Inputs and outputs, contiguous and in blocks."""
    rng = np.random.default_rng(3)
    contiguous = [rng.uniform(-1.0, 1.0, (count, argument.size)).astype(dtype) for argument in entry.signature.inputs]
    padded = count + -count % lanes
    blocks = [_interleaved(array, padded, lanes) for array in contiguous]
    contiguous += [np.zeros((count, argument.size), dtype) for argument in entry.signature.outputs]
    blocks += [np.zeros((padded, argument.size), dtype) for argument in entry.signature.outputs]
    return contiguous, blocks


def _interleaved(array: NDArray[np.floating], padded: int, lanes: int) -> NDArray[np.floating]:
    full = np.concatenate([array, np.repeat(array[-1:], padded - len(array), axis=0)])
    return np.ascontiguousarray(full.reshape(-1, lanes, array.shape[1]).transpose(0, 2, 1))


def _check(
    entry: FunctionEntry,
    contiguous: list[NDArray[np.floating]],
    blocks: list[NDArray[np.floating]],
    run: Callable[[int, int], float],
    count: int,
    lanes: int,
) -> None:
    """The three ways give the same, to rounding."""
    first = len(entry.signature.inputs)
    run(0, 1)
    single = [array.copy() for array in contiguous[first:]]
    run(1, 1)
    run(2, 1)
    tolerance = 1e4 * np.finfo(single[0].dtype).eps
    for number, reference in enumerate(single):
        found = blocks[first + number].reshape(-1, reference.shape[1], lanes).transpose(0, 2, 1)
        for array in (contiguous[first + number], found.reshape(-1, reference.shape[1])[:count]):
            error = np.linalg.norm(array - reference) / np.linalg.norm(reference)
            assert error <= tolerance, (entry.python_name, error)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
