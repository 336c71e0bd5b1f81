"""The robot files that other projects' wheels carry, and what is said of those that are refused."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

WHEELS = ("example-robot-data", "rtb-data", "pybullet")
"""The first two come with the extra ``peers``; the third is read where it is installed."""
SUFFIXES = (".urdf", ".xacro")


@dataclass(frozen=True)
class Refusal:
    """Files that are refused: a pattern of their path, words of the message, and why that is right.

    ``mended_by`` are options of ``symdyn.load`` that the message names; without them nothing but another file helps.
    """

    pattern: str
    words: str
    judgement: str
    mended_by: dict[str, bool] = field(default_factory=dict)


FREE = {"floating_base": True}
THINGS = (
    "random_urdfs/*.urdf",
    "gripper/*_finger.urdf",
    "block.urdf",
    "cloth_z_up.urdf",
    "cube*.urdf",
    "domino/*.urdf",
    "duck_*.urdf",
    "jenga/*.urdf",
    "lego/*.urdf",
    "*mug.urdf",
    "plane*.urdf",
    "soccerball.urdf",
    "sphere*.urdf",
    "table*.urdf",
    "samurai.urdf",
    "teddy_*.urdf",
    "toys/concave_box.urdf",
    "tray/*.urdf",
)
"""Files of pybullet that hold one body: something to stand on, to throw or to grip."""
JUDGED = (
    Refusal("*.xacro", "is xacro, not URDF; expand it first: xacro ", "a program that makes a URDF, not a robot yet"),
    Refusal(
        "*alex_description/urdf/alex_psyonic_hands.urdf",
        "mimics the unknown joint 'index_q1'; declare it, or load with repair=True",
        "twelve fingers follow joints that are not in the file: nobody can say how they move",
        {"repair": True},
    ),
    Refusal(
        "*romeo_description/urdf/romeo_laas_small.urdf",
        "link 'body': inertia is not positive semi-definite: its eigenvalues are -0.02",
        "the trunk of a humanoid with a moment of -0.02 kg m^2 gives accelerations against the force",
        {"repair": True},
    ),
    Refusal("*hector_description/robots/quadrotor_base.urdf", "has no moving joint", "a body that flies", FREE),
    Refusal("*iris_description/robots/iris_simple.urdf", "has no moving joint", "a body that flies", FREE),
    Refusal(
        "*ur_description/urdf/ur3.urdf",
        "the robot has no links",
        "an empty <robot>: its xacro was expanded without the arm",
    ),
    Refusal("*rtbdata/data/test.urdf", "not well-formed XML .* '<' not found", "the one word 'hello'"),
    Refusal(
        "pybullet_data/husky/husky.urdf",
        r"rpy='\$\(optenv HUSKY_IMU_RPY.* is xacro",
        "an expansion that was left half done: the angles are not in the file",
    ),
    Refusal(
        "pybullet_data/humanoid/humanoid.urdf",
        "not well-formed XML .*Extra content at the end",
        "two robots in one file, or one and a piece of another: either may be meant",
    ),
    Refusal(
        "pybullet_data/bicycle/bike.urdf",
        "got '0.07,'; delete the stray comma",
        "a comma after a number: most likely nothing, but a digit may be lost behind it",
    ),
    Refusal(
        "pybullet_data/biped/biped2d_pybullet.urdf",
        r"expected a decimal number such as 1\.5, got '-1\.57\.'",
        "a number with two points: the second may stand where a digit was",
    ),
    Refusal("pybullet_data/quadruped/minitaur_fixed_all.urdf", "has no moving joint", "all its joints are fixed", FREE),
    Refusal(
        "pybullet_data/quadruped/microtaur/microtaur.urdf",
        "expected three numbers parted by spaces, got '-3.14159 1.57079 0 0'",
        "four angles where three are meant: one of them is too many, and the file does not say which",
    ),
    Refusal(
        "pybullet_data/quadruped/spirit40newer.urdf",
        "joint 'RL_lower_joint': <joint> has a second <axis>; keep one",
        "two axes; that they are the same here is chance",
    ),
    Refusal(
        "pybullet_data/spherical_joint_limit.urdf",
        "type 'spherical' is not a URDF joint type",
        "a word of Bullet's own; symdyn's YAML has the joint",
    ),
    Refusal("pybullet_data/torus_deform.urdf", "the robot has no links", "a soft body of Bullet's own, without a link"),
    *(
        Refusal(f"pybullet_data/{name}", "has no moving joint", "a thing that lies about, not a robot", FREE)
        for name in THINGS
    ),
    *(
        Refusal(f"pybullet_data/xarm/{name}", "has no moving joint", "one link of an arm by itself", FREE)
        for name in ("base*.urdf", "link*.urdf")
    ),
)


@dataclass(frozen=True)
class RobotFile:
    """A robot file of a wheel."""

    name: str
    path: Path

    def judged(self) -> list[Refusal]:
        """The rows of the table that speak of this file."""
        return [row for row in JUDGED if fnmatch(self.name, row.pattern)]


def robot_files() -> dict[str, list[RobotFile]]:
    """Robot files by wheel, of the wheels that are installed."""
    found: dict[str, list[RobotFile]] = {}
    for wheel in WHEELS:
        try:
            listed = importlib.metadata.files(wheel) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        names = sorted(str(file) for file in listed if file.name.endswith(SUFFIXES))
        root = Path(str(listed[0].locate())).parents[len(Path(str(listed[0])).parts) - 1]
        found[wheel] = [RobotFile(name, root / name) for name in names]
    return found
