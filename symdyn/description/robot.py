"""What the user said about a robot: frozen data, no algebra. Readers make it, ``model`` binds it to numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

from symdyn.description.actuation import Actuation, Chamber, RestStrain, Strand, Tendon
from symdyn.description.attachment import Attachment
from symdyn.description.collision import LINK_SHAPES, Collision, ContactSettings, Mesh, OfferedPair
from symdyn.description.declared import Group, Key, Part, Said
from symdyn.description.external_loads import Acting
from symdyn.description.flexible import Flexible
from symdyn.description.forms import CONSTANT, FOLDED, TEXT, named
from symdyn.description.load_settings import LoadSettings
from symdyn.description.loads import BallSpring, Load, Spring, Stop
from symdyn.description.mapped import Mapped
from symdyn.description.quantities.placement import IDENTITY, Matrix3, Number, Placement, Vector3
from symdyn.description.quantities.written import flow_key, mapping, number, text
from symdyn.description.soft import Soft
from symdyn.description.text.validation import Path
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


class JointKind(Enum):
    """How a child link may move against its parent. Motion is along or about ``axis`` in the joint's frame."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    HELICAL = "helical"  # turns by q and slides by pitch * q
    CYLINDRICAL = "cylindrical"  # slides along axis and turns about it, each by a coordinate of its own
    UNIVERSAL = "universal"  # turns about axis, then about second_axis, which the first turn carries along
    SPHERICAL = "spherical"
    PLANAR = "planar"  # axis is the plane's normal
    FLOATING = "floating"

    @property
    def has_axis(self) -> bool:
        """Whether its motion is about or along an axis."""
        return self not in (JointKind.FIXED, JointKind.FLOATING, JointKind.SPHERICAL)


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
class Limits:
    """Bounds of a one-coordinate joint, in rad or m and N m or N. Infinite where the file is silent."""

    lower: Annotated[float, Key(CONSTANT, "least coordinate [rad or m]")] = float("-inf")
    upper: Annotated[float, Key(CONSTANT, "largest coordinate [rad or m]")] = float("inf")
    velocity: Annotated[float, Key(CONSTANT, "largest speed [rad/s or m/s]")] = float("inf")
    effort: Annotated[float, Key(CONSTANT, "largest torque or force [N m or N]")] = float("inf")
    acceleration: Annotated[float, Key(CONSTANT, "[rad/s^2 or m/s^2]")] = float("inf")
    deceleration: Annotated[float, Key(CONSTANT, "that of acceleration if left out")] = float("inf")
    """Of motion that slows down; readers take that of ``acceleration`` where a file gives this alone."""
    jerk: Annotated[float, Key(CONSTANT, "[rad/s^3 or m/s^3]")] = float("inf")


def _mimic_fault(said: Said) -> str:
    if "joints" in said and ("joint" in said or "multiplier" in said):
        return "joints holds multipliers by joint; keep it, or joint and multiplier"
    missing = "joint" not in said and not said.get("joints")
    return "expected the joint that it follows: 'joint' with 'multiplier', or several under 'joints'" if missing else ""


def _leaders(said: Said, given: Any, path: Path) -> dict[str, Any]:
    (joint, multiplier), *others = said.get("joints") or ((said.get("joint"), said.get("multiplier", 1.0)),)
    return {"joint": joint, "multiplier": multiplier, "others": tuple(others)}


def _leader_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    if own.others:
        return {"joints": mapping({flow_key(name): number(gain) for name, gain in own.terms})}
    return {"joint": text(own.joint), "multiplier": number(own.multiplier)}


@dataclass(frozen=True, slots=True)
class Mimic:
    """The coordinate is ``multiplier * q[joint] + offset``, plus a multiple of the coordinate of each of ``others``.

    ``others`` holds names of joints with their multipliers.
    """

    joint: Annotated[
        str,
        Group(
            (
                Part("joint", TEXT, "the joint that it follows"),
                Part("multiplier", CONSTANT, "of that joint's coordinate; 1 if left out"),
                Part("joints", named(CONSTANT), "multipliers by joint, in place of the two"),
            ),
            _leaders,
            _leader_texts,
            _mimic_fault,
        ),
    ]
    multiplier: float = 1.0
    offset: Annotated[float, Key(CONSTANT, "[rad or m]", always=True)] = 0.0
    others: tuple[tuple[str, float], ...] = ()

    @property
    def terms(self) -> tuple[tuple[str, float], ...]:
        """Every leader with its multiplier."""
        return ((self.joint, self.multiplier), *self.others)


