"""Which points of a shape may touch a surface: the slots of a pair of shapes, known before any position is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from symdyn.description.collision import HOLLOW, Shape


class PointKind(Enum):
    """How a point of contact follows from a shape."""

    POINT = "point"  # a ball about a point that is fixed in the shape: centre, end of an axis, vertex, corner
    AXIS = "axis"  # a ball about the point of a capsule's axis that is closest to the surface
    RIM = "rim"  # a point on the rim of a cylinder's end: the lowest one, or a third of a turn to either side


@dataclass(frozen=True, slots=True)
class SlotPoint:
    """A slot of a pair: which point, ``index`` among those of its kind."""

    kind: PointKind
    index: int = 0


BOX_CORNERS = 8
RIM_POINTS = 6
SURFACES_ON_LINKS = ("sphere", "capsule", "box")
"""Shapes of links that other links' shapes may touch."""


def slot_points(moving: Shape, surface: Shape) -> tuple[SlotPoint, ...]:
    """The slots of a pair, none where no kernel knows it."""
    ends = surface.kind in ("plane", "box") or surface.inside
    match moving.kind:
        case "sphere":
            return (SlotPoint(PointKind.POINT),)
        case "capsule" if ends:
            return (SlotPoint(PointKind.POINT, 0), SlotPoint(PointKind.POINT, 1))
        case "capsule" if surface.kind in HOLLOW:
            return (SlotPoint(PointKind.AXIS),)
        case "box" if surface.kind == "plane":
            return tuple(SlotPoint(PointKind.POINT, corner) for corner in range(BOX_CORNERS))
        case "cylinder" if surface.kind == "plane":
            return tuple(SlotPoint(PointKind.RIM, number) for number in range(RIM_POINTS))
        case "hull":
            return tuple(SlotPoint(PointKind.POINT, vertex) for vertex in range(len(moving.points)))
    return ()


def goes_unnoticed(moving: Shape, surface: Shape) -> str:
    """What the points of a pair leave out, in words; empty where they are the whole pair."""
    if surface.kind == "box" and moving.kind in ("capsule", "hull"):
        return "points against a box, so an edge of the box between them goes unnoticed"
    if moving.kind == "hull" and surface.kind in HOLLOW and not surface.inside:
        return f"vertices against a {surface.kind}, so one that touches an edge or a face between them goes unnoticed"
    if moving.kind == "cylinder":
        return "three points of each rim: the lowest, and a third of a turn to each side"
    return ""
