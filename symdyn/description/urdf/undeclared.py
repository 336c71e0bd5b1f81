"""What a URDF holds beyond the declared schema: allowed, reported, or refused as a misspelling or as what may act.

What a URDF may hold beyond the schema without a change of its equations, and what may change them.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree
from pydantic_xml import BaseXmlModel

from symdyn.description.quantities.number import is_number, read_number
from symdyn.description.text.notice import Notice, doubt
from symdyn.description.text.position import at, did_you_mean, on_line, shown
from symdyn.description.urdf.drake import is_drakes
from symdyn.description.urdf.left_out import TEXT
from symdyn.description.urdf.schema_order import declared
from symdyn.description.urdf.xml_document import line_of, local_name, tag_of, written
from symdyn.errors import DescriptionError

Judge = Callable[[str], bool]
"""Whether a written value leaves the equations as they are."""


def _any(_: str) -> bool:
    return True


def _zero(text: str) -> bool:
    return all(is_number(part) and read_number(part) == 0.0 for part in text.split())


def _off(text: str) -> bool:
    return text.strip().lower() in ("0", "false", "")


def _on(text: str) -> bool:
    return text.strip().lower() in ("1", "true")


STRICT = frozenset(
    ("joint", "parent", "child", "origin", "axis", "axis2", "screw_thread_pitch", "limit", "dynamics", "mimic")
) | frozenset(("inertial", "mass", "inertia"))
"""Elements in which what is unknown is refused: each of their words may change the equations."""

UNSPOKEN = {"robot": {"material"}, "link": {"visual", "collision"}}
"""Shapes and colours: legal, and not worth a message."""

ELEMENTS: dict[str, dict[str, Judge]] = {
    "robot": dict.fromkeys(("transmission", "gazebo", "sensor", "ros2_control"), _any),
    "link": {
        **dict.fromkeys(("collision_checking", "contact", "self_collide", "self_filter", "sensor", "surface"), _any),
        "gravity": _on,
        "kinematic": _off,
    },
    "joint": {
        **dict.fromkeys(("safety_controller", "calibration", "hardwareInterface", "gazebo", "sensor"), _any),
        "joint_properties": _zero,  # of 2009: damping and friction
    },
}
"""Known neighbours of URDF, reported once per kind, where what they hold is harmless."""

IN_GAZEBO: dict[str, Judge] = {
    "gravity": _on,
    "turnGravityOff": _off,
    "kinematic": _off,
    "springStiffness": _zero,
    "dampingFactor": _zero,
    **dict.fromkeys(("joint", "link", "model", "include"), lambda _: False),
}
"""Children of <gazebo> that change motions there, where what they hold is not harmless; told by name."""

ATTRIBUTES: dict[str, dict[str, Judge]] = {
    "joint": dict.fromkeys(("dont_collapse", "id"), _any),
    "axis": {"rpy": _zero},
    # of the drives of ANYmal, and of PyBullet's spherical joints
    "limit": dict.fromkeys(("command_effort", "current", "gear_velocity", "twist"), _any),
    # of Franka's controllers, which the description of the robot leaves to them, and a window that Drake dropped
    "dynamics": dict.fromkeys(("D", "K", "mu_coulomb", "mu_viscous", "coulomb_window"), _any),
}
"""Attributes of files in use that readers of URDF pass over, where what they say is harmless."""

_LOOPS = ("loop", "closure", "constraint", "weld")
_WORDS = (
    *(*_LOOPS, "rotor", "gear", "armature", "motor", "actuator", "inertia", "mass"),
    *("payload", "spring", "damp", "stiff", "bushing", "force", "torque", "mimic", "coupl", "tendon", "joint"),
    *("friction", "elastic", "flexib", "deform", "dynamic", "gravity", "scale", "unit", "drake_ignore"),
)
_UNLESS = ("sensor", "collision", "collide")


def may_act(name: str) -> bool:
    """Whether the name of an unknown part of a robot or link says that it closes loops, has inertia or makes forces."""
    lowered = name.lower()
    return any(word in lowered for word in _WORDS) and not any(word in lowered for word in _UNLESS)


def closes_loops(name: str) -> bool:
    """Whether the name of an unknown part of a robot says that it closes loops."""
    return any(word in name.lower() for word in _LOOPS)


def has_inertia(name: str) -> bool:
    """Whether the name of an element of a transmission says that it has inertia."""
    return any(word in name.lower() for word in ("inertia", "armature"))


def content(element: etree._Element) -> str:
    """The values of an element and of all inside it: texts and attributes."""
    return " ".join(part for own in element.iter() for part in (own.text or "", *map(str, own.attrib.values())))


_TYPO = 0.8


class Undeclared:
    """Walks one robot beside its schema and collects warnings."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._warnings: list[str] = []
        self._counts: dict[tuple[str, str], list[tuple[str, int | None]]] = {}

    def scan(self, root: etree._Element, model: type[BaseXmlModel]) -> tuple[str, ...]:
        """Warnings about every element, attribute and text under ``root`` that ``model`` does not declare.

        Raises
        ------
        DescriptionError
            An element or attribute spelt almost like a declared one, one that may change the equations, or a second
            element where one is allowed.
        """
        self._element(root, model, "robot")
        for (scope, tag), found in self._counts.items():
            owner, line = found[0]
            count = f"<{tag}>" if len(found) == 1 else f"{len(found)} elements <{tag}>"
            first = "" if scope == "robot" else f" of {owner}" if len(found) == 1 else f", the first of {owner},"
            verb = "is" if len(found) == 1 else "are"
            text = f"{on_line(line)}{count}{first} {verb} not modelled by symdyn and ignored"
            self._warnings.append(Notice(text, f"{{<{tag}>}}", len(found)))
        return tuple(self._warnings)

    def _element(self, element: etree._Element, model: type[BaseXmlModel], owner: str) -> None:
        scope = str(element.tag)
        if scope in ("link", "joint"):
            owner = f"{scope} {shown(element.get('name', '?'))}"
        children, attributes = declared(model)
        self._attributes(element, attributes, owner)
        fields = model.model_fields
        lacking = any(fields[name].is_required() and name not in element.attrib for name in attributes)
        self._text(element, element.text, owner, lacking)
        seen: set[str] = set()
        for child in element:
            tag = str(child.tag)
            self._text(element, child.tail, owner)
            if tag in children:
                single, child_model = children[tag]
                if single and tag in seen:
                    raise DescriptionError(
                        f"{at(self._source, line_of(child))}: {owner}: <{scope}> has a second <{tag}>; keep one"
                    )
                seen.add(tag)
                self._element(child, child_model, owner)
            elif tag in ELEMENTS.get(scope, {}) and ELEMENTS[scope][tag](content(child)):
                self._counts.setdefault((scope, tag), []).append((owner, line_of(child)))
                self._look_inside(child, owner)
            elif tag not in UNSPOKEN.get(scope, ()):
                self._unknown(child, scope, set(children), owner)

    def _look_inside(self, element: etree._Element, owner: str) -> None:
        """Refuse inertia that hides in a transmission; tell what Gazebo and Bullet do, which no other reader does."""
        if element.tag == "transmission":
            for inner in element.iterdescendants():
                read = any(is_drakes(inner, name) for name in ("rotor_inertia", "gear_ratio"))
                parent = inner.getparent()
                read = read and parent is not None and parent.tag == "actuator" and parent.getparent() is element
                for name in (tag_of(inner), *(written(inner, str(key)) for key in inner.attrib)):
                    if has_inertia(name) and not read:
                        raise self._refusal(inner, owner, f"<{name}> in <transmission>", name)
        if element.tag == "gazebo":
            of = shown(element.get("reference", "")) if element.get("reference") else owner
            for inner in element:
                harmless = IN_GAZEBO.get(str(inner.tag))
                if harmless is not None and not harmless(content(inner)):
                    value = f" {(inner.text or '').strip()}".rstrip()
                    said = f"<{inner.tag}>{value} in <gazebo> of {of} changes motions in Gazebo alone; it is not read"
                    self._warnings.append(doubt(on_line(line_of(inner)) + said, "{part of <gazebo> that acts}"))
        if element.tag == "contact":
            for scale in element.iterfind("inertia_scaling"):
                if scale.get("value") not in (None, "1", "1.0"):
                    said = f"{owner}: <inertia_scaling> {scale.get('value')} is Bullet's alone; inertia stays as it is"
                    self._warnings.append(doubt(on_line(line_of(scale)) + said, "<inertia_scaling> of {link}"))

    def _unknown(self, child: etree._Element, scope: str, known: set[str], owner: str) -> None:
        name, own = local_name(str(child.tag)), tag_of(child)
        if meant := did_you_mean(name, known, _TYPO):
            place = at(self._source, line_of(child))
            raise DescriptionError(f"{place}: {owner}: unknown element <{own}> in <{scope}>; did you mean <{meant}>?")
        if scope in STRICT or may_act(name) or name in ELEMENTS.get(scope, {}):
            raise self._refusal(child, owner, f"<{own}> in <{scope}>", own)
        text = f"{on_line(line_of(child))}{owner}: unknown element <{name}> in <{scope}> is ignored with all it holds"
        self._warnings.append(Notice(text, "{unknown element}"))

    def _attributes(self, element: etree._Element, known: set[str], owner: str) -> None:
        scope = str(element.tag)
        extra = {written(element, str(key)): str(value) for key, value in element.attrib.items() if key not in known}
        if not extra:
            return
        line = line_of(element)
        harmless = ATTRIBUTES.get(scope, {})
        for name, value in sorted(extra.items()):
            if name in harmless and harmless[name](value):
                continue
            if meant := did_you_mean(name.rpartition(":")[2], known, _TYPO):
                place = f"{at(self._source, line)}: {owner}"
                raise DescriptionError(f"{place}: unknown attribute '{name}' of <{scope}>; did you mean '{meant}'?")
            if scope in STRICT or may_act(name):
                raise self._refusal(element, owner, f"'{name}' of <{scope}>", name)
        listed = ", ".join(f"'{name}'" for name in sorted(extra))
        noun = "attribute" if len(extra) == 1 else "attributes"
        text = f"{on_line(line)}{owner}: unknown {noun} {listed} of <{scope}> ignored"
        self._warnings.append(Notice(text, "{unknown attribute}", len(extra)))

    def _text(self, element: etree._Element, text: str | None, owner: str, lacking: bool = False) -> None:
        """Text in an element; one that lacks what it must have is refused for that, later and in better words."""
        if not text or not text.strip():
            return
        scope = str(element.tag)
        if scope in STRICT and not lacking and any(letter.isdigit() for letter in text):
            raise self._refusal(element, owner, f"text {shown(text.strip())} in <{scope}>", TEXT)
        said = (
            f"{on_line(line_of(element))}{owner}: text {shown(text.strip())} in <{scope}> is "
            "ignored; URDF puts values into attributes"
        )
        self._warnings.append(Notice(said, "{stray text}"))

    def _refusal(self, element: etree._Element, owner: str, what: str, name: str) -> DescriptionError:
        loops = (
            "; give a closed loop in a YAML file, by loops=, on the command line --loops" if closes_loops(name) else ""
        )
        return DescriptionError(
            f"{at(self._source, line_of(element))}: {owner}: {what} is unknown here and may change the equations; "
            f"remove it, or go on without it by ignore=[{name!r}], on the command line --ignore {name}{loops}"
        )
