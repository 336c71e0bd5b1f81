"""What a state costs in a batch of one block: as interleaved lanes, from contiguous states, and one call at a time.

usage: python benchmarks/batches.py [--dtype D ...] [--states N] [--functions F ...] [--layouts L ...] [--csv FILE]
                                    [robot ...]

Robots are shipped examples or URDF and YAML files. Ratios are to the single call of the same function, in one run.
For URDF files ``--floating`` frees the base. With ``--states 256 --dtype float32``, lines quote what GRiD's authors
have published of such a robot (peers/published.py: another machine, a GPU, without transfers), and from how many states
per call on their GPU takes less time. ``--plot FILE`` draws both over states, with all cores as if each were as fast.
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
from collections.abc import Mapping, Sequence
from itertools import accumulate, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.measure import FLAGS, OWN_FLAGS, compile_objects
from peers.published import crossover, grid_microseconds
from peers.targets import BATCH_WAYS

import symdyn
from symdyn.compiler.emit.timing import call_harness
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest
from symdyn.toolchain.timing import TimedCode, in_turn

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
LAYOUTS = ("unrolled", "split", "rolled")
WAYS = ("single", "batch", "batch_lanes")
_BUILT = [*OWN_FLAGS, "-DSYMDYN_LANES", "-fPIC"]

Array = NDArray[np.floating]
ROUNDS = 41


def main() -> int:
    """Measure and print; fails where the three ways disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", nargs="*", default=["seven_dof_arm"])
    parser.add_argument("--dtype", nargs="+", default=["float64"], choices=("float64", "float32"))
    parser.add_argument("--states", type=int, default=0, help="states of a batch; one block unless given")
    parser.add_argument("--functions", nargs="+", default=FUNCTIONS)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS)
    parser.add_argument("--floating", action="store_true", help="free the base of URDF files")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw times beside those of GRiD")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the times there")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"gcc {' '.join([*FLAGS, *OWN_FLAGS])}; ns of thread CPU time per state, one core, median of {ROUNDS}")
    print(f"{'robot':20}{'function':18}{'layout':10}{'single':>9}{'batch':>9}{'lanes':>9}{'batch/single':>14}", end="")
    print(f"{'lanes/single':>14}")
    rows: list[tuple[str, ...]] = []
    quoted: list[tuple[str, str, float]] = []
    for name, dtype in product(options.robots, options.dtype):
        print(dtype)
        floating = True if options.floating else None
        robot = symdyn.load(Path(name), floating_base=floating) if Path(name).suffix else symdyn.load_example(name)
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
                    if dtype == "float32" and options.states:
                        _quote(name, entry.python_name, times, options.states)
                        quoted.append((name, entry.python_name, times["batch"] / 1e3))
                    rows.append((name, entry.python_name, dtype, layout, *(f"{times[way]:.2f}" for way in WAYS)))
        aimed = name == "seven_dof_arm" and dtype == "float64" and not options.states
        for function, by_layout in found.items() if aimed else ():
            print(f"{name:20}{function:18}{_verdicts(by_layout)}")
    if options.plot is not None:
        _draw(quoted, options.plot)
    if options.csv is not None:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([("robot", "function", "dtype", "layout", *WAYS), *rows])
    return 0


def _quote(name: str, function: str, times: Mapping[str, float], states: int) -> None:
    """Our states per second over those that GRiD's authors have published for such a robot, if any."""
    found = grid_microseconds(Path(name).stem, function)
    if found is None:
        return
    robot, published = found
    if states in published:
        theirs = 1e3 * published[states] / states
        ratios = ", ".join(f"{way} {theirs / times[way]:.2f}" for way in WAYS[1:])
        print(f"  GRiD published {theirs:.0f} ns for {robot} (RTX 5090, compute only); states per second: {ratios}")
    ends = [
        f"{cores} core{'s' * (cores > 1)}: "
        + (f"{end:.0f}" if (end := crossover(times["batch"] / 1e3 / cores, published)) else f"over {max(published)}")
        for cores in dict.fromkeys((1, os.cpu_count() or 1))
    ]
    print(f"  states per call from which on their GPU takes less time than _batch, by {'; '.join(ends)}")


