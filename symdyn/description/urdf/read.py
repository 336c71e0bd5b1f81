"""URDF to a RobotDescription.

Robot formats that share URDF's syntax: recognised, and refused with the way out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath
from typing import Any, cast

from lxml import etree
from pydantic import ValidationError

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import Triple, unit_vector
from symdyn.description.quantities.physical_inertia import Moments
from symdyn.description.robot import (
    Inertial,
    Joint,
    JointKind,
    Link,
    Losses,
    Mimic,
    RobotDescription,
)
from symdyn.description.text.notice import Notice, doubt, mended, offer
from symdyn.description.text.position import at, on_line, shown
from symdyn.description.text.validation import Path, problem
from symdyn.description.urdf.collisions import collisions_of
from symdyn.description.urdf.drake import Rotors, rotors_of, without_prefix
from symdyn.description.urdf.joint_words import kind_of, limits_of, pitch_of, second_axis_of
from symdyn.description.urdf.left_out import leave_out
from symdyn.description.urdf.origins import Origins
from symdyn.description.urdf.schema import InertialXml, JointXml, LinkXml, RobotXml
from symdyn.description.urdf.schema_order import arrange
from symdyn.description.urdf.undeclared import Undeclared
from symdyn.description.urdf.versions import Version, version_of
from symdyn.description.urdf.visuals import colours_of, visuals_of
from symdyn.description.urdf.xacro import refusal
from symdyn.description.urdf.xml_document import line_of, local_name, parse_xml
from symdyn.errors import DescriptionError

_CONVERT = "which symdyn does not read; convert it to URDF or describe the robot in symdyn's YAML"
_FORMATS = {
    "mujoco": "MJCF; read it with format='mjcf'",
    "mujocoinclude": "a part of an MJCF model; load the model that includes it",
    "sdf": f"SDF, {_CONVERT}",
    "COLLADA": f"COLLADA, {_CONVERT}",
}
_SUBSTITUTION = re.compile(r"\$\{[^}]*\}|\$\((?:find|arg|env|optenv|anon|eval|dirname)\b")
_DYNAMICS = ("link", "joint", "link/inertial//*", "joint/*")


def refuse_foreign(root: etree._Element, source: str) -> None:
    """Raise a DescriptionError if the tree is not plain URDF but xacro, MJCF, SDF or something else."""
    tag = local_name(str(root.tag))
    if tag in _FORMATS:
        raise DescriptionError(f"{at(source, line_of(root))}: with root element <{tag}> this is {_FORMATS[tag]}")
    if tag != "robot":
        raise DescriptionError(
            f"{at(source, line_of(root))}: expected a URDF with root element <robot>, got <{tag}>; is this a "
            "robot file?"
        )
    for element in root.iter():
        name, line = str(element.tag), line_of(element)
        if _is_xacro(name):
            raise refusal(source, line, f"<xacro:{local_name(name)}>")
        if name.startswith("{http://www.w3.org/2001/XInclude}"):
            raise DescriptionError(f"{at(source, line)}: XInclude is not processed; paste the included elements here")
    for path in _DYNAMICS:
        for element in root.iterfind(path):
            for key, value in element.attrib.items():
                if _SUBSTITUTION.search(str(value)):
                    raise refusal(source, line_of(element), f"{key!s}={shown(str(value))}")


def _is_xacro(name: str) -> bool:
    namespace = name[1:].partition("}")[0] if name.startswith("{") else ""
    return namespace.rstrip("/").endswith("xacro")


_AXIS_TOLERANCE = 1e-6


def parse_urdf(data: bytes, source: str, *, repair: bool = False, ignore: Collection[str] = ()) -> RobotDescription:
    """Robot of a URDF document.

    Values are in SI units and radians. Shapes are kept for viewers, and no mesh is opened; what else is not modelled
    becomes a warning, or is refused where it may change the equations. A missing ``<axis>`` is 1 0 0 and a missing
    ``<origin>`` the identity, as URDF says.

    Parameters
    ----------
    data
        The file's bytes.
    source
        The file's name for messages, without folders.
    repair
        Take an ``<inertial>`` without ``<inertia>`` as a point mass, and mend what :func:`check` can.
    ignore
        Names of elements and attributes that are left out, with a warning each.

    Raises
    ------
    DescriptionError
        Unsafe or malformed XML, another format, a missing or ill-formed value, an unknown element or attribute that
        may change the equations, an inconsistent tree, or an impossible inertia.
    """
    root, warnings = parse_xml(data, source)
    leave_out(root, ignore, warnings)
    refuse_foreign(root, source)
    without_prefix(root, source)
    warnings += Undeclared(source).scan(root, RobotXml)
    # what is arranged has lost them
    colours = colours_of(root)
    looks = [(visuals_of(link, colours), collisions_of(link)) for link in root.iterfind("link")]
    rotors = rotors_of(root, source, warnings)
    arrange(root, RobotXml)
    try:
        robot = RobotXml.from_xml_tree(cast(Any, root))
    except ValidationError as failure:
        raise _refusal(failure, root, source) from None
    name = robot.name
    if name is None:
        name = PurePath(source).stem or "robot"
        warnings.append(f"{on_line(line_of(root))}<robot> has no name; the file gives it {shown(name)}")
    version = version_of(robot.version, line_of(root), warnings)
    reader = _Reader(source, version, rotors, warnings)
    links = zip(robot.link, root.iterfind("link"), strict=True)
    joints = zip(robot.joint, root.iterfind("joint"), strict=True)
    repairs: list[str] = []
    return check(
        RobotDescription(
            name=name,
            links=tuple(
                replace(reader.link(link, element, repairs if repair else None), visuals=look, geometry=shapes)
                for (link, element), (look, shapes) in zip(links, looks, strict=True)
            ),
            joints=tuple(reader.joint(joint, line_of(element)) for joint, element in joints),
            source=source,
            warnings=(*warnings, *map(mended, repairs)),
            repairs=tuple(repairs),
        ),
        repair=repair,
    )


class _Reader:
    """Links and joints of one file."""

    def __init__(self, source: str, version: Version, rotors: Rotors, warnings: list[str]) -> None:
        self._source, self._version, self._rotors, self._warnings = source, version, rotors, warnings
        self._origins = Origins(source, version, warnings)

    def link(self, link: LinkXml, element: etree._Element, repairs: list[str] | None) -> Link:
        """A link; ``repairs`` takes what is mended, where that is allowed."""
        line, inertial = line_of(element), link.inertial
        if inertial is None:
            return Link(link.name, None, line)
        if inertial.inertia is None:
            place = at(self._source, line_of(cast(etree._Element, element.find("inertial"))))
            if repairs is None:
                way_out = offer("takes a point mass")
                raise DescriptionError(
                    f"{place}: link {shown(link.name)}: <inertia> in <inertial> is missing; write it{way_out}"
                )
            repairs.append(f"link {shown(link.name)} has no <inertia>; it is taken as a point mass")
        placement = self._origins.placement(inertial.origin, f"link {shown(link.name)}", line)
        return Link(link.name, Inertial(inertial.mass.value, _moments(inertial), placement), line)

    def joint(self, joint: JointXml, line: int | None) -> Joint:
        """A joint with its rotor."""
        subject = f"joint {shown(joint.name)}"
        place, noted = f"{at(self._source, line)}: {subject}", f"{on_line(line)}{subject}"
        kind = kind_of(joint, place)
        # A fixed joint never moves: axis, limits and losses on it mean nothing, and exporters write them all the same.
        moving = kind is not JointKind.FIXED
        losses = Losses(joint.dynamics.damping, joint.dynamics.friction) if joint.dynamics and moving else Losses()
        mimic = Mimic(joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else None
        if mimic and not moving:
            said = f"{noted}: <mimic> on a fixed joint is ignored, because the joint cannot move"
            self._warnings.append(Notice(said, "<mimic> of {fixed joint}"))
            mimic = None
        axis = _axis(joint, kind, place, noted, self._warnings)
        told = (kind, self._version, place, noted, self._warnings)
        made = Joint(
            name=joint.name,
            kind=kind,
            parent=joint.parent.link,
            child=joint.child.link,
            placement=self._origins.placement(joint.origin, subject, line),
            axis=axis,
            pitch=pitch_of(joint),
            limits=limits_of(joint.limit, *told) if moving else None,
            losses=losses,
            mimic=mimic,
            line=line,
            actuator=self._rotors.of(joint.name),
        )
        return replace(made, second_axis=second_axis_of(joint, axis, place)) if kind is JointKind.UNIVERSAL else made


def _moments(inertial: InertialXml) -> Moments:
    given = inertial.inertia
    if given is None:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (given.ixx, given.ixy, given.ixz, given.iyy, given.iyz, given.izz)


def _axis(joint: JointXml, kind: JointKind, place: str, noted: str, warnings: list[str]) -> Triple:
    if joint.axis is None or not kind.has_axis:
        return (1.0, 0.0, 0.0)
    unit = unit_vector(joint.axis.xyz)
    if unit is None:
        raise DescriptionError(f"{place}: <axis> is 0 0 0, which points nowhere; give a direction such as 0 0 1")
    length = math.hypot(*joint.axis.xyz)
    if abs(length - 1.0) > _AXIS_TOLERANCE:
        warnings.append(
            doubt(f"{noted}: <axis> has length {length:.9g}; it is scaled to 1", "length of the axis of {joint}")
        )
    return unit


def _refusal(failure: ValidationError, root: etree._Element, source: str) -> DescriptionError:
    errors = failure.errors()
    path, wording = problem(errors[0])
    line, where = _locate(path, root)
    more = f" (and {len(errors) - 1} more like it)" if len(errors) > 1 else ""
    return DescriptionError(f"{at(source, line)}: {where}{wording}{more}")


def _locate(path: Path, root: etree._Element) -> tuple[int | None, str]:
    """Line and words for the attribute or element at ``path``, such as ``link 'l2': 'value' of <mass>``."""
    element: Any = root
    owner = "robot"
    for position, step in enumerate(path[:-1]):
        if isinstance(step, int):
            element = root.findall(str(path[position - 1]))[step]
            name = element.get("name")
            owner = f"{element.tag} {f'number {step + 1}' if name is None else shown(name)}"
        elif not isinstance(path[position + 1], int):
            element = element.find(step)
    last = path[-1]
    if last in ("mass", "inertia", "parent", "child"):
        return line_of(element), f"{owner}: <{last}> in <{element.tag}>"
    return line_of(element), f"{owner}: '{last}' of <{element.tag}>"
