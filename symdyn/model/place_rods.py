"""Soft links in the tree: a body for the rows of a rod, and one for each of its stations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symdyn.algebra.scalars.floats import FloatAlgebra
from symdyn.algebra.spatial.magnus import magnus
from symdyn.algebra.spatial.rotations import IDENTITY, Matrix3, snapped
from symdyn.algebra.spatial.step_pose import step_pose, stumpff_terms
from symdyn.algebra.spatial.vectors import Vector, add, product, times, transpose
from symdyn.description.contact import gauged_rods
from symdyn.description.external_loads import Along
from symdyn.description.robot import Inertial, Placement, RobotDescription
from symdyn.description.soft import Soft
from symdyn.description.text.position import shown
from symdyn.errors import DescriptionError, ModelError
from symdyn.model.flexible_link import TIP
from symdyn.model.growing_tree import GrowingTree, Place
from symdyn.model.joints.map_point import MapRows
from symdyn.model.joints.rod_step import ROD_POINT, ROD_STEP
from symdyn.model.joints.strains import Strains
from symdyn.model.rod import Rod
from symdyn.model.rod_matter import RodMatter, closed_matter
from symdyn.model.rod_moments import rod_moments

if TYPE_CHECKING:  # shapes load SymPy
    from symdyn.shapes.tables import RodTables

STATION = ".station"
"""What a station of a soft link adds to the link's name, before its number."""


def add_rod(tree: GrowingTree, link: str, soft: Soft, matter: RodMatter, place: Place) -> tuple[Rod, Place, Vector]:
    """Append the bodies of a rod, whose stations are known (see :func:`with_stations`).

    Parameters
    ----------
    tree
        The tree under construction.
    link
        The link's name.
    soft
        Its rod.
    matter
        What of its matter is known at run time alone.
    place
        The link's frame.

    Returns
    -------
    The rod; the place of its tip's public frame, whose axes are parallel to the link's while q = 0; and where that
    frame stands in the link's then [m].
    """
    from symdyn.shapes.rod import rod_tables
    from symdyn.shapes.rod_nodes import node_strains

    assert soft.stations is not None, link
    tables, nodes = rod_tables(soft, soft.stations), node_strains(soft, soft.stations)
    rows = tree.deforming_joint(link, link, _rows(tables, soft))
    owner = tree.add_body(link + ".strains", place, rows, IDENTITY, public=False).body
    turn, (x, y, z) = rest_pose(tables, stumpff_terms(soft.max_turn_per_step))
    root = soft.placement
    axes = snapped(product(root.rotation, turn))
    reached, stations, last = place.beyond(root), [], len(tables.steps) - 1
    for number, step in enumerate(tables.steps):
        joint, start = tree.inner_joint(link, ROD_POINT if step.point else ROD_STEP), reached
        if number == last:
            back = Placement(rotation=snapped(transpose(axes)))
            reached = tree.add_body(link + TIP, reached.beyond(back), joint, axes)
        else:
            reached = tree.add_body(f"{link}{STATION}{number + 1}", reached, joint, IDENTITY, public=False)
        stations.append(reached.body)
        if step.mass != 0.0:
            x_moment, y_moment, z_moment = step.inertia
            section = Inertial(step.mass, (x_moment, 0.0, 0.0, y_moment, 0.0, z_moment))
            tree.add_inertial(f"{link}{STATION}{number + 1}", section, reached, matter.density)
        if step.point:
            reached = start
    chain = tables.chain
    origin = [float(entry) for entry in root.translation if isinstance(entry, float | int)]  # no parameter's
    return (
        Rod(
            link,
            tables,
            rod_moments(tables),
            owner,
            tuple(stations),
            soft.max_turn_per_step,
            nodes=tuple(replace(node, step=chain[node.step]) for node in nodes),
            matter=matter,
            error=soft.error,
        ),
        reached,
        add(origin, times(root.rotation, (x, y, z))),
    )


def _rows(tables: RodTables, soft: Soft) -> Strains:
    if not soft.section_shapes:
        return Strains(tables.names, tables.units)
    from symdyn.shapes.section_radii import section_reach

    own = soft.strain_coordinates
    usual = Strains(tables.names[:own], tables.units[:own]).usual({})
    return MapRows(tables.names, tables.units, (*usual, *section_reach(soft)))


def with_stations(description: RobotDescription) -> RobotDescription:
    """The description with numbers of stations found where it leaves them open; see :func:`rod_stations`.

    Raises
    ------
    ModelError
        Functions or sections of which there are none, or stations that are too few; the message names the link.
    """
    marks: dict[str, set[float]] = {}
    gauged = set(gauged_rods(description))
    parts: dict[str, list[Along]] = {}
    for frame in description.frames:
        if isinstance(frame.at, float):
            marks.setdefault(frame.link, set()).add(frame.at)
    for site in (site for acting in description.acting for site in acting.stands):
        if isinstance(site.at, float):
            marks.setdefault(site.link, set()).add(site.at)
    for acting in description.acting:
        if isinstance(acting, Along) and acting.part is not None:
            parts.setdefault(acting.rod, []).append(acting)
    links = tuple(
        link
        if link.soft is None
        else replace(
            link,
            soft=replace(
                _stationed(link.name, link.soft, marks.get(link.name, set()), parts.get(link.name, [])),
                gauged=link.soft.deforms and link.name in gauged,
            ),
        )
        for link in description.links
    )
    return replace(description, links=links)


def place_along(tree: GrowingTree, rod: Rod, soft: Soft, tip: Place, x: float) -> Place:
    """A frame in the section at x [m] from the root, parallel to the link's while q = 0."""
    node = min(rod.nodes, key=lambda node: abs(node.x - x))
    body = rod.stations[node.step]
    if body == tip.body:
        return tip
    turn, _ = rest_pose(replace(rod.tables, steps=rod.tables.steps[: node.step + 1]), stumpff_terms(rod.turn))
    axes = snapped(product(soft.placement.rotation, turn))
    return Place(body).beyond(Placement(rotation=snapped(transpose(axes))))


def _stationed(link: str, soft: Soft, marks: Collection[float], parts: Sequence[Along]) -> Soft:
    from symdyn.model.rod_stations import rod_stations
    from symdyn.shapes.rod_nodes import part_shares

    try:
        best = rod_stations(closed_matter(replace(soft, marks=(), gauged=False)))
        found = soft.found or soft.stations is None
        shares = (share for own in parts if own.part for share in part_shares(soft, best.number, *own.part))
        places = tuple(sorted({*marks, *(x for x, _ in shares)}))
        return replace(soft, stations=best.number, found=found, error=best.error, marks=places)
    except (DescriptionError, ModelError) as failure:
        raise ModelError(f"soft link {shown(link)}: {failure}") from None


def rest_pose(tables: RodTables, terms: int) -> tuple[Matrix3, Vector]:
    """Where the tip stands in the root's frame while q = 0: rotation and place [m]."""
    rotation: Matrix3 = IDENTITY
    place: Vector = [0.0, 0.0, 0.0]
    for number in tables.chain:
        step = tables.steps[number]
        found = step_pose(FloatAlgebra(), magnus(step.reference, step.length), terms)
        place = add(place, times(rotation, found.translation))
        rotation = snapped(product(rotation, found.rotation.matrix()))
    return rotation, place
