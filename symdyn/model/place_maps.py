"""Bodies given by their map in the tree: a body for the rows, and one for each of their points."""

from __future__ import annotations

from symdyn.algebra.spatial.rotations import IDENTITY
from symdyn.description.mapped import Mapped
from symdyn.description.robot import Inertial
from symdyn.model.flexible_link import TIP
from symdyn.model.growing_tree import GrowingTree, Place
from symdyn.model.joints.map_point import MAP_POINT, MapRows
from symdyn.model.joints.rod_step import ROD_STEP
from symdyn.model.mapped import MapBody
from symdyn.model.rod_matter import RodMatter

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
