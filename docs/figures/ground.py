"""Draw the motions of docs/ground.md, and the figures of its pictures.

Usage: python docs/figures/ground.py [NAME ..]    (simulates and draws ground_NAME.svg; needs the extra `plot`)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from figure_style import HERE, panels, save
from gallery import around, frame, outlines
from matplotlib.collections import PolyCollection

import symdyn
from symdyn.analysis.view.build import scene_of
from symdyn.analysis.view.scene import evenly

FOLDER = HERE.parents[1] / "examples" / "ground"
sys.path.insert(0, str(FOLDER))
HIGH, FRAMES, EDGE = 3.0, 4, (0.45, 0.45, 0.48)


def drop() -> symdyn.Trajectory:
    """The walker falls and lies down."""
    walker = symdyn.load(FOLDER / "walker.urdf", floating_base=True, contacts="ground")
    return symdyn.simulate(walker, t=np.linspace(0.0, 1.0, 61))


def walk(scene: str) -> symdyn.Trajectory:
    """The walker in a scene."""
    import walker

    return walker.motion(scene)


def grip() -> symdyn.Trajectory:
    """The gripper lifts a block."""
    import gripper

    return gripper.motion()


def finger() -> symdyn.Trajectory:
    """The soft finger bends onto the wall."""
    robot = symdyn.load(FOLDER / "finger.yaml")
    return symdyn.simulate(robot, t=np.linspace(0.0, 1.0, 61), inputs=[12.0], drive="actuators")


MOTIONS: dict[str, Callable[[], symdyn.Trajectory]] = {
    "drop": drop,
    "stand": lambda: walk("stand"),
    "trot": lambda: walk("trot"),
    "stairs": lambda: walk("stairs"),
    "slope": lambda: walk("slope"),
    "gripper": grip,
    "finger": finger,
}


def draw(name: str, motion: symdyn.Trajectory) -> None:
    """Write ground_<name>.svg: positions over each other as seen along y, earlier ones paler."""
    assert motion.robot is not None
    scene = scene_of(motion.robot, motion.q[evenly(len(motion.t), FRAMES)])
    across, sight = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]), np.array([0.0, -1.0, 0.0])
    figure, (axes,) = panels(1, HIGH)
    for wall in scene.walls:
        corners = np.unique(np.round(wall.points @ across, 9), axis=0)
        if np.linalg.matrix_rank(corners - corners[0], tol=1e-6) < 2:  # a plane from its side
            axes.plot(*corners[[0, -1]].T, color=EDGE, linewidth=0.8)
        else:
            axes.fill(*around(corners).T, facecolor=(*EDGE, 0.25), edgecolor=EDGE, linewidth=0.6)
    for number in range(scene.length):
        pale = 0.8 * (1.0 - (number + 1) / scene.length)
        parts = sorted(outlines(scene, number, across, sight), key=lambda part: part[0])
        shades = [np.append(np.array(colour) / 255.0, opacity) for _, _, colour, opacity in parts]
        paled = [shade + pale * (1.0 - shade) * (1.0, 1.0, 1.0, 0.0) for shade in shades]
        polygons = [corners for _, corners, *_ in parts]
        axes.add_collection(
            PolyCollection(polygons, facecolors=paled, edgecolors="face", linewidths=0.2, zorder=number + 2)
        )
    frame(figure, axes, "xz")
    save(figure, f"ground_{name}")


if __name__ == "__main__":
    warnings.simplefilter("ignore", symdyn.SymdynWarning)
    for asked in sys.argv[1:] or MOTIONS:
        draw(asked, MOTIONS[asked]())
