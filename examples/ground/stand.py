"""A legged robot of any URDF file stands on the ground, balanced by its servos.

    python examples/ground/stand.py go2.urdf --contacts feet.yaml --bend thigh=0.8,calf=-1.5 --out stand.npz

``servo=True`` keeps the joints at the start. Servos are computed torques, which ``stance_forces`` distributes over the
contacts, so that a robot with flat feet, such as a humanoid, keeps its balance too. ``--bend`` sets all joints whose
names contain a word, and ``--push`` gives the base a velocity at the start.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import symdyn

sys.path.insert(0, str(Path(__file__).parents[1]))
from needs import needs

needs(__file__, "scipy")

WALKER = Path(__file__).with_name("walker.urdf")


def bent(robot: symdyn.Robot, bends: str) -> dict[str, float]:
    """Coordinates by name of all joints whose names contain the words."""
    angles = dict(part.split("=") for part in bends.split(",") if part)
    return {name: float(angle) for name in robot.coordinate_names for word, angle in angles.items() if word in name}


def main() -> None:
    """Stand, and print what the ground bears."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("robot", type=Path, nargs="?", default=WALKER)
    parser.add_argument("--bend", default="", metavar="WORD=ANGLE,..", help="joints that are not at zero [rad]")
    parser.add_argument("--contacts", default="ground", metavar="FILE", help="what touches the ground, as for symdyn")
    parser.add_argument("--package-path", type=Path, action="append", default=[], help="a folder of ROS packages")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--push", type=float, default=0.1, help="velocity of the base at the start [m/s]")
    parser.add_argument("--out", help="write the motion: a .npz")
    asked = parser.parse_args()
    robot = symdyn.load(asked.robot, floating_base=True, contacts=asked.contacts, package_paths=asked.package_path)
    module = symdyn.compile(robot, ["gravity"])
    v = np.zeros(robot.nv)
    v[0] = asked.push
    times = np.linspace(0.0, asked.seconds, 60 * round(asked.seconds) + 1)
    motion = symdyn.simulate(robot, bent(robot, asked.bend), v, t=times, servo=True)
    if asked.out:
        motion.save(asked.out)
    assert motion.contacts is not None
    borne = motion.contacts.forces[-1, : 3 * motion.contacts.gaps.shape[1]].reshape(-1, 3)[:, 2]
    weight = float(np.linalg.norm(module.gravity(motion.q[-1])[:3]))
    print(f"the ground bears {borne.sum():.2f} N at {(borne > 0.0).sum()} points; the robot weighs {weight:.2f} N")
    away = np.linalg.norm(motion.q[:, :3] - motion.q[0, :3], axis=1) * 1e3
    print(f"its base moved by up to {away.max():.2f} mm, and is {away[-1]:.2f} mm from its start at the end")
    for line in motion.messages:
        print(line)


if __name__ == "__main__":
    main()
