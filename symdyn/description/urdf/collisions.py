"""The ``<collision>`` elements of a URDF link: shapes that contacts in a file beside it may name; none is refused."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from symdyn.description.collision import Collision, Mesh, Shape
from symdyn.description.quantities.placement import Matrix3
from symdyn.description.urdf.visuals import SIZES, shape_placement, shape_size
from symdyn.description.urdf.xml_document import line_of

Triple = tuple[float, float, float]
_UNNAMED = "collision"


def collisions_of(link: etree._Element) -> tuple[Collision | Mesh, ...]:
    """The shapes of a link, by their names, or ``collision``, ``collision_2`` .. where they have none."""
    found: list[Collision | Mesh] = []
    for element in link.iterfind("collision"):
        names = {own.name for own in found}
        usual = element.get("name") or _UNNAMED
        name, count = usual, 1
        while name in names:
            count += 1
            name = f"{usual}_{count}"
        found.append(_shape(element, name))
    return tuple(found)


def _shape(element: etree._Element, name: str) -> Collision | Mesh:
    shapes = [shape for geometry in element.iterfind("geometry") for shape in geometry if shape.tag in SIZES]
    if len(shapes) != 1:
        return Mesh(name, "", fault=f"<collision> has {len(shapes)} shapes out of {', '.join(SIZES)}; expected one")
    shape = shapes[0]
    try:
        placement, size = shape_placement(element.find("origin")), shape_size(shape)
    except ValueError as failure:
        return Mesh(name, "", fault=f"<{shape.tag}> of <collision>: {failure}")
    x, y, z = (float(own) for own in placement.translation if isinstance(own, float | int))
    point, turn = (x, y, z), placement.rotation
    match str(shape.tag):
        case "mesh":
            return Mesh(name, str(shape.get("filename", "")), (size[0], size[1], size[2]), point, turn)
        case "sphere":
            made = Shape("sphere", (point,), size[0])
        case "box":
            made = Shape("box", (point,), size=(size[0], size[1], size[2]), rotation=turn)
        case kind:
            made = Shape(kind, tuple(_ends(point, turn, size[1])), size[0])
    return Collision(name, made, line_of(element))


def _ends(point: Triple, turn: Matrix3, length: float) -> Iterator[Triple]:
    """The ends of an axis along z."""
    for half in (-length / 2.0, length / 2.0):
        x, y, z = (start + row[2] * half for start, row in zip(point, turn, strict=True))
        yield x, y, z
