"""Optimal control on an emulated Cortex-M7: instructions per sample, stack, flash and workspace, in float32.

Usage: python benchmarks/cortex_m7_mpc.py [--steps 15]

The arm with seven joints brings its tool to a point within torques, in 15 steps of 40 ms. It needs arm-none-eabi-gcc
with newlib, and qemu-system-arm. An emulator counts instructions and not cycles.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import symdyn

CROSS, PROGRAMS = Path(__file__).parents[1] / "tests" / "cross", Path(__file__).parent / "peers"
EFFORT = [30.0, 50.0, 20.0, 26.0, 4.0, 4.0, 2.0]
START, GOAL = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7], [0.5, 0.0, -0.3, -1.5, 0.3, 1.8, 0.3]
MACHINE = ["-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-d16"]
BOARD = ["qemu-system-arm", "-M", "mps2-an500", "-icount", "shift=0", "-display", "none", "-monitor", "none"]


def main() -> None:
    """Print what is counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=15)
    steps = parser.parse_args().steps
    costs = [
        symdyn.FramePosition("tool", weight=10.0, end=100.0),
        symdyn.StateCost(q="start", v=0.0, weights={"q": 0.01, "v": 0.1}, end={"q": 0.01, "v": 1.0}),
        symdyn.InputCost(reference="gravity", weight=1e-4),
    ]
    problem = symdyn.OptimalControlProblem(
        costs=costs, limits=symdyn.Limits(effort=EFFORT), horizon=symdyn.Horizon(steps, 0.04), start={"q": START}
    )
    robot = symdyn.load_example("seven_dof_arm").with_control(problem)
    python = symdyn.compile(robot, ["forward_kinematics"], frames=["tool"], target="python")
    goal = python.forward_kinematics(np.array(GOAL))[0, :3, 3]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = symdyn.generate(
            robot, ["gravity", "step"], solvers=["mpc"], name="arm", dtype="float32", out=folder / "c"
        )
        sources = [str(own) for own in sorted(Path(out).glob("*.c")) if "lanes" not in own.name]
        given = {"GOAL": goal, "EFFORT": np.array(EFFORT)}
        numbers = [",".join(f"{x:#.9g}f" for x in map(float, row)) for row in given.values()]
        defined = [f"-D{own}={{{row}}}" for own, row in zip(given, numbers, strict=True)]
        for level in ("-O2", "-O3", "-Os"):
            flags = ["-std=c99", level, "-ffp-contract=off", "-ffunction-sections", "-Wl,--gc-sections", *defined]
            link = ["-nostartfiles", "--specs=rdimon.specs", "-T", "cortex_m.ld", "-L", str(CROSS), "-lm"]
            main_ = [str(PROGRAMS / "cortex_m7_mpc.c"), str(CROSS / "startup.c")]
            command = ["arm-none-eabi-gcc", *flags, *MACHINE, f"-I{out}", *main_, *sources, *link, "-o", "program"]
            subprocess.run(command, check=True, cwd=folder)
            board = [*BOARD, "-serial", "none", "-semihosting", "-kernel", "program"]
            subprocess.run(board, check=True, cwd=folder, timeout=600)
            objects = ["arm-none-eabi-gcc", *flags[:3], *MACHINE, "-c", *sources]
            subprocess.run(objects, check=True, cwd=folder)
            files = [str(own.name) for own in sorted(folder.glob("arm_*.o"))]
            shown = subprocess.run(
                ["arm-none-eabi-size", *files], check=True, cwd=folder, capture_output=True, text=True
            )
            rows = [line.split() for line in shown.stdout.splitlines()[1:]]
            text = {row[5]: int(row[0]) for row in rows}
            found = (folder / "numbers.txt").read_text().split()
            names = ("plan_code", "iterations", "cost", "mean", "prepare", "least", "worst", "factors", "factors_most")
            names += ("done", "qp_iterations", "beyond", "stack", "stack_before")
            print(level, dict(zip(names, found, strict=True)), "flash", sum(text.values()), text, flush=True)
        header = (Path(out) / "arm.h").read_text()
        print(next(line for line in header.splitlines() if "MPC_WORK" in line))


if __name__ == "__main__":
    main()
