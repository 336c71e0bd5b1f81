"""Robot formats that share URDF's syntax: recognised, and refused with the way out."""

from __future__ import annotations

import re

from lxml import etree

from symdyn.description.text.position import at, shown
from symdyn.description.urdf.xacro import refusal
from symdyn.description.urdf.xml_document import line_of, local_name
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