def _draw(quoted: Sequence[tuple[str, str, float]], path: Path) -> None:
    """Microseconds per call over states, a panel for each function with published times."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    known = [
        (f"{Path(name).stem}, {function}", time, found)
        for name, function, time in quoted
        if (found := grid_microseconds(Path(name).stem, function)) is not None
    ]
    if not known:
        raise SystemExit("nothing to draw: no robot and function with published times, or not float32 with --states")
    figure, panels = pyplot.subplots(1, len(known), figsize=(4.0 * len(known), 3.4), squeeze=False)
    for panel, (title, time, (robot, published)) in zip(panels[0], known, strict=True):
        states = list(published)
        panel.loglog(states, list(published.values()), "s-", label=f"GRiD, {robot}, RTX 5090 (published)")
        for cores, style in dict.fromkeys(((1, "-"), (os.cpu_count() or 1, "--"))):
            panel.loglog(
                states,
                [time * count / cores for count in states],
                style,
                label=f"symdyn, {cores} core{'s' * (cores > 1)}",
            )
            end = crossover(time / cores, published)
            if end is not None:
                panel.plot([end], [time * end / cores], "o", color="black")
        panel.set(title=title, xlabel="states per call", ylabel="us per call")
        panel.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def _verdicts(by_layout: list[dict[str, float]]) -> str:
    """The fastest batch of any layout beside the fastest single call of any layout."""
    best = {way: min(times[way] for times in by_layout) for way in WAYS}
    return "; ".join(target.verdict(best[way] / best["single"], f"{way} ") for way, target in BATCH_WAYS.items())


def _measure(folder: Path, manifest: Manifest, entry: FunctionEntry, states: int) -> dict[str, float]:
    """Nanoseconds per state by way."""
    lanes = 64 // np.dtype(manifest.dtype).itemsize
    count = states or lanes
    contiguous, blocks = _arguments(entry, manifest.dtype, count, lanes)
    objects, _ = compile_objects("gcc", [folder / source for source in _sources(entry)], _BUILT)
    timed = {
        way: _timed(folder, manifest, entry, way, count, blocks if way == "batch_lanes" else contiguous, objects)
        for way in WAYS
    }
    runs = in_turn(list(timed.values()), ROUNDS, batches=1)
    _check(entry, timed, count, lanes)
    return {way: statistics.median(found) / count for way, found in zip(WAYS, runs, strict=True)}


def _sources(entry: FunctionEntry) -> list[str]:
    return [f"{entry.c_name}.c", f"{entry.c_name}_lanes.c"]


def _timed(
    folder: Path,
    manifest: Manifest,
    entry: FunctionEntry,
    way: str,
    count: int,
    inputs: list[Array],
    objects: list[Path],
) -> TimedCode:
    """One way to the results of so many states, which count as one call."""
    rows = len(inputs[0])  # with those that fill the last block
    sizes = [argument.size for argument in entry.signature.inputs]
    outputs = [argument.size for argument in entry.signature.outputs]
    names = [f"x + {rows * begin}" for begin in accumulate(sizes[:-1], initial=0)]
    names += [f"out + {rows * begin}" for begin in accumulate(outputs[:-1], initial=0)]
    if way == "single":
        each = ", ".join(f"{name} + {size} * s" for name, size in zip(names, sizes + outputs, strict=True))
        call = f"for (size_t s = 0; s < {count}; ++s) {entry.c_name}({each}, work);"
    else:
        call = f"{entry.c_name}_{way}({count}, {', '.join(names)}, work);"
    scalar = {"float64": "double", "float32": "float"}[manifest.dtype]
    (folder / f"{way}.c").write_text(call_harness(f'#include "{manifest.header}"', call, 0, scalar).text)
    target = folder / f"{entry.c_name}_{way}.so"
    command = ["gcc", *FLAGS, *_BUILT, "-shared", f"{way}.c", *map(str, objects), "-o", str(target), "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    work = max(entry.batch_work_size, entry.work_size, 1)
    states = np.concatenate([array.ravel() for array in inputs])[None]
    return TimedCode(ctypes.CDLL(str(target)), states, rows * sum(outputs), work)


def _arguments(entry: FunctionEntry, dtype: str, count: int, lanes: int) -> tuple[list[Array], list[Array]]:
    """Inputs, contiguous and in blocks."""
    rng = np.random.default_rng(3)
    contiguous = [rng.uniform(-1.0, 1.0, (count, argument.size)).astype(dtype) for argument in entry.signature.inputs]
    padded = count + -count % lanes
    return contiguous, [_interleaved(array, padded, lanes) for array in contiguous]


def _interleaved(array: Array, padded: int, lanes: int) -> Array:
    full = np.concatenate([array, np.repeat(array[-1:], padded - len(array), axis=0)])
    turned = np.ascontiguousarray(full.reshape(-1, lanes, array.shape[1]).transpose(0, 2, 1))
    return turned.reshape(padded, array.shape[1])


def _check(entry: FunctionEntry, timed: Mapping[str, TimedCode], count: int, lanes: int) -> None:
    """The three ways give the same, to rounding."""
    found = {way: code.outputs().ravel() for way, code in timed.items()}
    padded = count + -count % lanes
    tolerance = 1e4 * np.finfo(found["single"].dtype).eps
    for place, output in enumerate(entry.signature.outputs):
        size, before = output.size, sum(other.size for other in entry.signature.outputs[:place])
        reference, batch = (found[way][count * before :][: count * size] for way in ("single", "batch"))
        blocks = found["batch_lanes"][padded * before :][: padded * size].reshape(-1, size, lanes)
        lane = blocks.transpose(0, 2, 1).reshape(-1, size)[:count].ravel()
        for array in (batch, lane):
            error = np.linalg.norm(array - reference) / np.linalg.norm(reference)
            assert error <= tolerance, (entry.python_name, error)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    raise SystemExit(main())
