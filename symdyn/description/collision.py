"""Shapes for rigid contact: on links, as obstacles in the world, and the settings that all rigid contacts share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symdyn.description.quantities.placement import IDENTITY, Matrix3, Number, Vector3

Triple = tuple[float, float, float]
LINK_SHAPES = ("sphere", "capsule", "box", "cylinder", "hull")
OBSTACLE_SHAPES = ("plane", "box", "sphere", "capsule", "cylinder")
HOLLOW = ("sphere", "capsule", "cylinder")
"""Shapes that the robot may be inside of."""
MOST_POINTS = 32
"""Vertices of a hull, and slots of a pair of shapes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape in the frame of its link, or of the world.

    ``points`` [m] are the centre of a sphere or box, the two ends of a capsule or cylinder (of its axis), the vertices
    of a hull, or one point on a plane or on the axis of an obstacle's cylinder, which has no ends. ``axis`` has length
    one: out of a plane's matter, or along such a cylinder. ``size`` are the edges of a box [m], in the axes of
    ``rotation``.
    """

    kind: str
    points: tuple[Vector3, ...] = ((0.0, 0.0, 0.0),)
    radius: Number = 0.0
    size: Triple = (0.0, 0.0, 0.0)
    rotation: Matrix3 = IDENTITY
    axis: Triple = (0.0, 0.0, 1.0)
    inside: bool = False
    """Whether the robot is inside of it."""

    @property
    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Its numbers with what messages call them."""
        yield "radius", self.radius
        yield from ((f"point {place}", number) for place, point in enumerate(self.points) for number in point)
        yield from (("size", length) for length in self.size)


@dataclass(frozen=True, slots=True)
class Collision:
    """A shape on a link, by name."""

    name: str
    shape: Shape
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh that a file gives for collisions: ``address`` in its words, not opened. ``scale`` is along its axes.

    With ``fault`` it is a shape that cannot be read, with the reason.
    """

    name: str
    address: str
    scale: Triple = (1.0, 1.0, 1.0)
    point: Triple = (0.0, 0.0, 0.0)
    rotation: Matrix3 = IDENTITY
    fault: str = ""


@dataclass(frozen=True, slots=True)
class OfferedPair:
    """Two shapes that a robot file lets touch, each by link and name, with the friction between them.

    ``beyond`` is what the file asks of them that rigid contacts do not have.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    friction: float
    beyond: str = ""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A shape in the world, by name; the surface of a plane may move along itself by ``velocity`` [m/s]."""

    name: str
    shape: Shape
    velocity: Vector3 = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)


SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
IMPACTS = (SIMULTANEOUS, SEQUENTIAL)
"""How impacts of one step are solved."""


@dataclass(frozen=True, slots=True)
class ContactOptions:
    """Numbers of the law of contact and of its solver.

    ``exit_velocity`` [m/s] bounds how fast a depth is left, ``impact_velocity`` [m/s] is the least approach that is
    given back, ``max_contacts`` the most slots of one step, ``tolerance`` relative to weight times step. ``impacts`` of
    one step are solved all at once, or one pair of bodies after another: one of ``IMPACTS``. ``runtime_slots`` are
    filled at run time, by the input ``touching``.
    """

    exit_velocity: float = 0.2
    impact_velocity: float = 0.05
    max_contacts: int = 16
    tolerance: float = 1e-9
    impacts: str = SIMULTANEOUS
    runtime_slots: int = 0


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """What a robot file tells about rigid contacts besides the contacts.

    ``limits`` tells whether ranges of joints are rows, which give back the share ``limit_restitution`` of a velocity;
    ``dry`` whether friction of joints is exact in steps with contacts, and not smoothed.
    """

    obstacles: tuple[Obstacle, ...] = ()
    limits: bool = False
    limit_restitution: float = 0.0
    dry: bool = False
    options: ContactOptions = field(default_factory=ContactOptions)
