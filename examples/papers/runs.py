"""What the scripts of this folder share: a motion by one method, printed as numbers and drawn as in the papers."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symdyn
from symdyn.analysis.simulation.trajectory import Trajectory
from symdyn.errors import SymdynWarning

sys.path.insert(0, str(Path(__file__).parents[1]))
from needs import needs

FRAMES = 60  # per second


@dataclass(frozen=True)
class Scenario:
    """A robot, and the settings of its motion.

    ``settings`` are those of ``symdyn.simulate``; ``plane`` the axes of the picture; ``paper`` what the paper says of
    its own run.
    """

    robot: symdyn.Robot
    settings: Mapping[str, Any]
    plane: str
    paper: str
    seconds: float = 10.0
    method: str = "auto"

    def simulate(self, **changed: Any) -> Trajectory:
        """The motion, with other settings where some are given."""
        seconds = changed.pop("seconds", self.seconds)
        times = np.linspace(0.0, seconds, max(3, round(FRAMES * seconds) + 1))
        return symdyn.simulate(self.robot, **{"method": self.method, "t": times, **self.settings, **changed})


def draw(robot: symdyn.Robot, motion: Trajectory, path: Path, plane: str) -> None:
    """Some positions over each other, energies, and gaps of loops."""
    from symdyn.analysis.compare.plot import write_figure
    from symdyn.analysis.view.build import scene_of
    from symdyn.analysis.view.plots import motion_figure

    scene = scene_of(robot, motion.q, motion.t)
    write_figure(motion_figure(robot, scene, motion, 10, plane), path, robot.name)


def main(scenario: Scenario, about: str) -> None:
    """Run a scenario as the command line says."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=scenario.seconds)
    parser.add_argument("--method", default=scenario.method)
    parser.add_argument("--rtol", type=float, default=1e-6)
    parser.add_argument("--atol", type=float, default=1e-9)
    parser.add_argument("--plot", type=Path, help="a .png, .pdf or .svg")
    parser.add_argument("--out", type=Path, help="an .npz, for symdyn view --trajectory")
    asked = parser.parse_args()
    needs(sys.argv[0], "scipy", "sksundae", *(("matplotlib",) if asked.plot else ()))
    warnings.simplefilter("ignore", SymdynWarning)
    motion = scenario.simulate(method=asked.method, rtol=asked.rtol, atol=asked.atol, seconds=asked.seconds)
    robot, spent = scenario.robot, motion.timings
    print(f"{robot.name}: {robot.nv} coordinates, {asked.seconds:g} s by {motion.method}")
    print(
        f"  {motion.counters['steps']} steps, {spent['integrate']:.3f} s; made and compiled in {spent['compile']:.1f} s"
    )
    print(f"  the paper: {scenario.paper}")
    if asked.out:
        motion.save(asked.out)
        print(f"wrote {asked.out}")
    if asked.plot:
        draw(robot, motion, asked.plot, scenario.plane)
        print(f"wrote {asked.plot}")
