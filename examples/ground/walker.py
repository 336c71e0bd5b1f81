"""A quadruped of a URDF file stands, trots, climbs stairs and stands on a slope.

    python examples/ground/walker.py trot --out trot.npz

Servos hold the joints: a spring and a damper towards angles that the gait asks for. Diagonal legs swing together.
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

HERE = Path(__file__).parent
LEGS = ("front_left", "front_right", "rear_left", "rear_right")
STIFFNESS, DAMPING = 250.0, 5.0
PERIOD, SWING, RAISED = 0.4, 0.16, 0.5
SLOPE, HEIGHT = 0.3, 0.44 * math.cos(0.7) + 0.022
SCENES = {"stand": "flat", "trot": "flat", "stairs": "stairs", "slope": "slope"}
LAST = {"stand": 1.0, "trot": 3.0, "stairs": 5.0, "slope": 2.0}


def robot(scene: str) -> symdyn.Robot:
    """The walker, with what its feet may touch in a scene."""
    return symdyn.load(HERE / "walker.urdf", floating_base=True, contacts=HERE / f"{SCENES[scene]}.yaml")


def wanted(scene: str, t: float) -> np.ndarray:
    """Angles (12,) of roll, pitch and knee of each leg [rad]; 0 is the stance of the file."""
    angles = np.zeros((4, 3))
    if scene in ("trot", "stairs"):
        for leg in range(4):
            phase = (t / PERIOD + 0.5 * (leg in (1, 2))) % 1.0
            grown = min(1.0, t)  # the stride grows in the first second
            if phase < 0.5:  # on the ground, backwards
                angles[leg, 1] = grown * SWING * (4.0 * phase - 1.0)
            else:  # in the air, forwards
                lift = grown * RAISED * math.sin(2.0 * math.pi * (phase - 0.5)) ** 2
                angles[leg, 1] = grown * SWING * (3.0 - 4.0 * phase) + 0.5 * lift
                angles[leg, 2] = -lift
    return angles.ravel()


def motion(scene: str) -> symdyn.Trajectory:
    """The walker in a scene, from rest; at 60 states per second."""
    walker = robot(scene)

    def servos(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros(6), STIFFNESS * (wanted(scene, t) - q[7:]) - DAMPING * v[6:]])

    q = None  # on the ground, with knees bent
    if scene == "slope":  # the trunk along it
        q = walker.neutral()
        q[:3] = HEIGHT * np.array([-math.sin(SLOPE), 0.0, math.cos(SLOPE)])
        q[3:7] = 0.0, -math.sin(0.5 * SLOPE), 0.0, math.cos(0.5 * SLOPE)
    times = np.linspace(0.0, LAST[scene], round(60 * LAST[scene]) + 1)
    return symdyn.simulate(walker, q, t=times, inputs=servos, effort_limits="clip")


def main() -> None:
    """Simulate a scene, and tell how far the walker came."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scene", choices=SCENES, nargs="?", default="trot")
    parser.add_argument("--out", help="write the motion: a .npz")
    asked = parser.parse_args()
    result = motion(asked.scene)
    if asked.out:
        result.save(asked.out)
    x, y, z = result.q[-1, :3] - result.q[0, :3]
    print(
        f"{asked.scene}: moved by ({x:.3f}, {y:.3f}, {z:.3f}) m, at {np.abs(result.v[-1, :6]).max():.1e} m/s at the end"
    )
    for line in result.messages:
        print(line)


if __name__ == "__main__":
    main()
