"""What the user said about what drives a robot: actuators of joints, tendons and chambers along soft links."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from symdyn.description.declared import Group, Key, Part, Said, family, keyed, nested
from symdyn.description.forms import (
    FIXED,
    NAME,
    POINT,
    SCALAR,
    TEXT,
    TRIPLE,
    along_of,
    each,
    filled,
    named,
    quantity,
    scalar,
    shortened,
    vector,
)
from symdyn.description.quantities.beam_expression import BeamExpression
from symdyn.description.quantities.placement import Number
from symdyn.description.quantities.written import along, listed, mapping, number, text
from symdyn.description.text.validation import Path, kind_of, refusal

_RADIUS = re.compile(r"\bradius\s*\(\s*x\s*\)")
"""The outer radius of the link's section, as expressions of tendons and chambers may write it."""


def routed(expression: str, radius: str = "") -> BeamExpression:
    """What a place in a section says, with the outer radius put in."""
    return BeamExpression(_RADIUS.sub(f"({radius})", expression) if radius else expression)


def asks_radius(expression: str) -> bool:
    """Whether it names the outer radius."""
    return _RADIUS.search(expression) is not None


def _routed(value: object) -> str:
    along_of(_RADIUS.sub("(x)", value) if isinstance(value, str) else value)
    return str(value).strip()


_ROUTED = scalar(_routed, SCALAR, along)
_SPAN = (
    Part("from", FIXED, "where on the rod it begins [m]; 0 if left out"),
    Part("to", FIXED, "where on the rod it ends [m]; the rod's length if left out"),
)
_CROSSING = tuple(
    Part(
        axis,
        _ROUTED,
        f"{axis} where it crosses the section [m]: an expression in x, in which `radius(x)` is the section's outer "
        "radius; 0 if left out",
    )
    for axis in "yz"
)
_LINK = Part("link", TEXT, "the soft link", needed=True)


