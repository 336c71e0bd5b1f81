"""Rollouts of a soft arm with 24 coordinates on one core: 256 motions of 1 s by 10,000 explicit steps of fifth order.

Usage: python benchmarks/soft_rollouts.py [--rollouts 256] [--steps 10000]

The cable-driven arm swings freely from bent positions, without tensions. The method is that of Tsitouras (2011), six
evaluations of forward dynamics a step, with vectors over rollouts. The authors of SoRoMoX published 92 s for 256
rollouts of 1 s of a GVS rod with 24 coordinates, by the same method and step, on an RTX 5090.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import symdyn
from symdyn.toolchain.find_compiler import find_compiler

PROGRAM, STEP, PUBLISHED_S = Path(__file__).parent / "peers" / "soft_rollouts.c", 1e-4, 92.0


def main() -> None:
    """Print times of both number types, and how far the first motion is from that of a method with error control."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rollouts", type=int, default=256)
    parser.add_argument("--steps", type=int, default=10000)
    said = parser.parse_args()
    robot = symdyn.load_example("cable_manipulator")
    start = np.zeros(robot.nq)
    start[4] = 2.0
    motion = symdyn.simulate(robot, start, t=said.steps * STEP, method="radau", rtol=1e-10, atol=1e-12)
    wanted = np.concatenate([motion.q[-1], motion.v[-1]])
    for dtype, scalar in (("float64", "double"), ("float32", "float")):
        with tempfile.TemporaryDirectory() as name:
            out = symdyn.generate(robot, ["forward_dynamics"], name="cable", dtype=dtype, out=Path(name) / "c")
            sources = [str(own) for own in sorted(Path(out).glob("*.c"))]
            flags = ["-std=gnu99", "-O3", "-march=native", "-ffp-contract=off", f"-Dreal={scalar}"]
            included = [f"-I{out}", f"-I{PROGRAM.parent}"]
            command = [*find_compiler().command, *flags, *included, *sources, str(PROGRAM), "-lm", "-o", f"{name}/main"]
            subprocess.run(command, check=True)
            asked = [f"{name}/main", str(said.rollouts), str(said.steps), repr(STEP)]
            lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
        finite, seconds, lanes = lines[0].split()
        assert finite == "1", "a rollout has numbers that are not finite"
        spent, off = float(seconds), np.abs(np.array(lines[1].split(), float) - wanted).max() / np.abs(wanted).max()
        share = 1e6 * spent / (6 * said.steps * said.rollouts)
        print(
            f"{dtype}: {spent:.2f} s for {said.rollouts} rollouts of {said.steps} steps, {share:.2f} us an evaluation, "
            f"{lanes} lanes; first motion off by {off:.1e} of its largest row",
            flush=True,
        )
        if (said.rollouts, said.steps) == (256, 10000):
            print(f"  {spent / PUBLISHED_S:.3f} of the {PUBLISHED_S:.0f} s published for SoRoMoX")


if __name__ == "__main__":
    main()
