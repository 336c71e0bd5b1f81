"""A robot with elastic joints taken apart at its springs: the links as they move by themselves, and the motors.

Nothing but the springs joins the two (Spong 1987), so that a trajectory of the links tells what they need, and the
motors follow from it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from symdyn.model.clusters import find_clusters
from symdyn.model.model import Model


def link_side(model: Model) -> Model:
    """The robot without the motors of its elastic joints: their rows of q and v, rotors and springs are gone.

    The order of the remaining rows, the public bodies and the run-time parameters stay as they are.
    """
    kept = [index for index in range(len(model.bodies)) if index not in model.rotors]
    place = {index: position for position, index in enumerate(kept)} | {-1: -1}
    givers = model.runtime_givers
    gone = [model.bodies[index].joint for index in model.rotors]
    motors = ({motor.q_index for motor in gone}, {motor.v_index for motor in gone})
    bodies = tuple(
        replace(
            body,
            parent=place[body.parent],
            joint=replace(
                body.joint,
                q_index=_without(body.joint.q_index, motors[0]),
                v_index=_without(body.joint.v_index, motors[1]),
                led=tuple((_without(q, motors[0]), _without(v, motors[1])) for q, v in body.joint.led),
            ),
        )
        for body in (model.bodies[index] for index in kept)
    )
    rods = tuple(
        replace(rod, owner=place[rod.owner], stations=tuple(place[index] for index in rod.stations))
        for rod in model.rods
    )
    return replace(
        model,
        bodies=bodies,
        clusters=find_clusters(bodies, rods),
        frames=tuple(replace(frame, body=place[frame.body]) for frame in model.frames),
        nq=model.nq - len(gone),
        nv=model.nv - len(gone),
        rods=rods,
        runtime_givers=None if givers is None else frozenset(place[index] for index in givers if index in place),
    )


def motor_side(model: Model) -> Model:
    """The motors of the elastic joints alone, one row of q and v each, with their rotors, springs and losses."""
    motors = [model.bodies[index] for index in model.rotors]
    bodies = tuple(
        replace(body, parent=-1, joint=replace(body.joint, q_index=row, v_index=row)) for row, body in enumerate(motors)
    )
    count = len(bodies)
    return replace(model, bodies=bodies, clusters=find_clusters(bodies), frames=(), nq=count, nv=count, rods=())


def _without(row: int, gone: Collection[int]) -> int:
    return row - sum(other < row for other in gone)
