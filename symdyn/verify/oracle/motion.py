"""Every link and every beam of a robot in motion: Taylor series in time of where they are, in the world frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpmath import mp

from symdyn.description.flexible import Flexible
from symdyn.description.robot import Attachment, RobotDescription
from symdyn.description.soft import Soft
from symdyn.verify.base.curves import Curve, PartialVelocity, joint_curve, partial_velocities
from symdyn.verify.base.matrices import (
    Matrix,
    MatrixSeries,
    Real,
    Vector,
    VectorSeries,
    add,
    cross,
    identity,
    nearest_rotation,
    product,
    scale,
    series_product,
    series_times,
    subtract,
    times,
    vector,
    zeros,
)
from symdyn.verify.oracle import mapped as map_tips
from symdyn.verify.oracle.beam import Beam
from symdyn.verify.oracle.flexure import flexure_curve, flexure_velocities
from symdyn.verify.oracle.mapped import point_curve, point_velocities, points_of
from symdyn.verify.oracle.place import Place
from symdyn.verify.oracle.quantities import Quantities
from symdyn.verify.oracle.rod_motion import section_curves, section_velocities
from symdyn.verify.oracle.rod_sections import (
    GAUGE,
    RodSection,
    map_section,
    node_name,
    point_arms,
    point_sections,
    rod_sections,
    tip_at_rest,
    tip_curve,
    tip_velocities,
)
from symdyn.verify.oracle.tree import Tree


@dataclass(frozen=True, slots=True)
class Carrier:
    """A joint, or the part of a rod up to a section, that carries links: how its rows move what stands on it.

    ``child`` is the link that it carries, or the section, and ``origin`` that one's place in the world. ``partials``
    hold, per row of v from the place's first on, angular velocity and velocity of that origin in world axes, before
    the place's multiplier.
    """

    place: Place
    child: str
    origin: Vector
    partials: tuple[PartialVelocity, ...]


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """A link's frame in the world: series of its rotation and origin, and what carries it, from the root outwards."""

    rotation: MatrixSeries
    origin: VectorSeries
    path: tuple[Carrier, ...]


@dataclass(frozen=True, slots=True)
class BeamMotion:
    """A beam in motion: the frame of its root section, and the series of its coordinates.

    ``link`` is the link that bends, whose joints carry the frame; the coordinates' rows of v begin at ``v_row``.
    """

    beam: Beam
    link: str
    frame: LinkMotion
    v_row: int
    d: VectorSeries


@dataclass(frozen=True, slots=True)
class RobotMotion:
    """Every link of a robot in motion.

    The tips of beams and rods count among the links, and the nodes of rods do.
    """

    links: Mapping[str, LinkMotion]
    beams: tuple[BeamMotion, ...]
    sections: tuple[RodSection, ...]
    tips: Mapping[str, Vector]
    """Where the tips of beams and rods are at rest, by name, in the frames of the links that bend."""


