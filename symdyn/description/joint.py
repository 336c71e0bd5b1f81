"""Joints as a file describes them: how a link moves against its parent, and what drives, holds and slows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any

from symdyn.description.attachment import ATTACHMENTS, WORDS, Attachment
from symdyn.description.declared import Family, Group, Key, Part, Said, family, nested
from symdyn.description.forms import (
    CONSTANT,
    FOLDED,
    TEXT,
    TRIPLE,
    Form,
    choice,
    named,
    or_absent,
    scalar,
    vector,
)
from symdyn.description.loads import JOINT_LOADS, Load, load_texts
from symdyn.description.placed import fixed_at, placed
from symdyn.description.quantities.placement import Number, Placement
from symdyn.description.quantities.written import flow_key, listed, mapping, number, text
from symdyn.description.text.validation import Path


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


ONE_COORDINATE = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.HELICAL)
"""Kinds of joint that have exactly one coordinate, and so can mimic, be mimicked and have limits."""
DRIVEN = {"actuator": (*ONE_COORDINATE, JointKind.SPHERICAL), "elastic": ONE_COORDINATE}
"""The kinds of joint that a rotor and a motor's spring are for; a ball has the same inertia about each of its axes."""


def kinds_of(load: type[Load]) -> tuple[JointKind, ...]:
    """The kinds of joint that a joint's load is for."""
    return (JointKind.SPHERICAL,) if load.ball else ONE_COORDINATE


_RATES = (
    Part("acceleration", CONSTANT, "largest acceleration [rad/s^2 or m/s^2]"),
    Part("deceleration", CONSTANT, "largest acceleration where the motion slows down; as `acceleration` if left out"),
)


def _rates(said: Said, given: Any, path: Path) -> dict[str, Any]:
    known = {part.name: said[part.name] for part in _RATES if part.name in said}
    return {"deceleration": known["acceleration"], **known} if "acceleration" in known else known


def _rate_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    rates = {part.name: getattr(own, part.name) for part in _RATES}
    return {name: number(rate) for name, rate in rates.items() if rate != float("inf")}


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a one-coordinate joint, in rad or m and N m or N. Infinite where the file is silent."""

    lower: Annotated[float, Key(CONSTANT, "least coordinate [rad or m]")] = float("-inf")
    upper: Annotated[float, Key(CONSTANT, "largest coordinate [rad or m]")] = float("inf")
    velocity: Annotated[float, Key(CONSTANT, "largest speed [rad/s or m/s]")] = float("inf")
    effort: Annotated[float, Key(CONSTANT, "largest torque or force [N m or N]")] = float("inf")
    acceleration: Annotated[float, Group(_RATES, _rates, _rate_texts)] = float("inf")
    deceleration: float = float("inf")
    """Of motion that slows down; readers take that of ``acceleration`` where a file gives this alone."""
    jerk: Annotated[float, Key(CONSTANT, "largest jerk [rad/s^3 or m/s^3]")] = float("inf")


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
    offset: Annotated[float, Key(CONSTANT, "added to it [rad or m]", always=True)] = 0.0
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

    stiffness: Annotated[Number, Key(FOLDED, "K [N m/rad or N/m], at least 0")]
    damping: Annotated[Number, Key(FOLDED, "D of the spring [N m s/rad or N s/m], at least 0", always=True)] = 0.0
    actuator: Annotated[Actuator, Group(_ROTOR, _driving, _driving_texts, _rotor_fault)] = field(
        default_factory=Actuator
    )


def _words(kinds: Iterable[JointKind]) -> tuple[str, ...]:
    return tuple(kind.value for kind in kinds)


def _part(record: type) -> Form:
    return or_absent(nested(family(record)))


_LOADS = tuple(Part(kind.key, _part(kind), kind.title, only=_words(kinds_of(kind))) for kind in JOINT_LOADS)


def _loads(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return {"loads": tuple(said[kind.key] for kind in JOINT_LOADS if kind.key in said)}


def _load_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    return load_texts(own.loads)


_AXIS = or_absent(scalar(vector, TRIPLE, listed, lambda raw, given, path: given.direction(raw, path)))
_AXIAL = _words(kind for kind in JointKind if kind.has_axis)
_MOVING = _words(kind for kind in JointKind if kind is not JointKind.FIXED)
_SINGLE = _words(ONE_COORDINATE)


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint: child_frame = parent_frame * placement * motion(q)."""

    name: str
    kind: Annotated[
        JointKind, Key(choice(_words(JointKind), JointKind), "how the child moves against the parent", name="type")
    ]
    parent: Annotated[str, Key(TEXT, "the link that carries it")]
    child: Annotated[str, Key(TEXT, "the link that it moves")]
    placement: Annotated[
        Placement,
        placed(
            "parent",
            "origin of the joint's frame in the parent link [m]; if left out the link's, or the tip if that deforms",
        ),
    ] = field(default_factory=Placement)
    axis: Annotated[
        tuple[float, float, float],
        Key(
            _AXIS,
            "of motion, in the joint's frame, of any length; the normal of a planar joint",
            _AXIAL,
            needed="a <kind> joint needs one, such as [0, 0, 1]",
        ),
    ] = (1.0, 0.0, 0.0)
    """Unit vector in the joint's frame."""
    second_axis: Annotated[
        tuple[float, float, float],
        Key(
            _AXIS,
            "about which it turns after the first turn, which moves it; at right angles to `axis`",
            _words([JointKind.UNIVERSAL]),
            needed="a universal joint turns about two axes",
        ),
    ] = (0.0, 1.0, 0.0)
    """Universal joints only: unit vector, at right angles to ``axis``."""
    pitch: Annotated[
        float,
        Key(
            or_absent(CONSTANT),
            "how far it slides as it turns [m/rad]",
            _words([JointKind.HELICAL]),
            needed="a helical joint slides by pitch metres per radian",
        ),
    ] = 0.0
    """Helical joints only, in m/rad."""
    limits: Annotated[Limits | None, Key(_part(Limits), "bounds of coordinate, speed, effort", _SINGLE)] = None
    losses: Annotated[Losses, Key(_part(Losses), "damping and friction", _MOVING)] = field(default_factory=Losses)
    mimic: Annotated[Mimic | None, Key(_part(Mimic), "the coordinate follows others", _SINGLE)] = None
    line: int | None = None
    actuator: Annotated[
        Actuator | None, Key(_part(Actuator), "the rotor that drives the joint", _words(DRIVEN["actuator"]))
    ] = None
    elastic: Annotated[
        Elastic | None, Key(_part(Elastic), "a spring between motor and link", _words(DRIVEN["elastic"]))
    ] = None
    """A joint has this or ``actuator``, not both."""
    loads: Annotated[
        tuple[Load, ...],
        Group(_LOADS, _loads, _load_texts),
    ] = ()
    """One of each kind at most. They act beside the joint's motor and its spring."""
    at: Annotated[
        Attachment,
        fixed_at(
            "parent",
            choice(ATTACHMENTS, Attachment, WORDS),
            "on a flexible or soft parent only: its tip, end (counted from the tip) or root; the tip if left out",
            after="child",
        ),
    ] = Attachment.TIP
    """Where on a parent that deforms the joint is fixed; ``placement`` is in the link's frame at rest, with
    ``Attachment.END`` in that of the tip."""


JOINT = Family(
    "joint",
    ((Joint, _words(JointKind)),),
    "type",
)
"""All that the key ``joints`` may hold."""
