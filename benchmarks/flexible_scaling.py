"""How the time of forward dynamics grows with the number of flexible links, and what the dense way takes.

usage: python benchmarks/flexible_scaling.py [--links N ...] [--dense N ...] [--csv FILE]

Links bend in two planes, two shapes in each, so that n links have 5 n coordinates. The dense peer is the mass matrix
and the bias of the same generated C, a Cholesky factorisation and two substitutions, compiled with the same flags, both
timed in turn. gcc adds the factorisation's sums in order; --reorder lets it do so in lanes.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from peers.flexible_chain import flexible_chain
from peers.measure import HEADER, HERE, OWN_FLAGS, Subject, compile_objects, link, time_subjects

import symdyn
from symdyn.errors import SymdynWarning
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest

Array = NDArray[np.float64]
MODES = 2
STATES = 16
LONG = 4
"""Links from which on the first one, which turns about a fixed axis and costs next to nothing, does not show."""


@dataclass(frozen=True)
class Row:
    """What was measured of one robot, in ns; ``dense_ns`` is 0 where that was not asked."""

    links: int
    ns: float
    dense_ns: float
    difference: float


def states(robot: symdyn.Robot) -> Array:
    """Rows of q, v, tau."""
    rng = np.random.default_rng(1)
    small = np.array([0.02 if "[" in name else 1.0 for name in robot.velocity_names])
    q, v, tau = rng.uniform(-1, 1, (3, STATES, robot.nv))
    return np.hstack([q * small, v * small, tau])


def generated(robot: symdyn.Robot, functions: list[str], folder: Path) -> tuple[list[Path], dict[str, FunctionEntry]]:
    """Objects of some functions, and what their manifest says of each."""
    out = folder / "_".join(functions)
    symdyn.generate(robot, functions, out=out)
    manifest = Manifest.from_json((out / FILE_NAME).read_text())
    objects, _ = compile_objects("gcc", [out / source for source in manifest.sources], OWN_FLAGS)
    return objects, {name: manifest.function(name) for name in functions}


def call(entry: FunctionEntry, given: str, work: str) -> str:
    """A call with these arguments."""
    return f"{entry.c_name}({given}, {work})"


def recursive(robot: symdyn.Robot, folder: Path) -> Subject:
    """Forward dynamics as symdyn generates it."""
    objects, entries = generated(robot, ["forward_dynamics"], folder)
    entry = entries["forward_dynamics"]
    shim = (
        f"void {entry.c_name}(const double *, const double *, const double *, double *, double *);\n"
        f"static double work[{max(entry.work_size, 1)}];\n"
        "void subject(const double *q, const double *v, const double *u, double *out) {\n"
        f"    {call(entry, 'q, v, u, out', 'work')};\n}}\n"
    )
    program = link(folder, "recursive", objects, shim)
    return Subject("recursive", program, states(robot), robot.nq, robot.nv, robot.nv)


def dense(robot: symdyn.Robot, folder: Path, reorder: bool) -> Subject:
    """Mass matrix, bias and Cholesky."""
    objects, entries = generated(robot, ["mass_matrix", "bias"], folder)
    mass, bias = entries["mass_matrix"], entries["bias"]
    source = folder / "dense_solve.c"
    source.write_text(
        f"void {mass.c_name}(const double *, double *, double *);\n"
        f"void {bias.c_name}(const double *, const double *, double *, double *);\n"
        f"static double work[{max(mass.work_size, bias.work_size, 1)}];\n"
        f"#define DENSE_N {robot.nv}\n"
        f"#define DENSE_MASS_MATRIX(q, out) {call(mass, 'q, out', 'work')}\n"
        f"#define DENSE_BIAS(q, v, out) {call(bias, 'q, v, out', 'work')}\n"
        + (HERE / "dense_solve.c").read_text(encoding="utf-8")
    )
    own, _ = compile_objects("gcc", [source], ["-std=c99", *(["-fassociative-math", "-fno-signed-zeros"] * reorder)])
    program = link(folder, "dense", [*own, *objects], "")
    return Subject("dense", program, states(robot), robot.nq, robot.nv, robot.nv)


def measured(links: int, with_dense: bool, reorder: bool) -> Row:
    """One robot."""
    robot = symdyn.from_description(flexible_chain(links, MODES))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        subjects = [recursive(robot, folder)]
        if with_dense:
            subjects.append(dense(robot, folder, reorder))
        time_subjects(subjects, folder)
    ours = subjects[0].results
    assert ours is not None
    if not with_dense:
        return Row(links, subjects[0].nanoseconds, 0.0, 0.0)
    other = subjects[1].results
    assert other is not None
    apart = np.abs(ours - other).max() / np.abs(ours).max()
    return Row(links, subjects[0].nanoseconds, subjects[1].nanoseconds, float(apart))


def main() -> int:
    """Measure and print one row per robot, then the fit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--links", nargs="+", type=int, default=(1, 2, 4, 8, 16, 32, 64), metavar="N")
    parser.add_argument("--dense", nargs="+", type=int, default=(1, 2, 4, 8, 16), metavar="N")
    parser.add_argument("--reorder", action="store_true", help="let gcc reorder the sums of the factorisation")
    parser.add_argument("--csv", type=Path, help="write the table there as well")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", SymdynWarning)
    print(f"forward dynamics, {MODES} shapes in each of two planes; {HEADER}; ns of thread CPU time")
    print(f"{'n':>3}{'nv':>5}{'recursive':>12}{'per link':>10}{'dense':>12}{'ratio':>8}{'apart':>10}")
    rows = []
    for links in asked.links:
        row = measured(links, links in asked.dense, asked.reorder)
        rows.append(row)
        beside = f"{row.dense_ns:12.0f}{row.dense_ns / row.ns:8.1f}{row.difference:10.1e}" if row.dense_ns else ""
        print(f"{links:3}{links * (1 + 2 * MODES):5}{row.ns:12.0f}{row.ns / links:10.0f}{beside}", flush=True)
    if len(rows) > 2:
        n, ns = (np.array(values, dtype=float) for values in zip(*((row.links, row.ns) for row in rows), strict=True))
        # Relative misses count: the shortest chain weighs as much as the longest.
        slope, offset = np.polyfit(n, ns, 1, w=1 / ns)
        worst = np.abs((offset + slope * n) / ns - 1).max()
        print(f"fit: {offset:.0f} ns + {slope:.0f} ns per link, off by {100 * worst:.0f} % at most", end="")
        long = n >= LONG
        if long.sum() > 1:
            power = np.polyfit(np.log(n[long]), np.log(ns[long]), 1)[0]
            print(f"; from n = {LONG} on it grows as n^{power:.2f}", end="")
        print()
    if asked.csv is not None:
        with asked.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("links", "ns", "dense_ns"))
            writer.writerows((row.links, f"{row.ns:.1f}", f"{row.dense_ns:.1f}") for row in rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