@dataclass(frozen=True, slots=True)
class Losses:
    """Viscous damping [N m s/rad or N s/m] and Coulomb friction [N m or N], smoothed as F tanh(v / velocity_scale)."""

    damping: Annotated[Number, Key(FOLDED, "viscous [N m s/rad or N s/m]", unit="N m s/rad", sliding="N s/m")] = 0.0
    friction: Annotated[Number, Key(FOLDED, "Coulomb [N m or N]", unit="N m", sliding="N")] = 0.0
    velocity_scale: Annotated[float, Key(CONSTANT, "where tanh smooths friction [rad/s or m/s]")] = 0.01


def _rotor_fault(said: Said) -> str:
    if "armature" in said and ("rotor_inertia" in said or "gear_ratio" in said):
        return "armature is gear_ratio**2 * rotor_inertia already; keep it, or the two"
    alone = "gear_ratio" in said and "rotor_inertia" not in said
    return "gear_ratio means nothing without rotor_inertia; add it, or give armature" if alone else ""


def _rotor(said: Said, given: Any = None, path: Path = ()) -> dict[str, Any]:
    return {part.name: said[part.name] for part in _ROTOR if part.name in said}


def _rotor_texts(own: Any, deforming: Collection[str] = ()) -> dict[str, str]:
    if own.armature is not None:
        return {"armature": number(own.armature)}
    return {"rotor_inertia": number(own.rotor_inertia), "gear_ratio": number(own.gear_ratio)}


def _driving(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return {"actuator": Actuator(**_rotor(said))}


def _driving_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    return _rotor_texts(own.actuator)


_ROTOR = (
    Part("rotor_inertia", FOLDED, "about its own axis [kg m^2, or kg where the joint slides]"),
    Part("gear_ratio", FOLDED, "turns of the rotor per turn of the joint; 1 if left out"),
    Part("armature", FOLDED, "gear_ratio**2 * rotor_inertia, in place of the two"),
)


@dataclass(frozen=True, slots=True)
class Actuator:
    """The rotor that drives a joint through a gear, felt at the joint as an inertia ``gear_ratio^2 * rotor_inertia``.

    ``armature`` [kg m^2 or kg] gives that product itself, in place of the two.
    """

    rotor_inertia: Annotated[Number, Group(_ROTOR, _rotor, _rotor_texts, _rotor_fault)] = 0.0
    """About the rotor's own axis [kg m^2], or the mass [kg] that moves where the joint slides."""
    gear_ratio: Number = 1.0
    """Turns of the rotor per turn of the joint."""
    armature: Number | None = None


@dataclass(frozen=True, slots=True)
class Elastic:
    """A spring [N m/rad or N/m] and damper [N m s/rad or N s/m] between a joint and its motor, on the joint's side."""

    stiffness: Annotated[Number, Key(FOLDED, "[N m/rad or N/m]")]
    damping: Annotated[Number, Key(FOLDED, "[N m s/rad or N s/m]", always=True)] = 0.0
    actuator: Annotated[Actuator, Group(_ROTOR, _driving, _driving_texts, _rotor_fault)] = field(
        default_factory=Actuator
    )


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint: child_frame = parent_frame * placement * motion(q)."""

    name: str
    kind: JointKind
    parent: str
    child: str
    placement: Placement = field(default_factory=Placement)
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    """Unit vector in the joint's frame."""
    second_axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    """Universal joints only: unit vector, at right angles to ``axis``."""
    pitch: float = 0.0
    """Helical joints only, in m/rad."""
    limits: Limits | None = None
    losses: Losses = field(default_factory=Losses)
    mimic: Mimic | None = None
    line: int | None = None
    actuator: Actuator | None = None
    elastic: Elastic | None = None
    """Joints with one coordinate only, as ``actuator``; a joint has one of the two at most."""
    loads: tuple[Load, ...] = ()
    """Joints with one coordinate only; one of each kind at most. They act beside the joint's motor and its spring."""
    at: Attachment = Attachment.TIP
    """Where on a parent that deforms the joint is fixed; ``placement`` is in the link's frame at rest, with
    ``Attachment.END`` in that of the tip."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An extra frame of interest, fixed to a link."""

    name: str
    link: str
    placement: Placement = field(default_factory=Placement)
    at: Attachment | float = Attachment.TIP
    """As for a joint, or how far along a soft link's rod [m]: ``placement`` is then in a frame that has its origin at
    the centre of the section there, and axes parallel to the link's at rest."""


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
