"""The sections of a rod as rigid bodies with mass, and the joint between its link's frame and that of its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp

from symdyn.verify.base.curves import Curve, PartialVelocity
from symdyn.verify.base.matrices import (
    Matrix,
    Real,
    Vector,
    VectorSeries,
    add,
    product,
    scale,
    subtract,
    times,
    transpose,
)
from symdyn.verify.oracle.mapped import points_of
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod import Rod
from symdyn.verify.oracle.rod_motion import section_curves, section_velocities
from symdyn.verify.oracle.rod_shapes import ShapePoint
from symdyn.verify.oracle.rod_thinning import thin_arms, thin_slopes


@dataclass(frozen=True, slots=True)
class RodSection:
    """A section with mass [kg] and central moments [kg m^2] about its axes: a rigid body with a frame of this name."""

    name: str
    mass: Real
    moments: Vector
    density: Real
    """Of its rod [kg/m^3]."""
    place: Place
    """Its rod's."""


def node_name(link: str, index: int) -> str:
    """What a node of a rod is called among links: no name of a file has a line break."""
    return f"{link}\n{index}"


def rod_sections(place: Place, quantities: Quantities) -> list[RodSection | None]:
    """Per node of a rod its section; None where nothing weighs."""
    link = place.joint.parent
    assert place.soft is not None
    density = quantities(place.soft.material.density, f"{link}.material.density")
    found: list[RodSection | None] = []
    for index, node in enumerate(place.rod.nodes):
        weighs = RodSection(node_name(link, index), density * node.mass, scale(density, node.moments), density, place)
        found.append(weighs if node.mass and not node.points else None)
    return found


GAUGE = ".gauge"
"""What the place that tells the radius of a section adds to the section's name."""


def point_names(place: Place, node: int) -> list[str]:
    """What the points that stand for a section are called among links."""
    return [f"{node_name(place.joint.parent, node)}.{number}" for number in range(len(place.rod.nodes[node].points))]


def point_sections(place: Place, node: int, quantities: Quantities) -> list[RodSection]:
    """The points that stand for a section that deforms, as sections that have no moments."""
    link, own = place.joint.parent, place.rod.nodes[node]
    assert place.soft is not None
    density = quantities(place.soft.material.density, f"{link}.material.density")
    return [
        RodSection(name, density * own.mass * point.share, [mp.mpf(0)] * 3, density, place)
        for name, point in zip(point_names(place, node), own.points, strict=True)
    ]


def point_arms(rod: Rod, point: ShapePoint, d: VectorSeries) -> tuple[VectorSeries, list[tuple[int, Vector]]]:
    """Where such a point is against its station, in the station's axes, and which coordinates move it there."""
    if point.stretches:
        return thin_arms(point, d), [(row, own) for row, own in enumerate(thin_slopes(point, d[0])) if any(own)]
    own = rod.size - len(point.moved)
    arms = []
    for order, row in enumerate(d):
        arm = point.place if order == 0 else [mp.mpf(0)] * 3
        for amplitude, moved in zip(row[own:], point.moved, strict=True):
            arm = add(arm, scale(amplitude, moved))
        arms.append(arm)
    return arms, list(enumerate(point.moved, own))


def map_section(place: Place, index: int, quantities: Quantities) -> RodSection:
    """A point of a body given by its map, as a section that has no moments."""
    link, volume = place.joint.parent, points_of(place.map)[index].volume
    density = quantities(place.map.density, f"{link}.density")
    return RodSection(node_name(link, index), density * volume, [mp.mpf(0)] * 3, density, place)


def tip_at_rest(rod: Rod) -> tuple[Matrix, Vector]:
    """Rotation and place of the tip section with all coordinates 0, in the root section's axes."""
    return _tip_at_rest(rod, mp.prec)


@lru_cache(maxsize=64)
def _tip_at_rest(rod: Rod, _precision: int) -> tuple[Matrix, Vector]:
    curve = section_curves(rod, [[mp.mpf(0)] * rod.size])[-1]
    return curve.rotation[0], curve.translation[0]


def tip_curve(rod: Rod, axes: Matrix, d: VectorSeries) -> Curve:
    """The curve of the tip's frame, which is parallel to the link's where all coordinates are 0.

    Parameters
    ----------
    rod
        The rod.
    axes
        Rotation of the root section's axes in the link's.
    d
        Series of the coordinates.
    """
    rotation, place = tip_at_rest(rod)
    outward = transpose(product(axes, rotation))
    tip = section_curves(rod, d)[-1]
    moved = [subtract(tip.translation[0], place), *tip.translation[1:]]
    return Curve(
        [product(product(axes, part), outward) for part in tip.rotation], [times(axes, part) for part in moved]
    )


def tip_velocities(rod: Rod, axes: Matrix, d: Sequence[Real]) -> list[PartialVelocity]:
    """What each coordinate's rate adds to the motion of the tip's frame, in the link's axes."""
    moving = section_velocities(rod, d)[-1]
    return [PartialVelocity(times(axes, part.angular), times(axes, part.linear)) for part in moving]