def _strand(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return dict(given.strand(said, path))


def _strand_texts(own: Any, deforming: Collection[str] = ()) -> dict[str, str]:
    places = {"y": along(own.y), "z": along(own.z)}
    return {"link": text(own.link), **places, "from": number(own.start), "to": number(own.end)}


@dataclass(frozen=True, slots=True)
class Strand:
    """The part of a tendon that runs along one soft link, from ``start`` to ``end`` [m] from the root.

    ``y`` and ``z`` are expressions in ``x`` [m]: where it crosses the section, in the section's axes [m].
    """

    link: Annotated[str, Group((_LINK, *_SPAN, *_CROSSING), _strand, _strand_texts)]
    y: str
    z: str
    start: float
    end: float


def _tendon_fault(said: Said) -> str:
    if ("along" in said) == ("link" in said):
        return "expected the soft link that it runs along: 'link', or several parts under 'along'"
    beside = "along" in said and len(said) > 1
    return "along says it all; leave out link, y, z, from and to, or along" if beside else ""


def _strands(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return {"strands": said["along"] if "along" in said else (Strand(**_strand(said, given, path)),)}


def _strands_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    parts = [_strand_texts(strand) for strand in own.strands]
    return parts[0] if len(parts) == 1 else {"along": f"[{', '.join(map(mapping, parts))}]"}


_STRANDS = Part(
    "along",
    filled(each(nested(family(Strand)))),
    "instead of these keys: a list of mappings with them, one per link that it passes",
)


@dataclass(frozen=True, slots=True)
class Tendon:
    """A cable without friction that is anchored where its last strand ends; its tension [N] pulls it towards the first.

    Its length [m] is that of all strands. What lies between two of them is taken to have a constant length.
    """

    name: str
    strands: Annotated[
        tuple[Strand, ...],
        Group((replace(_LINK, needed=False), *_SPAN, *_CROSSING, _STRANDS), _strands, _strands_texts, _tendon_fault),
    ]
    line: int | None = None


def _chamber_fault(said: Said) -> str:
    if ("wall" in said) == ("area" in said):
        return "expected 'wall' with 'angles', or 'area' with 'moment_y' and 'moment_z'"
    if "wall" in said and ("moment_y" in said or "moment_z" in said):
        return "the wall tells its moments; leave them out"
    if "skin" in said and "wall" not in said:
        return "skin goes with wall and angles; give these, or leave it out"
    apart = ("wall" in said) != ("angles" in said)
    return "wall and angles go together; give both, or area and its moments" if apart else ""


def _chamber(said: Said, given: Any, path: Path) -> dict[str, Any]:
    return dict(given.chamber(said, path))


def _chamber_texts(own: Any, deforming: Collection[str]) -> dict[str, str]:
    told = {name: along(getattr(own, name)) for name in ("area", "moment_y", "moment_z")}
    if own.wall:
        told = {"skin": along(own.skin), "wall": along(own.wall), "angles": listed(own.angles)}
    return {"link": text(own.link), **told, "from": number(own.start), "to": number(own.end)}


_HOLLOW = Group(
    (
        _LINK,
        *_SPAN,
        Part("wall", _ROUTED, "its depth below the outer radius, an expression in x and `radius(x)` [m]"),
        Part("skin", _ROUTED, "with `wall`: how much matter lies outside of it, likewise [m]; 0 if left out"),
        Part(
            "angles",
            replace(each(FIXED, 2, "two angles"), make=POINT.make),
            "with `wall`: the two angles about x, counted from y towards z, between which it lies [rad]; at most a "
            "whole turn",
        ),
        Part("area", _ROUTED, "instead of `wall` and `angles`: its area, an expression in x [m^2]"),
        Part("moment_y", _ROUTED, "with `area`: the integral of y over it, an expression in x [m^3]; 0 if left out"),
        Part("moment_z", _ROUTED, "with `area`: the integral of z over it, an expression in x [m^3]; 0 if left out"),
    ),
    _chamber,
    _chamber_texts,
    _chamber_fault,
)


@dataclass(frozen=True, slots=True)
class Chamber:
    """A chamber inside one soft link, from ``start`` to ``end`` [m] from the root, whose walls move with the sections.

    ``area`` [m^2] and its first moments ``moment_y`` and ``moment_z`` [m^3], the integrals of y and of z over it, are
    expressions in ``x`` [m]. Its pressure [Pa] is that above the pressure outside.

    In a rod whose sections deform they are those of the sections at rest, and it moves with the matter around it. It
    lies between two ``angles`` [rad], below ``skin`` of matter, and is ``wall`` deep: expressions in ``x`` [m].
    """

    name: str
    link: Annotated[str, _HOLLOW]
    area: str
    moment_y: str
    moment_z: str
    start: float
    end: float
    line: int | None = None
    skin: str = "0"
    wall: str = ""
    angles: tuple[float, float] = (0.0, 0.0)

    def radii(self, radius: str) -> tuple[str, str]:
        """Where it lies in a section of an outer radius: its own outer and inner radius, expressions in ``x`` [m]."""
        outer = f"({radius}) - ({self.skin})"
        return outer, f"{outer} - ({self.wall})"


@dataclass(frozen=True, slots=True)
class RestStrain:
    """The strain that a soft link has where nothing pulls, as an input: growth, swelling, muscles inside its matter.

    ``of`` names a soft link, one of its strains or one coordinate: ``arm``, ``arm.curvature_z``,
    ``arm.curvature_z[0]``. There is an input per coordinate: how far it rests from ``reference``.
    """

    of: str

    def names(self, coordinate: str, link: str) -> bool:
        """Whether it means a coordinate, ``arm.curvature_z[0]``, of a link."""
        return self.of in (link, coordinate, coordinate.partition("[")[0])


@dataclass(frozen=True, slots=True)
class JointActuator:
    """A motor or servo with a gear, with the force (g0 + g1 l + g2 l') u + b0 + b1 l + b2 l'.

    l is a sum of factors times coordinates of ``joints``, and their rows of tau get the force times their factors. A
    ball joint has three factors, along the axes of its velocity, and then l' alone. ``bias`` holds b0, b1 and b2: those
    of a position servo are (0, -kp, -kv), with the ``gain`` (kp, 0, 0). A damper has the gain (0, 0, -kv).
    """

    name: str
    joints: tuple[tuple[str, tuple[float, ...]], ...]
    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)


Driver = str | RestStrain | JointActuator
"""What has inputs."""
_UNIT, _NOTHING = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def _quantities(value: object) -> tuple[Number, ...]:
    entries = value if isinstance(value, list) else [value]
    if not entries:
        raise refusal("expected a number, or one per coordinate, got an empty list")
    return tuple(quantity(entry) for entry in entries)


def _gain(value: object) -> tuple[Number, ...]:
    return vector(value) if isinstance(value, list) else (quantity(value), 0.0, 0.0)


def _row_text(row: tuple[float, ...]) -> str:
    return number(row[0]) if len(row) == 1 else listed(row)


def _gain_text(gain: tuple[float, ...]) -> str:
    return listed(gain) if any(gain[1:]) else number(gain[0])


def _driver_fault(said: Said) -> str:
    if ("rest" in said) == ("joints" in said):
        return "expected 'rest' with a soft link's strain, or 'name' and 'joints' of an actuator"
    if "rest" in said and len(said) > 1:
        return "rest stands alone; leave out name, joints, gain and bias"
    nameless = "joints" in said and "name" not in said
    return "an actuator of joints has a name; give it one under 'name'" if nameless else ""


_ROWS: dict[str, Any] = {"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}
_LAW = keyed(
    "Driver",
    "What has inputs: the strain at rest of a soft link, or an actuator of joints with a gear and a law.",
    {
        "rest": Key(NAME, "a soft link, or `arm.curvature_z`, or `arm.curvature_z[0]`; alone"),
        "name": Key(NAME, "of the actuator and of its input"),
        "joints": Key(
            filled(named(scalar(_quantities, _ROWS, _row_text, POINT.make))),
            "what its length l changes by per unit of each joint's coordinate; three numbers of a spherical joint, "
            "along the axes of its velocity",
        ),
        "gain": Key(
            scalar(_gain, {"anyOf": [TRIPLE, SCALAR]}, _gain_text, POINT.make),
            "force per unit of input; or three numbers g0, g1, g2, for g0 + g1 l + g2 l'; 1 if left out",
        ),
        "bias": Key(POINT, "`[b0, b1, b2]` of b0 + b1 l + b2 l'; zeros if left out"),
    },
    _driver_fault,
)


def _driver_name(value: object) -> str:
    if isinstance(value, str):
        return value
    raise refusal(
        f"expected a name, {{rest: a soft link's strain}} or {{name: .., joints: {{..}}}}, got {kind_of(value)}"
    )


def _driver(raw: Any, given: Any, path: Path) -> Driver:
    own = _LAW.make(raw, given, path)
    if own.rest is not None:
        return RestStrain(own.rest)
    return JointActuator(own.name, own.joints, own.gain or _UNIT, own.bias or _NOTHING, given.line(path))


def _driver_text(own: Driver, deforming: Collection[str]) -> str:
    if not isinstance(own, JointActuator):
        return mapping({"rest": text(own.of)}) if isinstance(own, RestStrain) else text(own)
    joints = mapping({text(name): _row_text(row) for name, row in own.joints})
    gain = {} if own.gain == _UNIT else {"gain": _gain_text(own.gain)}
    return mapping(
        {"name": text(own.name), "joints": joints} | gain | ({"bias": listed(own.bias)} if any(own.bias) else {})
    )


TENDONS, CHAMBERS = family(Tendon), family(Chamber)
DRIVER = replace(
    shortened(scalar(_driver_name, {"type": "string"}, text), replace(nested(_LAW), make=_driver)), write=_driver_text
)
"""An entry of ``actuators``."""


@dataclass(frozen=True, slots=True)
class Actuation:
    """Tendons, chambers, and the ``actuators`` in the order of the inputs.

    These are names of joints, tendons and chambers, rest strains, and actuators of joints by a law of their own.
    ``absent`` tells of actuators that the robot has besides, and symdyn has not: inputs are not known then.
    """

    tendons: tuple[Tendon, ...] = ()
    chambers: tuple[Chamber, ...] = ()
    actuators: tuple[Driver, ...] = ()
    absent: tuple[str, ...] = ()
