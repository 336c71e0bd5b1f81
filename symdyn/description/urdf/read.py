"""URDF to a RobotDescription."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import PurePath
from typing import Any, cast

from lxml import etree
from pydantic import ValidationError

from symdyn.description.checks.check import check
from symdyn.description.checks.rotation import Triple, rotation_from_rpy, unit_vector
from symdyn.description.quantities.physical_inertia import Moments
from symdyn.description.robot import (
    Inertial,
    Joint,
    JointKind,
    Limits,
    Link,
    Losses,
    Mimic,
    Placement,
    RobotDescription,
)
from symdyn.description.text.notice import LIMITS, Notice, doubt, mended
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.description.text.repair import offer
from symdyn.description.text.validation import Path, problem
from symdyn.description.urdf.foreign_formats import refuse_foreign
from symdyn.description.urdf.schema import (
    URDF_JOINT_TYPES,
    InertialXml,
    JointXml,
    LimitXml,
    LinkXml,
    OriginXml,
    RobotXml,
)
from symdyn.description.urdf.schema_order import arrange
from symdyn.description.urdf.undeclared import Undeclared
from symdyn.description.urdf.visuals import visuals_of
from symdyn.description.urdf.xml_document import line_of, parse_xml
from symdyn.errors import DescriptionError

_AXIS_TOLERANCE = 1e-6
_WITH_AXIS = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.PLANAR)
_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)


def parse_urdf(data: bytes, source: str, *, repair: bool = False) -> RobotDescription:
    """Robot of a URDF document.

    Values are in SI units and radians. Shapes are kept for viewers, and no mesh is opened; whatever else is not
    modelled becomes a warning. A missing ``<axis>`` is 1 0 0 and a missing ``<origin>`` the identity, as URDF says.

    Parameters
    ----------
    data
        The file's bytes.
    source
        The file's name for messages, without folders.
    repair
        Take an ``<inertial>`` without ``<inertia>`` as a point mass, and mend what :func:`check` can.

    Raises
    ------
    DescriptionError
        Unsafe or malformed XML, another format, a missing or ill-formed value, an inconsistent tree, or an
        impossible inertia.
    """
    root, warnings = parse_xml(data, source)
    refuse_foreign(root, source)
    warnings += Undeclared(source).scan(root, RobotXml)
    looks = [visuals_of(link) for link in root.iterfind("link")]  # what is arranged has lost them
    arrange(root, RobotXml)
    try:
        robot = RobotXml.from_xml_tree(cast(Any, root))
    except ValidationError as failure:
        raise _refusal(failure, root, source) from failure
    name = robot.name
    if name is None:
        name = PurePath(source).stem or "robot"
        warnings.append(f"{on_line(line_of(root))}<robot> has no name; the file gives it {shown(name)}")
    links = zip(robot.link, root.iterfind("link"), strict=True)
    joints = zip(robot.joint, root.iterfind("joint"), strict=True)
    repairs: list[str] = []
    return check(
        RobotDescription(
            name=name,
            links=tuple(
                replace(_link(link, element, source, repairs if repair else None), visuals=look)
                for (link, element), look in zip(links, looks, strict=True)
            ),
            joints=tuple(_joint(joint, line_of(element), source, warnings) for joint, element in joints),
            source=source,
            warnings=(*warnings, *map(mended, repairs)),
            repairs=tuple(repairs),
        ),
        repair=repair,
    )


def _link(link: LinkXml, element: etree._Element, source: str, repairs: list[str] | None) -> Link:
    line, inertial = line_of(element), link.inertial
    if inertial is None:
        return Link(link.name, None, line)
    if inertial.inertia is None:
        place = at(source, line_of(cast(etree._Element, element.find("inertial"))))
        if repairs is None:
            way_out = offer("takes a point mass")
            raise DescriptionError(
                f"{place}: link {shown(link.name)}: <inertia> in <inertial> is missing; write it{way_out}"
            )
        repairs.append(f"link {shown(link.name)} has no <inertia>; it is taken as a point mass")
    return Link(link.name, Inertial(inertial.mass.value, _moments(inertial), _placement(inertial.origin)), line)


def _moments(inertial: InertialXml) -> Moments:
    given = inertial.inertia
    if given is None:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (given.ixx, given.ixy, given.ixz, given.iyy, given.iyz, given.izz)


def _placement(origin: OriginXml) -> Placement:
    return Placement(origin.xyz, rotation_from_rpy(*origin.rpy))


def _joint(joint: JointXml, line: int | None, source: str, warnings: list[str]) -> Joint:
    subject = f"joint {shown(joint.name)}"
    place = f"{at(source, line)}: {subject}"
    noted = f"{on_line(line)}{subject}"
    if joint.type not in URDF_JOINT_TYPES:
        raise DescriptionError(
            f"{place}: type {shown(joint.type)} is not a URDF joint type ({', '.join(URDF_JOINT_TYPES)})"
            f"{hint(joint.type, URDF_JOINT_TYPES)}"
        )
    kind = JointKind(joint.type)
    # A fixed joint never moves: axis, limits and losses on it mean nothing, and exporters write them all the same.
    moving = kind is not JointKind.FIXED
    losses = Losses(joint.dynamics.damping, joint.dynamics.friction) if joint.dynamics and moving else Losses()
    mimic = Mimic(joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else None
    if mimic and not moving:
        said = f"{noted}: <mimic> on a fixed joint is ignored, because the joint cannot move"
        warnings.append(Notice(said, "<mimic> of {fixed joint}"))
        mimic = None
    return Joint(
        name=joint.name,
        kind=kind,
        parent=joint.parent.link,
        child=joint.child.link,
        placement=_placement(joint.origin),
        axis=_axis(joint, kind, place, noted, warnings),
        limits=_limits(joint.limit, kind, noted, warnings) if moving else None,
        losses=losses,
        mimic=mimic,
        line=line,
    )


def _axis(joint: JointXml, kind: JointKind, place: str, noted: str, warnings: list[str]) -> Triple:
    if joint.axis is None or kind not in _WITH_AXIS:
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


def _limits(limit: LimitXml | None, kind: JointKind, noted: str, warnings: list[str]) -> Limits | None:
    if kind not in (*_LIMITED, JointKind.CONTINUOUS):
        if limit is not None:
            warnings.append(Notice(f"{noted}: <limit> of a {kind.value} joint is not used", LIMITS))
        return None
    if limit is None:
        if kind in _LIMITED:
            said = f"{noted}: URDF requires <limit> on a {kind.value} joint; it is taken as unlimited"
            warnings.append(doubt(said, LIMITS))
        return None
    absent = [name for name in ("effort", "velocity") if getattr(limit, name) is None]
    if absent and kind in _LIMITED:
        said = f"{noted}: <limit> lacks {' and '.join(absent)}, which URDF requires; taken as unlimited"
        warnings.append(doubt(said, LIMITS))
    effort = math.inf if limit.effort is None else limit.effort
    velocity = math.inf if limit.velocity is None else limit.velocity
    if kind is JointKind.CONTINUOUS:
        if limit.lower is not None or limit.upper is not None:
            said = f"{noted}: lower and upper limits of a continuous joint are not used"
            warnings.append(Notice(said, LIMITS))
        return Limits(velocity=velocity, effort=effort)
    if limit.lower is None and limit.upper is None:
        said = f"{noted}: <limit> has neither lower nor upper, which in URDF means 0 for both"
        warnings.append(doubt(said, LIMITS))
    return Limits(limit.lower or 0.0, limit.upper or 0.0, velocity, effort)


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
