"""A robot at rest in one pose: where every link is in the world, and how each row of v moves a point of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.robot import Frame, Link
from symdyn.verify.base.curves import PartialVelocity
from symdyn.verify.base.dense import Rows, zero_matrix
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    add,
    add_matrices,
    cross,
    dot,
    length,
    nearest_rotation,
    product,
    scale,
    scale_matrix,
    skew,
    subtract,
    times,
    transpose,
    vector,
    zeros,
)
from symdyn.verify.oracle.motion import BeamMotion, LinkMotion, RobotMotion, robot_motion
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.setting import Inputs, Setting
from symdyn.verify.oracle.sites import standing
from symdyn.verify.oracle.tree import tip_name
from symdyn.verify.oracle.weighing import rigid_parts


@dataclass(frozen=True, slots=True)
class HeavyLink:
    """A link with inertia, or a section of a rod: mass, centre of mass in the world, central inertia in world axes."""

    name: str
    mass: Real
    center: Vector
    inertia: Matrix
    moves: bool
    bare: bool = False
    """Whether it is a mass point, whose inertia is zero."""


@dataclass(frozen=True, slots=True)
class BendingLink:
    """A beam in one pose: as a rigid body, and the momenta that the rates of its coordinates add.

    ``frozen`` is the beam as it would be if it kept its shape. Coordinate k, whose row of v is ``rows[k]``, adds per
    unit of its rate ``linear[k]`` and, about the beam's centre of mass, ``angular[k]`` in world axes. ``products`` are
    the sums of mass times products of velocities of two coordinates. The sizes are those of the terms.
    """

    frozen: HeavyLink
    rows: range
    linear: list[Vector]
    angular: list[Vector]
    linear_sizes: list[Real]
    angular_sizes: list[Real]
    products: Rows
    product_sizes: Rows


@dataclass(frozen=True, slots=True)
class RobotPose:
    """All links of a robot in one pose.

    ``rotation`` and ``origin`` place each link's frame in the world. ``heavy`` are the rigid links with inertia and
    the sections of rods, and ``bending`` the beams.
    """

    setting: Setting
    quantities: Quantities
    motion: RobotMotion
    heavy: tuple[HeavyLink, ...]
    bending: tuple[BendingLink, ...]

    @property
    def frozen(self) -> tuple[HeavyLink, ...]:
        """All that has mass, as if no beam changed its shape."""
        return (*self.heavy, *(link.frozen for link in self.bending))

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
        return point_columns(self.motion.links[link], point)


def point_columns(moving: LinkMotion, point: Vector) -> dict[int, PartialVelocity]:
    """Partial velocities of a link and of a point of it; see :meth:`RobotPose.columns`."""
    found: dict[int, PartialVelocity] = {}
    for carrier in moving.path:
        place, arm = carrier.place, subtract(point, carrier.origin)
        for own, part in enumerate(carrier.partials):
            for row, gain in place.moved_by(own):
                angular = scale(gain, part.angular)
                linear = add(scale(gain, part.linear), cross(angular, arm))
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
    for part in rigid_parts(setting.description, quantities, motion):
        turning = part.frame.rotation[0]
        inertia = part.inertia if part.bare else product(product(turning, part.inertia), transpose(turning))
        heavy.append(HeavyLink(part.name, part.mass, part.centers[0], inertia, bool(part.frame.path), part.bare))
    bending = tuple(_bending_link(beam) for beam in motion.beams)
    return RobotPose(setting, quantities, motion, tuple(heavy), bending)


def _bending_link(moving: BeamMotion) -> BendingLink:
    """Sums over the points of a beam, in its axes."""
    R, origin, d = moving.frame.rotation[0], moving.frame.origin[0], moving.d[:1]
    size = moving.beam.size
    points = [(point, point.positions(d)[0]) for point in moving.beam.points]
    mass = mp.fsum(point.mass for point, _ in points if not point.arm)
    center = vector((0, 0, 0))
    for point, r in points:
        if not point.arm:
            center = add(center, scale(point.mass / mass, r))
    inertia, products, product_sizes = zeros(), zero_matrix(size, size), zero_matrix(size, size)
    linear, angular = ([vector((0, 0, 0)) for _ in range(size)] for _ in range(2))
    linear_sizes, angular_sizes = ([mp.mpf(0)] * size for _ in range(2))
    for point, r in points:
        arm = r if point.arm else subtract(r, center)
        turning = skew(arm)
        inertia = add_matrices(inertia, scale_matrix(-point.mass, product(turning, turning)))
        slopes = point.slopes(d[0])
        speeds = [point.mass * length(slope) for slope in slopes]
        for k, (slope, speed) in enumerate(zip(slopes, speeds, strict=True)):
            if not speed:
                continue
            push = scale(point.mass, slope)
            if not point.arm:
                linear[k], linear_sizes[k] = add(linear[k], push), linear_sizes[k] + speed
            angular[k] = add(angular[k], cross(arm, push))
            angular_sizes[k] += length(arm) * speed
            for j, (other, other_speed) in enumerate(zip(slopes, speeds, strict=True)):
                products[k][j] += dot(push, other)
                product_sizes[k][j] += speed * other_speed / point.mass
    turned = product(product(R, inertia), transpose(R))
    return BendingLink(
        HeavyLink(moving.link, mass, add(origin, times(R, center)), turned, moves=True),
        range(moving.v_row, moving.v_row + size),
        [times(R, part) for part in linear],
        [times(R, part) for part in angular],
        linear_sizes,
        angular_sizes,
        products,
        product_sizes,
    )


def frame_places(pose: RobotPose) -> list[tuple[str, Matrix, Vector]]:
    """Link that carries it, rotation and origin in the world, of every public frame: the links, then extra frames.

    The frame of a tip follows that of its link. Where frames were chosen, these alone, in the order of the choice.
    """
    description, chosen = pose.setting.description, pose.setting.frames
    links = [name for link in description.links for name in _frames_of(link)]
    extra = {frame.name: frame for frame in description.frames}
    return [
        _placed(pose, extra[name]) if name in extra else (name, pose.rotation(name), pose.origin(name))
        for name in chosen or (*links, *extra)
    ]


def _frames_of(link: Link) -> list[str]:
    return [link.name, tip_name(link.name)] if link.deforms else [link.name]


def _placed(pose: RobotPose, frame: Frame) -> tuple[str, Matrix, Vector]:
    turning = nearest_rotation([vector(row) for row in frame.placement.rotation])
    point = frame.placement.translation  # frames have no leaves of their own
    carrier, found = standing(pose.setting.tree, pose.quantities, pose.motion, frame.link, frame.at, turning, point)
    return carrier, found.rotation[0], found.origin[0]


def velocity(columns: Mapping[int, PartialVelocity], v: Sequence[Real]) -> PartialVelocity:
    """Angular velocity and velocity of the point for velocities v."""
    angular, linear = vector((0, 0, 0)), vector((0, 0, 0))
    for row, part in columns.items():
        angular, linear = add(angular, scale(v[row], part.angular)), add(linear, scale(v[row], part.linear))
    return PartialVelocity(angular, linear)
