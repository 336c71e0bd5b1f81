"""The list of shipped robots, and where their files are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription

SHIPPED: dict[str, str] = {
    "pendulum": "one link on a pivot",
    "double_pendulum": "two links in a plane",
    "seven_dof_arm": "a seven-joint arm of the size and weight of a collaborative robot",
    "aerial_manipulator": "a floating base with two three-joint arms (Ali et al. 2026, table 3)",
    "aerial_tree": "a floating base with branches of any length (Ali et al. 2026, table 4)",
    "elastic_arm": "two links, the elbow behind a spring as of a harmonic gear, rotors in both joints",
    "canadarm_rigid": "three long links in a plane, rigid (Mohan & Saha, table 2)",
    "canadarm": "three long flexible links, two modes in each plane (Mohan & Saha, table 2)",
    "flexible_single_link": "a flexible blade on a motor's hub, with a payload at its tip",
    "mixed_arm": "a rigid column, a flexible boom, and a rigid forearm behind an elastic elbow",
    "cable_manipulator": "a hanging soft cone with five cables, 24 strains (Mathew et al., section 4.5)",
    "soft_serial_robot": "seven revolute joints and a soft cone at their end (Mathew et al., section 5.1)",
    "flagellate_vehicle": "a free body, two shafts, six soft flagella (Mathew et al., section 6.3)",
    "parallel_robot": "a platform on three soft pillars, two of them on hinges (Mathew et al., section 6.1)",
    "fin_ray_finger": "two soft walls with ribs on hinges between them, 17 rods (Mathew et al., section 5.2)",
    "cylinder_contact": "the cable manipulator inside a cylindrical wall (Mathew et al., section 6.2)",
    "bulging_arm": "three soft cylinders with chambers, whose radius changes (Pustina et al., simulation 1)",
    "gaussian_tentacle": "two soft cones with Gaussian curvature, standing (Pustina et al., simulation 2)",
    "four_bar": "a crank, a coupler and a rocker, closed by a pin",
    "slider_crank": "a crank that moves a piston by a rod",
    "five_bar": "two arms in a plane that share a hand, with three motors for two ways to move",
    "stewart_platform": "a platform on six legs with pistons",
    "quadruped": "a free trunk on four legs of three joints, its feet held by the ground",
    "andrews_squeezer": "Andrews' squeezing mechanism: seven bodies in three loops (Schiehlen 1990)",
    "bricard": "Bricard's linkage of six hinges, which moves although it is overconstrained",
}
"""Name and one line each."""

PAPER_NAMES: dict[str, str] = {
    "variable_radius_arm": "bulging_arm",
    "gough_stewart_platform": "stewart_platform",
    "andrews_squeezing_mechanism": "andrews_squeezer",
    "bricard_linkage": "bricard",
    "five_bar_linkage": "five_bar",
    "four_bar_linkage": "four_bar",
}
"""Names that papers and the field have for shipped robots, and ours."""


@contextmanager
def example_path(name: str) -> Iterator[Path]:
    """The file of a shipped robot on disk, also where the package lies in an archive."""
    with as_file(files("symdyn.robot.shipped") / f"{name}.yaml") as path:
        yield path


def tree_description(bodies_per_branch: int = 20, branches: int = 5) -> RobotDescription:
    """The aerial tree of any size."""
    from symdyn.robot.shipped.aerial_tree import aerial_tree

    return aerial_tree(bodies_per_branch, branches)
