"""A gripper lifts a block, which does not slip out of it.

    python examples/ground/gripper.py --out gripper.npz

The hand is prescribed to rise and to stop; two fingers press with a constant force from the start.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

import symdyn

sys.path.insert(0, str(Path(__file__).parents[1]))
from needs import needs

needs(__file__, "scipy")

FORCE, HEIGHT, START, RISE = 20.0, 0.1, 0.3, 0.7


def lifted(t: float) -> tuple[float, float, float]:
    """Position, velocity and acceleration of the hand [m, s]."""
    s = min(max((t - START) / RISE, 0.0), 1.0)
    w = math.pi / RISE
    if not 0.0 < s < 1.0:
        return HEIGHT * s, 0.0, 0.0
    turn = math.pi * s
    return 0.5 * HEIGHT * (1 - math.cos(turn)), 0.5 * HEIGHT * w * math.sin(turn), 0.5 * HEIGHT * w * w * math.cos(turn)


def motion() -> symdyn.Trajectory:
    """The gripper takes the block that stands on the floor, and holds it in the air."""
    robot = symdyn.load(Path(__file__).with_name("gripper.yaml"))
    q = robot.neutral()
    q[list(robot.coordinate_names).index("free.z")] = 0.025
    press = {"close_left": FORCE, "close_right": FORCE}
    return symdyn.simulate(robot, q, t=np.linspace(0.0, 2.0, 121), inputs=press, prescribed={"lift": lifted})


def main() -> None:
    """Lift the block, and tell how fast it slips."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", help="write the motion: a .npz")
    asked = parser.parse_args()
    result = motion()
    if asked.out:
        result.save(asked.out)
    z = result.q[:, list(result.coordinate_names).index("free.z")]
    print(f"the block is {z[-1] - z[0]:.6f} m higher, and slips by {(z[-1] - z[-31]) / 0.5:.1e} m/s")
    for line in result.messages:
        print(line)


if __name__ == "__main__":
    main()
