"""A RobotDescription to URDF: rigid trees with their shapes, and rigid contacts in a file beside them.

What URDF has no words for and changes the motion is refused; what a reader has to be told besides is listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml import etree

from symdyn.description.collision import Collision, ContactSettings, Mesh, Shape
from symdyn.description.quantities.number import SMALLEST
from symdyn.description.quantities.placement import IDENTITY, Matrix3, Number, Placement, Vector3
from symdyn.description.quantities.written import listed, number
from symdyn.description.rigid_contact import RigidContact
from symdyn.description.robot import (
    Actuation,
    Actuator,
    Attachment,
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    LoadSettings,
    Losses,
    RobotDescription,
)
from symdyn.description.text.position import shown
from symdyn.description.visual import Visual
from symdyn.errors import DescriptionError

DRAKE = "http://drake.mit.edu"
UNBOUNDED = 1e9
"""What stands for no limit where URDF requires one [rad or m, and their rates; N m or N]."""
GRAVITY = (0.0, 0.0, -9.81)
_WORDS = {JointKind.HELICAL: "screw", JointKind.SPHERICAL: "ball"}
_FEW_READ = (JointKind.HELICAL, JointKind.SPHERICAL, JointKind.UNIVERSAL)
"""Joints of Drake's that other readers do not know."""
_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)


@dataclass(frozen=True, slots=True)
class UrdfFiles:
    """A robot as URDF.

    ``urdf`` is the text of the file, ``contacts`` that of the YAML file beside it with rigid contacts, or empty.
    ``left_out`` tells, one sentence each, what neither has and what a reader is to be told.
    """

    urdf: str
    contacts: str = ""
    left_out: tuple[str, ...] = ()


def write_urdf(robot: RobotDescription) -> UrdfFiles:
    """Text of a URDF that :func:`parse_urdf` reads back as the same robot, to rounding.

    Rotations are roll, pitch and yaw, and so good to some 2e-16; all other numbers return to the last bit.

    Raises
    ------
    DescriptionError
        What URDF has no words for and changes the motion: links that deform, loops, springs, loads, and so on. The
        message names all of it.
    """
    writer = _Writer(robot)
    root = writer.root()
    if writer.refused:
        raise DescriptionError(
            f"robot {shown(robot.name)} is no URDF: {'; '.join(dict.fromkeys(writer.refused))}. URDF has rigid links "
            "and joints alone: take these out, or keep the robot in symdyn's YAML"
        )
    document = etree.tostring(root, pretty_print=True, encoding="unicode")
    return UrdfFiles(f'<?xml version="1.0"?>\n{document}', left_out=tuple(writer.left_out))


def rpy_of(rows: Matrix3) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation Rz(yaw) Ry(pitch) Rx(roll).

    Roll is taken from what yaw leaves, so that all is exact where pitch is a right angle too and yaw is arbitrary.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = rows
    yaw = math.atan2(yx, xx)
    cosine, sine = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sine * xz - cosine * yz, cosine * yy - sine * xy)
    return roll, math.atan2(-zx, math.hypot(xx, yx)), yaw


