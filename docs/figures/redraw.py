"""Draw the figures of the documentation and of the README anew, from their tables or from new measurements.

Usage: python docs/figures/redraw.py [--measure]    (needs the extra `examples`; --measure also `benchmarks`)

``--measure`` first times everything again, on a quiet machine some half an hour.
The pictures of docs/gallery.md are drawn from gallery.csv, which `gallery.py --motions` fills.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
FIGURES = (
    *("regrouping", "layouts", "compile_time", "instruction_cache", "limbs", "batches", "call_times"),
    *("flexible_modes", "flexible_spin_up", "flexible_canadarm", "flexible_scaling", "gallery"),
)
MEASUREMENTS: tuple[tuple[str, ...], ...] = (
    ("layouts.py", "--csv", str(HERE / "layouts.csv")),
    ("limbs.py", "--csv", str(HERE / "limbs.csv")),
    ("batches.py", "--dtype", "float64", "float32", "--layouts", "auto", "--csv", str(HERE / "batches.csv")),
    ("denoc_counts.py", "--csv", str(HERE / "flexible_counts.csv")),
    ("flexible_scaling.py", "--csv", str(HERE / "flexible_scaling.csv")),
    ("papers.py", "--csv", str(HERE / "gallery_times.csv")),
)
TABLE = "call_times.txt"


def main() -> None:
    """Run the benchmarks, where asked, and every figure's script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="time everything again first")
    if parser.parse_args().measure:
        for script, *arguments in MEASUREMENTS:
            subprocess.run([sys.executable, str(BENCHMARKS / script), *arguments], check=True)
        command = [sys.executable, str(BENCHMARKS / "inverse_dynamics.py")]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        (HERE / TABLE).write_text("".join(f"{line.rstrip()}\n" for line in table.splitlines()), encoding="utf-8")
    for name in FIGURES:
        subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=True)


if __name__ == "__main__":
    main()
