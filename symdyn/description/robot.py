"""What the user said about a robot: frozen data, no algebra. Readers make it, ``model`` binds it to numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from symdyn.description.actuation import Actuation, Chamber, RestStrain, Strand, Tendon
from symdyn.description.attachment import AT, Attachment
from symdyn.description.collision import LINK_SHAPES, Collision, ContactSettings, Mesh, OfferedPair
from symdyn.description.declared import Key, family
from symdyn.description.external_loads import Acting
from symdyn.description.flexible import Flexible
from symdyn.description.forms import TEXT
from symdyn.description.joint import Actuator, Elastic, Joint, JointKind, Limits, Losses, Mimic
from symdyn.description.load_settings import LoadSettings
from symdyn.description.loads import BallSpring, Load, Spring, Stop
from symdyn.description.mapped import Mapped
from symdyn.description.placed import fixed_at, placed
from symdyn.description.quantities.placement import IDENTITY, Matrix3, Number, Placement, Vector3
from symdyn.description.soft import Soft
from symdyn.description.visual import Visual

if TYPE_CHECKING:
    from symdyn.description.control.problem import OptimalControlProblem

__all__ = [
    "IDENTITY",
    "Actuation",
    "Actuator",
    "Attachment",
    "BallSpring",
    "Chamber",
    "Elastic",
    "Flexible",
    "Frame",
    "Inertial",
    "Joint",
    "JointKind",
    "Limits",
    "Link",
    "Load",
    "LoadSettings",
    "Losses",
    "Matrix3",
    "Mimic",
    "Number",
    "Parameter",
    "Placement",
    "RestStrain",
    "RobotDescription",
    "Soft",
    "Spring",
    "Stop",
    "Strand",
    "Tendon",
    "Vector3",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named quantity of the robot file. ``value`` is None only where it is run-time and has no default."""

    name: str
    value: Number | None
    unit: str = ""
    runtime: bool = False


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass [kg], and at the centre of mass the moments xx, xy, xz, yy, yz, zz [kg m^2] about the axes of ``placement``.

    ``placement`` puts the inertial frame into the link frame; its translation is the centre of mass.
    """

    mass: Number
    moments: tuple[Number, Number, Number, Number, Number, Number]
    placement: Placement = field(default_factory=Placement)


@dataclass(frozen=True, slots=True)
class Link:
    """A link; without inertial, ``flexible``, ``soft`` and ``deformable``, it is massless.

    It has one of the three at most. The inertial of a link that deforms is its rigid part, which stays with the link's
    frame: the hub.
    """

    name: str
    inertial: Inertial | None = None
    line: int | None = None
    flexible: Flexible | None = None
    soft: Soft | None = None
    loads: tuple[Load, ...] = ()
    """Each of a kind of its own, at the link's frame."""
    deformable: Mapped | None = None
    visuals: tuple[Visual, ...] = field(default=(), compare=False)
    """How the file says that it looks."""
    collision: tuple[Collision, ...] = ()
    """Shapes for rigid contacts."""
    geometry: tuple[Collision | Mesh, ...] = field(default=(), compare=False)
    """What a URDF or MJCF file gives for collisions, and meshes of YAML: contacts beside it take what they name."""

    @property
    def deforms(self) -> bool:
        """Whether it has a tip that moves against its frame."""
        return self.flexible is not None or self.soft is not None or self.deformable is not None

    @property
    def offered_shapes(self) -> Iterator[Collision | Mesh]:
        """Its shapes, and what a file gives for collisions besides, meshes last."""
        names = {own.name for own in self.collision}
        rest = [own for own in self.geometry if own.name not in names]
        yield from self.collision
        yield from (own for own in rest if isinstance(own, Collision) and own.shape.kind in LINK_SHAPES)
        yield from (own for own in rest if isinstance(own, Mesh) and not own.fault)


@dataclass(frozen=True, slots=True)
class Frame:
    """An extra frame of interest, fixed to a link."""

    name: str
    link: Annotated[str, Key(TEXT, "the link that it is fixed to")]
    placement: Annotated[
        Placement,
        placed("link", "its origin in the link's frame [m]; if left out the link's, or the tip if that deforms"),
    ] = field(default_factory=Placement)
    at: Annotated[
        Attachment | float,
        fixed_at(
            "link",
            AT,
            "on a flexible or soft link only: tip, end (counted from the tip) or root; on a soft link also a number of "
            "metres along the rod, where the frame stands in the section; the tip if left out",
        ),
    ] = Attachment.TIP
    """As for a joint, or how far along a soft link's rod [m]: ``placement`` is then in a frame that has its origin at
    the centre of the section there, and axes parallel to the link's at rest."""
    line: int | None = field(default=None, compare=False)


FRAME = family(Frame, "frame")
"""What the key ``frames`` holds by name."""


@dataclass(frozen=True, slots=True)
class RobotDescription:
    """A checked robot: one root, no cycle, names unique, every reference resolved."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    frames: tuple[Frame, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    floating_base: bool = False
    """The root link moves freely by an implicit joint ``root``."""
    gravity: tuple[float, float, float] | None = None
    """In the world frame [m/s^2]; None leaves it to the caller."""
    repairs: tuple[str, ...] = ()
    """What ``repair`` has changed against the file that was read first; one sentence each."""
    source: str = ""
    """File name for messages, without folders."""
    warnings: tuple[str, ...] = ()
    load: LoadSettings = field(default_factory=LoadSettings)
    """How the robot is loaded where the caller does not say otherwise."""
    actuation: Actuation = field(default_factory=Actuation)
    """What drives it besides motors, and in which order it is told to."""
    acting: tuple[Acting, ...] = ()
    """What acts on it from outside, besides gravity and the wrenches that functions are given."""
    contact: ContactSettings = field(default_factory=ContactSettings)
    """Obstacles, and what holds for all rigid contacts."""
    offered: tuple[OfferedPair, ...] = field(default=(), compare=False)
    """Pairs of shapes that an MJCF file lets touch, which are no contacts until asked for."""
    control: OptimalControlProblem | None = None
    """Costs and limits of its motion."""

    @property
    def root(self) -> str:
        """Name of the one link that is no joint's child."""
        children = {joint.child for joint in self.joints}
        return next(link.name for link in self.links if link.name not in children)

    @property
    def tips(self) -> dict[str, str]:
        """The links that have a tip of their own, by the names of these frames."""
        return {f"{link.name}.tip": link.name for link in self.links if link.deforms}
