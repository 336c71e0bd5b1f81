"""The ``<visual>`` elements of a URDF link. What is wrong with one is told to viewers, and refuses no robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite

from lxml import etree

from symdyn.description.checks.rotation import rotation_from_quaternion, rotation_from_rpy
from symdyn.description.quantities.number import read_number, read_quaternion, read_vector
from symdyn.description.quantities.placement import Matrix3, Placement
from symdyn.description.text.position import shown
from symdyn.description.visual import Colour, Visual, capsule, clear_colour

SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("scale",),
}


def colours_of(root: etree._Element) -> dict[str, Colour]:
    """Colours of a robot's materials by name: those of the robot, or else where a link first says one."""
    found: dict[str, Colour] = {}
    for element in (*root.iterfind("material"), *root.iterfind("link/visual/material")):
        colour = _colour(element)
        if colour is not None:
            found.setdefault(str(element.get("name", "")), colour)
    return found


def visuals_of(link: etree._Element, colours: Mapping[str, Colour]) -> tuple[Visual, ...]:
    """The shapes by which a link is shown, in the order of the file; ``colours`` are those of materials by name."""
    return tuple(_visuals(link, colours))


def _colour(material: etree._Element) -> Colour | None:
    """What a material says itself; None where that is nothing, or no colour."""
    element = material.find("color")
    try:
        numbers = [float(own) for own in str(element.get("rgba", "")).split()] if element is not None else []
    except ValueError:
        return None
    sound = len(numbers) == 4 and all(map(isfinite, numbers))
    return clear_colour(numbers) if sound else None


def _visuals(link: etree._Element, colours: Mapping[str, Colour]) -> Iterator[Visual]:
    for element in link.iterfind("visual"):
        found = [shape for geometry in element.iterfind("geometry") for shape in geometry if shape.tag in SIZES]
        if len(found) != 1:
            yield Visual("", fault=f"<visual> has {len(found)} shapes out of {', '.join(SIZES)}; expected one")
            continue
        try:
            material = element.find("material")
            named = None if material is None else _colour(material) or colours.get(str(material.get("name", "")))
            yield from (replace(own, colour=named) for own in _visual(found[0], element.find("origin")))
        except ValueError as failure:
            yield Visual(str(found[0].tag), fault=f"<{found[0].tag}> of <visual>: {failure}")


def shape_placement(origin: etree._Element | None) -> Placement:
    """Where a shape stands in its link's frame; a ValueError says what is wrong."""
    if origin is None:
        return Placement()
    return Placement(read_vector(origin.get("xyz", "0 0 0")), _turn(origin))


def shape_size(shape: etree._Element) -> tuple[float, ...]:
    """The lengths of a shape, or factors of a mesh; a ValueError says what is wrong."""
    kind = str(shape.tag)
    if kind in ("box", "mesh"):
        size: tuple[float, ...] = read_vector(_attribute(shape, SIZES[kind][0], "1 1 1" if kind == "mesh" else None))
    else:
        size = tuple(read_number(_attribute(shape, name)) for name in SIZES[kind])
    if kind != "mesh" and min(size) <= 0.0:
        raise ValueError(f"expected lengths above 0, got {' '.join(f'{own:g}' for own in size)}")
    return size


def _visual(shape: etree._Element, origin: etree._Element | None) -> Iterator[Visual]:
    kind, placement, size = str(shape.tag), shape_placement(origin), shape_size(shape)
    if kind == "capsule":
        yield from capsule(size[0], size[1], placement)
    else:
        yield Visual(kind, size, placement, _attribute(shape, "filename") if kind == "mesh" else "")


def _turn(origin: etree._Element) -> Matrix3:
    if origin.get("quat_xyzw") is None:
        return rotation_from_rpy(*read_vector(origin.get("rpy", "0 0 0")))
    quaternion = read_quaternion(origin.get("quat_xyzw", ""))
    if not any(quaternion) or origin.get("rpy") is not None:
        raise ValueError("<origin> has 'quat_xyzw' 0 0 0 0, or 'rpy' too")
    return rotation_from_quaternion(quaternion)


def _attribute(element: etree._Element, name: str, default: str | None = None) -> str:
    value = element.get(name, default)
    if value is None:
        raise ValueError(f"{shown(name)} is missing")
    return str(value)
