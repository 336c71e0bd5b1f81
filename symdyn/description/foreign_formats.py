"""Robot formats that share URDF's syntax: recognised, and refused with the way out."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePath

from lxml import etree

from symdyn.description.position import at, shown
from symdyn.description.xml_document import line_of, local_name
from symdyn.errors import DescriptionError

_FORMATS = {"mujoco": "MJCF", "mujocoinclude": "MJCF", "sdf": "SDF", "COLLADA": "COLLADA"}
_SUBSTITUTION = re.compile(r"\$[({]")
_DYNAMICS = ("link", "joint", "link/inertial//*", "joint/*")


def refuse_foreign(root: etree._Element, source: str) -> None:
    """Raise a DescriptionError if the tree is not plain URDF but xacro, MJCF, SDF or something else."""
    tag = local_name(str(root.tag))
    if tag in _FORMATS:
        raise DescriptionError(
            f"{at(source, line_of(root))}: this is {_FORMATS[tag]} (root element <{tag}>), which this version does "
            "not read yet; convert it to URDF or describe the robot in symdyn's YAML"
        )
    if tag != "robot":
        raise DescriptionError(
            f"{at(source, line_of(root))}: expected a URDF with root element <robot>, got <{tag}>; is this a "
            "robot file?"
        )
    for element in root.iter():
        name, line = str(element.tag), line_of(element)
        if _is_xacro(name):
            raise DescriptionError(_expand(source, line, f"<xacro:{local_name(name).removeprefix('xacro:')}>"))
        if name.startswith("{http://www.w3.org/2001/XInclude}"):
            raise DescriptionError(f"{at(source, line)}: XInclude is not processed; paste the included elements here")
    for path in _DYNAMICS:
        for element in root.iterfind(path):
            for key, value in element.attrib.items():
                if _SUBSTITUTION.search(str(value)):
                    raise DescriptionError(_expand(source, line_of(element), f"{key!s}={shown(str(value))}"))


def _is_xacro(name: str) -> bool:
    namespace = name[1:].partition("}")[0] if name.startswith("{") else ""
    return name.startswith("xacro:") or namespace.rstrip("/").endswith("xacro")


def _expand(source: str, line: int | None, evidence: str) -> str:
    stem = PurePath(source).name.removesuffix(".xacro").removesuffix(".urdf") or "robot"
    # A suffix of its own, so that the suggested command never overwrites its own input.
    output = f"{stem}.urdf" if f"{stem}.urdf" != source else f"{stem}_expanded.urdf"
    command = f"xacro {shlex.quote(source)} > {shlex.quote(output)}"
    return f"{at(source, line)}: {evidence} is xacro, not URDF; expand it first: {command}"
