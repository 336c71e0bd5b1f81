"""What a URDF holds beyond the declared schema: allowed, reported, or refused as a misspelling."""

from __future__ import annotations

from lxml import etree
from pydantic_xml import BaseXmlModel

from symdyn.description.text.notice import Notice
from symdyn.description.text.position import at, did_you_mean, on_line, shown
from symdyn.description.urdf.schema_order import declared
from symdyn.description.urdf.xml_document import line_of, local_name
from symdyn.errors import DescriptionError

_WITHOUT_DYNAMICS = {"robot": {"material"}, "link": {"visual", "collision"}}
"""Shapes and colours: legal, and not worth a message."""

_NOT_MODELLED = {
    "robot": {"transmission", "gazebo", "sensor", "ros2_control"},
    "link": {
        "collision_checking",
        "contact",
        "gravity",
        "kinematic",
        "self_collide",
        "self_filter",
        "sensor",
        "surface",
    },
    "joint": {"safety_controller", "calibration"},
}
"""Known neighbours of URDF, reported once per kind."""

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
            An element or attribute spelt almost like a declared one, or a second element where one is allowed.
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
        self._text(element, element.text, owner)
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
            elif tag in _NOT_MODELLED.get(scope, ()):
                self._counts.setdefault((scope, tag), []).append((owner, line_of(child)))
            elif tag not in _WITHOUT_DYNAMICS.get(scope, ()):
                self._unknown(child, scope, set(children), owner)

    def _unknown(self, child: etree._Element, scope: str, known: set[str], owner: str) -> None:
        name = local_name(str(child.tag))
        place = at(self._source, line_of(child))
        if meant := did_you_mean(name, known, _TYPO):
            written = f"{child.prefix}:{name}" if child.prefix else name
            raise DescriptionError(
                f"{place}: {owner}: unknown element <{written}> in <{scope}>; did you mean <{meant}>?"
            )
        text = f"{on_line(line_of(child))}{owner}: unknown element <{name}> in <{scope}> is ignored with all it holds"
        self._warnings.append(Notice(text, "{unknown element}"))

    def _attributes(self, element: etree._Element, known: set[str], owner: str) -> None:
        extra = sorted(_written(element, str(key)) for key in element.attrib if key not in known)
        if not extra:
            return
        line = line_of(element)
        for name in extra:
            if meant := did_you_mean(name.rpartition(":")[2], known, _TYPO):
                place = f"{at(self._source, line)}: {owner}"
                raise DescriptionError(
                    f"{place}: unknown attribute '{name}' of <{element.tag}>; did you mean '{meant}'?"
                )
        listed = ", ".join(f"'{name}'" for name in extra)
        noun = "attribute" if len(extra) == 1 else "attributes"
        text = f"{on_line(line)}{owner}: unknown {noun} {listed} of <{element.tag}> ignored"
        self._warnings.append(Notice(text, "{unknown attribute}", len(extra)))

    def _text(self, element: etree._Element, text: str | None, owner: str) -> None:
        if text and text.strip():
            said = (
                f"{on_line(line_of(element))}{owner}: text {shown(text.strip())} in <{element.tag}> is "
                "ignored; URDF puts values into attributes"
            )
            self._warnings.append(Notice(said, "{stray text}"))


def _written(element: etree._Element, key: str) -> str:
    """An attribute's name as the file has it, with the prefix of its namespace."""
    namespace, _, name = key.rpartition("}")
    prefixes = (prefix for prefix, uri in element.nsmap.items() if prefix and namespace == "{" + uri)
    return ":".join([*sorted(prefixes)[:1], name])
