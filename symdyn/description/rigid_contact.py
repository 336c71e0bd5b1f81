"""Rigid contact with Coulomb friction between shapes on links, and with obstacles in the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symdyn.description.collision import Shape
from symdyn.description.external_loads import Along
from symdyn.description.quantities.placement import Number

if TYPE_CHECKING:
    from symdyn.description.robot import RobotDescription

STATION = Shape("sphere")
"""What stands at each station of a soft link; the radius is that of its contact."""
SEGMENT = Shape("capsule", ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
"""What stands there against soft links: a capsule along the part of the rod for which the station stands."""


@dataclass(frozen=True, slots=True)
class Part:
    """What takes part in a contact.

    It is a shape of a link, both by name; all stations of a soft link, where ``shape`` is empty; an obstacle by name,
    where ``link`` is empty; or, with ``inline``, a shape that the contact alone has, on the link or in the world.
    """

    link: str = ""
    shape: str = ""
    inline: Shape | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """What a station of a soft link stands for: from ``start`` to ``end`` along the rod, and where ``at`` is [m]."""

    at: float
    start: float
    end: float
    radius: float

    @property
    def shape(self) -> Shape:
        """A capsule in the station's axes, the rod's along x."""
        ends = tuple((end - self.at, 0.0, 0.0) for end in (self.start, self.end))
        return Shape("capsule", ends, self.radius)


@dataclass(frozen=True, slots=True)
class RigidContact(Along):
    """Each shape ``of`` some links against each shape or obstacle of ``against``: exact contact with friction.

    It acts in functions named ``contact_..`` and in ``stance_forces`` alone. ``compliance`` is in m/N per point of
    contact. Along a soft link there are spheres of ``radius`` [m] at its stations, from ``start`` to ``end`` [m]; a
    radius of None is that of the sections. Against soft links stand capsules, of this radius on both sides.
    """

    key = "contacts"
    word = "contact"
    words = "a contact"
    title = "rigid contacts"
    name: str
    of: tuple[Part, ...]
    against: tuple[Part, ...]
    friction: Number = 0.0
    restitution: Number = 0.0
    compliance: Number = 0.0
    radius: Number | None = 0.0
    line: int | None = field(default=None, compare=False)
    start: float | None = None
    end: float | None = None

    @property
    def numbers(self) -> dict[str, Number]:
        """Friction, restitution, compliance."""
        return {"friction": self.friction, "restitution": self.restitution, "compliance": self.compliance}

    def units(self, slides: bool) -> dict[str, str]:
        """Units of its numbers."""
        return {"friction": "1", "restitution": "1", "compliance": "m/N"}

    def acts(self, constants: Mapping[str, Any]) -> bool:
        """Always."""
        return True


def rigid_contacts(robot: RobotDescription) -> Iterator[RigidContact]:
    """The rigid contacts of a robot, in the order of its file."""
    return (element for element in robot.acting if isinstance(element, RigidContact))


def shapes_of(robot: RobotDescription, first: Part, second: Part) -> tuple[Shape | None, Shape | None]:
    """The moving shape and the surface of a pair of parts; of soft links those at one station."""
    moving, surface = shape_of(robot, first), shape_of(robot, second)
    if surface is not STATION:
        return moving, surface
    return (SEGMENT if moving is STATION else moving), SEGMENT


def lie_apart(first: Segment, second: Segment) -> bool:
    """Whether segments of one rod can touch: the second is behind the first, and not where both overlap at rest."""
    return second.start - first.end > first.radius + second.radius


def shape_of(robot: RobotDescription, part: Part) -> Shape | None:
    """The shape of a part; the ball at a station for soft links, None where there is none of that name."""
    if part.inline is not None:
        return part.inline
    if not part.link:
        return next((obstacle.shape for obstacle in robot.contact.obstacles if obstacle.name == part.shape), None)
    link = next((candidate for candidate in robot.links if candidate.name == part.link), None)
    if link is None:
        return None
    if not part.shape:
        return STATION if link.soft is not None else None
    return next((collision.shape for collision in link.collision if collision.name == part.shape), None)
