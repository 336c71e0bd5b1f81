"""Links that bend in the tree: their tips are bodies, and the beams of flexible ones stand on what carries them.

Bodies given by their map in the tree: a body for the rows, and one for each of their points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symdyn.algebra.spatial.rotations import IDENTITY, snapped
from symdyn.algebra.spatial.vectors import add, product, times, transpose
from symdyn.description.mapped import Mapped
from symdyn.description.robot import Inertial, Link, Placement
from symdyn.errors import ModelError
from symdyn.model.bodies import Body
from symdyn.model.flexible_link import TIP, Beam, flexure_numbers, flexure_of, link_integrals, seen_from
from symdyn.model.growing_tree import GrowingTree, Place
from symdyn.model.joints.map_point import MAP_POINT, MapRows
from symdyn.model.joints.rod_step import ROD_STEP
from symdyn.model.mapped import MapBody
from symdyn.model.parameter_names import Way
from symdyn.model.place_rods import add_rod, place_along
from symdyn.model.rod import SoftBody
from symdyn.model.rod_matter import RodMatter, open_map, open_matter
from symdyn.model.values import Values
from symdyn.shapes.integrals import BeamIntegrals

POINT = ".point"
"""What a point of such a body adds to the link's name, before its number."""


def add_map(tree: GrowingTree, link: str, mapped: Mapped, matter: RodMatter, place: Place) -> tuple[MapBody, Place]:
    """Append the bodies of a body given by its map.

    Parameters
    ----------
    tree
        The tree under construction.
    link
        The link's name.
    mapped
        What its points do.
    matter
        What of its numbers is known at run time alone.
    place
        The link's frame.

    Returns
    -------
    The body, and the place of its tip's frame, whose axes are the link's while q = 0.
    """
    from symdyn.shapes.mapped import map_tables

    tables = map_tables(mapped)
    rows = tree.deforming_joint(link, link, MapRows(tables.names, tables.units, tables.usual))
    owner = tree.add_body(link + ".strains", place, rows, IDENTITY, public=False).body
    stations = []
    for number, mass in enumerate(tables.masses, 1):
        name = f"{link}{POINT}{number}"
        reached = tree.add_body(name, place, tree.inner_joint(link, MAP_POINT), IDENTITY, public=False)
        tree.add_inertial(name, Inertial(mass, (0.0,) * 6), reached, matter.density)
        stations.append(reached.body)
    tip = tree.add_body(
        link + TIP, place, tree.inner_joint(link, ROD_STEP if mapped.tip_turns else MAP_POINT), IDENTITY
    )
    return MapBody(link, tables, owner, (*stations, tip.body), matter=matter), tip


@dataclass(frozen=True, slots=True)
class BeamPlace:
    """A flexible link's integrals in its beam's axes, and the way from its carrier's public frame to the beam's."""

    link: str
    integrals: BeamIntegrals
    way: Way


class Tips:
    """The tips of the flexible and soft links of a tree under construction."""

    def __init__(self, values: Values) -> None:
        self.places: dict[str, Place] = {}
        """Of each tip, by the link's name."""
        self.bent: dict[str, Place] = {}
        """Of the link's own frame as its tip carries it, parallel to the link's."""
        self.along: dict[tuple[str, float], Place] = {}
        """In the sections of rods, by the link's name and how far from the root they stand [m]."""
        self.rods: list[SoftBody] = []
        self._beams: dict[int, BeamPlace] = {}
        self._values = values

    def bend(self, tree: GrowingTree, link: Link, place: Place) -> Place:
        """Where things on the tip of a link stand: on a body of its own where the link bends."""
        if link.soft is not None:
            soft, matter = open_matter(link.name, link.soft, self._values)
            rod, tip, (x, y, z) = add_rod(tree, link.name, soft, matter, place)
            self.rods.append(rod)
            self.places[link.name] = tip
            self.along |= {(link.name, x): place_along(tree, rod, soft, tip, x) for x in soft.marks}
            self.bent[link.name] = tip.beyond(Placement((-x, -y, -z)))
            return self.bent[link.name]
        if link.deformable is not None:
            closed, matter = open_map(link.name, link.deformable, self._values)
            mapped, tip = add_map(tree, link.name, closed, matter, place)
            self.rods.append(mapped)
            self.places[link.name] = tip
            x, y, z = mapped.tables.rest
            self.bent[link.name] = tip.beyond(Placement((-x, -y, -z)))
            return self.bent[link.name]
        if link.flexible is None:
            return place
        integrals = link_integrals(link.name, link.flexible)
        kind, axes = flexure_of(integrals)
        root, name = link.flexible.placement, link.name + TIP
        start = [float(entry) for entry in root.translation if isinstance(entry, float | int)]  # no parameter's
        x, y, z = add(start, times(root.rotation, integrals.tip))
        made = tree.deforming_joint(name, link.name, kind)
        indexed = replace(made, numbers=flexure_numbers(kind, axes, integrals))
        at_tip = place.beyond(Placement((x, y, z)))
        tip = self.places[link.name] = tree.add_body(name, at_tip, indexed, snapped(product(root.rotation, axes)))
        self._beams[tip.body] = BeamPlace(link.name, integrals, place.beyond(root).way)
        self.bent[link.name] = tip.beyond(Placement((-x, -y, -z)))
        return self.bent[link.name]

    def on_bodies(self, bodies: Sequence[Body]) -> tuple[Body, ...]:
        """The bodies with each beam on its tip, and its mass at rest on its carrier.

        Raises
        ------
        ModelError
            The way from the carrier to a beam rests on a run-time parameter.
        """
        found = list(bodies)
        for tip, place in self._beams.items():
            carrier = found[tip].parent
            for step, joint in place.way:
                if self._values.way_depends(((step, joint),)):
                    raise ModelError(
                        f"flexible link '{place.link}' is fixed to the body that carries it by joint '{joint}', whose "
                        "translation is a run-time parameter; flexible links are baked: give it as a number"
                    )
            rotation, origin = self._values.composed(place.way)
            back = transpose(found[carrier].alignment if carrier >= 0 else IDENTITY)
            integrals = seen_from(place.integrals, snapped(product(back, rotation)), times(back, origin))
            beam = Beam(place.link, integrals)
            found[tip] = replace(found[tip], beam=beam)
            if carrier >= 0:
                found[carrier] = replace(found[carrier], carried=(*found[carrier].carried, beam.at_rest))
        return tuple(found)
