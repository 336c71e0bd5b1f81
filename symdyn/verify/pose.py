"""A robot at rest in one pose: where every link is in the world, and how each row of v moves a point of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import Frame
from symdyn.verify.curves import PartialVelocity
from symdyn.verify.matrices import (
    Matrix,
    Real,
    Vector,
    add,
    cross,
    nearest_rotation,
    product,
    scale,
    subtract,
    times,
    transpose,
    vector,
)
from symdyn.verify.setting import Inputs, Setting
from symdyn.verify.tree import Quantities, Tree
from symdyn.verify.truth import RobotMotion, link_inertial, robot_motion


@dataclass(frozen=True, slots=True)
class HeavyLink:
    """A link with inertia: mass, centre of mass in the world, and the central inertia in world axes."""

    name: str
    mass: Real
    center: Vector
    inertia: Matrix
    moves: bool


@dataclass(frozen=True, slots=True)
class RobotPose:
    """All links of a robot in one pose.

    ``rotation`` and ``origin`` place each link's frame in the world.
    """

    setting: Setting
    quantities: Quantities
    motion: RobotMotion
    heavy: tuple[HeavyLink, ...]

    def rotation(self, link: str) -> Matrix:
        """Rotation of a link's frame in the world."""
        return self.motion.links[link].rotation[0]

    def origin(self, link: str) -> Vector:
        """Origin of a link's frame in the world."""
        return self.motion.links[link].origin[0]

    def columns(self, link: str, point: Vector) -> dict[int, PartialVelocity]:
        """Partial velocities of a link and of a point of it, by row of v; rows that do not move it are absent.

        A row that moves several joints of the path (a mimic joint and its leader) has their sum.
        """
        return point_columns(self.setting.tree, self.motion, link, point)


def point_columns(tree: Tree, motion: RobotMotion, link: str, point: Vector) -> dict[int, PartialVelocity]:
    """Partial velocities of a link and of a point of it; see :meth:`RobotPose.columns`."""
    found: dict[int, PartialVelocity] = {}
    for index in motion.links[link].path:
        place = tree.places[index]
        arm = subtract(point, motion.links[place.joint.child].origin[0])
        for row, part in enumerate(motion.partials[index], place.v_row):
            angular = scale(place.multiplier, part.angular)
            linear = add(scale(place.multiplier, part.linear), cross(angular, arm))
            if row in found:
                angular, linear = add(found[row].angular, angular), add(found[row].linear, linear)
            found[row] = PartialVelocity(angular, linear)
    return found


def robot_pose(setting: Setting, q: Sequence[Real], inputs: Inputs) -> RobotPose:
    """The robot at coordinates q, with the run-time parameters of a state."""
    quantities = setting.quantities(inputs)
    rest = [mp.mpf(0)] * setting.tree.nv
    motion = robot_motion(
        setting.description, setting.tree, quantities, vector(q), rest, rest, setting.spatial, order=0
    )
    heavy = []
    for link in setting.description.links:
        if link.inertial is None:
            continue
        moving = motion.links[link.name]
        mass, center, inertia = link_inertial(quantities, link.name, link.inertial)
        turning = moving.rotation[0]
        heavy.append(
            HeavyLink(
                link.name,
                mass,
                add(moving.origin[0], times(turning, center)),
                product(product(turning, inertia), transpose(turning)),
                bool(moving.path),
            )
        )
    return RobotPose(setting, quantities, motion, tuple(heavy))


def frame_places(pose: RobotPose) -> list[tuple[str, Matrix, Vector]]:
    """Link that carries it, rotation and origin in the world, of every public frame: the links, then extra frames."""
    found = [(link.name, pose.rotation(link.name), pose.origin(link.name)) for link in pose.setting.description.links]
    return found + [(frame.link, *_placed(pose, frame)) for frame in pose.setting.description.frames]


def _placed(pose: RobotPose, frame: Frame) -> tuple[Matrix, Vector]:
    turning = nearest_rotation([vector(row) for row in frame.placement.rotation])
    arm = [pose.quantities(number, "") for number in frame.placement.translation]  # frames have no leaves of their own
    return product(pose.rotation(frame.link), turning), add(
        pose.origin(frame.link), times(pose.rotation(frame.link), arm)
    )


def velocity(columns: Mapping[int, PartialVelocity], v: Sequence[Real]) -> PartialVelocity:
    """Angular velocity and velocity of the point for velocities v."""
    angular, linear = vector((0, 0, 0)), vector((0, 0, 0))
    for row, part in columns.items():
        angular, linear = add(angular, scale(v[row], part.angular)), add(linear, scale(v[row], part.linear))
    return PartialVelocity(angular, linear)
