"""A legged robot of any URDF file stands on the ground, held by servos.

    python examples/ground/stand.py go2.urdf --contacts feet.yaml --bend thigh=0.8,calf=-1.5 --out stand.npz

Servos are springs and dampers, as strong as the weight asks for and as a step allows with the inertia that is felt at
each joint of the robot in the air. They add to the torques of ``stance_forces``, which carry the weight. ``--bend``
sets all joints whose names contain a word. A humanoid needs a law of balance besides: held by servos alone it topples.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import symdyn

sys.path.insert(0, str(Path(__file__).parents[1]))
from needs import needs

needs(__file__, "scipy")

WALKER = Path(__file__).with_name("walker.urdf")
STRONG, QUICK = 5.0, 0.05
"""Stiffness by weight times height of the base; damping by stiffness [s]."""
STIFF, DAMPED = 0.3, 0.3
"""Stiffness by inertia over step^2, and damping by inertia over step, that explicit forces may have."""


def bent(robot: symdyn.Robot, bends: str) -> np.ndarray:
    """The neutral position with all joints bent whose names contain the words, on the ground."""
    q = robot.neutral()
    for word, angle in (part.split("=") for part in bends.split(",") if part):
        q[[word in name for name in robot.coordinate_names]] = float(angle)
    q[2] -= symdyn.compile(robot, ["contact_gaps"]).contact_gaps(q)[0].min()
    return q


def standing(robot: symdyn.Robot, q: np.ndarray, seconds: float, step: float) -> symdyn.Trajectory:
    """The robot from rest at q, with servos that hold its joints there and carry its weight."""
    module = symdyn.compile(robot, ["mass_matrix_inverse", "stance_forces", "gravity"])
    inertia, still = 1.0 / np.diag(module.mass_matrix_inverse(q))[6:], np.zeros(robot.nv)
    carried, _ = module.stance_forces(q, still, still)
    stiffness = np.minimum(STIFF * inertia / step**2, STRONG * weight(module, q) * q[2])
    damping = np.minimum(DAMPED * inertia / step, QUICK * stiffness)

    def servos(_: float, now: np.ndarray, v: np.ndarray) -> np.ndarray:
        off = robot.difference(now, q)[6:]
        return np.concatenate([np.zeros(6), carried[6:] + stiffness * off - damping * v[6:]])

    return symdyn.simulate(robot, q, t=np.linspace(0.0, seconds, 60 * round(seconds) + 1), inputs=servos, h=step)


def weight(module: Any, q: np.ndarray) -> float:
    """What the ground has to bear [N]: the force that holds the free base, whichever way it is turned."""
    return float(np.linalg.norm(module.gravity(q)[:3]))


def main() -> None:
    """Stand, and tell what the ground bears."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robot", type=Path, nargs="?", default=WALKER)
    parser.add_argument("--bend", default="", metavar="WORD=ANGLE,..", help="joints that are not at zero [rad]")
    parser.add_argument("--contacts", default="ground", metavar="FILE", help="what touches the ground, as for symdyn")
    parser.add_argument("--package-path", type=Path, action="append", default=[], help="a folder of ROS packages")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--step", type=float, default=1e-3, help="length of steps [s]")
    parser.add_argument("--out", help="write the motion: a .npz")
    asked = parser.parse_args()
    robot = symdyn.load(asked.robot, floating_base=True, contacts=asked.contacts, package_paths=asked.package_path)
    found = standing(robot, bent(robot, asked.bend), asked.seconds, asked.step)
    if asked.out:
        found.save(asked.out)
    assert found.contacts is not None
    borne = found.contacts.forces[-1, : 3 * found.contacts.gaps.shape[1]].reshape(-1, 3)[:, 2]
    heavy = weight(symdyn.compile(robot, ["gravity"]), found.q[-1])
    print(f"the ground bears {borne.sum():.3f} N at {(borne > 0.0).sum()} points; the robot weighs {heavy:.3f} N")
    print(f"its base moved by {np.linalg.norm(found.q[-1, :3] - found.q[0, :3]) * 1e3:.2f} mm")
    print(f"and moves at {np.abs(found.v[-1]).max():.1e} at the end")
    for line in found.messages:
        print(line)


if __name__ == "__main__":
    main()
