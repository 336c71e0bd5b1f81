"""Meshes and height fields whose file is missing, in models whose masses do not depend on them."""

from __future__ import annotations

from lxml import etree

_TETRAHEDRON = "0 0 0 1 0 0 0 1 0 0 0 1"


def stand_in(element: etree._Element) -> bool:
    """Give a mesh or height field a shape of its own in place of a file, unless some mass could follow from it.

    Height fields have no mass. A mesh gives its mass to bodies without ``<inertial>``, and to all bodies where
    ``inertiafromgeom`` says so.
    """
    if element.tag == "mesh" and not _masses_are_written(element.getroottree().getroot()):
        return False
    element.attrib.pop("file")
    if element.tag == "mesh":
        element.set("vertex", _TETRAHEDRON)
    else:
        element.set("nrow", "2")
        element.set("ncol", "2")
    return True


def _masses_are_written(root: etree._Element) -> bool:
    if any(compiler.get("inertiafromgeom") == "true" for compiler in root.iter("compiler")):
        return False
    return all(body is None or body.find("inertial") is not None for body in map(_body_of, root.iter("geom")))


def _body_of(geom: etree._Element) -> etree._Element | None:
    """The body around a geom, or None where it stands in the world or among defaults."""
    return next(geom.iterancestors("body"), None)
