"""Drake's extensions of URDF that say something about dynamics: kinds of joint, rotors, a limit of acceleration."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from symdyn.description.quantities.number import read_number, read_vector
from symdyn.description.robot import Actuator
from symdyn.description.text.notice import Notice, doubt
from symdyn.description.text.position import at, hint, on_line, shown
from symdyn.description.urdf.xml_document import line_of, local_name
from symdyn.errors import DescriptionError

_PREFIX = "drake"
_PLAIN = ("joint", "screw_thread_pitch")
"""Elements that mean without the prefix what they mean with it."""
_ROTOR = ("rotor_inertia", "gear_ratio")


@dataclass(slots=True)
class Rotors:
    """Rotors of joints by the joints' names."""

    by_joint: dict[str, list[Actuator]] = field(default_factory=dict)

    def of(self, joint: str) -> Actuator | None:
        """The rotor of a joint; that of several motors is the sum of what each adds to the joint's inertia."""
        found = self.by_joint.get(joint, [])
        if len(found) < 2:
            return found[0] if found else None
        return Actuator(armature=sum(_number(own.gear_ratio) ** 2 * _number(own.rotor_inertia) for own in found))


def is_drakes(element: etree._Element, name: str) -> bool:
    """Whether an element is Drake's of that name; Drake goes by the prefix, whatever it is declared to be."""
    return element.prefix == _PREFIX and local_name(str(element.tag)) == name


def without_prefix(root: etree._Element, source: str) -> None:
    """Give Drake's joints and limits the names by which the schema knows them.

    Raises
    ------
    DescriptionError
        One value given twice.
    """
    for element in list(root.iter()):
        if any(is_drakes(element, name) for name in _PLAIN):
            element.tag = local_name(str(element.tag))
    for limit in root.iterfind("joint/limit"):
        uri = limit.nsmap.get(_PREFIX)
        given = limit.attrib.pop(f"{{{uri}}}acceleration", None) if uri else None
        if given is not None:
            if "acceleration" in limit.attrib:
                place = at(source, line_of(limit))
                raise DescriptionError(f"{place}: <limit> has acceleration and drake:acceleration; keep one")
            limit.set("acceleration", given)
    for dynamics in root.iterfind("joint[@type='planar']/dynamics"):
        dynamics.set("damping", _one_damping(str(dynamics.get("damping", "0")), at(source, line_of(dynamics))))


def _one_damping(text: str, place: str) -> str:
    """Drake's planar joints have three dampings; here all coordinates have one."""
    if len(text.split()) != 3:
        return text
    try:
        x, y, z = read_vector(text)
    except ValueError as failure:
        raise DescriptionError(f"{place}: 'damping' of <dynamics>: {failure}") from None
    if not x == y == z:
        raise DescriptionError(
            f"{place}: 'damping' of <dynamics>: {text.strip()} differ; here a joint has one damping for all coordinates"
        )
    return text.split()[0]


def rotors_of(root: etree._Element, source: str, warnings: list[str]) -> Rotors:
    """What ``<drake:rotor_inertia>`` and ``<drake:gear_ratio>`` of actuators in transmissions tell.

    Raises
    ------
    DescriptionError
        A value that is missing or negative, or no joint.
    """
    found = Rotors()
    for actuator in root.iterfind("transmission/actuator"):
        place = f"{at(source, line_of(actuator))}: actuator {shown(actuator.get('name', '?'))}"
        given = _rotor(actuator, source, place)
        transmission = actuator.getparent()
        if not given or transmission is None:
            continue
        joint = _joint_of(transmission, root, place)
        noted = f"{on_line(line_of(actuator))}actuator {shown(actuator.get('name', '?'))}"
        if reason := _idle(transmission, joint):
            said = f"{noted}: its rotor is left out, as by Drake, because {reason}"
            warnings.append(doubt(said, "rotor of {actuator}"))
        elif given.get("rotor_inertia"):
            found.by_joint.setdefault(joint.get("name", ""), []).append(Actuator(**given))
        else:
            said = f"{noted} has a gear ratio and no rotor inertia, and adds none"
            warnings.append(Notice(said, "gear of {actuator}"))
    return found


def _rotor(actuator: etree._Element, source: str, place: str) -> dict[str, float]:
    given: dict[str, float] = {}
    for own in actuator:
        for name in _ROTOR:
            if is_drakes(own, name):
                if name in given:
                    raise DescriptionError(f"{place} has a second <drake:{name}>; keep one")
                given[name] = _value(own, source)
    return given


def _joint_of(transmission: etree._Element, root: etree._Element, place: str) -> etree._Element:
    told = transmission.find("joint")
    name = "" if told is None else str(told.get("name", ""))
    for joint in root.iterfind("joint"):
        if name and joint.get("name") == name:
            return joint
    names = [str(joint.get("name", "")) for joint in root.iterfind("joint")]
    raise DescriptionError(f"{place}: no joint is called as its transmission says, {shown(name)}{hint(name, names)}")


def _idle(transmission: etree._Element, joint: etree._Element) -> str:
    """Why Drake makes no actuator of a transmission; nothing where it does."""
    kind = transmission.findtext("type") or transmission.get("type") or ""
    if "SimpleTransmission" not in kind:
        return f"its transmission is {shown(kind)} and not a SimpleTransmission"
    if joint.get("type") == "fixed":
        return "the joint is fixed"
    limit = joint.find("limit")
    try:
        effort = None if limit is None else read_number(limit.get("effort", "1"))
    except ValueError:  # which is refused where limits are read
        return ""
    return "the joint's limit of effort is 0" if effort == 0.0 else ""


def _value(element: etree._Element, source: str) -> float:
    place = f"{at(source, line_of(element))}: <drake:{local_name(str(element.tag))}>"
    try:
        value = read_number(str(element.get("value", "")))
    except ValueError as failure:
        raise DescriptionError(f"{place}: 'value': {failure}") from None
    if value < 0.0:
        raise DescriptionError(f"{place}: 'value' is {value:g}; it is at least 0")
    return value


def _number(value: object) -> float:
    assert isinstance(value, float)
    return value