def robot_motion(
    description: RobotDescription,
    tree: Tree,
    quantities: Quantities,
    q: Sequence[Real],
    v: Sequence[Real],
    a: Sequence[Real],
    spatial: bool = False,
    order: int = 2,
) -> RobotMotion:
    """The motion of every link along the trajectory through (q, v, a), in the world frame, up to ``order`` in time."""
    turned = [identity(), zeros(), zeros()][: order + 1]
    still = LinkMotion(turned, [vector((0, 0, 0)) for _ in turned], ())
    links = {description.root: still}
    beams: list[BeamMotion] = []
    sections: list[RodSection] = []
    tips: dict[str, Vector] = {}
    for place in tree.places:
        joint = place.joint
        base = still if place.implicit else links[joint.parent]
        own_q, own_v, own_a = place.coordinates(q), place.velocities(v), place.velocities(a)
        d = [own_q, own_v, scale(mp.mpf(1) / 2, own_a)][: order + 1]
        local: list[PartialVelocity] = []
        if place.soft is not None:
            rod, (axes, root) = place.rod, beam_placement(quantities, place.soft)
            standing = moved(base, axes, root)
            nodes = zip(rod_sections(place, quantities), section_curves(rod, d), strict=True)
            velocities = section_velocities(rod, own_q)
            for index, ((section, curve), local) in enumerate(zip(nodes, velocities, strict=True)):
                name = node_name(joint.parent, index)
                links[name] = _carried(place, name, standing, curve, local)
                sections += [] if section is None else [section]
                gauge, told = rod.nodes[index].gauge, name + GAUGE
                if gauge is not None:
                    links[told] = _beside(links[name], told, *point_arms(rod, gauge, d))
                parts = point_sections(place, index, quantities)
                for aside, part in zip(rod.nodes[index].points, parts, strict=True):
                    links[part.name] = _beside(links[name], part.name, *point_arms(rod, aside, d))
                    sections.append(part)
            tips[joint.child] = add(root, times(axes, tip_at_rest(rod)[1]))
            started = moved(base, identity(), tips[joint.child])
            curve, local = tip_curve(rod, axes, d), tip_velocities(rod, axes, own_q)
        elif place.mapped is not None:
            for index, point in enumerate(points_of(place.mapped)):
                name = node_name(joint.parent, index)
                moving = point_curve(place.mapped, point.at, d), point_velocities(place.mapped, point.at, own_q)
                links[name] = _carried(place, name, base, *moving)
                sections.append(map_section(place, index, quantities))
            tips[joint.child] = map_tips.tip_at_rest(place.mapped)
            started = moved(base, identity(), tips[joint.child])
            curve = map_tips.tip_curve(place.mapped, d)
            local = map_tips.tip_velocities(place.mapped, own_q)
        elif place.flexible is not None:
            beam, (axes, root) = place.beam, beam_placement(quantities, place.flexible)
            beams.append(BeamMotion(beam, joint.parent, moved(base, axes, root), place.v_row, d))
            tips[joint.child] = add(root, times(axes, beam.tip.place))
            started = moved(base, identity(), tips[joint.child])
            curve, local = flexure_curve(beam, axes, d), flexure_velocities(beam, axes, own_q)
        else:
            right_invariant = spatial and place.implicit
            translation = quantities.all(joint.placement.translation, f"{joint.name}.translation", "xyz")
            if joint.at is Attachment.TIP:
                translation = subtract(translation, tips.get(joint.parent, vector((0, 0, 0))))
            started = moved(base, nearest_rotation([vector(row) for row in joint.placement.rotation]), translation)
            curve = joint_curve(joint, own_q, own_v, own_a, spatial=right_invariant, mujoco=place.mujoco)
            if place.names_body:
                local = partial_velocities(joint, own_q, spatial=right_invariant, mujoco=place.mujoco)
        links[joint.child] = _carried(place, joint.child, started, curve, local)
    return RobotMotion(links, tuple(beams), tuple(sections), tips)


def _carried(
    place: Place, child: str, started: LinkMotion, curve: Curve, local: Sequence[PartialVelocity]
) -> LinkMotion:
    """What moves along a curve from a frame, with its partial velocities in that frame's axes."""
    turning = started.rotation
    shifts = series_times(turning, curve.translation)  # products are cut at the order of the shorter factor
    origin = [add(start, move) for start, move in zip(started.origin, shifts, strict=True)]
    path = started.path
    if place.names_body:
        partials = [PartialVelocity(times(turning[0], x.angular), times(turning[0], x.linear)) for x in local]
        path = (*path, Carrier(place, child, origin[0], tuple(partials)))
    return LinkMotion(series_product(turning, curve.rotation), origin, path)


def _beside(station: LinkMotion, child: str, arms: VectorSeries, moved_by: Sequence[tuple[int, Vector]]) -> LinkMotion:
    """A point beside a station of a rod, which turns with it: ``arms`` are the series of its place in its axes.

    ``moved_by`` are coordinates of the rod, and how each moves the point there.
    """
    carrier, turning = station.path[-1], station.rotation
    swung = series_times(turning, arms)
    origin = [add(start, arm) for start, arm in zip(station.origin, swung, strict=True)]
    partials = [PartialVelocity(x.angular, add(x.linear, cross(x.angular, swung[0]))) for x in carrier.partials]
    for own, moved_there in moved_by:
        before = partials[own]
        partials[own] = PartialVelocity(before.angular, add(before.linear, times(turning[0], moved_there)))
    path = (*station.path[:-1], Carrier(carrier.place, child, origin[0], tuple(partials)))
    return LinkMotion(turning, origin, path)


def beam_placement(quantities: Quantities, bends: Flexible | Soft) -> tuple[Matrix, Vector]:
    """Rotation and position of the frame of a beam or a rod in its link's."""
    placement = bends.placement
    position = [quantities(number, "") for number in placement.translation]  # a beam has no leaves of its own
    return nearest_rotation([vector(row) for row in placement.rotation]), position


def moved(base: LinkMotion, rotation: Matrix, translation: Vector) -> LinkMotion:
    """A frame that is fixed to another."""
    origins = zip(base.origin, base.rotation, strict=True)
    return LinkMotion(
        [product(coefficient, rotation) for coefficient in base.rotation],
        [add(origin, times(turning, translation)) for origin, turning in origins],
        base.path,
    )
