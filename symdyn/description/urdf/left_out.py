"""Elements and attributes of XML that the caller asks to go on without."""

from __future__ import annotations

from collections.abc import Collection

from lxml import etree

from symdyn.description.text.notice import Notice
from symdyn.description.text.position import on_line
from symdyn.description.urdf.xml_document import line_of, tag_of, written

TEXT = "stray-text"
"""Stands for text between elements, where URDF and MJCF have none."""


def leave_out(root: etree._Element, names: Collection[str], warnings: list[str]) -> None:
    """Remove all elements and attributes with one of these names, with or without their prefixes.

    ``TEXT`` is text between elements. What is removed gives a warning for each name.
    """
    if not names:
        return
    found: dict[str, list[int | None]] = {}
    for element in list(root.iter()):
        for key in list(map(str, element.attrib)):
            if word := _asked(written(element, key), names):
                found.setdefault(f"attribute '{word}'", []).append(line_of(element))
                del element.attrib[key]
        if TEXT in names:
            for text in (element.text, element.tail):
                if text and text.strip():
                    found.setdefault("text", []).append(line_of(element))
            element.text = element.tail = None
        parent = element.getparent()
        if parent is not None and (word := _asked(tag_of(element), names)):
            found.setdefault(f"element <{word}>", []).append(line_of(element))
            _remove(parent, element)
    for what, lines in found.items():
        times = "" if len(lines) == 1 else f", {len(lines)} times"
        warnings.append(Notice(f"{on_line(lines[0])}{what} is left out{times}, as asked", "{ignored word}", len(lines)))


def _asked(name: str, names: Collection[str]) -> str:
    return next((word for word in (name, name.rpartition(":")[2]) if word in names), "")


def _remove(parent: etree._Element, element: etree._Element) -> None:
    tail, before = element.tail, element.getprevious()
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
