"""Instructions of one call on emulated Cortex-M4 and Cortex-M7 cores, in float32, with the bytes of its machine code.

Usage: python benchmarks/cortex_calls.py [--level O2 ...] [--dtype float32]

It needs arm-none-eabi-gcc with newlib, and qemu-system-arm; the quadruped go2 is of example-robot-data. An emulator
counts instructions and not cycles. Counts are means over states, of angles between -1 and 1 rad, less those of a call
that does nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peers.robots import data_file

import symdyn
from symdyn.interface.manifest import FILE_NAME, FunctionEntry, Manifest

CROSS, MAIN = Path(__file__).parents[1] / "tests" / "cross", Path(__file__).parent / "peers" / "cortex_calls.c"
CORES = {
    "cortex-m4": (["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"], "mps2-an386"),
    "cortex-m7": (["-mcpu=cortex-m7", "-mfpu=fpv5-d16"], "mps2-an500"),
}
CALLS = (
    ("seven_dof_arm", "inverse_dynamics"),
    ("seven_dof_arm", "forward_dynamics"),
    ("go2", "inverse_dynamics"),
)
STATES = 50
QUIET = ["-display", "none", "-monitor", "none", "-serial", "none"]
EMULATOR = ["-icount", "shift=0", *QUIET, "-semihosting", "-kernel", "program"]


def main() -> None:
    """Print a row per core, robot, function and level."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", nargs="+", default=["O3", "O2", "Os"])
    parser.add_argument("--dtype", default="float32", choices=("float32", "float64"))
    options = parser.parse_args()
    print(
        f"{'robot':15}{'function':18}{'operations':>11}{'core':>11}{'level':>7}{'instructions':>14}{'bytes':>8}", end=""
    )
    print("  of libraries")
    for name, function in CALLS:
        robot = symdyn.load_example(name) if name in symdyn.examples() else quadruped(name)
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            symdyn.generate(robot, [function], out=folder, dtype=options.dtype, cpu="cortex-m7", name="robot")
            entry = Manifest.from_json((folder / FILE_NAME).read_text(encoding="utf-8")).functions[0]
            write_states(folder / "states.h", robot, entry, np.dtype(options.dtype))
            for core in CORES:
                for level in options.level:
                    count, size, taken = measured(folder, entry, core, level)
                    print(
                        f"{name:15}{function:18}{entry.operations:11}{core:>11}{level:>7}{count:14.0f}{size:8}", end=""
                    )
                    print("  " + " ".join(taken), flush=True)


def quadruped(name: str) -> Any:
    """A legged robot of example-robot-data."""
    return symdyn.load(data_file(f"{name}_description/urdf/{name}.urdf"), floating_base=True)


def write_states(path: Path, robot: Any, entry: FunctionEntry, dtype: np.dtype[Any]) -> None:
    """The program's header: the function's call, and random states."""
    rng = np.random.default_rng(3)
    drawn = [[rng.uniform(-1.0, 1.0, argument.size) for argument in entry.signature.inputs] for _ in range(STATES)]
    if robot.nq != robot.nv:
        for q, *_ in drawn:
            q[3:7] /= np.linalg.norm(q[3:7])
    row = np.array([np.concatenate(state) for state in drawn]).astype(dtype)
    starts = np.cumsum([0, *(argument.size for argument in entry.signature.inputs)])
    given = ", ".join(f"x + {start}" for start in starts[:-1])
    scalar, ending = ("float", "f") if dtype == np.float32 else ("double", "")
    numbers = ",\n".join(f"{value:#.9g}{ending}" for value in row.ravel().tolist())
    (output,) = entry.signature.outputs
    lines = [
        f"typedef {scalar} number;",
        f"enum {{ STATES = {STATES}, STRIDE = {starts[-1]}, RESULTS = {output.size}, WORK = {entry.work_size} + 16 }};",
        f"#define CALL(x) {entry.c_name}({given}, out, work)",
        f"static const number states[] = {{\n{numbers}}};",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(folder: Path, entry: FunctionEntry, core: str, level: str) -> tuple[float, int, list[str]]:
    """Instructions of a call, bytes of its object, and what it takes from libraries."""
    own, board = CORES[core]
    flags = ["-std=c99", f"-{level}", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-mthumb"]
    flags += ["-mfloat-abi=hard", *own]
    command = ["arm-none-eabi-gcc", *flags, f"-I{folder}"]
    subprocess.run([*command, "-c", f"{entry.c_name}.c", "-o", "own.o"], check=True, cwd=folder)
    link = ["-nostartfiles", "--specs=rdimon.specs", "-T", "cortex_m.ld", "-L", str(CROSS), "-lm", "-o", "program"]
    subprocess.run([*command, str(MAIN), str(CROSS / "startup.c"), "own.o", *link], check=True, cwd=folder)
    subprocess.run(["qemu-system-arm", "-M", board, *EMULATOR], check=True, cwd=folder, timeout=600)
    count = float((folder / "count.txt").read_text(encoding="utf-8"))
    size = _told(folder, "size", "own.o").splitlines()[1].split()[0]
    taken = [line.split()[-1] for line in _told(folder, "nm", "-u", "own.o").splitlines()]
    return count, int(size), taken


def _told(folder: Path, tool: str, *arguments: str) -> str:
    """What a tool of the cross compiler prints."""
    command = [f"arm-none-eabi-{tool}", *arguments]
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
