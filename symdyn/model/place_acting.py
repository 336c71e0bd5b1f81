"""Where what acts on a robot stands in the tree: on bodies, and along rods at all stations that weigh."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symdyn.algebra.spatial.rotations import minimal_rotation_from_z
from symdyn.description.contact import Contact, rod_at
from symdyn.description.external_loads import Acting, Along, Site
from symdyn.description.fluid import Buoyancy
from symdyn.description.loops import Loop
from symdyn.description.pfaffian import Pfaffian
from symdyn.description.rigid_contact import Segment
from symdyn.description.robot import Attachment, Placement, RobotDescription
from symdyn.description.soft import Soft
from symdyn.model.growing_tree import GrowingTree, Place
from symdyn.model.place_beams import Tips
from symdyn.model.rod import Rod

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import RodNode


def standing(tree: GrowingTree, tips: Tips, link: str, at: Attachment | float) -> Place:
    """From where places on a link are counted: its frame, that frame or its own at the tip, a section of its rod."""
    if isinstance(at, float):
        return tips.along[link, at]
    own = tree.places[link]
    return {Attachment.TIP: tips.bent, Attachment.END: tips.places, Attachment.ROOT: {}}[at].get(link, own)


def place_acting(tree: GrowingTree, tips: Tips, robot: RobotDescription) -> None:
    """Record on bodies all that acts on a robot."""
    for acting in robot.acting:
        for site in acting.sites:
            radius = {"radius": sphere_radius(robot, acting, site)} if isinstance(acting, Contact) else {}
            place = _stood(tree, tips, robot, site)
            gauge = _gauge(tips, place.body) if isinstance(acting, Contact) and acting.radius is None else None
            if gauge is not None:
                tree.add_gauged(acting.name, acting, place, gauge, radius)
                continue
            tree.add_loads(acting.name, (acting,), place, radius)
        if acting.pair:
            first, second = (_stood(tree, tips, robot, site) for site in acting.pair)
            if isinstance(acting, Loop):
                first, second = (
                    place.beyond(Placement(rotation=minimal_rotation_from_z(axis)))
                    for place, axis in zip((first, second), acting.axes, strict=True)
                )
            tree.add_pair(acting.name, acting, first, second)
        if isinstance(acting, Pfaffian) and tree.bodies:
            tree.add_loads(acting.name, (acting,), Place(0))  # it has no place: its parameters are those of a body
        if acting.rod:
            _place_along(tree, tips, robot, acting)


def sphere_radius(robot: RobotDescription, acting: Contact, site: Site) -> float:
    """Of the sphere of a contact at one place [m]."""
    on = rod_at(robot, site) if acting.radius is None else None
    return on[0].section.outer_radius(on[1]) if on is not None else acting.radius or 0.0


def _gauge(tips: Tips, body: int) -> int | None:
    """The body that tells the radius of the section with which a station's body moves, if that deforms."""
    rods = (rod for rod in tips.rods if isinstance(rod, Rod) and body in rod.stations)
    return next((rod.gauge(rod.stations.index(body)) for rod in rods), None)


def _stood(tree: GrowingTree, tips: Tips, robot: RobotDescription, site: Site) -> Place:
    if site.grounded:
        return Place(-1).beyond(Placement(site.point))
    if site.frame in robot.tips:
        return tips.places[robot.tips[site.frame]]
    if site.frame:
        frame = next(frame for frame in robot.frames if frame.name == site.frame)
        return standing(tree, tips, frame.link, frame.at).beyond(frame.placement)
    return standing(tree, tips, site.link, site.at).beyond(Placement(site.point))


def _place_along(tree: GrowingTree, tips: Tips, robot: RobotDescription, acting: Acting) -> None:
    """Record it at the stations of a rod, each of which stands for ``share`` [m] of it, ``along`` [m] from the root.

    What lifts the rod is told the ``volume`` [m^3] of that share.
    """
    rod = next(rod for rod in tips.rods if isinstance(rod, Rod) and rod.link == acting.rod)
    soft = next(link.soft for link in robot.links if link.name == acting.rod)
    assert soft is not None and soft.stations is not None, acting.rod
    for node, share, volume in _shares(rod, soft, soft.stations, acting):
        told = {"along": node.x, "share": share}
        if isinstance(acting, Buoyancy):
            told = {"volume": volume}
        elif isinstance(acting, Contact):
            radius = soft.section.outer_radius(node.x) if acting.radius is None else acting.radius
            told = {"share": share, "radius": radius}
            gauge = rod.gauge(node.step) if acting.radius is None else None
            if gauge is not None:
                tree.add_gauged(acting.name, acting, Place(rod.stations[node.step]), gauge, told)
                continue
        tree.add_loads(acting.name, (acting,), Place(rod.stations[node.step]), told)


def stations_of(
    tips: Tips, robot: RobotDescription, link: str, part: tuple[float | None, float | None] | None
) -> Iterator[tuple[int, Segment]]:
    """The bodies of the stations of a soft link that stand for some of it, with what each stands for."""
    rod = next(rod for rod in tips.rods if isinstance(rod, Rod) and rod.link == link)
    soft = next(own.soft for own in robot.links if own.name == link)
    assert soft is not None and soft.stations is not None, link
    start = (part[0] if part is not None else None) or 0.0
    for node, share, _ in _parts(rod, soft, soft.stations, part):
        radius = soft.section.outer_radius(node.x) if soft.section.radius else 0.0
        yield rod.stations[node.step], Segment(node.x, start, start + share, radius)
        start += share


def _shares(rod: Rod, soft: Soft, stations: int, acting: Acting) -> Iterator[tuple[RodNode, float, float]]:
    """Stations at which something acts, with the length [m] and the volume [m^3] that each stands for."""
    return _parts(rod, soft, stations, acting.part if isinstance(acting, Along) else None)


def _parts(
    rod: Rod, soft: Soft, stations: int, part: tuple[float | None, float | None] | None
) -> Iterator[tuple[RodNode, float, float]]:
    from symdyn.shapes.rod_nodes import node_shares, part_shares, part_volume

    if part is not None:
        for x, share in part_shares(soft, stations, *part):
            node = min(rod.nodes, key=lambda node: abs(node.x - x))
            yield node, share, part_volume(soft, x, share)
        return
    for node, (share, volume) in zip(rod.nodes, node_shares(soft, stations), strict=True):
        if share:
            yield node, share, volume
