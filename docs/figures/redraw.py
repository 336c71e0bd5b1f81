"""Draw the figures of the documentation and of the README anew, from their tables or from new measurements.

Usage: python docs/figures/redraw.py [NAME ...] [--measure | --short] [--out FOLDER]
       python docs/figures/redraw.py --print FOLDER [NAME ...]
(needs the extra `examples`; to measure, also `peers` and what docs/benchmarks.md names)

Without names all are taken. ``--measure`` first times everything again: some fifty minutes on a quiet machine, most of
them for ``compare_inverse_dynamics`` and ``scaling``. ``--short`` tries every script at its smallest settings, in a
folder of its own. ``--print`` runs the scripts behind the tables of docs/benchmarks.md and keeps what they print, each
in <name>.txt, for whoever copies the numbers. Every step says what it took. The pictures of docs/gallery.md are drawn
from gallery.csv, which `gallery.py --motions` fills.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]


@dataclass(frozen=True)
class Table:
    """A table that figures are drawn from: what measures it, and less of the same."""

    name: str
    command: tuple[str, ...]
    full: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    printed: bool = False

    @property
    def file(self) -> str:
        """Its name; what a script prints is text as it is."""
        return f"{self.name}.{'txt' if self.printed else 'csv'}"


_COMPARE = (str(Path(sys.executable).with_name("symdyn")), "compare")
TABLES = (
    Table("call_times", ("benchmarks/inverse_dynamics.py",), (), ("ur5",), printed=True),
    Table("layouts", ("benchmarks/layouts.py",), (), ("--bodies", "6", "11")),
    Table("limbs", ("benchmarks/limbs.py",), (), ("aerial_manipulator",)),
    Table(
        "batches",
        ("benchmarks/batches.py", "--dtype", "float64", "float32", "--layouts", "auto"),
        (),
        ("--functions", "mass_matrix", "inverse_dynamics"),
    ),
    Table("flexible_counts", ("benchmarks/denoc_counts.py",), (), ("--links", "1", "2")),
    Table("flexible_scaling", ("benchmarks/flexible_scaling.py",), (), ("--links", "1", "2", "--dense", "1", "2")),
    Table("gallery_times", ("benchmarks/papers.py",), (), ("five_bar", "--seconds", "1")),
    Table("scaling", ("examples/scaling.py", "--out", os.devnull), ("--full",), ("--short",)),
    Table(
        "compare_inverse_dynamics",
        _COMPARE,
        ("aerial_manipulator", "--orders", "0:5"),
        ("double_pendulum", "--orders", "0:2", "--against", "casadi-plain,tape-ad"),
    ),
)
FIGURES = {
    "call_times": ("call_times",),
    "layouts": ("layouts",),
    "compile_time": ("layouts",),
    "instruction_cache": ("layouts",),
    "limbs": ("limbs",),
    "batches": ("batches",),
    "scaling": ("scaling",),
    "compare_inverse_dynamics": ("compare_inverse_dynamics",),
    "flexible_scaling": ("flexible_counts", "flexible_scaling"),
    "gallery": ("gallery_times",),
    "regrouping": (),
    "flexible_modes": (),
    "flexible_spin_up": (),
    "flexible_canadarm": (),
}
"""The tables that each figure is drawn from; those without compute what they show."""

PRINTED = (
    *("dynamics", "rolled_scaling", "python_call", "generation_time", "accuracy", "float32_accuracy"),
    *("time_derivatives", "operations", "pass_accuracy", "soft_rods", "closed_loops", "statics", "steppers"),
    *("generalised_alpha", "taylor_integrator", "energy_drift", "papers", "acceptance"),
)


def run(words: Sequence[str], out: Path, text: Path | None = None) -> bool:
    """Run one script and say what it took; a figure's folder is ``out``, and ``text`` takes what is printed."""
    begin = time.perf_counter()
    environment = os.environ | {"SYMDYN_FIGURES": str(out)}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    seconds = time.perf_counter() - begin
    # What a script printed before it failed took long to measure; an older table is worth more.
    if text is not None and (done.returncode == 0 or not text.exists()):
        text.write_text("".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines()), encoding="utf-8")
    what = "done" if done.returncode == 0 else f"FAILED with {done.returncode}"
    print(f"{' '.join(words)}: {what} in {seconds:.1f} s", flush=True)
    return done.returncode == 0


def measure(table: Table, out: Path, short: bool) -> bool:
    """Measure a table anew."""
    target = out / table.file
    asked = [*table.command, *(table.short if short else table.full)]
    return run(asked, out, target) if table.printed else run([*asked, "--csv", str(target)], out)


def commit() -> str:
    """The commit that is measured, and whether files differ from it."""
    with suppress(OSError):
        words = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
        found = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        return found.stdout.strip() or "unknown"
    return "unknown"


def main() -> int:
    """Run what was asked for; fails where a script does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="figures, or scripts with --print; all by default")
    parser.add_argument("--measure", action="store_true", help="time everything again first")
    parser.add_argument("--short", action="store_true", help="try every script, at its smallest settings")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="of tables and figures; this one by default")
    parser.add_argument("--print", type=Path, metavar="FOLDER", dest="printed", help="keep what benchmarks print")
    asked = parser.parse_args()
    known = PRINTED if asked.printed else tuple(FIGURES)
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"unknown name {unknown[0]}; there are {', '.join(known)}")
    names = asked.names or known
    print(f"commit {commit()}")
    if asked.printed:
        asked.printed.mkdir(parents=True, exist_ok=True)
        texts = {name: asked.printed.resolve() / f"{name}.txt" for name in names}
        good = [run([f"benchmarks/{name}.py"], HERE, text) for name, text in texts.items()]
        return int(not all(good))
    with tempfile.TemporaryDirectory() as scratch:
        out = (asked.out or (Path(scratch) if asked.short else HERE)).resolve()
        out.mkdir(parents=True, exist_ok=True)
        needed = {table for name in names for table in FIGURES[name]}
        good = [
            measure(table, out, asked.short)
            for table in TABLES
            if table.name in needed and (asked.measure or asked.short)
        ]
        good += [run([f"docs/figures/{name}.py"], out) for name in names]
    return int(not all(good))


if __name__ == "__main__":
    raise SystemExit(main())
