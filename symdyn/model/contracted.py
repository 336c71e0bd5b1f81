"""A robot of which each rod is one body, its tip, for algorithms that ask how rows weigh and not how stations move.

The rod's mass is the carrier's, as that of a beam is: constants of the carrier that the rod's shape tells
(``dynamics.tree.rod_columns``).
"""

from __future__ import annotations

from dataclasses import replace

from symdyn.description.acting import Acting
from symdyn.description.robot import Inertial
from symdyn.errors import ModelError
from symdyn.model.bodies import Body, PlacedInertial
from symdyn.model.clusters import find_clusters
from symdyn.model.joints.map_point import MapRows, MapTip
from symdyn.model.joints.rod_tip import RodTip
from symdyn.model.joints.strains import Strains
from symdyn.model.model import Model


def kept_bodies(model: Model) -> list[int]:
    """The bodies that a contracted model has, by their index in the whole one."""
    gone = {body for rod in model.rods for body in (rod.owner, *rod.stations[:-1])}
    return [index for index in range(len(model.bodies)) if index not in gone]


def contracted_with_frames(model: Model, function: str) -> Model:
    """The contracted model for a function of all frames.

    Raises
    ------
    ModelError
        A frame along a rod: its station is left out.
    """
    kept = {-1, *kept_bodies(model)}
    for frame in model.frames:
        if frame.body not in kept:
            raise ModelError(
                f"function '{function}' has no columns for frame '{frame.name}', which stands along a rod of robot "
                f"'{model.name}'; delete the frame, put it at the tip or the root, or leave the function out"
            )
    return contracted(model)


def contracted(model: Model) -> Model:
    """The model with the stations of rods left out, but for tips; rows of q and v, and public bodies, stay.

    Parameters
    ----------
    model
        The robot.
    """
    if not model.rods or model.contracted:
        return model
    tips = {rod.stations[-1]: rod for rod in model.rods}
    kept = kept_bodies(model)
    place = {index: number for number, index in enumerate(kept)} | {-1: -1}
    bodies: list[Body] = []
    for index in kept:
        body = model.bodies[index]
        if index in tips:
            rows, first = model.bodies[tips[index].owner].joint, model.bodies[tips[index].stations[0]]
            kind = rows.kind
            assert isinstance(kind, Strains)
            mapped = MapTip(kind.names, kind.units, kind.usual_reach) if isinstance(kind, MapRows) else None
            tip = replace(rows, kind=mapped or RodTip(kind.names, kind.units))
            body = replace(
                first,
                name=body.name,
                joint=tip,
                alignment=body.alignment,
                inertials=body.inertials,
                carried=body.carried,
                loads=body.loads,
                row=body.row,
                rod=tips[index],
            )
        loads = tuple(placed for placed in body.loads if not isinstance(placed.load, Acting))  # these ask for stations
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
    ends = ((rod, place[rod.stations[-1]]) for rod in model.rods)
    rods = tuple(replace(rod, owner=end, stations=(end,)) for rod, end in ends)
    found = tuple(bodies)
    return replace(model, bodies=found, clusters=find_clusters(found), frames=frames, rods=rods, contracted=True)
