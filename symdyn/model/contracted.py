"""A robot of which each rod is one body, its tip, for algorithms that ask how rows weigh and not how stations move.

The rod's mass is the carrier's, as that of a beam is: constants of the carrier that the rod's shape tells
(``dynamics.tree.rod_columns``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from symdyn.description.external_loads import Acting
from symdyn.description.fluid import AddedMass
from symdyn.description.robot import Inertial
from symdyn.model.bodies import Body, PlacedInertial, PlacedLoad
from symdyn.model.clusters import find_clusters
from symdyn.model.joints.map_point import MapRows, MapTip
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.strains import Strains
from symdyn.model.model import Model
from symdyn.model.rod import Rod, SoftBody


def kept_bodies(model: Model) -> list[int]:
    """The bodies that a contracted model has, by their index in the whole one."""
    gone = {body for rod in model.rods for body in (rod.owner, *rod.stations[:-1])}
    return [index for index in range(len(model.bodies)) if index not in gone]


def places_in_contracted(model: Model) -> dict[int, int]:
    """Per body of the whole model, that which moves in its place in the contracted one: of a rod, its tip."""
    place = {body: number for number, body in enumerate(kept_bodies(model))}
    for rod in model.rods:
        place |= dict.fromkeys((rod.owner, *rod.stations), place[rod.stations[-1]])
    return place


def contracted_with_frames(model: Model) -> Model:
    """The contracted model for a function of all frames: stations on which frames stand are bodies beside their tip.

    They have no mass, and the joint of the tip: it reads the pose and the columns of their station.
    """
    return contracted(model, {frame.body for frame in model.frames})


def contracted(model: Model, shown: Collection[int] = ()) -> Model:
    """The model with the stations of rods left out, but for tips; rows of q and v, and public bodies, stay.

    Parameters
    ----------
    model
        The robot.
    shown
        Bodies to keep, stations among them.
    """
    if not model.rods or model.contracted:
        return model
    along = {body: rod for rod in model.rods for body in rod.stations}
    kept = sorted({*kept_bodies(model), *(along.keys() & shown)})
    place = {index: number for number, index in enumerate(kept)} | {-1: -1}
    bodies: list[Body] = []
    for index in kept:
        body = model.bodies[index]
        if index in along:
            rod = along[index]
            rows, first = model.bodies[rod.owner].joint, model.bodies[rod.stations[0]]
            ends = index == rod.stations[-1]
            kind = rows.kind
            assert isinstance(kind, Strains)
            mapped = MapTip(kind.names, kind.units, kind.usual_reach) if isinstance(kind, MapRows) else None
            tip = replace(rows, kind=mapped or RodTip(kind.names, kind.units))
            body = replace(
                first,
                name=body.name,
                joint=tip,
                alignment=body.alignment,
                inertials=body.inertials if ends else (),
                carried=body.carried,
                loads=body.loads if ends else (),
                row=body.row,
                rod=rod,
            )
        # what acts asks for stations, but for what weighs like the rod
        loads = tuple(own for own in body.loads if isinstance(own.load, AddedMass) or not isinstance(own.load, Acting))
        if index in along and index == along[index].stations[-1]:
            loads = (*loads, *_fluid_along(model, along[index]))
        bodies.append(replace(body, parent=place[body.parent], loads=loads))
    for rod in model.rods:
        carrier = bodies[place[rod.stations[-1]]].parent
        if carrier >= 0:
            matter, own = rod.matter, bodies[carrier]
            mass = (0.0 if matter.density else rod.mass, *(0.0,) * 9)
            placed = PlacedInertial(rod.link, Inertial(rod.mass, (0.0,) * 6), (), matter.density)
            inertials = (*own.inertials, placed) if matter.density else own.inertials
            bodies[carrier] = replace(own, carried=(*own.carried, mass), inertials=inertials)
    frames = tuple(replace(frame, body=place[frame.body]) for frame in model.frames if frame.body in place)
    rods = tuple(replace(rod, **_at_ends(rod, place)) for rod in model.rods)
    found = tuple(bodies)
    return replace(model, bodies=found, clusters=find_clusters(found), frames=frames, rods=rods, contracted=True)


def _fluid_along(model: Model, rod: SoftBody) -> Iterator[PlacedLoad]:
    """Added masses at the stations of a rod before its tip, which are told the station's number."""
    for number, body in enumerate(rod.stations[:-1]):
        for placed in model.bodies[body].loads:
            if isinstance(placed.load, AddedMass):
                yield replace(placed, own=(*placed.own, ("station", float(number))))


def _at_ends(rod: SoftBody, place: Mapping[int, int]) -> dict[str, Any]:
    """What changes of a rod where only its tip, and what is shown beside it, are bodies."""
    end = place[rod.stations[-1]]
    shown = tuple((place[body], number) for number, body in enumerate(rod.stations[:-1]) if body in place)
    return {"owner": end, "stations": (end,)} | ({"shown": shown} if isinstance(rod, Rod) else {})