@dataclass(slots=True)
class _Writer:
    """One robot on its way."""

    robot: RobotDescription
    refused: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    _unbounded: list[str] = field(default_factory=list)
    _few_read: list[str] = field(default_factory=list)

    @property
    def touches(self) -> bool:
        """Whether there is something for the file beside."""
        acts = any(isinstance(own, RigidContact) for own in self.robot.acting)
        return acts or self.robot.contact != ContactSettings()

    def root(self) -> etree._Element:
        """The element of the whole robot."""
        robot = self.robot
        root = etree.Element("robot", {"name": _text(robot.name)}, nsmap={"drake": DRAKE} if self._has_drakes else None)
        for link in robot.links:
            self._link(root, link)
        for joint in robot.joints:
            self._joint(root, joint)
        self._frames(root)
        for joint in robot.joints:
            if joint.actuator is not None:
                self._rotor(root, joint, joint.actuator)
        self._whole()
        return root

    @property
    def _has_drakes(self) -> bool:
        return any(joint.actuator is not None or joint.kind in _FEW_READ for joint in self.robot.joints)

    def _whole(self) -> None:
        """What belongs to no link or joint alone."""
        robot, usual = self.robot, LoadSettings()
        for acting in robot.acting:
            if not isinstance(acting, RigidContact):
                self.refused.append(f"{acting.key} {shown(acting.name)} acts on it")
        if robot.actuation.tendons or robot.actuation.chambers:
            self.refused.append("it has tendons or chambers")
        elif robot.actuation != Actuation():
            self.left_out.append("the order of its actuators, which inputs='actuators' takes")
        if robot.floating_base:
            self.left_out.append("its base floats: load it with floating_base=True, or --floating-base")
        if robot.gravity is not None and robot.gravity != GRAVITY:
            self.left_out.append(f"gravity is {listed(robot.gravity)}: load it with gravity=")
        for name in LoadSettings.__dataclass_fields__:
            if getattr(robot.load, name) != getattr(usual, name):
                self.left_out.append(f"it is loaded with {name}={getattr(robot.load, name)!r}: say so again")
        if robot.control is not None:
            self.left_out.append("its problem of optimal control")
        if robot.offered and not self.touches:
            self.left_out.append(f"{len(robot.offered)} pairs of geoms that may touch")
        if self._unbounded:
            told = ", ".join(self._unbounded)
            self.left_out.append(f"URDF requires limits, and {UNBOUNDED:g} stands for none at {told}")
        if self._few_read:
            told = ", ".join(self._few_read)
            self.left_out.append(f"symdyn and Drake alone read {told}")

    def _number(self, value: Number, what: str) -> str:
        """A number that returns to the last bit."""
        if isinstance(value, float | int):
            return number(value)
        self.refused.append(f"{what} depends on run-time parameters")
        return "0"

    def _numbers(self, values: Iterable[Number], what: str) -> str:
        return " ".join(self._number(value, what) for value in values)

    def _origin(self, parent: etree._Element, placement: Placement, what: str) -> None:
        entries = {"xyz": self._numbers(placement.translation, what)}
        if placement.rotation != IDENTITY:
            entries["rpy"] = " ".join(map(number, rpy_of(placement.rotation)))
        if "rpy" in entries or any(entry != 0.0 for entry in placement.translation):
            etree.SubElement(parent, "origin", entries)

    def _link(self, root: etree._Element, link: Link) -> None:
        what = f"link {shown(link.name)}"
        made = etree.SubElement(root, "link", {"name": _text(link.name)})
        if link.deforms:
            self.refused.append(f"{what} deforms")
        for load in link.loads:
            self.refused.append(f"{what} has {_kind(load)}")
        if link.inertial is not None:
            self._inertial(made, link.inertial, what)
        for look in link.visuals:
            if look.fault or look.shape not in ("mesh", "box", "cylinder", "sphere"):
                self.left_out.append(f"how {what} looks: {look.fault or f'URDF has no {look.shape}'}")
                continue
            shape = self._looks(look)
            self._shape(made, "visual", "", look.placement, shape, what)
        for own in link.offered_shapes:
            if isinstance(own, Mesh):
                place = Placement(own.point, own.rotation)
                scale = {} if own.scale == (1.0, 1.0, 1.0) else {"scale": " ".join(map(number, own.scale))}
                self._shape(made, "collision", own.name, place, ("mesh", {"filename": own.address} | scale), what)
            elif own.shape.kind != "hull":
                self._collision(made, own, what)
            elif not self.touches:
                self.left_out.append(f"the hull {shown(own.name)} of {what}")
        for own in link.geometry:
            if isinstance(own, Mesh) and own.fault:
                self.left_out.append(f"a collision shape of {what}: {own.fault}")

    def _inertial(self, parent: etree._Element, own: Inertial, what: str) -> None:
        made = etree.SubElement(parent, "inertial")
        self._origin(made, own.placement, what)
        etree.SubElement(made, "mass", {"value": self._number(own.mass, f"the mass of {what}")})
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        moments = (self._number(value, f"the inertia of {what}") for value in own.moments)
        etree.SubElement(made, "inertia", dict(zip(names, moments, strict=True)))

    def _shape(
        self,
        parent: etree._Element,
        tag: str,
        name: str,
        placement: Placement,
        shape: tuple[str, dict[str, str]],
        what: str,
    ) -> None:
        made = etree.SubElement(parent, tag, {"name": _text(name)} if name else {})
        self._origin(made, placement, f"a shape of {what}")
        kind, entries = shape
        etree.SubElement(
            etree.SubElement(made, "geometry"), kind, {own: _text(value) for own, value in entries.items()}
        )

    def _looks(self, own: Visual) -> tuple[str, dict[str, str]]:
        match own.shape:
            case "mesh":
                usual = own.size in ((), (1.0, 1.0, 1.0))
                return "mesh", {"filename": own.address} | ({} if usual else {"scale": " ".join(map(number, own.size))})
            case "box":
                return "box", {"size": " ".join(map(number, own.size))}
            case "cylinder":
                return "cylinder", {"radius": number(own.size[0]), "length": number(own.size[1])}
        return "sphere", {"radius": number(own.size[0])}

    def _collision(self, parent: etree._Element, own: Collision, what: str) -> None:
        shape, name = own.shape, f"shape {shown(own.name)} of {what}"
        radius = self._number(shape.radius, name)
        match shape.kind:
            case "sphere":
                place, made = Placement(shape.points[0]), ("sphere", {"radius": radius})
            case "box":
                place = Placement(shape.points[0], shape.rotation)
                made = "box", {"size": " ".join(map(number, shape.size))}
            case kind:
                place, length = self._along(shape, name)
                made = kind, {"radius": radius, "length": number(length)}
        self._shape(parent, "collision", own.name, place, made, what)

    def _along(self, shape: Shape, what: str) -> tuple[Placement, float]:
        """Where the middle of an axis is, with z along it, and how long it is."""
        self._numbers((entry for point in shape.points for entry in point), what)
        first, last = (tuple(own if isinstance(own, float | int) else 0.0 for own in point) for point in shape.points)
        x, y, z = (second - start for start, second in zip(first, last, strict=True))
        middle: Vector3 = tuple((start + second) / 2.0 for start, second in zip(first, last, strict=True))  # type: ignore[assignment]
        length, across = math.hypot(x, y, z), math.hypot(x, y)
        if length < SMALLEST:
            self.refused.append(f"{what} has no length")
            return Placement(middle), length
        cosine, sine = (x / across, y / across) if across else (1.0, 0.0)
        up, out = z / length, across / length
        rows = ((cosine * up, -sine, cosine * out), (sine * up, cosine, sine * out), (-out, 0.0, up))
        return Placement(middle, rows), length

    def _joint(self, root: etree._Element, joint: Joint) -> None:
        what, kind = f"joint {shown(joint.name)}", joint.kind
        if kind is JointKind.CYLINDRICAL:
            self.refused.append(f"{what} is cylindrical")
        if joint.elastic is not None:
            self.refused.append(f"{what} is elastic")
        for load in joint.loads:
            self.refused.append(f"{what} has {_kind(load)}")
        if joint.at is not Attachment.TIP:
            self.refused.append(f"{what} is fixed along a link that deforms")
        bounds = joint.limits or Limits()
        if kind is JointKind.REVOLUTE and math.isinf(bounds.lower) and math.isinf(bounds.upper):
            kind = JointKind.CONTINUOUS
        tag = "joint"
        if kind in _FEW_READ:
            tag = f"{{{DRAKE}}}joint"
            self._few_read.append(f"{what}, which is {kind.value}")
        made = etree.SubElement(root, tag, {"name": _text(joint.name), "type": _WORDS.get(kind, kind.value)})
        self._origin(made, joint.placement, f"the placement of {what}")
        etree.SubElement(made, "parent", {"link": _text(joint.parent)})
        etree.SubElement(made, "child", {"link": _text(joint.child)})
        if kind.has_axis:
            etree.SubElement(made, "axis", {"xyz": " ".join(map(number, joint.axis))})
        if kind is JointKind.UNIVERSAL:
            etree.SubElement(made, "axis2", {"xyz": " ".join(map(number, joint.second_axis))})
        if kind is JointKind.HELICAL:
            pitch = {"value": number(joint.pitch * math.tau)}
            etree.SubElement(made, f"{{{DRAKE}}}screw_thread_pitch", pitch)
        self._limits(made, joint, kind)
        self._losses(made, joint.losses, what)
        if joint.mimic is not None:
            if joint.mimic.others:
                self.refused.append(f"{what} follows several joints")
            entries = {"multiplier": number(joint.mimic.multiplier), "offset": number(joint.mimic.offset)}
            etree.SubElement(made, "mimic", {"joint": _text(joint.mimic.joint)} | entries)

    def _limits(self, parent: etree._Element, joint: Joint, kind: JointKind) -> None:
        if kind not in (*_LIMITED, JointKind.CONTINUOUS, JointKind.HELICAL):
            return
        bounds, entries, required = joint.limits or Limits(), {}, kind in _LIMITED
        bounded = () if kind is JointKind.CONTINUOUS else ("lower", "upper")
        for name in (*bounded, "effort", "velocity", "acceleration", "deceleration", "jerk"):
            value = getattr(bounds, name)
            if math.isfinite(value):
                entries[name] = number(value)
            elif required and name in ("lower", "upper", "effort", "velocity"):
                entries[name] = number(math.copysign(UNBOUNDED, value))
                if joint.name not in self._unbounded:
                    self._unbounded.append(joint.name)
        if entries.get("deceleration") == entries.get("acceleration"):
            entries.pop("deceleration", None)
        if entries:
            etree.SubElement(parent, "limit", entries)

    def _losses(self, parent: etree._Element, own: Losses, what: str) -> None:
        if own.friction != 0.0 and own.velocity_scale != Losses().velocity_scale:
            self.refused.append(f"{what} has a velocity scale of friction")
        entries = {
            name: self._number(value, f"the {name} of {what}")
            for name, value in (("damping", own.damping), ("friction", own.friction))
            if value != 0.0
        }
        if entries:
            etree.SubElement(parent, "dynamics", entries)

    def _rotor(self, root: etree._Element, joint: Joint, own: Actuator) -> None:
        """A transmission, as Drake reads rotors."""
        what = f"the rotor of joint {shown(joint.name)}"
        if joint.limits is not None and joint.limits.effort == 0.0:
            self.refused.append(f"{what} drives a joint whose limit of effort is 0")
        inertia, gear = (own.rotor_inertia, own.gear_ratio) if own.armature is None else (own.armature, 1.0)
        made = etree.SubElement(root, "transmission", {"name": _text(f"{joint.name}_transmission")})
        etree.SubElement(made, "type").text = "transmission_interface/SimpleTransmission"
        etree.SubElement(made, "joint", {"name": _text(joint.name)})
        motor = etree.SubElement(made, "actuator", {"name": _text(f"{joint.name}_motor")})
        etree.SubElement(motor, f"{{{DRAKE}}}rotor_inertia", {"value": self._number(inertia, what)})
        etree.SubElement(motor, f"{{{DRAKE}}}gear_ratio", {"value": self._number(gear, what)})
        self._few_read.append(what)

    def _frames(self, root: etree._Element) -> None:
        """Frames are links without mass on fixed joints."""
        taken = {joint.name for joint in self.robot.joints}
        for frame in self.robot.frames:
            if frame.at is not Attachment.TIP:
                self.refused.append(f"frame {shown(frame.name)} is along a link that deforms")
            name = f"{frame.name}_fixed"
            while name in taken:
                name += "_"
            taken.add(name)
            etree.SubElement(root, "link", {"name": _text(frame.name)})
            made = etree.SubElement(root, "joint", {"name": _text(name), "type": "fixed"})
            self._origin(made, frame.placement, f"frame {shown(frame.name)}")
            etree.SubElement(made, "parent", {"link": _text(frame.link)})
            etree.SubElement(made, "child", {"link": _text(frame.name)})


def _kind(load: object) -> str:
    return f"a {type(load).__name__.lower()}"


def _text(name: str) -> str:
    """A name, which XML may hold.

    Raises
    ------
    DescriptionError
        A character that XML has no form of.
    """
    if any(ord(letter) < 32 and letter not in "\t\n\r" for letter in name):
        raise DescriptionError(f"URDF cannot hold the name {shown(name)}: XML has no control characters; rename it")
    return name
