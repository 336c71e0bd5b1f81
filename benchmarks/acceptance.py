"""Every figure that symdyn set out to reach, measured here, beside its bound: met or MISSED.

usage: python benchmarks/acceptance.py [section ...]

Runs the benchmarks that have targets (benchmarks/peers/targets.py), each in a process of its own: some ten minutes on a
quiet machine, and four more where Pinocchio's templates have to be compiled first.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "operations": (("operations.py",),),
    "calls": (
        (
            "dynamics.py",
            "panda7",
            *("--function", "inverse_dynamics", "forward_dynamics", "mass_matrix"),
            *("--peer", "CasADi C", "Pinocchio C++"),
        ),
        (
            "dynamics.py",
            "talos_reduced",
            *("--function", "inverse_dynamics", "forward_dynamics"),
            *("--peer", "CasADi C", "Pinocchio C++"),
        ),
        (
            "dynamics.py",
            "talos_reduced",
            *("--function", "inverse_dynamics_partials", "forward_dynamics_partials"),
            *("--layout", "split", "rolled", "split-lanes", "rolled-lanes"),
            *("--peer", "Pinocchio C++"),
        ),
    ),
    "batches": (("batches.py", "seven_dof_arm"),),
    "time_derivatives": (
        ("time_derivatives.py", "--orders", "0", "3", "5", "--bodies"),
        ("time_derivatives.py", "--function", "forward_dynamics", "--orders", "0", "3", "5", "--bodies"),
    ),
    "tree": (("time_derivatives.py", "--orders", "--bodies", "101", "--tree-orders", "0", "3", "5", "8"),),
    "generation": (("generation_time.py", "--whole"),),
    "rods": (("soft_rods.py",),),
}


def main() -> int:
    """Run the sections; fails where a benchmark fails, not where a bound is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sections", nargs="*", metavar="section", help=f"among {', '.join(SECTIONS)}; default all")
    asked = parser.parse_args()
    unknown = [name for name in asked.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section {unknown[0]}; choose among {', '.join(SECTIONS)}")
    compiler = subprocess.run(["gcc", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{_processor()}; {compiler}; Python {platform.python_version()}; load {os.getloadavg()[0]:.1f}", flush=True)
    for name in asked.sections or SECTIONS:
        for script, *arguments in SECTIONS[name]:
            print(f"\n== {name}: {' '.join((script, *arguments))}", flush=True)
            subprocess.run([sys.executable, str(HERE / script), *arguments], check=True)
    return 0


def _processor() -> str:
    """The processor's name, its cores that may be used, and its widest vectors."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    known = dict(line.split(":", 1) for line in lines if ":" in line)
    fields = {key.strip(): value.strip() for key, value in known.items()}
    features = fields.get("flags", fields.get("Features", "")).split()
    vectors = next((name for name in ("avx512f", "avx2", "sse2", "asimd") if name in features), "no vectors known")
    name = fields.get("model name", platform.machine())
    return f"{name}, family {fields.get('cpu family', '?')} model {fields.get('model', '?')}, {vectors}"


if __name__ == "__main__":
    raise SystemExit(main())
