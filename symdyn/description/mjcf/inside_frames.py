"""``<frame>`` and ``<replicate>``, inside which MuJoCo passes over unknown names in silence."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from symdyn.description.text.position import hint
from symdyn.errors import DescriptionError

_KNOWN = {
    "frame": ("name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"),
    "replicate": ("count", "offset", "euler", "sep", "childclass"),
}
"""What MuJoCo reads of each (``mjXReader::Body``)."""


def refuse_unknown(root: etree._Element, where: Callable[[etree._Element], str]) -> None:
    """Raise a DescriptionError where a frame has an attribute that MuJoCo does not know; ``where`` names an element."""
    for element in root.iter(*_KNOWN):
        known = _KNOWN[str(element.tag)]
        for name in map(str, element.attrib):
            if name not in known and not name.startswith("symdyn_"):
                raise DescriptionError(
                    f"{where(element)}: unrecognized attribute '{name}'{hint(name, known)}; remove it, or leave it out "
                    f"by ignore=[{name!r}], on the command line --ignore {name}"
                )


def checked_by_schema(root: etree._Element) -> bytes:
    """The document with bodies in place of frames, of which MuJoCo checks every name; nothing where there is no frame.

    It is no model, and ends in a compiler's angle that does not exist: MuJoCo gets past its schema, and no further.
    Start tags stay on their lines. The tree is changed.
    """
    frames = list(root.iter(*_KNOWN))
    for element in frames:
        element.tag = "body"
        element.attrib.clear()
    if not frames:
        return b""
    root.append(etree.Element("compiler", angle="none"))
    data: bytes = etree.tostring(root, encoding="utf-8")
    return data
